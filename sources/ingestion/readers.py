"""Extractors that need what a server may lack: language data for OCR, a speech model.

Importable by the web process: it only looks whether files are there.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sources.errors import ReaderNotConfigured
from sources.ingestion import ocr, speech
from sources.ingestion.confinement import Limits
from sources.ingestion.file_types import CONTENT_TYPES

# Extractor → its options, or ReaderNotConfigured.
REQUIRED: Mapping[str, Callable[[], dict[str, str]]] = MappingProxyType(
    {"image": ocr.reader_options, "audio": speech.reader_options}
)
# The same, for extractors that do without: a PDF is read, only its scanned pages are not.
OPTIONAL: Mapping[str, Callable[[], dict[str, str]]] = MappingProxyType({"pdf": ocr.reader_options})
# Where the default of sandbox.py is not enough.
LIMITS: Mapping[str, Limits] = MappingProxyType(
    {"image": ocr.LIMITS, "pdf": ocr.LIMITS, "audio": speech.LIMITS}
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
