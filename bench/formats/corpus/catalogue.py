"""All files that are made here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bench.formats.corpus import (
    data,
    documents,
    mails,
    markup,
    opendocument,
    pages,
    pictures,
    rich_text,
    slides,
    texts,
    workbooks,
)
from bench.formats.corpus.made import MadeFile
from bench.formats.scoring import Reference
from bench.formats.words import words_of

FILES: tuple[MadeFile, ...] = (
    *pages.FILES,
    *documents.FILES,
    *workbooks.FILES,
    *slides.FILES,
    *markup.FILES,
    *texts.FILES,
    *pictures.FILES,
    *rich_text.FILES,
    *opendocument.FILES,
    *data.FILES,
    *mails.FILES,
)


def truth_of(made: MadeFile) -> Reference:
    words = words_of(made.says)
    counts = Counter(words)
    return Reference(words, counts, counts, (), [[row] for row in made.rows], made.headings)


def write_made(made: MadeFile, folder: Path) -> Path:
    path = folder / made.name
    path.write_bytes(made.make())
    return path
