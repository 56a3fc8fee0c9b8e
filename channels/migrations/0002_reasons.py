"""A column for the reason of a failure as a value; its English stays in the column beside it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("channels", "0001_version_0_1"),
    ]

    operations = [
        migrations.AddField(
            model_name="channelconnection",
            name="error",
            field=models.JSONField(
                blank=True,
                editable=False,
                help_text="what last went wrong, and what to do",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="channelconnection",
            name="error_message",
            field=models.CharField(blank=True, help_text="`error` in English", max_length=500),
        ),
    ]
