"""Extractors that need what a server may lack: language data for OCR, a speech model.

Importable by the web process: it only looks whether files are there.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from reading import ocr, speech
from reading.confinement.landlock import has_landlock
from reading.confinement.limits import MEGABYTE, Limits
from reading.confinement.sandbox import DEFAULT_LIMITS
from reading.errors import ReaderMissing, ReadingNotProtected
from reading.file_types import CONTENT_TYPES
from reading.settings import ReadingSettings
from reasons import Reason

NOT_PROTECTED = Reason("reading_not_protected")
# Extractor → its options, or ReaderMissing.
REQUIRED: Mapping[str, Callable[[ReadingSettings], dict[str, str]]] = MappingProxyType(
    {"images.image": ocr.reader_options, "audio.recording": speech.reader_options}
)
# The same, for extractors that do without: a PDF is read, only its scanned pages are not.
OPTIONAL: Mapping[str, Callable[[ReadingSettings], dict[str, str]]] = MappingProxyType(
    {"pdf.document": ocr.reader_options}
)
# A page of a million elements takes half of each; a crawl may meet one hostile page after another.
HTML_LIMITS = Limits(memory_bytes=1536 * MEGABYTE, cpu_seconds=40, wall_seconds=90)
# Where the default of sandbox.py is not enough, or too much.
LIMITS: Mapping[str, Limits] = MappingProxyType(
    {"images.image": ocr.LIMITS, "pdf.document": ocr.LIMITS, "html.document": HTML_LIMITS}
)


def limits_of(extractor: str, settings: ReadingSettings) -> Limits:
    """Raises ReaderMissing, as reader_options."""
    if extractor == "audio.recording":
        return speech.limits(settings)
    return LIMITS.get(extractor, DEFAULT_LIMITS)


def require_protection(settings: ReadingSettings) -> None:
    """Raises ReadingNotProtected where no file may be read."""
    if settings.requires_landlock and not has_landlock():
        raise ReadingNotProtected(NOT_PROTECTED)


def require_reader(content_type: str, settings: ReadingSettings) -> None:
    """Raises ReaderMissing when files of this type cannot be read here, ReadingNotProtected when
    none can.
    """
    require_protection(settings)
    extractor = CONTENT_TYPES[content_type].extractor
    if extractor in REQUIRED:
        REQUIRED[extractor](settings)


def reader_options(extractor: str, settings: ReadingSettings) -> dict[str, str]:
    """The options for `extractor.prepare`; empty for extractors without settings, and for optional
    ones that are not set up. Raises ReaderMissing."""
    if extractor in REQUIRED:
        return REQUIRED[extractor](settings)
    if extractor in OPTIONAL:
        try:
            return OPTIONAL[extractor](settings)
        except ReaderMissing:
            return {}
    return {}
