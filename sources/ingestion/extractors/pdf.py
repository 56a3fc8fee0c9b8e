"""PDF, page by page: paragraphs rebuilt from lines, headings by their type, tables by row.

What repeats on most pages (headers, footers, page numbers) is left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2

from sources.ingestion.extractors.headings import HeadingTrail
from sources.ingestion.extractors.interface import DAMAGED, Extraction, UnreadableFile, protected
from sources.ingestion.extractors.pdf_layout import Line, read_lines
from sources.ingestion.extractors.pdf_tables import UNIT_LINES, TableReader, split_regions
from sources.ingestion.extractors.pdf_text import measure, read_text
from sources.ingestion.extractors.text import clean, has_content
from sources.ingestion.passages import Block

PAGES_MAX = 5_000  # 10 to 20 ms each
NO_TEXT = (
    "This PDF has no text: it looks like a scan. Text recognition (OCR) of PDFs is not available "
    "yet; run it through a program that recognises text and upload the result."
)
TOO_MANY_PAGES = (
    f"This PDF has more than {PAGES_MAX:,} pages. Split it into several files and upload them one "
    "by one."
)
EDGE_LINES = 3  # at the top and at the bottom of a page, where headers and footers stand
REPEATED_SHARE = 0.5  # of the pages
DIGITS = re.compile(r"\d+")
EdgeKey = tuple[str, int]  # text without its numbers, height


@dataclass(frozen=True)
class Page:
    number: int
    lines: tuple[Line, ...]


def extract(data: bytes) -> Extraction:
    document = open_document(data)
    if len(document) > PAGES_MAX:
        raise UnreadableFile(TOO_MANY_PAGES)
    pages = [
        Page(number, tuple(load_lines(document, number))) for number in range(1, len(document) + 1)
    ]
    with_text = sum(bool(page.lines) for page in pages)
    if not with_text:
        raise UnreadableFile(NO_TEXT)
    outcome = f"{with_text} of {len(pages)} pages had text." if with_text < len(pages) else ""
    return Extraction(blocks=read_pages(without_repeated_lines(pages)), outcome=outcome)


def open_document(data: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise protected("PDF") from error
        raise UnreadableFile(DAMAGED) from error


def load_lines(document: pypdfium2.PdfDocument, number: int) -> list[Line]:
    """No lines for a page that is broken: the others are still worth reading."""
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError:
        return []
    try:
        return [line for line in read_lines(page) if has_content(line.text)]
    finally:
        page.close()


def read_pages(pages: Sequence[Page]) -> Iterator[Block]:
    typography = measure([page.lines for page in pages])
    trail = HeadingTrail(nests_bare=True)
    for page in pages:
        tables = TableReader()
        before: Sequence[Line] = ()
        for region in split_regions(page.lines):
            blocks = (
                (trail.block(text) for text in tables.read(region.lines, before))
                if region.is_table
                else read_text(region.lines, typography, trail)
            )
            for block in blocks:
                yield block.at(f"page {page.number}")
            before = region.lines[-UNIT_LINES:]


# --- What repeats ---------------------------------------------------------------------------------


def without_repeated_lines(pages: Sequence[Page]) -> list[Page]:
    """Drops lines at the edges that most pages share, numbers aside."""
    counts = Counter(key for page in pages for key in set(map(edge_key, edge_lines(page))))
    needed = max(2, math.ceil(REPEATED_SHARE * len(pages)))
    repeated = {key for key, count in counts.items() if count >= needed}
    return [Page(page.number, tuple(own_lines(page, repeated))) for page in pages]


def own_lines(page: Page, repeated: set[EdgeKey]) -> Iterator[Line]:
    dropped = {id(line) for line in edge_lines(page) if edge_key(line) in repeated}
    return (line for line in page.lines if id(line) not in dropped)


def edge_lines(page: Page) -> list[Line]:
    upwards = sorted(page.lines, key=lambda line: line.baseline)
    return upwards[:EDGE_LINES] + upwards[EDGE_LINES:][-EDGE_LINES:]


def edge_key(line: Line) -> EdgeKey:
    return DIGITS.sub("#", clean(line.text)), round(line.height)
