"""What others said of somebody keeps no erasure open; one worker has a receipt at a time."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_told_columns"),
    ]

    operations = [
        migrations.AddField(
            model_name="erasurereceipt",
            name="said_by_others",
            field=models.JSONField(
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text="how many rows of each column others wrote the person's address into",
            ),
        ),
        migrations.AddField(
            model_name="erasurereceipt",
            name="last_error",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="what kept it open the last time",
                max_length=500,
            ),
        ),
        migrations.AddField(
            model_name="erasurereceipt",
            name="worker_id",
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="erasurereceipt",
            name="lease_until",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
    ]
