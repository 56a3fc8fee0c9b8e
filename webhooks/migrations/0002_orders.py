"""Orders out of a messenger's catalogue are messages of a kind of their own."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0001_version_0_1"),
    ]

    operations = [
        migrations.AlterField(
            model_name="inboundmessage",
            name="kind",
            field=models.CharField(
                choices=[
                    ("text", "text"),
                    ("start", "start"),
                    ("media", "media"),
                    ("order", "order"),
                ],
                max_length=10,
            ),
        ),
    ]
