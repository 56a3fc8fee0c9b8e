"""How tests read a file: in the confined process, as the product does, with the settings of a
development machine. Errors are those of reading/errors.py.
"""

from functools import partial
from pathlib import Path

from config.language_data import DEFAULT_LANGUAGES, find_language_data
from reading import extract
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
extract_document = partial(extract.extract_document, settings=SETTINGS)
read_document = partial(extract.read_document, settings=SETTINGS)
