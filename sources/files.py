"""Stored originals of uploads. A client's file name is never part of a path."""

from __future__ import annotations

import hashlib
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage

from accounts.models import Tenant
from config.errors import ServiceUnavailable
from sources.errors import FileTooLarge
from sources.models import Source

STORAGE_NOT_CONFIGURED = "none"
COPY_BUFFER_BYTES = 1024 * 1024


@dataclass(frozen=True)
class FetchedFile:
    """A copy of a stored original, for an extractor to read, and the SHA-256 (hex) of its bytes."""

    path: Path
    sha256: str


def require_storage() -> None:
    """Raises ServiceUnavailable when this copy of the service stores no files."""
    if settings.STORAGE_URL == STORAGE_NOT_CONFIGURED:
        raise ServiceUnavailable(
            "File storage is not configured here: set STORAGE_URL, then upload again."
        )


def check_size(size_bytes: int) -> None:
    """Raises FileTooLarge."""
    if size_bytes > settings.UPLOAD_MAX_BYTES:
        limit_mb = settings.UPLOAD_MAX_BYTES // settings.MEGABYTE
        raise FileTooLarge(f"The file is larger than {limit_mb} MB.")


def original_key(tenant: Tenant, source_id: uuid.UUID) -> str:
    return f"{tenant.pk}/{source_id}/original"


def store_original(tenant: Tenant, source_id: uuid.UUID, file: File[bytes]) -> str:
    """The key that it is stored under. A failure leaves nothing behind."""
    key = original_key(tenant, source_id)
    try:
        return default_storage.save(key, file)
    except BaseException:
        delete_original(tenant, source_id)
        raise


def delete_original(tenant: Tenant, source_id: uuid.UUID) -> None:
    key = original_key(tenant, source_id)
    default_storage.delete(key)
    with suppress(OSError):  # the file is gone; an empty folder is worth no failure
        default_storage.delete(str(PurePosixPath(key).parent))


def fetch_original(source: Source, folder: Path) -> FetchedFile:
    """Copies the original into `folder`: the extractor never sees the stored file itself."""
    path = folder / "original"
    digest = hashlib.sha256()
    with source.original_file.open("rb") as stored, path.open("wb") as copy:
        while block := stored.read(COPY_BUFFER_BYTES):
            digest.update(block)
            copy.write(block)
    return FetchedFile(path, digest.hexdigest())
