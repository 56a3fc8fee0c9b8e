"""Fixtures of reading: text can be recognised, here or in the confined process."""

import pytest

from reading.extractors.images import recognition
from reading.ocr import reader_options
from reading.tests.confined import SETTINGS


@pytest.fixture(scope="session")
def tesseract_options() -> dict[str, str]:
    """Raises ReaderMissing, which says what to install, where there is no language data."""
    return reader_options(SETTINGS)


@pytest.fixture(scope="session")
def loaded_tesseract(tesseract_options: dict[str, str]) -> recognition.Engine:
    engine = recognition.Engine()
    engine.load(tesseract_options)
    return engine


@pytest.fixture
def tesseract(loaded_tesseract: recognition.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text can be recognised in this process, in this test."""
    monkeypatch.setattr(recognition, "engine", loaded_tesseract)
