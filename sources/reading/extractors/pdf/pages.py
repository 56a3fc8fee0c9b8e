"""Pages of placed lines → blocks: paragraphs, headings by their type, tables by row.

What repeats on most pages (headers, footers, page numbers) is left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sources.reading.extractors.headings import HeadingTrail
from sources.reading.extractors.pdf.layout import Line
from sources.reading.extractors.pdf.tables import UNIT_LINES, TableReader, split_regions
from sources.reading.extractors.pdf.text import body_height_of, measure, read_text
from sources.reading.extractors.prose import clean
from sources.reading.passages import Block

EDGE_LINES = 3  # at the top and at the bottom of a page, where headers and footers stand
REPEATED_SHARE = 0.4  # of the pages: left and right ones may differ
PAGE_NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
NUMBERS_MAX = 6  # of a line that may be its page's
COUNTING_MIN_PAGES = 6
EdgeKey = tuple[str, int, int | None]  # text, height, how far its number is ahead of the page's


@dataclass(frozen=True)
class Page:
    """`number` from 1."""

    number: int
    lines: tuple[Line, ...]


def read_document(pages: Sequence[Page]) -> Iterator[Block]:
    """The blocks of all pages; locations are "page 3"."""
    return read_pages(without_repeated_lines(pages))


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
    """Drops lines at the edges that many pages share.

    Shared is the same text, or the same but for a number that counts the pages.
    """
    body_height = body_height_of([line for page in pages for line in page.lines])
    edges = [
        {id(line): edge_keys(line, page.number, body_height) for line in edge_lines(page)}
        for page in pages
    ]
    counts = Counter(key for edge in edges for key in set().union(*edge.values()))
    repeated = {key for key, count in counts.items() if count >= pages_needed(key, len(pages))}
    return [
        Page(page.number, tuple(own_lines(page, edge, repeated)))
        for page, edge in zip(pages, edges, strict=True)
    ]


def pages_needed(key: EdgeKey, pages_count: int) -> int:
    """In few pages, numbers count by chance ("Weight 14 kg", "Weight 15 kg"): all must agree."""
    _, _, offset = key
    if offset is not None and pages_count < COUNTING_MIN_PAGES:
        return max(2, pages_count)
    return max(2, math.ceil(REPEATED_SHARE * pages_count))


def own_lines(
    page: Page, edge: Mapping[int, set[EdgeKey]], repeated: set[EdgeKey]
) -> Iterator[Line]:
    return (line for line in page.lines if not edge.get(id(line), set()) & repeated)


def edge_lines(page: Page) -> list[Line]:
    upwards = sorted(page.lines, key=lambda line: line.baseline)
    return upwards[:EDGE_LINES] + upwards[EDGE_LINES:][-EDGE_LINES:]


def edge_keys(line: Line, page_number: int, body_height: int) -> set[EdgeKey]:
    """What a line on another page must be like to be the same header or footer.

    Each number may be the page's, but for headings: "Chapter 2" on page 2 is none.
    """
    text, height = clean(line.text), round(line.height)
    keys: set[EdgeKey] = {(text, height, None)}
    if height <= body_height:
        for number in islice(PAGE_NUMBER.finditer(text), NUMBERS_MAX):
            masked = f"{text[: number.start()]}#{text[number.end() :]}"
            keys.add((masked, height, int(number.group()) - page_number))
    return keys
