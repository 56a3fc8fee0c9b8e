"""When the description that a program publishes of itself was read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_idempotent_requests"),
    ]

    operations = [
        migrations.AddField(
            model_name="program",
            name="published_at",
            field=models.DateTimeField(
                blank=True,
                help_text="when its own description was read; none: it registered",
                null=True,
            ),
        ),
    ]
