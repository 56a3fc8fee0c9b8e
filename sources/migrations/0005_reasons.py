"""Columns for reasons as values; their English stays in the columns beside them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0004_count_reserved_passages"),
    ]

    operations = [
        migrations.AddField(
            model_name="connection",
            name="error",
            field=models.JSONField(
                blank=True,
                editable=False,
                help_text="why it is not connected, and what to do",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="source",
            name="error",
            field=models.JSONField(
                blank=True, editable=False, help_text="why its last run failed", null=True
            ),
        ),
        migrations.AlterField(
            model_name="connection",
            name="reason",
            field=models.CharField(blank=True, help_text="`error` in English", max_length=500),
        ),
        migrations.AlterField(
            model_name="document",
            name="warnings",
            field=models.JSONField(
                blank=True, default=list, help_text="what of it was not read and why"
            ),
        ),
        migrations.AlterField(
            model_name="source",
            name="error_message",
            field=models.TextField(blank=True, help_text="`error` in English"),
        ),
    ]
