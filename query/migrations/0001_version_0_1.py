"""Conversations, leads and notifications, as of version 0.1: what the migrations before it made
step by step (docs/decisions/0069-squashed-migrations.md). The search is in the next one."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import migrations, models
from django.db.models.functions import Concat
from django.utils import timezone
from pgvector.django import HalfVectorField

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
        name="Conversation",
        fields=[
            ("id", uuid_key()),
            ("channel", models.CharField(max_length=20)),
            ("session_id", models.CharField(blank=True, max_length=200)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "agent",
                models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="agents.agent"),
            ),
            ("tenant", tenant_key()),
            ("last_message_at", models.DateTimeField(default=timezone.now)),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    fields=["tenant", "-last_message_at", "-id"], name="query_conversation_last"
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "id"), name="query_conversation_tenant_id"
                ),
                models.UniqueConstraint(
                    condition=models.Q(("session_id", ""), _negated=True),
                    fields=("tenant", "agent", "channel", "session_id"),
                    name="query_conversation_session",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Lead",
        fields=[
            ("id", uuid_key()),
            ("channel", models.CharField(max_length=20)),
            ("session_id", models.CharField(max_length=200)),
            ("intent_text", models.TextField(help_text="the message that showed the wish to buy")),
            ("name", models.CharField(blank=True, max_length=200)),
            ("email", models.EmailField(blank=True, max_length=254)),
            ("phone", models.CharField(blank=True, help_text="E.164: +34600111222", max_length=20)),
            (
                "status",
                models.CharField(
                    choices=[
                        ("new", "New"),
                        ("contacted", "Contacted"),
                        ("won", "Won"),
                        ("lost", "Lost"),
                    ],
                    default="new",
                    max_length=10,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "notified_at",
                models.DateTimeField(
                    blank=True, help_text="contact data came, and the company was told", null=True
                ),
            ),
            ("contacted_at", models.DateTimeField(blank=True, null=True)),
            (
                "agent",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.SET_NULL,
                    related_name="+",
                    to="agents.agent",
                ),
            ),
            ("tenant", tenant_key()),
            (
                "assignee",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.SET_NULL,
                    related_name="+",
                    to="accounts.membership",
                ),
            ),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(fields=["tenant", "-created_at", "-id"], name="query_lead_recent")
            ],
            "constraints": [
                models.UniqueConstraint(fields=("tenant", "id"), name="query_lead_tenant_id"),
                models.UniqueConstraint(
                    fields=("tenant", "agent", "channel", "session_id"), name="query_lead_session"
                ),
                models.CheckConstraint(
                    condition=models.Q(("status__in", ["new", "contacted", "won", "lost"])),
                    name="query_lead_status",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="QuestionGroup",
        fields=[
            ("id", uuid_key()),
            ("vector", HalfVectorField()),
            ("space", models.PositiveSmallIntegerField()),
            ("dismissed_at", models.DateTimeField(blank=True, null=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "entry",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.SET_NULL,
                    related_name="+",
                    to="sources.entry",
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["created_at"],
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "id"), name="query_questiongroup_tenant_id"
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Message",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("question", models.TextField()),
            ("answer", models.TextField()),
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
            ("model", models.CharField(max_length=200)),
            ("sources", models.JSONField(default=list)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "conversation",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="+", to="query.conversation"
                ),
            ),
            ("tenant", tenant_key()),
            ("clarity", models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)),
            (
                "group",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.SET_NULL,
                    related_name="questions",
                    to="query.questiongroup",
                ),
            ),
        ],
        options={
            "ordering": ["created_at", "id"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    fields=["tenant", "conversation", "created_at"], name="query_message_recent"
                ),
                models.Index(
                    condition=models.Q(("group__isnull", False)),
                    fields=["tenant", "group", "-clarity", "id"],
                    include=("created_at",),
                    name="query_message_grouped",
                ),
                GinIndex(
                    SearchVector(
                        models.Func(
                            Concat(
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
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Notification",
        fields=[
            ("id", uuid_key()),
            (
                "kind",
                models.CharField(
                    choices=[
                        ("lead", "Lead"),
                        ("source_failed", "Source Failed"),
                        ("reauth_required", "Reauth Required"),
                        ("mails_held", "Mails Held"),
                        ("mails_stopped", "Mails Stopped"),
                    ],
                    max_length=20,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("read_at", models.DateTimeField(blank=True, null=True)),
            (
                "lead",
                models.ForeignKey(
                    null=True, on_delete=models.CASCADE, related_name="+", to="query.lead"
                ),
            ),
            ("tenant", tenant_key()),
            (
                "source",
                models.ForeignKey(
                    null=True, on_delete=models.CASCADE, related_name="+", to="sources.source"
                ),
            ),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("read_at", None)),
                    fields=["tenant", "-created_at"],
                    name="query_notification_unread",
                ),
                models.Index(
                    fields=["tenant", "-created_at", "-id"], name="query_notification_recent"
                ),
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "kind", "lead"), name="query_notification_unique"
                ),
                models.UniqueConstraint(
                    fields=("tenant", "id"), name="query_notification_tenant_id"
                ),
                models.UniqueConstraint(
                    fields=("tenant", "kind", "source"), name="query_notification_source"
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="LeadNote",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("text", models.TextField(max_length=4000)),
            ("by", models.EmailField(max_length=254)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "lead",
                models.ForeignKey(on_delete=models.CASCADE, related_name="notes", to="query.lead"),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["created_at", "id"],
            **OF_TENANTS,
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="NotificationRead",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            (
                "membership",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="+", to="accounts.membership"
                ),
            ),
            (
                "notification",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="+", to="query.notification"
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "membership", "notification"),
                    name="query_notificationread_once",
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="NotificationSetting",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            (
                "mailed_kinds",
                ArrayField(
                    base_field=models.CharField(
                        choices=[
                            ("lead", "Lead"),
                            ("source_failed", "Source Failed"),
                            ("reauth_required", "Reauth Required"),
                            ("mails_held", "Mails Held"),
                            ("mails_stopped", "Mails Stopped"),
                        ],
                        max_length=20,
                    ),
                    blank=True,
                    default=list,
                    size=None,
                ),
            ),
            ("read_until", models.DateTimeField(blank=True, null=True)),
            (
                "membership",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="+", to="accounts.membership"
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "membership"), name="query_notificationsetting_once"
                )
            ],
        },
        managers=ALL_TENANTS,
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
            (
                "agent",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.CASCADE,
                    related_name="+",
                    to="agents.agent",
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["day"],
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "day", "agent", "outcome"),
                    name="query_outcomecount_unique",
                    nulls_distinct=False,
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="AnswerMark",
        fields=[
            ("id", uuid_key()),
            ("question", models.TextField()),
            ("answer", models.TextField()),
            ("sources", models.JSONField(default=list)),
            ("note", models.TextField(blank=True)),
            ("marked_by", models.EmailField(max_length=254)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "agent",
                models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="agents.agent"),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-created_at", "-id"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    fields=["tenant", "agent", "-created_at"], name="query_answermark_recent"
                )
            ],
            "constraints": [
                models.UniqueConstraint(fields=("tenant", "id"), name="query_answermark_tenant_id")
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="MailRecipient",
        fields=[
            ("id", uuid_key()),
            ("address", models.EmailField(help_text="in lower case", max_length=254)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("stopped_at", models.DateTimeField(blank=True, null=True)),
            ("held_since", models.DateTimeField(blank=True, editable=False, null=True)),
            ("held_count", models.PositiveIntegerField(default=0, editable=False)),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["address"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("held_since__isnull", False)),
                    fields=["held_since"],
                    name="query_mailrecipient_held",
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "id"), name="query_mailrecipient_tenant_id"
                ),
                models.UniqueConstraint(
                    fields=("tenant", "address"), name="query_mailrecipient_address"
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
]

# table, its column, the table it points to, what happens when that row goes
WALLS = [
    ("query_conversation", "agent_id", "agents_agent", "CASCADE"),
    ("query_message", "conversation_id", "query_conversation", "CASCADE"),
    ("query_message", "group_id", "query_questiongroup", "SET NULL (group_id)"),
    ("query_lead", "agent_id", "agents_agent", "SET NULL (agent_id)"),
    ("query_lead", "assignee_id", "accounts_membership", "SET NULL (assignee_id)"),
    ("query_leadnote", "lead_id", "query_lead", "CASCADE"),
    ("query_notification", "lead_id", "query_lead", "CASCADE"),
    ("query_notification", "source_id", "sources_source", "CASCADE"),
    ("query_notificationread", "notification_id", "query_notification", "CASCADE"),
    ("query_notificationread", "membership_id", "accounts_membership", "CASCADE"),
    ("query_notificationsetting", "membership_id", "accounts_membership", "CASCADE"),
    ("query_questiongroup", "entry_id", "sources_entry", "SET NULL (entry_id)"),
    ("query_outcomecount", "agent_id", "agents_agent", "CASCADE"),
    ("query_answermark", "agent_id", "agents_agent", "CASCADE"),
]


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("query", "0001_initial"),
        ("query", "0002_tenant_walls"),
        ("query", "0003_unsure"),
        ("query", "0004_channels_of_a_registry"),
        ("query", "0005_dashboard"),
        ("query", "0006_wrong_marks"),
        ("query", "0007_mail_recipients"),
        ("query", "0008_search_passages"),
        ("query", "0009_search_by_signs"),
    ]
    dependencies = [
        ("accounts", "0001_version_0_1"),
        ("agents", "0001_version_0_1"),
        ("sources", "0001_version_0_1"),
    ]

    operations = [
        CreateModels(*MODELS),
        build_walls(*WALLS),
    ]
