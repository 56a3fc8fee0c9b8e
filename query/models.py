"""Models of what stays of a conversation: transcripts, leads and what people are told of them.

Only agents that say so keep transcripts; what a follow-up question needs is kept for half an hour
in Redis (query/conversations/memory.py). The composite foreign keys are made in the migrations.
"""

from __future__ import annotations

import uuid

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Concat
from django.utils import timezone
from pgvector.django import HalfVectorField

from accounts.models import Membership
from accounts.models.tenancy import TenantModel
from agents.models import Agent
from config.export import Exported
from config.security.erasure import ErasedWithSession
from config.security.personal import Personal
from sources.models import Entry, Source

SESSION_ID_MAX_CHARS = 200
TEXT_MAX_CHARS = 1000  # of a question
NOTE_MAX_CHARS = 4000
# Spanish is typed with and without: a person who looks for «envio» means «envío».
ACCENTED, PLAIN = (
    "áàâäéèêëíìîïóòôöúùûüñçÁÀÂÄÉÈÊËÍÌÎÏÓÒÔÖÚÙÛÜÑÇ",
    ("aaaaeeeeiiiioooouuuuncaaaaeeeeiiiioooouuuunc"),
)

# Where a question came in, other than the kinds of channels/surfaces/. A session belongs to one
# channel: the same id elsewhere is another session.
API = "api"


class Confidence(models.TextChoices):
    """How far a client may rely on an answer. Without sources there is nothing to rely on."""

    ANSWERED = "answered"  # the documents say so
    UNSURE = "unsure"  # the closest words of the documents, said to be perhaps not the answer
    NONE = "none"


class Outcome(models.TextChoices):
    """The result of a question."""

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
    last_message_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["tenant", "-last_message_at", "-id"], name="query_conversation_last"
            )
        ]
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


class QuestionGroup(TenantModel):
    """Questions that visitors asked and the sources do not answer: the messages that mean the same.

        open ── somebody writes the answer: entry ──> answered ── the entry is deleted ──> open
        open ── dismissed_at ──> dismissed ── taken back ──> open

    It holds no words: its title is the clearest of its messages, and with its last message it goes
    too (query/services/unanswered.py). `vector`: of its first question, in an EmbeddingSpace.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    vector = HalfVectorField()
    space = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(
        Entry, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    dismissed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="query_questiongroup_tenant_id")
        ]

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def is_answered(self) -> bool:
        return self.entry_id is not None

    @property
    def is_dismissed(self) -> bool:
        return self.dismissed_at is not None and not self.is_answered


def searched_words() -> SearchVector:
    """The words of a question and its answer, without accents. An index holds this expression: a
    query has to say the same. Words are not stemmed: conversations are in two languages."""
    plain = Func(
        Concat(F("question"), Value(" "), F("answer"), output_field=models.TextField()),
        Value(ACCENTED),
        Value(PLAIN),
        function="translate",
        output_field=models.TextField(),
    )
    return SearchVector(plain, config="simple")


class Message(TenantModel):
    """A question and its answer. `sources` holds the shown passages' files and locators. `group`:
    where it was not answered, with those that asked the same; `clarity` orders a group's."""

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
    group = models.ForeignKey(
        QuestionGroup, on_delete=models.SET_NULL, null=True, blank=True, related_name="questions"
    )
    clarity = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ["created_at", "id"]
        indexes = [
            models.Index(
                fields=["tenant", "conversation", "created_at"], name="query_message_recent"
            ),
            models.Index(
                fields=["tenant", "group", "-clarity", "id"],
                include=["created_at"],
                condition=Q(group__isnull=False),
                name="query_message_grouped",
            ),
            GinIndex(searched_words(), name="query_message_words"),
        ]

    def __str__(self) -> str:
        return self.question[:60]


class OutcomeCount(TenantModel):
    """The number of questions of a day (in the tenant's time zone) with each outcome: of all
    agents, also of those that keep no transcripts. `agent` null: the tenant's default
    configuration."""

    exported = Exported("questions_per_day", ("day", "agent_id", "outcome", "count"))

    id = models.BigAutoField(primary_key=True)
    agent = models.ForeignKey(
        Agent, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    day = models.DateField()
    outcome = models.CharField(max_length=20, choices=Outcome)
    count = models.PositiveIntegerField(default=0)

    class Meta(TenantModel.Meta):
        ordering = ["day"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "day", "agent", "outcome"],
                nulls_distinct=False,
                name="query_outcomecount_unique",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.outcome}: {self.count}"


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
        + ("status", "created_at", "notified_at", "contacted_at", "assignee__user__email"),
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
    assignee = models.ForeignKey(
        Membership, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["tenant", "-created_at", "-id"], name="query_lead_recent")]
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


