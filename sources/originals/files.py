"""Stored originals of uploads. A client's file name is never part of a path."""

from __future__ import annotations

import hashlib
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage

from accounts.models import Tenant
from config.errors import ServiceUnavailable
from config.storage.backends import NOT_CONFIGURED
from sources.errors import FileTooLarge, OriginalMissing, StorageUnavailable
from sources.models import Source

logger = logging.getLogger(__name__)

COPY_BUFFER_BYTES = 1024 * 1024
UNNAMED_FOR = timedelta(days=1)  # longer than any upload, and any run that reads a version


@dataclass(frozen=True)
class FetchedFile:
    """A copy of a stored original, for an extractor to read, and the SHA-256 (hex) of its bytes."""

    path: Path
    sha256: str


def require_storage() -> None:
    """Raises ServiceUnavailable when this copy of the service stores no files."""
    if settings.STORAGE_URL == NOT_CONFIGURED:
        raise ServiceUnavailable(
            "File storage is not configured here. Set STORAGE_URL, then try again."
        )


def check_size(size_bytes: int) -> None:
    """Raises FileTooLarge."""
    if size_bytes > settings.UPLOAD_MAX_BYTES:
        limit_mb = settings.UPLOAD_MAX_BYTES // settings.MEGABYTE
        raise FileTooLarge(f"The file is larger than {limit_mb} MB.")


def original_key(tenant: Tenant, source_id: uuid.UUID) -> str:
    return f"{tenant.pk}/{source_id}/original"


def is_on_s3() -> bool:
    return not isinstance(default_storage, FileSystemStorage)


@contextmanager
def reaching_storage() -> Iterator[None]:
    """Raises StorageUnavailable for whatever the storage, or the way to it, fails at."""
    try:
        yield
    except (OSError, BotoCoreError, ClientError) as error:
        raise StorageUnavailable from error


def store_original(tenant: Tenant, source_id: uuid.UUID, file: File[bytes]) -> str:
    """The key that it is stored under. A failure leaves nothing behind.

    Raises StorageUnavailable.
    """
    key = original_key(tenant, source_id)
    try:
        with reaching_storage():
            return default_storage.save(key, file)
    except BaseException:
        # Half a file may lie there, which no row will name.
        delete_original(tenant, source_id)
        raise


def store_version(tenant: Tenant, source_id: uuid.UUID, file: File[bytes]) -> str:
    """Stores a new version of an original beside the one before, which a run may be reading, and
    returns the key that it is stored under. Raises StorageUnavailable."""
    with reaching_storage():
        return default_storage.save(f"{tenant.pk}/{source_id}/{uuid.uuid4().hex}", file)


def delete_version(key: str) -> None:
    """Best effort, as `delete_original`."""
    try:
        with reaching_storage():
            default_storage.delete(key)
    except StorageUnavailable:
        logger.exception("a stored file could not be deleted: %s", key)


def delete_original(tenant: Tenant, source_id: uuid.UUID) -> None:
    """Best effort: nobody can see a file without a row, so one that stays is only logged."""
    key = original_key(tenant, source_id)
    try:
        with reaching_storage():
            default_storage.delete(key)
    except StorageUnavailable:
        logger.exception("a stored file could not be deleted: %s", key)
        return
    if not is_on_s3():
        with suppress(OSError):  # the file is gone; an empty folder is worth no failure
            default_storage.delete(str(PurePosixPath(key).parent))


def delete_originals(tenant: Tenant) -> int:
    """Deletes all files stored for a tenant, also those that have lost their row; returns how many.

    Raises StorageUnavailable: then some of them are still there.
    """
    with reaching_storage():
        keys = list(stored_keys(str(tenant.pk)))
        for key in keys:
            default_storage.delete(key)
    if not is_on_s3():
        delete_empty_folders(str(tenant.pk), {str(PurePosixPath(key).parent) for key in keys})
    return len(keys)


def delete_unnamed(now: datetime) -> int:
    """Deletes the files of all tenants' sources that no row names, and returns how many: their
    process was killed before the row named the new file, or before the replaced one was deleted.

    Raises StorageUnavailable: what is left is found the next time.
    """
    deleted = 0
    for tenant in Tenant.objects.order_by("pk").iterator():
        named = set(Source.objects.for_tenant(tenant).values_list("original_file", flat=True))
        with reaching_storage():
            for key in [key for key in stored_keys(str(tenant.pk)) if key not in named]:
                if is_of_source(key) and was_stored_before(now - UNNAMED_FOR, key):
                    default_storage.delete(key)
                    deleted += 1
                    if not is_on_s3():
                        with suppress(OSError):  # another file may stand in it
                            default_storage.delete(str(PurePosixPath(key).parent))
    return deleted


def is_of_source(key: str) -> bool:
    """Tells a source's file from an export, which stands beside it."""
    with suppress(ValueError):
        return bool(uuid.UUID(PurePosixPath(key).parts[1]))
    return False


def was_stored_before(moment: datetime, key: str) -> bool:
    """True if the file is older than `moment`; False when somebody has deleted it meanwhile."""
    return default_storage.exists(key) and default_storage.get_modified_time(key) < moment


def stored_keys(folder: str) -> Iterator[str]:
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}/{name}" for name in files)
    for name in folders:
        yield from stored_keys(f"{folder}/{name}")


def delete_empty_folders(top: str, folders: set[str]) -> None:
    for folder in [*sorted(folders, reverse=True), top]:
        with suppress(OSError):  # as above
            default_storage.delete(folder)


def open_original(source: Source) -> File[bytes]:
    """Opens the file for one reading from start to end: on S3 it is fetched while it is read.

    Raises OriginalMissing, StorageUnavailable.
    """
    if not source.original_file.name:
        raise OriginalMissing
    with reaching_storage():
        try:
            return default_storage.open(source.original_file.name, "rb")
        except (FileNotFoundError, SuspiciousFileOperation) as error:
            raise OriginalMissing from error


def fetch_original(source: Source, folder: Path) -> FetchedFile:
    """Copies the original into `folder`: the extractor never sees the stored file itself.

    Raises OriginalMissing, StorageUnavailable (retryable).
    """
    path = folder / "original"
    digest = hashlib.sha256()
    with open_original(source) as stored, path.open("wb") as copy, reaching_storage():
        while block := stored.read(COPY_BUFFER_BYTES):
            digest.update(block)
            copy.write(block)
    return FetchedFile(path, digest.hexdigest())
