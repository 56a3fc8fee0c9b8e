"""Extractors that need what a server may lack: language data for OCR, a speech model.

Importable by the web process: it only looks whether files are there.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sources.errors import ReaderNotConfigured
from sources.ingestion import ocr, speech
from sources.ingestion.confinement import MEGABYTE, Limits
from sources.ingestion.file_types import CONTENT_TYPES

# Extractor → its options, or ReaderNotConfigured.
REQUIRED: Mapping[str, Callable[[], dict[str, str]]] = MappingProxyType(
    {"image": ocr.reader_options, "audio": speech.reader_options}
)
# The same, for extractors that do without: a PDF is read, only its scanned pages are not.
OPTIONAL: Mapping[str, Callable[[], dict[str, str]]] = MappingProxyType({"pdf": ocr.reader_options})
# A page of a million elements takes half of each; a crawl may meet one hostile page after another.
HTML_LIMITS = Limits(memory_bytes=1536 * MEGABYTE, cpu_seconds=40, wall_seconds=90)
# Where the default of sandbox.py is not enough, or too much.
LIMITS: Mapping[str, Limits] = MappingProxyType(
    {"image": ocr.LIMITS, "pdf": ocr.LIMITS, "audio": speech.LIMITS, "html": HTML_LIMITS}
)


def require_reader(content_type: str) -> None:
    """Raises ReaderNotConfigured when files of this type cannot be read here."""
    extractor = CONTENT_TYPES[content_type].extractor
    if extractor in REQUIRED:
        REQUIRED[extractor]()


def reader_options(extractor: str) -> dict[str, str]:
    """What `extractor.prepare` gets; empty for those without settings, and for optional ones that
    are not set up. Raises ReaderNotConfigured.
    """
    if extractor in REQUIRED:
        return REQUIRED[extractor]()
    if extractor in OPTIONAL:
        try:
            return OPTIONAL[extractor]()
        except ReaderNotConfigured:
            return {}
    return {}
