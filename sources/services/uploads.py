"""Files that are uploaded: stored first, then indexed by a worker while the request waits."""

from __future__ import annotations

import time
import uuid
from contextlib import nullcontext
from functools import partial

from django.conf import settings
from django.core.files import File
from django.db import transaction

from accounts.activity import record
from accounts.idempotency import Claim
from accounts.models import Action, Tenant
from config.database.pool import release_connection
from config.jobs.places import Place, Places, take_place
from config.security.rate_limits import LimitsUnavailable
from config.serving.waiting import Kind
from reading.file_types import AUDIO_TYPES, IMAGE_TYPES, PROBE_BYTES
from reasons import Reason
from sources.documents import detect_content_type, require_reader
from sources.errors import FileProcessingFailed, FileTooLarge
from sources.models import AUDIO, FILE, NAME_MAX_CHARS, Lane, Source, SyncEvent
from sources.originals.files import check_size, delete_original, require_storage, store_original
from sources.services.new_sources import check_documents_limit, next_position
from sources.services.reading import get_source
from sources.syncing.kept_uploads import record_uploads
from sources.syncing.lanes import check_room, is_heavy, stop_waiting
from sources.syncing.plan_passages import record_passages
from sources.syncing.plan_places import lock_tenant
from sources.syncing.run_signal import wait_for_run_end
from sources.syncing.runs import fields_of_new_run, record_event
from sources.syncing.sync import sync_to_end
from sources.tasks import tell_lane

# Requests of a tenant that wait for their uploads. The waiting one renews its place every
# MAX_WAIT_SECONDS; before, it stores the file.
WAITING = Places(Kind.UPLOADS, "uploads", settings.UPLOADS_WAITED_FOR, lease_seconds=60)


def upload_file(
    tenant: Tenant,
    *,
    file: File[bytes],
    filename: str,
    name: str = "",
    claim: Claim | None = None,
) -> Source:
    """Stores a file, has a worker index it, and waits until it is `synced` or in `error`.

    After UPLOAD_DEADLINE, or when UPLOADS_WAITED_FOR requests of the tenant wait already, it is
    `syncing`, and goes on in the background. What an earlier attempt of `claim` has stored is
    waited for instead. Never call it inside a transaction. Raises, and leaves nothing behind:
    ServiceUnavailable, FileTooLarge, UnsupportedFileType, PlanLimitReached, TooManyRequests,
    FileProcessingFailed.
    """
    made = find_made(tenant, claim)
    if made is not None:
        return resume_upload(made, claim)
    with take_place_to_wait(tenant) or nullcontext() as place:
        lane = Lane.UPLOADS if place and not is_heavy(tenant) else Lane.BACKGROUND
        source, run_id = create_upload(
            tenant, file=file, filename=filename, name=name, lane=lane, claim=claim
        )
        transaction.on_commit(partial(tell_lane, lane))
        if place and wait_for_run(source, run_id, place, claim):
            return settle_upload(source, claim)
    return leave_upload(source, run_id)


def find_made(tenant: Tenant, claim: Claim | None) -> Source | None:
    """Returns the source that an earlier attempt, whose process died, has created (even if somebody
    has deleted it since); None if there is none, or its file was found at fault."""
    if claim is None or claim.resource_id is None:
        return None
    return Source.objects.with_deleted(tenant).filter(pk=claim.resource_id).first()


def resume_upload(source: Source, claim: Claim | None) -> Source:
    """Waits for the upload as the attempt did that stored it. Raises FileProcessingFailed."""
    run_id = source.sync_run_id
    if source.deleted_at is not None:
        return source
    if run_id is None:
        return settle_upload(source, claim)
    with take_place_to_wait(source.tenant) or nullcontext() as place:
        tell_lane(Lane(source.sync_lane))  # that process may not have come to it
        if place and wait_for_run(source, run_id, place, claim):
            return settle_upload(source, claim)
    return leave_upload(source, run_id)


def begin_upload(tenant: Tenant, *, file: File[bytes], filename: str, name: str = "") -> Source:
    """`upload_file` without waiting: the source is `syncing`, and its status says what comes of it.
    A file at fault stays, in `error`.

    Raises as that does, but FileProcessingFailed.
    """
    lane = choose_lane(tenant)
    source, _ = create_upload(tenant, file=file, filename=filename, name=name, lane=lane)
    transaction.on_commit(partial(tell_lane, lane))
    return source


def choose_lane(tenant: Tenant) -> Lane:
    """The lane of an upload that somebody watches until it is done: that of those that wait, unless
    it is full already, or the tenant has had much of it."""
    waiting = Source.objects.for_tenant(tenant).filter(
        sync_run_id__isnull=False, sync_lane=Lane.UPLOADS
    )
    is_full = waiting.count() >= settings.UPLOADS_WAITED_FOR
    return Lane.BACKGROUND if is_full or is_heavy(tenant) else Lane.UPLOADS


