"""Agents and their sources, as of version 0.1: what the migrations before it made step by step
(docs/decisions/0069-squashed-migrations.md)."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Lower

from config.database.declaring import (
    ALL_TENANTS,
    OF_TENANTS,
    CreateModels,
    build_walls,
    tenant_key,
    uuid_key,
)

MODELS = [
    migrations.CreateModel(
        name="Agent",
        fields=[
            ("id", uuid_key()),
            ("name", models.CharField(max_length=200)),
            (
                "persona",
                models.TextField(blank=True, help_text="instructions for the language model"),
            ),
            ("welcome_msg", models.TextField(blank=True)),
            (
                "status",
                models.CharField(
                    choices=[("active", "Active"), ("inactive", "Inactive")],
                    default="active",
                    max_length=10,
                ),
            ),
            (
                "allowed_origins",
                ArrayField(
                    base_field=models.CharField(max_length=300), blank=True, default=list, size=None
                ),
            ),
            (
                "cite_sources",
                models.BooleanField(default=True, help_text="[1] in the answer's text"),
            ),
            (
                "active_channels",
                ArrayField(
                    base_field=models.CharField(max_length=20), blank=True, default=list, size=None
                ),
            ),
            ("lead_capture_enabled", models.BooleanField(default=False)),
            ("lead_notification_email", models.EmailField(blank=True, max_length=254)),
            ("store_transcripts", models.BooleanField(default=False)),
            ("transcript_retention_days", models.PositiveSmallIntegerField(default=30)),
            ("is_scoped", models.BooleanField(default=False)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["created_at", "id"],
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(fields=("tenant", "id"), name="agents_agent_tenant_id"),
                models.UniqueConstraint(
                    models.F("tenant"), Lower("name"), name="agents_agent_name"
                ),
                models.CheckConstraint(
                    condition=models.Q(("status__in", ["active", "inactive"])),
                    name="agents_agent_status",
                ),
                models.CheckConstraint(
                    condition=models.Q(("transcript_retention_days__in", (7, 30, 90))),
                    name="agents_agent_retention",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("lead_capture_enabled", False),
                        models.Q(("lead_notification_email", ""), _negated=True),
                        _connector="OR",
                    ),
                    name="agents_agent_lead_email",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="AgentSource",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            (
                "agent",
                models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="agents.agent"),
            ),
            (
                "source",
                models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="sources.source"),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "agent", "source"), name="agents_agentsource_unique"
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
]


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("agents", "0001_initial"),
        ("agents", "0002_tenant_walls"),
    ]
    dependencies = [
        ("accounts", "0001_version_0_1"),
        ("sources", "0001_version_0_1"),
    ]

    operations = [
        CreateModels(*MODELS),
        build_walls(
            ("agents_agentsource", "agent_id", "agents_agent", "CASCADE"),
            ("agents_agentsource", "source_id", "sources_source", "CASCADE"),
        ),
    ]
