"""Reads a stored file, whatever it is, into blocks of text: the parse runs in a confined process
(sandbox.py).
"""

import logging
import signal
from collections.abc import Mapping
from pathlib import Path

from reading.confinement.limits import Limits
from reading.confinement.messages import EXIT_UNCONFINED, JobResult, Request
from reading.confinement.sandbox import DEFAULT_LIMITS, Reading, sandbox
from reading.coverage import measure_coverage
from reading.errors import ReadingUnavailable, UnreadableFile
from reading.extractors.interface import EMPTY
from reading.passages import ExtractedDocument
from reading.readers import require_protection
from reading.requests import ReadRequest
from reading.settings import ReadingSettings
from reasons import Reason, join_reasons

logger = logging.getLogger(__name__)

TOLD_MAX = 2  # of the warnings of a document without text, which say why it has none
TOO_SLOW = Reason("reading_too_slow")
UNREADABLE = Reason("file_unreadable")


def extract_document(path: Path, request: ReadRequest) -> ExtractedDocument:
    """Raises UnreadableFile when the file is at fault, ReadingUnavailable (try again) when we are,
    ReaderMissing when its kind needs what is not set up here, ReadingNotProtected when no file may
    be read here.
    """
    document = read_document(path, request)
    if not document.blocks:
        raise UnreadableFile(join_reasons(EMPTY, *document.warnings[:TOLD_MAX]))
    return document


def read_document(path: Path, request: ReadRequest) -> ExtractedDocument:
    """`extract_document` that also takes a document without text: a web page may be links alone."""
    require_protection(request.settings)
    if path.stat().st_size == 0:
        raise UnreadableFile(Reason("file_empty"))
    result = read_confined(path, request.for_sandbox())
    return ExtractedDocument(
        title=request.title,
        blocks=result.blocks,
        level=request.file_type.level,
        warnings=result.warnings,
        coverage=measure_coverage(result.blocks, pages=result.pages),
        facts=result.facts,
        members=result.members,
    )


def read_facts(
    path: Path, *, extractor: str, settings: ReadingSettings, limits: Limits = DEFAULT_LIMITS
) -> Mapping[str, tuple[str, ...]]:
    """The facts of a file other than a document (a sitemap), under its extractor's names. Raises as
    `extract_document`."""
    require_protection(settings)
    return read_confined(path, Request(extractor=extractor, limits=limits)).facts


def read_confined(path: Path, request: Request) -> JobResult:
    reading = sandbox.read(path, request)
    log_reading(reading, request.extractor)
    check_reading(reading)
    return reading.result


def check_reading(reading: Reading) -> None:
    """Raises what the end of the confined process means."""
    result, report = reading.result, reading.report
    if report.status == EXIT_UNCONFINED:
        raise ReadingUnavailable("The process that reads files could not be confined.")
    if result.refusal:
        raise UnreadableFile(result.refusal)
    if report.timed_out or report.status in (-signal.SIGXCPU, -signal.SIGPROF):
        raise UnreadableFile(TOO_SLOW)
    if result.failure or report.status != 0 or not result.is_complete:
        raise UnreadableFile(UNREADABLE)


def log_reading(reading: Reading, extractor: str) -> None:
    report = reading.report
    log = logger.warning if reading.result.failure or report.status != 0 else logger.info
    log(
        "Read a file (%s): status %d, %.2f s CPU, %d MB, %d blocks. %s",
        extractor,
        report.status,
        report.cpu_seconds,
        report.peak_bytes // 1_000_000,
        len(reading.result.blocks),
        reading.result.failure,
    )
