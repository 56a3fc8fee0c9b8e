"""Whether speech can be transcribed here, and how: a Whisper model."""

from sources.errors import ReaderNotConfigured
from sources.ingestion.confinement import MEGABYTE, Limits

LIMITS = Limits(memory_bytes=1536 * MEGABYTE, cpu_seconds=90, wall_seconds=180)


def reader_options() -> dict[str, str]:
    """Raises ReaderNotConfigured."""
    raise ReaderNotConfigured("Audio is read by a speech model, which is not configured here.")