def take_place_to_wait(tenant: Tenant) -> Place | None:
    """Takes a place to wait for the upload. None if none is free, or Redis does not answer: then
    workers do not hear of the upload either."""
    try:
        return take_place(WAITING, tenant.pk)
    except LimitsUnavailable:
        return None


def ingest_file(tenant: Tenant, *, file: File[bytes], filename: str, name: str = "") -> Source:
    """`upload_file` in this process: for commands, which have neither worker nor deadline."""
    source, run_id = create_upload(
        tenant, file=file, filename=filename, name=name, lane=Lane.UPLOADS
    )
    sync_to_end(tenant, source.pk, run_id=run_id)
    record_uploads(tenant)
    record_passages(tenant)
    return settle_upload(source)


def create_upload(
    tenant: Tenant,
    *,
    file: File[bytes],
    filename: str,
    name: str,
    lane: Lane,
    claim: Claim | None = None,
) -> tuple[Source, uuid.UUID]:
    """Stores the original and its source, with the run id that holds the source's lock."""
    require_storage()
    check_room(tenant)
    check_size(file.size)
    content_type = sniff_content_type(file, filename)
    check_image_size(file.size, content_type)
    require_reader(content_type)
    check_documents_limit(tenant)
    run_id = uuid.uuid4()
    source = Source(
        tenant=tenant,
        name=name or filename[:NAME_MAX_CHARS],
        source_type=AUDIO if content_type in AUDIO_TYPES else FILE,
        original_name=filename,
        content_type=content_type,
        size_bytes=file.size,
        **fields_of_new_run(run_id, lane=lane),
    )
    source.original_file.name = store_original(tenant, source.pk, file)
    try:
        save_upload(source, run_id, claim)
    except BaseException:
        delete_original(tenant, source.pk)
        raise
    return source, run_id


@transaction.atomic
def save_upload(source: Source, run_id: uuid.UUID, claim: Claim | None) -> None:
    """Raises PlanLimitReached, TooManyRequests, RequestInProgress."""
    tenant = lock_tenant(source.tenant)
    check_documents_limit(tenant)
    check_room(tenant)
    source.position = next_position(tenant)
    source.save(force_insert=True)
    for action in (SyncEvent.Action.SOURCE_CREATED, SyncEvent.Action.SYNC_STARTED):
        record_event(tenant, source, action, run_id=run_id)
    record(tenant, Action.SOURCE_CREATED, source)
    if claim is not None:
        claim.note_made(source.pk)


def check_image_size(size_bytes: int, content_type: str) -> None:
    """Raises FileTooLarge: images have a limit of their own, which their content alone tells."""
    if content_type in IMAGE_TYPES and size_bytes > settings.IMAGE_MAX_BYTES:
        limit_mb = settings.IMAGE_MAX_BYTES // settings.MEGABYTE
        raise FileTooLarge(Reason("image_over_limit", limit=limit_mb))


def sniff_content_type(file: File[bytes], filename: str) -> str:
    """The type that the content shows. Raises UnsupportedFileType."""
    file.seek(0)
    head = file.read(PROBE_BYTES)
    file.seek(max(0, file.size - PROBE_BYTES))
    tail = file.read(PROBE_BYTES)
    file.seek(0)
    return detect_content_type(head, tail, filename)


def wait_for_run(
    source: Source, run_id: uuid.UUID, place: Place, claim: Claim | None = None
) -> bool:
    """Waits for the end of the run; True if it came before the deadline."""
    deadline = time.monotonic() + settings.UPLOAD_DEADLINE
    running = Source.objects.for_tenant(source.tenant).filter(id=source.pk).held_by(run_id)
    while (remaining_seconds := deadline - time.monotonic()) > 0:
        release_connection()
        wait_for_run_end(source.tenant, run_id, at_most_seconds=remaining_seconds)
        if not running.exists():
            return True
        place.renew()
        if claim is not None:
            claim.renew()
    return False


def settle_upload(source: Source, claim: Claim | None = None) -> Source:
    """The source as its first run left it.

    Raises FileProcessingFailed when the file was at fault; then nothing of it is kept.
    """
    settled = get_source(source.tenant, source.pk)
    if settled.error_code == FileProcessingFailed.code:
        discard_upload(settled)
        if claim is not None:
            claim.forget_made()
        raise FileProcessingFailed(settled.error)
    return settled


def leave_upload(source: Source, run_id: uuid.UUID) -> Source:
    """Returns the source as it is now; its run goes on while nobody waits for it. The status tells
    the outcome: a file at fault stays, in `error`."""
    stop_waiting(source.tenant, source.pk, run_id=run_id)
    tell_lane(Lane.BACKGROUND)
    return get_source(source.tenant, source.pk)


def discard_upload(source: Source) -> None:
    """Removes the row, then the stored file: a file without a row can be seen by nobody."""
    tenant, source_id = source.tenant, source.pk
    source.delete()
    delete_original(tenant, source_id)
