"""One file through the real path: told by content, read in the confined process, cut. Needs Django
(bench/formats sets it up).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.errors import ServiceError
from language.detection import detect_main_language
from reading.file_types import CONTENT_TYPES, PROBE_BYTES
from reading.passages import Description, Passage, ReadDocument
from sources.connectors import files
from sources.connectors.files import GivenFile
from sources.connectors.interface import Failed, KnownDocument
from sources.documents import detect_content_type, require_reader


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
    """Adds up what extract.log_reading says: a file may hold others."""

    def __init__(self) -> None:
        super().__init__()
        self.cpu_seconds, self.peak_mb = 0.0, 0

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple):
            _, _, cpu_seconds, peak_mb, *_ = record.args
            self.cpu_seconds += float(str(cpu_seconds))
            self.peak_mb = max(self.peak_mb, int(str(peak_mb)))


class NoRun:
    """Stands for the run of a sync: nothing is known, and nobody waits."""

    def __init__(self) -> None:
        self.known: Mapping[str, KnownDocument] = {}
        self.known_failures: Mapping[str, Failed] = {}
        self.cursor: Mapping[str, Any] = {}

    def keep_cursor(self, cursor: Mapping[str, Any]) -> None:
        pass

    def step(self, name: str) -> AbstractContextManager[None]:
        return nullcontext()

    def report(self, *, done: int, total: int | None) -> None:
        pass


def read_file(path: Path) -> FileReading:
    """Never raises for a file: `outcome` says how it ended. Of a file that holds others, all of
    them."""
    costs, logger = Costs(), logging.getLogger("reading.extract")
    logger.addHandler(costs)
    started = time.perf_counter()
    name, is_read = "–", False
    passages: list[Passage] = []
    warnings: list[str] = []
    try:
        content_type = told_type(path)
        name = CONTENT_TYPES[content_type].name
        require_reader(content_type)
        given = GivenFile(
            path=path,
            content_type=content_type,
            content_hash="",
            external_id=path.name,
            told=Description(path.name, place=path.name),
            parts=f"{path.name}/",
        )
        for item in files.read_file(given, NoRun(), may_keep=lambda known: False):
            if isinstance(item, ReadDocument):
                passages += item.passages
                warnings += map(str, item.warnings)
            elif isinstance(item, Failed):
                warnings.append(f"{item.title}: {item.reason}")
        is_read = True
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
