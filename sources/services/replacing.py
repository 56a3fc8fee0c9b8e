"""A new version of an uploaded file, in the place of the one before."""

from __future__ import annotations

import re
import uuid
from functools import partial
from typing import Any

from django.core.files import File
from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.activity import record
from accounts.models import Action, Tenant
from accounts.models.tenancy import TenantQuerySet
from config.errors import InvalidValue
from reading.file_types import AUDIO_TYPES
from sources.documents import require_reader
from sources.models import AUDIO, FILE, NAME_MAX_CHARS, Source, SyncEvent
from sources.originals.files import check_size, delete_version, require_storage, store_version
from sources.services.entries import IDENTITY
from sources.services.reading import get_source, lock_source
from sources.services.uploads import check_image_size, choose_lane, sniff_content_type
from sources.syncing.lanes import check_room
from sources.syncing.runs import fields_of_new_run, record_event
from sources.tasks import tell_lane

NAMES_COMPARED = 1000  # of a tenant's uploads, the newest
# What tells versions of one file apart: a number in parentheses, a year, a date, "v2", "copia".
VERSION = re.compile(
    r"\(\d+\)|\bv(?:er(?:si[oó]n)?)?\.?\s?\d+\b|\d+|"
    r"\b(?:copy|copia|final|new|nuev[oa]|old|antigu[oa]|definitiv[oa])\b",
    re.IGNORECASE,
)
BETWEEN_WORDS = re.compile(r"[\W_]+")


def replace_file(
    tenant: Tenant, source_id: uuid.UUID | None, *, file: File[bytes], filename: str
) -> Source:
    """Store a new version of an upload and begin to read it. Until that has succeeded, the version
    before answers; a run that is reading that one loses its lock.

    Raises SourceNotFound; InvalidValue for a source that is not an upload; FileTooLarge,
    UnsupportedFileType, ServiceUnavailable, StorageUnavailable, TooManyRequests. Then nothing has
    changed.
    """
    require_storage()
    source = get_source(tenant, source_id)
    require_upload(source)
    check_room(tenant)
    check_size(file.size)
    content_type = sniff_content_type(file, filename)
    check_image_size(file.size, content_type)
    require_reader(content_type)
    new_key = store_version(tenant, source.pk, file)
    try:
        return save_version(
            tenant,
            source_id,
            original_file=new_key,
            original_name=filename,
            content_type=content_type,
            size_bytes=file.size,
            source_type=AUDIO if content_type in AUDIO_TYPES else FILE,
        )
    except BaseException:
        # The file is written before the rows commit. Without them nothing would ever name it.
        delete_version(new_key)
        raise


def require_upload(source: Source) -> None:
    """Raises InvalidValue."""
    if not is_replaceable(source):
        raise InvalidValue(gettext_noop("Only an uploaded file can be replaced by another file."))


def is_replaceable(source: Source) -> bool:
    """Return False for connected sources, and for the answers that people wrote by hand."""
    return source.source_type in (FILE, AUDIO) and source.normalized_url != IDENTITY


@transaction.atomic
def save_version(
    tenant: Tenant, source_id: uuid.UUID | None, *, original_name: str, **fields: Any
) -> Source:
    """Raises SourceNotFound, InvalidValue."""
    source = lock_source(tenant, source_id)
    require_upload(source)
    old_key, run_id, lane = source.original_file.name, uuid.uuid4(), choose_lane(tenant)
    if source.name == source.original_name[:NAME_MAX_CHARS]:  # a name that somebody gave stays
        source.name = original_name[:NAME_MAX_CHARS]
    source.original_name = original_name
    for field, value in (fields | fields_of_new_run(run_id, lane=lane)).items():
        setattr(source, field, value)
    source.save()
    record_event(tenant, source, SyncEvent.Action.SYNC_STARTED, run_id=run_id)
    record(tenant, Action.FILE_REPLACED, source)
    if old_key:
        transaction.on_commit(partial(delete_version, old_key))
    transaction.on_commit(partial(tell_lane, lane))
    return source


# --- Earlier versions -----------------------------------------------------------------------------


def find_earlier_version(tenant: Tenant, filename: str) -> Source | None:
    """Return the newest upload whose file has this very name; None if there is none."""
    return list_uploads(tenant).filter(original_name=filename).first()


def list_other_versions(source: Source) -> list[Source]:
    """Return the tenant's other uploads whose names differ from this one's only in a number, a year
    or a word such as "copy": customers may be answered from either."""
    if not is_replaceable(source):
        return []
    own = plain_name(source.original_name)
    others = list_uploads(source.tenant).exclude(pk=source.pk)[:NAMES_COMPARED]
    return [other for other in others if own and plain_name(other.original_name) == own]


def list_uploads(tenant: Tenant) -> TenantQuerySet[Source]:
    uploads = Source.objects.for_tenant(tenant).filter(source_type__in=(FILE, AUDIO))
    return uploads.exclude(normalized_url=IDENTITY).order_by("-created_at", "-id")


def plain_name(filename: str) -> str:
    """Return the name without its ending and what tells versions apart: "tarifas" for
    "Tarifas 2026 (1).pdf"."""
    stem = filename.rpartition(".")[0] or filename
    return " ".join(BETWEEN_WORDS.sub(" ", VERSION.sub(" ", stem)).casefold().split())
