"""What a hostile file is."""

from collections.abc import Callable
from dataclasses import dataclass

MEGABYTE = 1024 * 1024
UPLOAD_MAX_BYTES = 50 * MEGABYTE  # docs/specification.md, Limits

# Answers: the error's code, or the source's sync_status
TOO_LARGE = "FILE_TOO_LARGE"
UNSUPPORTED = "UNSUPPORTED_FILE_TYPE"
FAILED = "FILE_PROCESSING_FAILED"
SYNCED = "synced"
TOO_SLOW = "syncing"  # past the upload's deadline: it goes on in the background


@dataclass(frozen=True)
class HostileFile:
    """`expected`: every answer that is right; `makes` its bytes in seconds, not minutes."""

    title: str
    filename: str
    makes: Callable[[], bytes]
    expected: tuple[str, ...] = (FAILED,)
