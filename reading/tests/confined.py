"""How tests read a file: in the confined process, as the product does, with the settings of a
development machine. Errors are those of reading/errors.py.
"""

from pathlib import Path
from typing import Any

from config.language_data import DEFAULT_LANGUAGES, find_language_data
from reading import extract
from reading.passages import ExtractedDocument
from reading.requests import ReadRequest
from reading.settings import ReadingSettings

_language_data = find_language_data(DEFAULT_LANGUAGES)
SETTINGS = ReadingSettings(
    ocr_languages=DEFAULT_LANGUAGES,
    ocr_folder=_language_data.folder,
    ocr_advice=_language_data.advice,
    whisper_model="none",
    whisper_folder=Path("none"),
    requires_landlock=False,
)


def extract_document(path: Path, **asked: Any) -> ExtractedDocument:
    return extract.extract_document(path, ReadRequest(settings=SETTINGS, **asked))


def read_document(path: Path, **asked: Any) -> ExtractedDocument:
    return extract.read_document(path, ReadRequest(settings=SETTINGS, **asked))
