"""Indexed texts for the tests of questions: through the real embedder and index, without files."""

import uuid
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone

from accounts.models import Tenant
from agents.models import Agent
from query.answers import Answer
from query.inquiries import Inquiry
from query.models import Channel, Conversation, Lead, Message, Notification, Outcome
from query.pipeline import answer_question
from query.retrieval import Question, RetrievedChunk
from sources.ingestion.index import embed_documents, replace_documents
from sources.ingestion.passages import Passage, ReadDocument
from sources.language.words import Language
from sources.models import ChunkLevel, Source, SyncStatus


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
    document = ReadDocument(name, name, "text/plain", "0" * 64, "", passages)
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
    fields: Any = {"agent": agent, "channel": Channel.API, "session_id": "session 1", **over}
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
        "channel": Channel.API,
        "session_id": "session 1",
        "intent_text": "I want to buy a buoy",
        **over,
    }
    return Lead.objects.for_tenant(agent.tenant).create(**fields)


def make_notification(lead: Lead, **over: Any) -> Notification:
    fields: Any = {"kind": Notification.Kind.LEAD, "lead": lead, **over}
    return Notification.objects.for_tenant(lead.tenant).create(**fields)


def make_question(text: str, *, language: Language = "en") -> Question:
    return Question(text, language, np.zeros(384, dtype=np.float32))


def make_chunk(**over: Any) -> RetrievedChunk:
    fields: Any = {
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
    return RetrievedChunk(**fields)
