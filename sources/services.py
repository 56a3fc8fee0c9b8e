"""What the API, the commands and the dashboard can do with sources."""

from __future__ import annotations

import logging
import time
import uuid
from datetime import timedelta

from django.conf import settings
from django.core.files import File
from django.db import connection, transaction
from kombu.exceptions import OperationalError as BrokerError

from accounts.models import Tenant
from config.errors import PlanLimitReached, ServiceUnavailable
from sources.errors import FileProcessingFailed, SourceNotFound, SyncTooSlow
from sources.files import check_size, delete_original, require_storage, store_original
from sources.ingestion.file_types import PROBE_BYTES, detect_content_type
from sources.models import (
    NAME_MAX_CHARS,
    Source,
    SourceQuerySet,
    SourceType,
    SyncEvent,
)
from sources.run_signal import wait_for_run_end
from sources.runs import fail_run, fields_of_new_run, record_event
from sources.sync import sync_to_end
from sources.tasks import ingest_upload

logger = logging.getLogger(__name__)

# The request that waits ends the run at the deadline. Past this, the request itself has died.
UPLOAD_LEASE = timedelta(seconds=settings.UPLOAD_DEADLINE + 60)


def list_sources(tenant: Tenant) -> SourceQuerySet:
    return Source.objects.for_tenant(tenant).order_by("position", "created_at", "id")


def get_source(tenant: Tenant, source_id: uuid.UUID | None) -> Source:
    """Raises SourceNotFound, for another tenant's source too."""
    source = Source.objects.for_tenant(tenant).filter(id=source_id).first() if source_id else None
    if source is None:
        raise SourceNotFound
    return source


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
    check_documents_limit(tenant)
    run_id = uuid.uuid4()
    source = Source(
        tenant=tenant,
        name=name or filename[:NAME_MAX_CHARS],
        source_type=SourceType.FILE,
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
    """Raises PlanLimitReached; uploads at the same time are counted one after the other."""
    tenants = Tenant.objects.select_related("plan").select_for_update(of=("self",), no_key=True)
    check_documents_limit(tenants.get(pk=source.tenant_id))
    source.save(force_insert=True)
    for action in (SyncEvent.Action.SOURCE_CREATED, SyncEvent.Action.SYNC_STARTED):
        record_event(source.tenant, source, action, run_id=run_id)


def check_documents_limit(tenant: Tenant) -> None:
    """Raises PlanLimitReached when the plan holds no further upload."""
    plan = tenant.plan
    if not plan.blocks_overage or plan.max_documents is None:
        return
    if Source.objects.for_tenant(tenant).uploads().count() >= plan.max_documents:
        raise PlanLimitReached(
            f"The {plan.name} plan holds {plan.max_documents} documents."
            " Delete one, or change the plan."
        )


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
        ingest_upload.delay_on_commit(  # type: ignore[attr-defined]  # Celery's task for Django has it
            str(source.tenant_id), str(source.pk), str(run_id)
        )
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


def release_connection() -> None:
    """Back to the pool: requests that wait for a client or a worker must not use it up."""
    if not connection.in_atomic_block:
        connection.close()


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
    return settled


def discard_upload(source: Source) -> None:
    """Removes the row, then the stored file: a file without a row can be seen by nobody."""
    tenant, source_id = source.tenant, source.pk
    source.delete()
    delete_original(tenant, source_id)
