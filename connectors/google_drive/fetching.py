"""A file becomes something that can be read: downloaded, or exported."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings

from connectors.google_drive.answers import MD5, DriveFile
from connectors.google_drive.drive import Drive, reason_of
from connectors.google_drive.listing import EXPORTS, filename_of
from connectors.google_drive.problems import (
    CHANGED_MEANWHILE,
    EXPORT_TOO_LARGE,
    HARMFUL,
    NO_PERMISSION,
    NOT_THERE,
)
from sources.connectors.calling import CallRefused
from sources.connectors.remote import DocumentRefused, RemoteDocument, RemoteFile

# Why Drive gives no content (developers.google.com/workspace/drive/api/guides/handle-errors, read
# 2026-11-22), and whether that holds as long as the file is as it is.
REFUSALS = {
    "exportSizeLimitExceeded": (EXPORT_TOO_LARGE, True),
    "cannotDownloadFile": (NO_PERMISSION, False),
    "cannotExportFile": (NO_PERMISSION, False),
    "insufficientFilePermissions": (NO_PERMISSION, False),
    "cannotDownloadAbusiveFile": (HARMFUL, True),
    "notFound": (NOT_THERE, False),
}


def fetch_file(drive: Drive, document: RemoteDocument, folder: Path) -> RemoteFile:
    """`document`: with a DriveFile as its handle. Raises DocumentRefused, CallRefused,
    config.http.TooLarge, and as Drive."""
    file, path = document.handle, folder / "content"
    if not isinstance(file, DriveFile):
        raise TypeError(f"not a file of Google Drive: {document.external_id}")
    export = EXPORTS.get(file.kind)
    try:
        if export is None:
            drive.download(file.id, path, max_bytes=settings.UPLOAD_MAX_BYTES)
        else:
            drive.export(file.id, path, content_type=export, max_bytes=settings.UPLOAD_MAX_BYTES)
    except CallRefused as refused:
        reason = reason_of(refused.content())
        if reason not in REFUSALS:
            raise
        told, is_final = REFUSALS[reason]
        raise DocumentRefused(told, is_final=is_final) from refused
    # A download that was resumed may have its halves of two versions.
    if MD5.fullmatch(file.version) and md5_of(path) != file.version:
        raise DocumentRefused(CHANGED_MEANWHILE)
    return RemoteFile(path, filename_of(file))


def md5_of(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
