"""Notifications of channels on which nobody is answered any more."""

import django.contrib.postgres.fields
from django.db import migrations, models

from config.database.declaring import build_walls

KINDS = [
    ("lead", "Lead"),
    ("source_failed", "Source Failed"),
    ("reauth_required", "Reauth Required"),
    ("channel_failed", "Channel Failed"),
    ("mails_held", "Mails Held"),
    ("mails_stopped", "Mails Stopped"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0001_version_0_1"),
        ("query", "0003_found_by_person"),
    ]

    operations = [
        migrations.AddField(
            model_name="notification",
            name="agent",
            field=models.ForeignKey(
                null=True, on_delete=models.CASCADE, related_name="+", to="agents.agent"
            ),
        ),
        migrations.AlterField(
            model_name="notification",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=20),
        ),
        migrations.AlterField(
            model_name="notificationsetting",
            name="mailed_kinds",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(choices=KINDS, max_length=20),
                blank=True,
                default=list,
                size=None,
            ),
        ),
        migrations.AddConstraint(
            model_name="notification",
            constraint=models.UniqueConstraint(
                fields=("tenant", "kind", "agent"), name="query_notification_agent"
            ),
        ),
        build_walls(("query_notification", "agent_id", "agents_agent", "CASCADE")),
    ]
