"""Whether text can be recognised in pictures here, and how: Tesseract's language data."""

from django.conf import settings

from config.language_data import find_language_data
from sources.errors import ReaderNotConfigured
from sources.ingestion.confinement import MEGABYTE, Limits

# A scan of 500 pages takes up to 25 minutes; uploads end sooner, at UPLOAD_DEADLINE. What is no
# scan has the time of the other formats (sandbox.DEFAULT_LIMITS), and so has each page of one.
LIMITS = Limits(
    memory_bytes=1536 * MEGABYTE, cpu_seconds=1500, wall_seconds=1700, step_cpu_seconds=90
)


def reader_options() -> dict[str, str]:
    """Looks at files only. Raises ReaderNotConfigured, which says what to install."""
    found = find_language_data(settings.OCR_LANGUAGES)
    if found.folder is None:
        raise ReaderNotConfigured(
            f"Images are read by OCR, which is not configured here. {found.advice}"
        )
    return {"tessdata": str(found.folder), "languages": settings.OCR_LANGUAGES}