class LeadNote(TenantModel):
    """A member's note about a lead. `by`: their address, which outlives the member."""

    erased_with_session = ErasedWithSession("lead_notes", by="lead")
    exported = Exported("lead_notes", ("lead_id", "text", "by", "created_at"))

    personal = Personal(
        "lead_notes",
        ("tenant__slug", "created_at"),
        author="by",
        named_in=("by",),
        company_words=("text",),
    )

    id = models.BigAutoField(primary_key=True)
    lead = models.ForeignKey(Lead, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField(max_length=NOTE_MAX_CHARS)
    by = models.EmailField(max_length=254)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ["created_at", "id"]
        indexes = [models.Index(fields=["by"], name="query_leadnote_author")]

    def __str__(self) -> str:
        return self.text[:60]


class MailRecipient(TenantModel):
    """An address that a tenant's leads or other notices are mailed to.

    `stopped_at`: its reader wants none; they alone can undo it. `held_count`: what was not mailed
    since `held_since`, for it was too much for an hour.
    """

    exported = Exported("mail_recipients", ("address", "created_at", "stopped_at"))
    personal = Personal(
        "mails_to_my_address", ("tenant__slug", "created_at", "stopped_at"), address="address"
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    address = models.EmailField(max_length=254, help_text="in lower case")
    created_at = models.DateTimeField(auto_now_add=True)
    stopped_at = models.DateTimeField(null=True, blank=True)
    held_since = models.DateTimeField(null=True, blank=True, editable=False)
    held_count = models.PositiveIntegerField(default=0, editable=False)

    class Meta(TenantModel.Meta):
        ordering = ["address"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="query_mailrecipient_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "address"], name="query_mailrecipient_address"
            ),
        ]
        indexes = [
            models.Index(
                fields=["held_since"],
                name="query_mailrecipient_held",
                condition=models.Q(held_since__isnull=False),
            ),
            models.Index(fields=["address"], name="query_mailrecipient_person"),
        ]

    def __str__(self) -> str:
        return self.address


class Notification(TenantModel):
    """Something that a tenant's people should see in their dashboard: a lead, a source that failed
    or needs its account, a channel on which nobody is answered, or mails that did not go out. A
    source or agent has at most one of each kind, for when it last began to fail.

    `read_at`: when the first of them read it. Who has: NotificationRead, and all that is not newer
    than their NotificationSetting's `read_until`.
    """

    class Kind(models.TextChoices):
        LEAD = "lead"
        SOURCE_FAILED = "source_failed"
        REAUTH_REQUIRED = "reauth_required"
        CHANNEL_FAILED = "channel_failed"
        MAILS_HELD = "mails_held"  # to one address, of an hour
        MAILS_STOPPED = "mails_stopped"  # by their reader

    erased_with_session = ErasedWithSession("notifications", by="lead")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=20, choices=Kind)
    lead = models.ForeignKey(Lead, on_delete=models.CASCADE, null=True, related_name="+")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, null=True, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="query_notification_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "kind", "lead"], name="query_notification_unique"
            ),
            models.UniqueConstraint(
                fields=["tenant", "kind", "source"], name="query_notification_source"
            ),
            models.UniqueConstraint(
                fields=["tenant", "kind", "agent"], name="query_notification_agent"
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "-created_at"],
                condition=models.Q(read_at=None),
                name="query_notification_unread",
            ),
            models.Index(fields=["tenant", "-created_at", "-id"], name="query_notification_recent"),
        ]

    def __str__(self) -> str:
        return self.kind


MARKED_TEXT_MAX_CHARS = 20_000  # of an answer
NOTE_MAX_CHARS = 1000


class AnswerMark(TenantModel):
    """An answer that somebody of the company found wrong, as it was when they read it. `sources` as
    callers got them; `marked_by` is the e-mail address of the person."""

    exported = Exported(
        "wrong_answers",
        ("agent_id", "question", "answer", "sources", "note", "marked_by", "created_at"),
    )

    personal = Personal(
        "wrong_answers_marked",
        ("tenant__slug", "note", "created_at"),
        author="marked_by",
        named_in=("marked_by",),
        company_words=("question", "answer", "sources", "note"),
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+")
    question = models.TextField()
    answer = models.TextField()
    sources = models.JSONField(default=list)
    note = models.TextField(blank=True)
    marked_by = models.EmailField(max_length=254)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="query_answermark_tenant_id")
        ]
        indexes = [
            models.Index(fields=["tenant", "agent", "-created_at"], name="query_answermark_recent"),
            models.Index(fields=["marked_by"], name="query_answermark_author"),
        ]

    def __str__(self) -> str:
        return self.question[:60]


class NotificationRead(TenantModel):
    """A notification that a member has read."""

    personal = Personal(of="membership__user")

    id = models.BigAutoField(primary_key=True)
    notification = models.ForeignKey(Notification, on_delete=models.CASCADE, related_name="+")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+")

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "membership", "notification"], name="query_notificationread_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.membership_id}: {self.notification_id}"


class NotificationSetting(TenantModel):
    """A member's choice of notifications to get by mail too, and the moment up to which they have
    read everything. Without a row: no mails, and everything read until they joined."""

    personal = Personal(of="membership__user")

    id = models.BigAutoField(primary_key=True)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+")
    mailed_kinds = ArrayField(
        models.CharField(max_length=20, choices=Notification.Kind), default=list, blank=True
    )
    read_until = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "membership"], name="query_notificationsetting_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.membership_id}: {', '.join(self.mailed_kinds)}"
