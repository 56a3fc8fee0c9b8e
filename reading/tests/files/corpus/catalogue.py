"""All files that are made here."""

from __future__ import annotations

from pathlib import Path

from reading.tests.files.corpus import (
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
from reading.tests.files.corpus.made import MadeFile

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


def write_made(made: MadeFile, folder: Path) -> Path:
    path = folder / made.name
    path.write_bytes(made.make())
    return path
