"""Questions that a company's people answer themselves: a tenant's are the text of one source.

Each change rewrites the text and begins a sync of it; until that ends, the old entries answer.
"""

from __future__ import annotations

import re
import uuid
from functools import partial

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.activity import record
from accounts.models import Action, Tenant
from accounts.models.tenancy import TenantQuerySet
from config.errors import Conflict, InvalidValue, NotFound
from reading.file_types import MARKDOWN
from sources.models import (
    ENTRY_ANSWER_MAX_CHARS,
    ENTRY_QUESTION_MAX_CHARS,
    FILE,
    Entry,
    Lane,
    Source,
    SyncEvent,
)
from sources.originals.files import delete_version, require_storage, store_version
from sources.services.editing import delete_source
from sources.services.new_sources import check_documents_limit, next_position
from sources.syncing.plan_places import lock_tenant
from sources.syncing.runs import fields_of_new_run, record_event
from sources.tasks import tell_lane

ENTRIES_MAX = 2000  # their text is written and read whole
IDENTITY = "entries"  # what tells their source from a tenant's other files: Source.normalized_url
NAMES = {"es": "Preguntas y respuestas", "en": "Questions and answers"}
# What would be a mark in Markdown, anywhere or at the beginning of a line
MARK = re.compile(r"[\\`*_\[\]<>#|~&]|^[-+=](?=.)|(?<=^\d)[.)]|(?<=^\d\d)[.)]")
BLANK_LINES = re.compile(r"\n\s*\n")


# --- Looking --------------------------------------------------------------------------------------


def list_entries(tenant: Tenant) -> TenantQuerySet[Entry]:
    """The tenant's entries, newest first."""
    return Entry.objects.for_tenant(tenant).order_by("-created_at", "-id")


def get_entry(tenant: Tenant, entry_id: uuid.UUID) -> Entry:
    """Raises NotFound."""
    entry = Entry.objects.for_tenant(tenant).filter(pk=entry_id).first()
    if entry is None:
        raise NotFound("This entry does not exist.")
    return entry


def find_entries_source(tenant: Tenant) -> Source | None:
    """The source that answers from them; None without entries, or when somebody deleted it: the
    next change makes it again."""
    return sources_of_entries(tenant).first()


def sources_of_entries(tenant: Tenant) -> TenantQuerySet[Source]:
    """A queryset of the source that holds the tenant's entries; empty if there is none yet."""
    return Source.objects.for_tenant(tenant).filter(source_type=FILE, normalized_url=IDENTITY)


# --- Changing -------------------------------------------------------------------------------------


@transaction.atomic
def add_entry(tenant: Tenant, *, question: str, answer: str, by: str) -> tuple[Entry, Source]:
    """Adds an entry; returns it, and the source that will answer from it.

    Raises InvalidValue, Conflict (the same question is there, or ENTRIES_MAX are),
    PlanLimitReached (for the first entry, which makes the source), ServiceUnavailable.
    """
    tenant = lock_tenant(tenant)
    question, answer = check_texts(question, answer)
    refuse_same(tenant, question)
    entries = Entry.objects.for_tenant(tenant)
    if entries.count() >= ENTRIES_MAX:
        raise Conflict(f"A workspace has at most {ENTRIES_MAX:,} questions and answers.")
    entry = entries.create(question=question, answer=answer, created_by=by)
    record(tenant, Action.ENTRY_ADDED, entry)
    return entry, write_source(tenant)


@transaction.atomic
def change_entry(tenant: Tenant, entry_id: uuid.UUID, *, question: str, answer: str) -> Entry:
    """Raises NotFound, InvalidValue, Conflict, PlanLimitReached, ServiceUnavailable."""
    tenant = lock_tenant(tenant)
    entry = get_entry(tenant, entry_id)
    entry.question, entry.answer = check_texts(question, answer)
    refuse_same(tenant, entry.question, but=entry)
    entry.save(update_fields=["question", "answer", "updated_at"])
    record(tenant, Action.ENTRY_CHANGED, entry)
    write_source(tenant)
    return entry


