"""Is given a folder that it may read besides, and tries the file that it is told."""

from collections.abc import Mapping
from pathlib import Path

from reading.extractors.interface import Extraction
from reading.passages import Block


def prepare(options: Mapping[str, str]) -> tuple[Path, ...]:
    return (Path(options["folder"]),)


def extract(data: bytes) -> Extraction:
    try:
        text = Path(data.decode()).read_text()
    except OSError as error:
        text = type(error).__name__
    return Extraction([Block(text)])
