"""A sync that would remove most of what is known waits for a second one to find the same."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0006_old_reasons"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="may_lose",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
