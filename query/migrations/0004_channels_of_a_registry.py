"""Kinds of channels are listed in channels/surfaces/registry.py alone. Nothing happens in the
database: what a column may be chosen from is Django's."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("query", "0003_unsure")]

    operations = [
        migrations.AlterField("conversation", "channel", models.CharField(max_length=20)),
        migrations.AlterField("lead", "channel", models.CharField(max_length=20)),
    ]
