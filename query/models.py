"""What stays of a conversation: transcripts, leads and what people are told of them.

Only agents that say so keep transcripts; what a follow-up question needs is kept for half an hour
in Redis (query/conversations/memory.py). The composite foreign keys are made in the migrations.
"""

from __future__ import annotations

import uuid

from django.db import models

from accounts.tenancy import TenantModel
from agents.models import Agent
from config.export import Exported
from config.security.erasure import ErasedWithSession

SESSION_ID_MAX_CHARS = 200
TEXT_MAX_CHARS = 1000  # of a question


# Where a question came in, when it was no kind of channels/surfaces/. A session is one channel's:
# the same id elsewhere is another.
API = "api"


class Confidence(models.TextChoices):
    """How far a client may rely on an answer. Without sources there is nothing to rely on."""

    ANSWERED = "answered"  # the documents say so
    UNSURE = "unsure"  # the closest words of the documents, said to be perhaps not the answer
    NONE = "none"


class Outcome(models.TextChoices):
    """What came of a question."""

    ANSWERED = "answered"
    UNSURE = "unsure"  # passages are about it, and may not answer
    REDIRECTED = "redirected"  # nothing that is indexed is about it
    SMALL_TALK = "small_talk"
    CONTACT_TAKEN = "contact_taken"  # the message was contact data and no question
    FAILED = "failed"  # the language model did not answer; the passages are shown

    @property
    def confidence(self) -> Confidence:
        match self:
            case Outcome.ANSWERED:
                return Confidence.ANSWERED
            case Outcome.UNSURE | Outcome.FAILED:
                return Confidence.UNSURE
            case _:
                return Confidence.NONE


class Conversation(TenantModel):
    """A session that is kept, with an agent that stores transcripts. Without a session id each
    question is a conversation of its own."""

    erased_with_session = ErasedWithSession("conversations", by="session_id")
    exported = Exported("conversations", ("id", "agent_id", "channel", "session_id", "created_at"))

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+")
    channel = models.CharField(max_length=20)
    session_id = models.CharField(max_length=SESSION_ID_MAX_CHARS, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="query_conversation_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "agent", "channel", "session_id"],
                condition=~models.Q(session_id=""),
                name="query_conversation_session",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel}: {self.session_id}"


class Message(TenantModel):
    """A question and its answer. `sources` holds the shown passages' files and locators."""

    erased_with_session = ErasedWithSession("messages", by="conversation")
    exported = Exported(
        "messages",
        ("id", "conversation_id", "question", "answer", "outcome", "model", "sources")
        + ("created_at",),
    )

    id = models.BigAutoField(primary_key=True)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    question = models.TextField()
    answer = models.TextField()
    outcome = models.CharField(max_length=20, choices=Outcome)
    model = models.CharField(max_length=200)
    sources = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ["created_at", "id"]
        indexes = [
            models.Index(
                fields=["tenant", "conversation", "created_at"], name="query_message_recent"
            )
        ]

    def __str__(self) -> str:
        return self.question[:60]


class LeadStatus(models.TextChoices):
    NEW = "new"
    CONTACTED = "contacted"
    WON = "won"
    LOST = "lost"


class Lead(TenantModel):
    """Somebody who wants to buy. A session has one, or none.

        (no lead) ── purchase intent ──> new ── contact data: notified_at, one mail ──> new
        new ── our customer's people wrote to them: contacted_at ──> contacted ──> won | lost

    It outlives its agent: `agent` is then null.
    """

    erased_with_session = ErasedWithSession("leads", by="session_id")
    exported = Exported(
        "leads",
        ("id", "agent_id", "channel", "session_id", "intent_text", "name", "email", "phone")
        + ("status", "created_at", "notified_at", "contacted_at"),
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(
        Agent, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    channel = models.CharField(max_length=20)
    session_id = models.CharField(max_length=SESSION_ID_MAX_CHARS)
    intent_text = models.TextField(help_text="the message that showed the wish to buy")
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(max_length=254, blank=True)
    phone = models.CharField(max_length=20, blank=True, help_text="E.164: +34600111222")
    status = models.CharField(max_length=10, choices=LeadStatus, default=LeadStatus.NEW)
    created_at = models.DateTimeField(auto_now_add=True)
    notified_at = models.DateTimeField(
        null=True, blank=True, help_text="contact data came, and the company was told"
    )
    contacted_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="query_lead_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "agent", "channel", "session_id"], name="query_lead_session"
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=LeadStatus.values), name="query_lead_status"
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.email or self.phone or self.session_id


class Notification(TenantModel):
    """Something that a tenant's people should see in their dashboard."""

    class Kind(models.TextChoices):
        LEAD = "lead"

    erased_with_session = ErasedWithSession("notifications", by="lead")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=20, choices=Kind)
    lead = models.ForeignKey(Lead, on_delete=models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "kind", "lead"], name="query_notification_unique"
            )
        ]
        indexes = [
            models.Index(
                fields=["tenant", "-created_at"],
                condition=models.Q(read_at=None),
                name="query_notification_unread",
            )
        ]

    def __str__(self) -> str:
        return self.kind
