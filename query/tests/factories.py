"""Indexed texts for the tests of questions: through the real embedder and index, without files."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from accounts.models import Membership, Tenant
from agents.models import Agent
from language.message import read_message
from language.words import Language
from query.answers import Answer
from query.models import (
    AnswerMark,
    Conversation,
    Lead,
    LeadNote,
    MailRecipient,
    Message,
    Notification,
    NotificationRead,
    NotificationSetting,
    Outcome,
    OutcomeCount,
    QuestionGroup,
)
from query.pipeline import answer_question
from query.search.calibration import CERTAINTY_THRESHOLDS, EXTRAS, Calibration, Level, trying
from query.search.candidates import Question, RetrievedChunk
from query.understanding.inquiries import Inquiry
from reading.passages import ChunkLevel, Passage, ReadDocument
from sources.embedding.close_reading import CloseReading
from sources.indexing.index import embed_documents, spans_of
from sources.models import Source, SyncStatus
from sources.tests.indexing import replace_documents

LANGUAGES: tuple[Language, ...] = ("es", "en")


def index_texts(
    tenant: Tenant,
    *texts: str,
    name: str = "notes.txt",
    section_title: str = "",
    level: ChunkLevel = ChunkLevel.PARAGRAPH,
) -> Source:
    """A synced source of one document with a passage a text."""
    source = Source.objects.for_tenant(tenant).create(
        name=name,
        source_type="file",
        sync_status=SyncStatus.SYNCED,
        last_synced_at=timezone.now(),
        chunks_count=len(texts),
    )
    passages = tuple(
        Passage(text, location=f"paragraph {number}", section_title=section_title, level=level)
        for number, text in enumerate(texts, start=1)
    )
    document = ReadDocument(name, name, "text/plain", "0" * 64, passages)
    with transaction.atomic():
        replace_documents(tenant, source.pk, embed_documents(tenant, source.pk, [document]))
    return source


LIGHTHOUSE = (
    "The lighthouse opens to visitors from Tuesday to Sunday, from 10:00 to 14:00.",
    "A guided visit costs 7 euros. Children under ten years of age come in for free.",
    "The keeper, Aldara Quintáns, has lived in the tower since 1998.",
)
FARO = (
    "El faro abre a las visitas de martes a domingo, de 10:00 a 14:00.",
    "La visita guiada cuesta 7 euros. Los menores de diez años entran gratis.",
    "La farera, Aldara Quintáns, vive en la torre desde 1998.",
)


def ask(tenant: Tenant, text: str, agent: Agent | None = None, session_id: str = "") -> Answer:
    return answer_question(Inquiry(tenant, text, agent, session_id=session_id))


def make_conversation(agent: Agent, **over: Any) -> Conversation:
    fields: Any = {"agent": agent, "channel": "api", "session_id": "session 1", **over}
    return Conversation.objects.for_tenant(agent.tenant).create(**fields)


def make_message(conversation: Conversation, **over: Any) -> Message:
    fields: Any = {
        "conversation": conversation,
        "question": "How much is a visit?",
        "answer": "7 euros. [1]",
        "outcome": Outcome.ANSWERED,
        "model": "extractive",
        **over,
    }
    return Message.objects.for_tenant(conversation.tenant).create(**fields)


def make_lead(agent: Agent, **over: Any) -> Lead:
    fields: Any = {
        "agent": agent,
        "channel": "api",
        "session_id": "session 1",
        "intent_text": "I want to buy a buoy",
        **over,
    }
    return Lead.objects.for_tenant(agent.tenant).create(**fields)


def make_notification(lead: Lead, **over: Any) -> Notification:
    fields: Any = {"kind": Notification.Kind.LEAD, "lead": lead, **over}
    return Notification.objects.for_tenant(lead.tenant).create(**fields)


def make_mark(agent: Agent, **over: Any) -> AnswerMark:
    fields: Any = {
        "agent": agent,
        "question": "How much is a visit?",
        "answer": "70 euros. [1]",
        "marked_by": "ana@example.com",
        **over,
    }
    return AnswerMark.objects.for_tenant(agent.tenant).create(**fields)


def make_note(lead: Lead, **over: Any) -> LeadNote:
    fields: Any = {"lead": lead, "text": "Rang twice", "by": "ana@example.com", **over}
    return LeadNote.objects.for_tenant(lead.tenant).create(**fields)


def make_read(notification: Notification, membership: Membership) -> NotificationRead:
    reads = NotificationRead.objects.for_tenant(notification.tenant)
    return reads.create(notification=notification, membership=membership)


def make_setting(membership: Membership, **over: Any) -> NotificationSetting:
    fields: Any = {"membership": membership, **over}
    return NotificationSetting.objects.for_tenant(membership.tenant).create(**fields)


def make_mail_recipient(tenant: Tenant, **over: Any) -> MailRecipient:
    fields: Any = {"address": f"sales-{uuid.uuid4().hex[:8]}@example.com", **over}
    return MailRecipient.objects.for_tenant(tenant).create(**fields)


def make_group(tenant: Tenant, *questions: Message, **over: Any) -> QuestionGroup:
    """Of these messages. Its vector is near to no question."""
    fields: Any = {"vector": [0.0] * 383 + [1.0], "space": 1, **over}
    group = QuestionGroup.objects.for_tenant(tenant).create(**fields)
    for message in questions:
        message.group = group
        message.save()
    return group


def make_count(agent: Agent, **over: Any) -> OutcomeCount:
    fields: Any = {
        "agent": agent,
        "day": timezone.now().date(),
        "outcome": Outcome.ANSWERED,
        "count": 1,
        **over,
    }
    return OutcomeCount.objects.for_tenant(agent.tenant).create(**fields)


def make_question(text: str, *, language: Language = "en") -> Question:
    return Question(read_message(text).spoken_in(language), np.zeros(384, dtype=np.float32))


def make_chunk(**over: Any) -> RetrievedChunk:
    values: Any = {
        "chunk_id": 1,
        "source_id": uuid.UUID(int=1),
        "source_file": "notes.txt",
        "document_title": "",
        "text": "A guided visit costs 7 euros.",
        "location": "paragraph 1",
        "section_title": "",
        "level": ChunkLevel.PARAGRAPH,
        "language": "en",
        "synced_at": timezone.now(),
        "similarity": 0.5,
        "lexical": 1.0,
        "score": 0.5,
        **over,
    }
    return RetrievedChunk(**{"reading": unread(values["text"], values["level"]), **values})


def unread(text: str, level: ChunkLevel) -> CloseReading:
    """The sentences alone, as if no word of theirs had a meaning."""
    spans = spans_of(Passage(text, location="", section_title="", level=level))
    return CloseReading(spans, (0,) * (len(spans) + 1), np.empty((0, 0), np.uint8))


# Nothing weighs anything; half probable is enough.
EVEN = {
    "ordering": {},
    "relevance": {"bias": 0.0, "answer_threshold": 0.5, "source_threshold": 0.5},
    "sentences": {},
    "certainty": {"bias": 0.0, **dict.fromkeys(CERTAINTY_THRESHOLDS, 0.5)},
}


@contextmanager
def judging_by(**sections: dict[str, float]) -> Iterator[None]:
    """Meanwhile such a calibration alone decides, without the reader."""
    with trying(make_calibration(**sections)), override_settings(READER=False):
        yield


def make_calibration(**sections: dict[str, float]) -> Calibration:
    """Of weights that a test can reckon with: `make_calibration(ordering={"lexical": 1.0})`. What
    is not named weighs nothing, and every cosine is as many deviations above the mean as it is
    high in tenths."""
    weights = {
        section: {
            **{field.name: 0.0 for field in fields(evidence)},
            **EVEN[section],
            **sections.get(section, {}),
        }
        for section, (evidence, _) in EXTRAS.items()
    }
    levels = {(asked, written): Level(0.0, 0.1) for asked in LANGUAGES for written in LANGUAGES}
    return Calibration("test", levels, **weights)
