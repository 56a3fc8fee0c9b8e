"""What every format gives: locators, chunks, and what reading costs.

Usage: .venv/bin/python -m bench.formats.costs [FILE OR FOLDER …]
Without arguments: the demo's files, those of the evaluation's company where they are, and a file of
each format in English and in Spanish that is made here. Prints a Markdown table; ends with 1 when a
file was not indexed. Audio is read by the model that WHISPER_MODEL names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.formats.product import ready_product

if TYPE_CHECKING:
    from bench.reading import FileReading

DEMO_FILES = Path(__file__).resolve().parents[2] / "demo" / "files"
EVALUATION = Path(os.environ.get("EVAL_DIR", "/work/shared/eval")) / "company"
HEADINGS = (
    *("file", "format", "language", "chunks", "first locator", "last locator"),
    *("s", "CPU s", "peak MB", "outcome"),
)


def main(arguments: Sequence[str]) -> int:
    with ready_product() as folder:
        given = [Path(argument) for argument in arguments]
        return print_table(given or [DEMO_FILES, EVALUATION, write_samples(folder)])


def write_samples(folder: Path) -> Path:
    from reading.tests.sample_files import make_samples

    samples = folder / "samples"
    samples.mkdir()
    for name, content in make_samples().items():
        (samples / name).write_bytes(content)
    return samples


def print_table(given: Sequence[Path]) -> int:
    from django.conf import settings

    from bench.reading import read_file  # after Django's setup
    from reading.confinement.sandbox import sandbox
    from reading.file_types import BY_EXTENSION

    files = [path for path in iter_files(given) if path.suffix.lower() in BY_EXTENSION]
    print(f"Audio: WHISPER_MODEL={settings.WHISPER_MODEL}.\n")
    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}")
    failures, kind = 0, ""
    for path in sorted(files, key=lambda path: (path.suffix, path.parent, path.name)):
        if path.suffix != kind:
            kind = path.suffix
            sandbox.stop()  # what a warm parent has imported counts as its children's memory
            read_file(path)  # the first file pays for the imports
        reading = read_file(path)
        failures += not reading.chunks
        print(row_of(path, reading), flush=True)
    return int(failures > 0)


def iter_files(given: Sequence[Path]) -> Iterator[Path]:
    for path in given:
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from (each for each in path.rglob("*") if each.is_file())


def row_of(path: Path, reading: FileReading) -> str:
    cells = (
        path.name,
        reading.format_name,
        reading.language,
        str(reading.chunks),
        reading.first_location,
        reading.last_location,
        f"{reading.seconds:.2f}",
        f"{reading.cpu_seconds:.2f}",
        str(reading.peak_mb),
        reading.outcome,
    )
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
