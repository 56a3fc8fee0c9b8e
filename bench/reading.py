"""One file through the real path: told by content, read in the confined process, cut. Needs Django
(bench/formats sets it up).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from config.errors import ServiceError
from sources.documents import chunk_document, detect_content_type, extract_document, require_reader
from sources.language.detection import detect_main_language
from sources.reading.file_types import CONTENT_TYPES, PROBE_BYTES
from sources.reading.passages import Passage


@dataclass(frozen=True)
class FileReading:
    """`cpu_seconds` and `peak_mb`: the confined process; "" for locators when there are none."""

    format_name: str
    language: str
    chunks: int
    first_location: str
    last_location: str
    seconds: float
    cpu_seconds: float
    peak_mb: int
    outcome: str
    passages: Sequence[Passage] = field(default=(), repr=False)
    warnings: Sequence[str] = ()
    is_read: bool = False


class Costs(logging.Handler):
    """Catches what extract.log_reading says."""

    def __init__(self) -> None:
        super().__init__()
        self.cpu_seconds, self.peak_mb = 0.0, 0

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple):
            _, _, self.cpu_seconds, self.peak_mb, *_ = record.args  # type: ignore[assignment]


def read_file(path: Path) -> FileReading:
    """Never raises for a file: `outcome` says how it ended."""
    costs, logger = Costs(), logging.getLogger("sources.reading.extract")
    logger.addHandler(costs)
    started = time.perf_counter()
    name, is_read = "–", False
    passages: Sequence[Passage] = ()
    warnings: Sequence[str] = ()
    try:
        content_type = told_type(path)
        name = CONTENT_TYPES[content_type].name
        require_reader(content_type)
        document = extract_document(path, content_type=content_type, title=path.name)
        passages = chunk_document(document)
        warnings, is_read = document.warnings, True
        outcome = " ".join(["indexed.", *warnings])
    except ServiceError as error:
        outcome = f"{error.code}: {error.message}"
    finally:
        logger.removeHandler(costs)
    return FileReading(
        name,
        detect_main_language([passage.text for passage in passages]),
        len(passages),
        passages[0].location if passages else "",
        passages[-1].location if passages else "",
        time.perf_counter() - started,
        costs.cpu_seconds,
        costs.peak_mb,
        outcome,
        passages,
        warnings,
        is_read,
    )


def told_type(path: Path) -> str:
    """Raises UnsupportedFileType."""
    content = path.read_bytes()
    return detect_content_type(content[:PROBE_BYTES], content[-PROBE_BYTES:], path.name)
