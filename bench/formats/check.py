"""Reads files as the product does and holds each against its reference. Needs Django
(__main__.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.formats.environments import Environment
from bench.formats.reading import FileReading, read_file
from bench.formats.scoring import LOSS_MAX, Reference, Score, agree, score_passages, text_of
from bench.formats.words import words_of
from reading.tests.files.corpus.catalogue import write_made
from reading.tests.files.corpus.made import MadeFile

WORDS_MIN = 3  # readers who agree on less say nothing of a file
USUAL = {  # endings by that of their kind which its readers are listed under
    "html": ("htm", "xhtml"),
    "csv": ("tsv",),
    "txt": ("text", "log"),
    "md": ("markdown",),
    "json": ("jsonl", "ndjson", "geojson"),
    "docx": ("docm", "dotx"),
    "xlsx": ("xlsm", "xltx"),
    "pptx": ("pptm", "ppsx", "potx"),
    "odt": ("ott",),
    "ods": ("ots",),
    "odp": ("otp",),
}
KIND_OF = {ending: kind for kind, endings in USUAL.items() for ending in endings}


@dataclass(frozen=True)
class Checked:
    """A file as we read it; `ours` is None where we refuse it."""

    path: Path
    kind: str
    reading: FileReading
    reference: Reference
    ours: Score | None
    made: MadeFile | None = None

    @property
    def is_silent_loss(self) -> bool:
        return self.ours is not None and self.ours.has_loss and not self.reading.warnings

    @property
    def faults(self) -> Sequence[str]:
        """What is not as it must be, of a file made here."""
        assert self.made is not None
        if self.made.is_told and (self.ours is None or self.reading.warnings):
            return ()
        if self.ours is None:
            return ("refused",)
        text = set(words_of(text_of(self.reading.passages)))
        shown = [word for word in words_of(self.made.hides) if word in text]
        is_whole = self.reading.warnings or not self.ours.has_loss
        return (
            *([] if is_whole else [f"lost: {' '.join(self.ours.lost)}"]),
            *([f"shown though hidden: {' '.join(shown)}"] if shown else []),
            *(["headings lost"] if is_short(self.ours.headings) else []),
            *(["rows apart"] if is_short(self.ours.rows) else []),
        )


def is_short(share: float | None) -> bool:
    return share is not None and share < 1 - LOSS_MAX


def check_made(made: MadeFile, folder: Path) -> Checked:
    return check(write_made(made, folder), truth_of(made), made)


def check_file(path: Path, readers: Environment) -> Checked | None:
    """None where readers agree on nothing to hold it against."""
    reference = agree(list(readers.see(path, kind_of(path)).values()))
    if reference is None or reference.size < WORDS_MIN:
        return None
    return check(path, reference)


def check(path: Path, reference: Reference, made: MadeFile | None = None) -> Checked:
    kind, reading = kind_of(path), read_file(path)
    return Checked(
        path,
        kind,
        reading,
        reference,
        score_passages(reference, reading.passages) if reading.is_read else None,
        made,
    )


def kind_of(path: Path) -> str:
    ending = path.suffix.lower().removeprefix(".")
    return KIND_OF.get(ending, ending)


def truth_of(made: MadeFile) -> Reference:
    words = words_of(made.says)
    counts = Counter(words)
    return Reference(words, counts, counts, (), [[row] for row in made.rows], made.headings)
