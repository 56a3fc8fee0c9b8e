"""Answers that somebody of the company found wrong, walled in as every row of a tenant."""

import uuid

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

NAME = "query_answermark_agent_id_same_tenant"


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_sessions_tell_devices"),
        ("agents", "0002_tenant_walls"),
        ("query", "0005_dashboard"),
    ]

    operations = [
        migrations.CreateModel(
            name="AnswerMark",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("question", models.TextField()),
                ("answer", models.TextField()),
                ("sources", models.JSONField(default=list)),
                ("note", models.TextField(blank=True)),
                ("marked_by", models.EmailField(max_length=254)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="agents.agent",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
                "indexes": [
                    models.Index(
                        fields=["tenant", "agent", "-created_at"], name="query_answermark_recent"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "id"), name="query_answermark_tenant_id"
                    )
                ],
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(
            f"ALTER TABLE query_answermark ADD CONSTRAINT {NAME}"
            " FOREIGN KEY (tenant_id, agent_id) REFERENCES agents_agent (tenant_id, id)"
            " ON DELETE CASCADE",
            f"ALTER TABLE query_answermark DROP CONSTRAINT {NAME}",
        ),
    ]
