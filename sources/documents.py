"""The way from the app into its reading room (reading), which knows neither settings nor
errors of the service: both are handed over here, and nowhere else.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from config.language_data import find_language_data
from reading import cutting, extract, file_types, readers
from reading.confinement.limits import Limits
from reading.confinement.protection import describe_protection
from reading.confinement.sandbox import DEFAULT_LIMITS
from reading.errors import (
    FileTypeRefused,
    ReaderMissing,
    ReadingNotProtected,
    ReadingUnavailable,
    UnreadableFile,
)
from reading.requests import ReadRequest
from reading.settings import ReadingSettings
from sources.errors import (
    ExtractionUnavailable,
    FileProcessingFailed,
    ReaderNotConfigured,
    ReadingNotPermitted,
    UnsupportedFileType,
)

logger = logging.getLogger(__name__)


def reading_settings() -> ReadingSettings:
    """The settings for reading files. Looks whether OCR's language data is there now: it may be
    installed while we run."""
    language_data = find_language_data(settings.OCR_LANGUAGES)
    return ReadingSettings(
        ocr_languages=settings.OCR_LANGUAGES,
        ocr_folder=language_data.folder,
        ocr_advice=language_data.advice,
        whisper_model=settings.WHISPER_MODEL,
        whisper_folder=Path(settings.MODELS_DIR) / "whisper",
        requires_landlock=not (settings.IS_DEVELOPMENT or settings.ALLOW_FILES_WITHOUT_LANDLOCK),
    )


def describe_reading() -> str:
    """A text for operators about how files are read here; empty where all is well."""
    return describe_protection(is_required=reading_settings().requires_landlock)


@contextmanager
def service_errors() -> Iterator[None]:
    """Raises the service's error in the place of the reading room's."""
    try:
        yield
    except UnreadableFile as error:
        raise FileProcessingFailed(error.reason) from error
    except FileTypeRefused as error:
        raise UnsupportedFileType(error.reason) from error
    except ReaderMissing as error:
        raise ReaderNotConfigured(error.reason) from error
    except ReadingNotProtected as error:
        logger.error("%s", describe_reading())
        raise ReadingNotPermitted(error.reason) from error
    except ReadingUnavailable as error:
        raise ExtractionUnavailable from error


def read_request(
    *, content_type: str, title: str, limits: Limits | None = None, extractor: str = ""
) -> ReadRequest:
    """A request with this server's settings. `limits` and `extractor`: others than its kind of file
    has."""
    return ReadRequest(
        content_type=content_type,
        title=title,
        settings=reading_settings(),
        limits=limits,
        extractor=extractor,
    )


# As their namesakes, with errors of the service: FileProcessingFailed when the file is at fault,
# ExtractionUnavailable (retryable) when we are, ReaderNotConfigured when its kind needs what is not
# set up here, ReadingNotPermitted when nothing may be read here.
extract_document = service_errors()(extract.extract_document)
read_document = service_errors()(extract.read_document)
detect_content_type = service_errors()(file_types.detect_content_type)
chunk_document = service_errors()(cutting.chunk_document)
keep_once = cutting.keep_once


@service_errors()
def require_reader(content_type: str) -> None:
    """Raises ReaderNotConfigured when files of this type cannot be read here."""
    readers.require_reader(content_type, reading_settings())


@service_errors()
def read_facts(
    path: Path, *, extractor: str, limits: Limits = DEFAULT_LIMITS
) -> Mapping[str, tuple[str, ...]]:
    """Reads a file's facts. Raises the same errors as `extract_document`."""
    return extract.read_facts(path, extractor=extractor, settings=reading_settings(), limits=limits)
