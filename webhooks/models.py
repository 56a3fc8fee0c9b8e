"""Messages that came in from messengers, and replies that go back. Texts are encrypted, and are
erased as soon as they are answered or sent."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from accounts.models.tenancy import TenantModel
from channels.models import REASON_MAX_CHARS, ChannelConnection
from channels.surfaces.base import MessageKind
from config.security.erasure import ErasedWithSession
from config.security.sealing import SealedField

MESSENGER_ID_MAX_CHARS = 200


class Chat(TenantModel):
    """A person's conversation with an agent at a messenger; what a worker tends, one at a time.

        idle (due_at null) ── a message comes in: due_at ──> due
        due ── a worker claims it: lease_id, leased_until ──> tended ── nothing left ──> idle
        tended ── a reply or a message has to wait: due_at ──> due
        tended ── the worker dies: leased_until passes ──> due

    `external_id` is the messenger's id of the chat, and the session id of its questions; with
    messenger_b it is a phone number.
    """

    erased_with_session = ErasedWithSession("chats", by="external_id")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    connection = models.ForeignKey(ChannelConnection, on_delete=models.CASCADE, related_name="+")
    external_id = models.CharField(max_length=MESSENGER_ID_MAX_CHARS)
    language = models.CharField(max_length=2, blank=True, help_text="of the person's app")
    last_inbound_at = models.DateTimeField(help_text="when the person last wrote to us")
    told_text_only_at = models.DateTimeField(null=True, blank=True)
    # Null when nothing is left to do
    due_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    lease_id = models.UUIDField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(
        default=0, help_text="in a row, at answering what waits longest"
    )

    class Meta(TenantModel.Meta):
        ordering = ["-last_inbound_at"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="webhooks_chat_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "connection", "external_id"], name="webhooks_chat_unique"
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                name="webhooks_chat_due",
                condition=models.Q(due_at__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return str(self.pk)


class InboundMessage(TenantModel):
    """A message that a messenger delivered. The unique constraint drops what it delivers again.

    waiting (handled_at null) ── its answer is written ──> handled (its text is erased)
    waiting ── given up: error_message ──> handled
    """

    erased_with_session = ErasedWithSession("chat_messages", by="chat")

    id = models.BigAutoField(primary_key=True)
    connection = models.ForeignKey(ChannelConnection, on_delete=models.CASCADE, related_name="+")
    chat = models.ForeignKey(Chat, on_delete=models.CASCADE, related_name="+")
    provider_message_id = models.CharField(max_length=MESSENGER_ID_MAX_CHARS)
    kind = models.CharField(
        max_length=10, choices=[(kind.value, kind.value) for kind in MessageKind]
    )
    encrypted_text = SealedField(bound_to=("chat_id", "provider_message_id"))
    position = models.BigIntegerField(help_text="in the chat, as the messenger counts or times it")
    received_at = models.DateTimeField(default=timezone.now)
    handled_at = models.DateTimeField(null=True, blank=True)
    error_message = models.CharField(max_length=REASON_MAX_CHARS, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "connection", "provider_message_id"],
                name="webhooks_inboundmessage_unique",
            )
        ]
        indexes = [
            models.Index(
                fields=["tenant", "chat", "position", "id"],
                name="webhooks_inboundmessage_wait",
                condition=models.Q(handled_at=None),
            ),
            models.Index(fields=["received_at"], name="webhooks_inboundmessage_age"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class Reply(TenantModel):
    """A text for a chat, in the parts that its messenger takes. Sent in the order of their ids.

        waiting ── every part is sent ──> sent (sent_at; its text is erased)
        waiting ── the messenger is away or busy: next_attempt_at ──> waiting
        waiting ── refused for good, or too late: error_message ──> failed (failed_at; erased)

    At least once: a worker that dies between the messenger's "OK" and our commit sends one part
    again. Neither messenger takes a key that would prevent it.
    """

    erased_with_session = ErasedWithSession("replies", by="chat")

    id = models.BigAutoField(primary_key=True)
    chat = models.ForeignKey(Chat, on_delete=models.CASCADE, related_name="+")
    encrypted_parts = SealedField(bound_to=("chat_id",))  # a JSON array of texts
    parts_count = models.PositiveSmallIntegerField()
    parts_sent = models.PositiveSmallIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    next_attempt_at = models.DateTimeField(default=timezone.now, null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    error_message = models.CharField(max_length=REASON_MAX_CHARS, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["id"]
        verbose_name_plural = "replies"
        indexes = [
            models.Index(
                fields=["tenant", "chat", "id"],
                name="webhooks_reply_waiting",
                condition=models.Q(next_attempt_at__isnull=False),
            ),
            models.Index(fields=["created_at"], name="webhooks_reply_age"),
        ]

    def __str__(self) -> str:
        return f"reply {self.pk}"
