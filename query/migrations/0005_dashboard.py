"""What the dashboard shows: groups of unanswered questions, counts by day, notes and assignees of
leads, notifications of sources and who has read them; and an index of the words of transcripts."""

import uuid

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.manager
import django.utils.timezone
import pgvector.django.halfvec
from django.db import migrations, models

# table, its column, the table it points to, what happens when that row goes: see 0002
WALLS = [
    ("query_questiongroup", "entry_id", "sources_entry", "SET NULL (entry_id)"),
    ("query_message", "group_id", "query_questiongroup", "SET NULL (group_id)"),
    ("query_outcomecount", "agent_id", "agents_agent", "CASCADE"),
    ("query_lead", "assignee_id", "accounts_membership", "SET NULL (assignee_id)"),
    ("query_leadnote", "lead_id", "query_lead", "CASCADE"),
    ("query_notification", "source_id", "sources_source", "CASCADE"),
    ("query_notificationread", "notification_id", "query_notification", "CASCADE"),
    ("query_notificationread", "membership_id", "accounts_membership", "CASCADE"),
    ("query_notificationsetting", "membership_id", "accounts_membership", "CASCADE"),
]
LAST_MESSAGES = """
UPDATE query_conversation AS conversation SET last_message_at = coalesce(
    (SELECT max(message.created_at) FROM query_message AS message
     WHERE message.tenant_id = conversation.tenant_id
       AND message.conversation_id = conversation.id),
    conversation.created_at)
"""


def wall(table: str, column: str, target: str, on_delete: str) -> migrations.RunSQL:
    name = f"{table}_{column}_same_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name}"
        f" FOREIGN KEY (tenant_id, {column}) REFERENCES {target} (tenant_id, id)"
        f" ON DELETE {on_delete}",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_sessions_tell_devices"),
        ("agents", "0002_tenant_walls"),
        ("query", "0004_channels_of_a_registry"),
        ("sources", "0012_entries"),
    ]

    operations = [
        migrations.CreateModel(
            name="LeadNote",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("text", models.TextField(max_length=4000)),
                ("by", models.EmailField(max_length=254)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["created_at", "id"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="NotificationRead",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ],
            options={
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="NotificationSetting",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "mailed_kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("lead", "Lead"),
                                ("source_failed", "Source Failed"),
                                ("reauth_required", "Reauth Required"),
                            ],
                            max_length=20,
                        ),
                        blank=True,
                        default=list,
                        size=None,
                    ),
                ),
                ("read_until", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="OutcomeCount",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("day", models.DateField()),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("answered", "Answered"),
                            ("unsure", "Unsure"),
                            ("redirected", "Redirected"),
                            ("small_talk", "Small Talk"),
                            ("contact_taken", "Contact Taken"),
                            ("failed", "Failed"),
                        ],
                        max_length=20,
                    ),
                ),
                ("count", models.PositiveIntegerField(default=0)),
            ],
            options={
                "ordering": ["day"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="QuestionGroup",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("vector", pgvector.django.halfvec.HalfVectorField()),
                ("space", models.PositiveSmallIntegerField()),
                ("dismissed_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["created_at"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name="conversation",
            name="last_message_at",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddField(
            model_name="lead",
            name="assignee",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="accounts.membership",
            ),
        ),
        migrations.AddField(
            model_name="message",
            name="clarity",
            field=models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="notification",
            name="source",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="sources.source",
            ),
        ),
        migrations.AlterField(
            model_name="notification",
            name="kind",
            field=models.CharField(
                choices=[
                    ("lead", "Lead"),
                    ("source_failed", "Source Failed"),
                    ("reauth_required", "Reauth Required"),
                ],
                max_length=20,
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                fields=["tenant", "-last_message_at", "-id"], name="query_conversation_last"
            ),
        ),
        migrations.AddIndex(
            model_name="lead",
            index=models.Index(fields=["tenant", "-created_at", "-id"], name="query_lead_recent"),
        ),
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(
                fields=["tenant", "-created_at", "-id"], name="query_notification_recent"
            ),
        ),
        migrations.AddConstraint(
            model_name="notification",
            constraint=models.UniqueConstraint(
                fields=("tenant", "id"), name="query_notification_tenant_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="notification",
            constraint=models.UniqueConstraint(
                fields=("tenant", "kind", "source"), name="query_notification_source"
            ),
        ),
        migrations.AddField(
            model_name="leadnote",
            name="lead",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="notes", to="query.lead"
            ),
        ),
        migrations.AddField(
            model_name="leadnote",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
            ),
        ),
        migrations.AddField(
            model_name="notificationread",
            name="membership",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.membership",
            ),
        ),
        migrations.AddField(
            model_name="notificationread",
            name="notification",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="query.notification",
            ),
        ),
        migrations.AddField(
            model_name="notificationread",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
            ),
        ),
        migrations.AddField(
            model_name="notificationsetting",
            name="membership",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.membership",
            ),
        ),
        migrations.AddField(
            model_name="notificationsetting",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
            ),
        ),
        migrations.AddField(
            model_name="outcomecount",
            name="agent",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="agents.agent",
            ),
        ),
        migrations.AddField(
            model_name="outcomecount",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
            ),
        ),
        migrations.AddField(
            model_name="questiongroup",
            name="entry",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="sources.entry",
            ),
        ),
        migrations.AddField(
            model_name="questiongroup",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.tenant"
            ),
        ),
        migrations.AddField(
            model_name="message",
            name="group",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="questions",
                to="query.questiongroup",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("group__isnull", False)),
                fields=["tenant", "group", "-clarity", "id"],
                include=("created_at",),
                name="query_message_grouped",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.search.SearchVector(
                    models.Func(
                        django.db.models.functions.text.Concat(
                            models.F("question"),
                            models.Value(" "),
                            models.F("answer"),
                            output_field=models.TextField(),
                        ),
                        models.Value("áàâäéèêëíìîïóòôöúùûüñçÁÀÂÄÉÈÊËÍÌÎÏÓÒÔÖÚÙÛÜÑÇ"),
                        models.Value("aaaaeeeeiiiioooouuuuncaaaaeeeeiiiioooouuuunc"),
                        function="translate",
                        output_field=models.TextField(),
                    ),
                    config="simple",
                ),
                name="query_message_words",
            ),
        ),
        migrations.AddConstraint(
            model_name="notificationread",
            constraint=models.UniqueConstraint(
                fields=("tenant", "membership", "notification"), name="query_notificationread_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="notificationsetting",
            constraint=models.UniqueConstraint(
                fields=("tenant", "membership"), name="query_notificationsetting_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="outcomecount",
            constraint=models.UniqueConstraint(
                fields=("tenant", "day", "agent", "outcome"),
                name="query_outcomecount_unique",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="questiongroup",
            constraint=models.UniqueConstraint(
                fields=("tenant", "id"), name="query_questiongroup_tenant_id"
            ),
        ),
        migrations.RunSQL(LAST_MESSAGES, migrations.RunSQL.noop),
        *(wall(*row) for row in WALLS),
    ]
