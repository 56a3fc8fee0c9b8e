"""Chats of messengers, as of version 0.1: what the migrations before it made step by step
(docs/decisions/0069-squashed-migrations.md)."""

from django.db import migrations, models
from django.utils import timezone

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
        name="Chat",
        fields=[
            ("id", uuid_key()),
            ("external_id", models.CharField(max_length=200)),
            (
                "language",
                models.CharField(blank=True, help_text="of the person's app", max_length=2),
            ),
            ("last_inbound_at", models.DateTimeField(help_text="when the person last wrote to us")),
            ("told_text_only_at", models.DateTimeField(blank=True, null=True)),
            ("due_at", models.DateTimeField(blank=True, null=True)),
            ("leased_until", models.DateTimeField(blank=True, null=True)),
            ("lease_id", models.UUIDField(blank=True, null=True)),
            (
                "failures",
                models.PositiveSmallIntegerField(
                    default=0, help_text="in a row, at answering what waits longest"
                ),
            ),
            (
                "connection",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="+", to="channels.channelconnection"
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-last_inbound_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("due_at__isnull", False)),
                    fields=["due_at"],
                    name="webhooks_chat_due",
                )
            ],
            "constraints": [
                models.UniqueConstraint(fields=("tenant", "id"), name="webhooks_chat_tenant_id"),
                models.UniqueConstraint(
                    fields=("tenant", "connection", "external_id"), name="webhooks_chat_unique"
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="InboundMessage",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("provider_message_id", models.CharField(max_length=200)),
            (
                "kind",
                models.CharField(
                    choices=[("text", "text"), ("start", "start"), ("media", "media")],
                    max_length=10,
                ),
            ),
            ("encrypted_text", models.BinaryField()),
            (
                "position",
                models.BigIntegerField(
                    help_text="in the chat, as the messenger counts or times it"
                ),
            ),
            ("received_at", models.DateTimeField(default=timezone.now)),
            ("handled_at", models.DateTimeField(blank=True, null=True)),
            ("error_message", models.CharField(blank=True, max_length=500)),
            (
                "chat",
                models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="webhooks.chat"),
            ),
            (
                "connection",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="+", to="channels.channelconnection"
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["position", "id"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("handled_at", None)),
                    fields=["tenant", "chat", "position", "id"],
                    name="webhooks_inboundmessage_wait",
                ),
                models.Index(fields=["received_at"], name="webhooks_inboundmessage_age"),
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "connection", "provider_message_id"),
                    name="webhooks_inboundmessage_unique",
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Reply",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("encrypted_parts", models.BinaryField()),
            ("parts_count", models.PositiveSmallIntegerField()),
            ("parts_sent", models.PositiveSmallIntegerField(default=0)),
            ("attempts", models.PositiveSmallIntegerField(default=0)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("next_attempt_at", models.DateTimeField(blank=True, default=timezone.now, null=True)),
            ("sent_at", models.DateTimeField(blank=True, null=True)),
            ("failed_at", models.DateTimeField(blank=True, null=True)),
            ("error_message", models.CharField(blank=True, max_length=500)),
            (
                "chat",
                models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="webhooks.chat"),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "verbose_name_plural": "replies",
            "ordering": ["id"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("next_attempt_at__isnull", False)),
                    fields=["tenant", "chat", "id"],
                    name="webhooks_reply_waiting",
                ),
                models.Index(fields=["created_at"], name="webhooks_reply_age"),
            ],
        },
        managers=ALL_TENANTS,
    ),
]


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("webhooks", "0001_initial"),
        ("webhooks", "0002_tenant_walls"),
    ]
    dependencies = [
        ("accounts", "0001_version_0_1"),
        ("channels", "0001_version_0_1"),
    ]

    operations = [
        CreateModels(*MODELS),
        build_walls(
            ("webhooks_chat", "connection_id", "channels_channelconnection", "CASCADE"),
            ("webhooks_inboundmessage", "connection_id", "channels_channelconnection", "CASCADE"),
            ("webhooks_inboundmessage", "chat_id", "webhooks_chat", "CASCADE"),
            ("webhooks_reply", "chat_id", "webhooks_chat", "CASCADE"),
        ),
    ]
