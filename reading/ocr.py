"""Tells whether and how text can be recognised in pictures here: Tesseract's language data."""

from reading.confinement.limits import MEGABYTE, Limits
from reading.errors import ReaderMissing
from reading.settings import ReadingSettings
from reasons import Reason

# A scan of 500 pages takes up to 25 minutes; uploads end sooner, at UPLOAD_DEADLINE. What is no
# scan has the time of the other formats (sandbox.DEFAULT_LIMITS), and so has each page of one.
LIMITS = Limits(
    memory_bytes=1536 * MEGABYTE, cpu_seconds=1500, wall_seconds=1700, step_cpu_seconds=90
)


def reader_options(settings: ReadingSettings) -> dict[str, str]:
    """Raises ReaderMissing, which says what to install."""
    if settings.ocr_folder is None:
        raise ReaderMissing(Reason("ocr_not_set_up", advice=settings.ocr_advice))
    return {"tessdata": str(settings.ocr_folder), "languages": settings.ocr_languages}
