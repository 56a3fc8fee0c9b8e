"""Answers that the company's people found wrong: marking one, looking at them, taking one back."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from accounts.models import Tenant
from accounts.models.tenancy import TenantQuerySet
from agents.services import get_agent
from config.errors import InvalidValue, NotFound
from query.models import MARKED_TEXT_MAX_CHARS, NOTE_MAX_CHARS, TEXT_MAX_CHARS, AnswerMark

MAX_SOURCES = 20
SOURCE_FIELDS = ("source_file", "page_or_row", "section_title")
SOURCE_FIELD_MAX_CHARS = 2000


@dataclass(frozen=True)
class WrongAnswer:
    """An answer marked as wrong, as its reader sends it: nothing of it is trusted."""

    question: str
    answer: str
    sources: Sequence[object] = field(default=())
    note: str = ""


def mark_wrong(
    tenant: Tenant, agent_id: uuid.UUID | None, wrong: WrongAnswer, *, marked_by: str
) -> AnswerMark:
    """Marks an answer as wrong. Raises AgentNotFound, InvalidValue (a text is missing or
    too long)."""
    agent = get_agent(tenant, agent_id)
    require_text("question", wrong.question, TEXT_MAX_CHARS)
    require_text("answer", wrong.answer, MARKED_TEXT_MAX_CHARS)
    if len(wrong.note) > NOTE_MAX_CHARS:
        raise InvalidValue(f"note: At most {NOTE_MAX_CHARS} characters.")
    return AnswerMark.objects.for_tenant(tenant).create(
        agent=agent,
        question=wrong.question,
        answer=wrong.answer,
        sources=[*map(read_source, wrong.sources[:MAX_SOURCES])],
        note=wrong.note,
        marked_by=marked_by,
    )


def require_text(name: str, text: str, max_chars: int) -> None:
    """Raises InvalidValue."""
    if not text.strip() or len(text) > max_chars:
        raise InvalidValue(f"{name}: 1 to {max_chars} characters.")


def read_source(given: object) -> dict[str, str]:
    """The source's texts alone, each within its limit."""
    values = given if isinstance(given, dict) else {}
    return {name: storable(str(values.get(name) or "")) for name in SOURCE_FIELDS}


def storable(text: str) -> str:
    """The text without what JSON can say and the database cannot hold: NUL, and halves of
    characters."""
    whole = text.encode(errors="ignore").decode()
    return whole.replace("\0", "")[:SOURCE_FIELD_MAX_CHARS]


def list_marks(tenant: Tenant, agent_id: uuid.UUID | None) -> TenantQuerySet[AnswerMark]:
    """The marks, newest first. Raises AgentNotFound."""
    return AnswerMark.objects.for_tenant(tenant).filter(agent=get_agent(tenant, agent_id))


def take_back_mark(tenant: Tenant, agent_id: uuid.UUID | None, mark_id: uuid.UUID) -> AnswerMark:
    """Deletes the mark and returns what it was. Raises AgentNotFound, NotFound."""
    mark = list_marks(tenant, agent_id).filter(pk=mark_id).first()
    if mark is None:
        raise NotFound
    mark.delete()
    return mark
