"""Agents say how customers reach a person."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0001_version_0_1"),
    ]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="contact_phone",
            field=models.CharField(blank=True, default="", max_length=40),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="agent",
            name="contact_whatsapp",
            field=models.CharField(blank=True, default="", max_length=40),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="agent",
            name="contact_email",
            field=models.EmailField(blank=True, default="", max_length=254),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="agent",
            name="contact_hours",
            field=models.CharField(blank=True, default="", max_length=200),
            preserve_default=False,
        ),
    ]