@transaction.atomic
def delete_entry(tenant: Tenant, entry_id: uuid.UUID) -> None:
    """Deletes an entry; the source goes with the last one. Raises NotFound, ServiceUnavailable."""
    tenant = lock_tenant(tenant)
    entry = get_entry(tenant, entry_id)
    record(tenant, Action.ENTRY_DELETED, entry)
    entry.delete()
    if Entry.objects.for_tenant(tenant).exists():
        write_source(tenant)
    elif source := find_entries_source(tenant):
        delete_source(tenant, source.pk)


def check_texts(question: str, answer: str) -> tuple[str, str]:
    """Returns both texts as they are kept, the question in one line. Raises InvalidValue."""
    question, answer = " ".join(question.split()), answer.strip().replace("\r\n", "\n")
    for text, max_chars in ((question, ENTRY_QUESTION_MAX_CHARS), (answer, ENTRY_ANSWER_MAX_CHARS)):
        if not any(map(str.isalnum, text)) or len(text) > max_chars or "\0" in text:
            raise InvalidValue(
                gettext_noop("Enter a question and an answer that are not too long.")
            )
    return question, answer


def refuse_same(tenant: Tenant, question: str, *, but: Entry | None = None) -> None:
    """Raises Conflict if the question is there already: two answers under one heading would
    contradict each other."""
    same = Entry.objects.for_tenant(tenant).filter(question__iexact=question)
    if but is not None:
        same = same.exclude(pk=but.pk)
    if same.exists():
        raise Conflict(
            gettext_noop("This question already has an answer. Change that one instead.")
        )


# --- Their source ---------------------------------------------------------------------------------


def write_source(tenant: Tenant) -> Source:
    """Puts the entries into their source, made if there is none, and begins its sync. A run that is
    reading the text before loses its lock: what it would commit is not true any more."""
    require_storage()
    source = sources_of_entries(tenant).select_for_update(no_key=True).first()
    is_new = source is None
    source = source or new_source(tenant)
    file = ContentFile(write_text(tenant).encode())
    old_key, new_key = source.original_file.name, store_version(tenant, source.pk, file)
    source.original_file.name, source.size_bytes = new_key, file.size
    run_id = uuid.uuid4()
    for field, value in fields_of_new_run(run_id, lane=Lane.UPLOADS).items():
        setattr(source, field, value)
    try:
        with transaction.atomic():
            source.save(force_insert=is_new)
            if is_new:
                record_event(tenant, source, SyncEvent.Action.SOURCE_CREATED, run_id=run_id)
            record_event(tenant, source, SyncEvent.Action.SYNC_STARTED, run_id=run_id)
    except BaseException:
        # The file is written before the rows commit. Without them nothing would ever name it.
        delete_version(new_key)
        raise
    if old_key:
        transaction.on_commit(partial(delete_version, old_key))
    transaction.on_commit(partial(tell_lane, Lane.UPLOADS))
    return source


def new_source(tenant: Tenant) -> Source:
    """An unsaved source for the entries. Raises PlanLimitReached: it counts as a document."""
    check_documents_limit(tenant)
    name = NAMES.get(tenant.language, NAMES["en"])
    return Source(
        tenant=tenant,
        name=name,
        source_type=FILE,
        normalized_url=IDENTITY,
        original_name=f"{name}.md",
        content_type=MARKDOWN,
        position=next_position(tenant),
    )


def write_text(tenant: Tenant) -> str:
    """Markdown: each question the heading of its answer, however long it is, so that each pair is a
    passage of its own."""
    entries = Entry.objects.for_tenant(tenant).order_by("created_at", "id")
    return "\n\n".join(f"# {quote(entry.question)}\n\n{quote(entry.answer)}" for entry in entries)


def quote(text: str) -> str:
    """The text as Markdown that is read as these very lines."""
    paragraphs = []
    for paragraph in BLANK_LINES.split(text):
        lines = (line.strip() for line in paragraph.split("\n"))
        paragraphs.append("\\\n".join(MARK.sub(r"\\\g<0>", line) for line in lines if line))
    return "\n\n".join(paragraphs)
