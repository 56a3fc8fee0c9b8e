"""Whether text can be recognised in pictures here, and how: Tesseract's language data."""

from sources.errors import ReaderNotConfigured
from sources.ingestion.confinement import MEGABYTE, Limits

LIMITS = Limits(memory_bytes=1536 * MEGABYTE, cpu_seconds=90, wall_seconds=180)


def reader_options() -> dict[str, str]:
    """Raises ReaderNotConfigured."""
    raise ReaderNotConfigured("Images are read by OCR, which is not configured here.")
