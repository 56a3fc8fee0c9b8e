"""Files that are uploaded: stored first, then indexed by a worker while the request waits."""

from __future__ import annotations

import time
import uuid
from datetime import timedelta

from django.conf import settings
from django.core.files import File
from django.db import transaction
from kombu.exceptions import OperationalError as BrokerError

from accounts.models import Tenant
from config.connections import release_connection
from config.errors import ServiceUnavailable
from sources.errors import FileProcessingFailed, FileTooLarge, SyncTooSlow
from sources.files import check_size, delete_original, require_storage, store_original
from sources.ingestion.file_types import (
    AUDIO_TYPES,
    IMAGE_TYPES,
    PROBE_BYTES,
    detect_content_type,
)
from sources.ingestion.readers import require_reader
from sources.models import NAME_MAX_CHARS, Source, SourceType, SyncEvent
from sources.run_signal import wait_for_run_end
from sources.runs import fail_run, fields_of_new_run, record_event
from sources.services.new_sources import check_documents_limit, lock_tenant, next_position
from sources.services.reading import get_source
from sources.services.usage import record_upload
from sources.sync import sync_to_end
from sources.tasks import ingest_upload

# The request that waits ends the run at the deadline. Past this, the request itself has died.
UPLOAD_LEASE = timedelta(seconds=settings.UPLOAD_DEADLINE + 60)


def upload_file(tenant: Tenant, *, file: File[bytes], filename: str, name: str = "") -> Source:
    """Stores a file, has a worker index it, and waits until it is `synced` or in `error`.

    Takes up to UPLOAD_DEADLINE; never call it inside a transaction. Raises, and leaves nothing
    behind: ServiceUnavailable, FileTooLarge, UnsupportedFileType, PlanLimitReached,
    FileProcessingFailed.
    """
    source, run_id = create_upload(tenant, file=file, filename=filename, name=name)
    enqueue_upload(source, run_id)
    if not wait_for_run(source, run_id):
        fail_run(tenant, source.pk, run_id=run_id, error=SyncTooSlow())
    return settle_upload(source)


def ingest_file(tenant: Tenant, *, file: File[bytes], filename: str, name: str = "") -> Source:
    """`upload_file` in this process: for commands, which have neither worker nor deadline."""
    source, run_id = create_upload(tenant, file=file, filename=filename, name=name)
    sync_to_end(tenant, source.pk, run_id=run_id)
    return settle_upload(source)


def create_upload(
    tenant: Tenant, *, file: File[bytes], filename: str, name: str
) -> tuple[Source, uuid.UUID]:
    """Stores the original and its source, with the run id that holds the source's lock."""
    require_storage()
    check_size(file.size)
    content_type = sniff_content_type(file, filename)
    check_image_size(file.size, content_type)
    require_reader(content_type)
    check_documents_limit(tenant)
    run_id = uuid.uuid4()
    source = Source(
        tenant=tenant,
        name=name or filename[:NAME_MAX_CHARS],
        source_type=SourceType.AUDIO if content_type in AUDIO_TYPES else SourceType.FILE,
        original_name=filename,
        content_type=content_type,
        size_bytes=file.size,
        **fields_of_new_run(run_id, lease=UPLOAD_LEASE),
    )
    source.original_file.name = store_original(tenant, source.pk, file)
    try:
        save_upload(source, run_id)
    except BaseException:
        delete_original(tenant, source.pk)
        raise
    return source, run_id


@transaction.atomic
def save_upload(source: Source, run_id: uuid.UUID) -> None:
    """Raises PlanLimitReached."""
    tenant = lock_tenant(source.tenant)
    check_documents_limit(tenant)
    source.position = next_position(tenant)
    source.save(force_insert=True)
    for action in (SyncEvent.Action.SOURCE_CREATED, SyncEvent.Action.SYNC_STARTED):
        record_event(tenant, source, action, run_id=run_id)


def check_image_size(size_bytes: int, content_type: str) -> None:
    """Raises FileTooLarge: images have a limit of their own, which their content alone tells."""
    if content_type in IMAGE_TYPES and size_bytes > settings.IMAGE_MAX_BYTES:
        limit_mb = settings.IMAGE_MAX_BYTES // settings.MEGABYTE
        raise FileTooLarge(f"The image is larger than {limit_mb} MB.")


def sniff_content_type(file: File[bytes], filename: str) -> str:
    """The type that the content shows. Raises UnsupportedFileType."""
    file.seek(0)
    head = file.read(PROBE_BYTES)
    file.seek(max(0, file.size - PROBE_BYTES))
    tail = file.read(PROBE_BYTES)
    file.seek(0)
    return detect_content_type(head, tail, filename)


def enqueue_upload(source: Source, run_id: uuid.UUID) -> None:
    """Hands the run to a worker. Raises ServiceUnavailable, and then keeps nothing."""
    try:
        ingest_upload.delay_on_commit(str(source.tenant_id), str(source.pk), str(run_id))
    except BrokerError as error:
        discard_upload(source)
        raise ServiceUnavailable("Files cannot be indexed at the moment. Try again.") from error


def wait_for_run(source: Source, run_id: uuid.UUID) -> bool:
    """Whether the run ended before the deadline."""
    deadline = time.monotonic() + settings.UPLOAD_DEADLINE
    running = Source.objects.for_tenant(source.tenant).filter(id=source.pk).held_by(run_id)
    while (remaining_seconds := deadline - time.monotonic()) > 0:
        release_connection()
        wait_for_run_end(source.tenant, run_id, at_most_seconds=remaining_seconds)
        if not running.exists():
            return True
    return False


def settle_upload(source: Source) -> Source:
    """The source as its first run left it.

    Raises FileProcessingFailed when the file was at fault; then nothing of it is kept.
    """
    settled = get_source(source.tenant, source.pk)
    events = SyncEvent.objects.for_tenant(source.tenant).filter(source=settled)
    failures = events.filter(action=SyncEvent.Action.SYNC_FAILED)
    if failures.filter(details__code=FileProcessingFailed.code).exists():
        discard_upload(settled)
        raise FileProcessingFailed(settled.error_message)
    record_upload(source.tenant)
    return settled


def discard_upload(source: Source) -> None:
    """Removes the row, then the stored file: a file without a row can be seen by nobody."""
    tenant, source_id = source.tenant, source.pk
    source.delete()
    delete_original(tenant, source_id)
