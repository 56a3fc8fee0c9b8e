"""Pages of placed lines → blocks: paragraphs, headings by their type, tables by row.

What repeats on most pages (headers, footers) is read once, page numbers are left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from reading.extractors.headings import DEPTH_MAX, HeadingTrail
from reading.extractors.pdf.columns import PageColumn, split_columns
from reading.extractors.pdf.edges import FOOTNOTE_START, split_margins, split_page
from reading.extractors.pdf.layout import Line
from reading.extractors.pdf.tables import UNIT_LINES, Region, TableReader, split_regions
from reading.extractors.pdf.text import (
    Typography,
    body_height_of,
    join_paragraph,
    measure,
    read_text,
)
from reading.extractors.prose import clean
from reading.passages import Block

# What our own code may raise for a page or a table that is as nobody would draw it.
FAULTS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
WORD = re.compile(r"[^\W_]+")
STAMP_MAX_LINES = 1  # printed sideways: the name of an axis, a stamp in the margin
EDGE_LINES = 3  # at the top and at the bottom of a page, where headers and footers stand
REPEATED_SHARE = 0.4  # of the pages: left and right ones may differ
PAGE_NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
NUMBER_OF_PAGE = re.compile(  # and nothing else
    r"^\W*+(?:(?:p|pp|pg|page|p[aá]g|p[aá]gina|seite)\W*+)?\d{1,4}\W*+"
    r"(?:(?:(?:of|de|von|sur)\W*+)?\d{1,4}\W*+)?$",
    re.IGNORECASE,
)
NUMBERS_MAX = 6  # of a line that may be its page's
COUNTING_MIN_PAGES = 6
EdgeKey = tuple[str, int, int | None]  # text, height, how far its number is ahead of the page's


@dataclass(frozen=True)
class Page:
    """`number` from 1. `additions`: texts that people put on it, form fields and comments. `rule`:
    the height of a short rule that may part footnotes from the text. `header` and `footer`: lines
    that other pages share. `turned`: the lines of texts that are printed sideways, as they look
    once they are upright."""

    number: int
    lines: tuple[Line, ...]
    additions: tuple[str, ...] = ()
    rule: float | None = None
    turned: tuple[tuple[Line, ...], ...] = ()
    header: tuple[Line, ...] = ()
    footer: tuple[Line, ...] = ()


def read_document(pages: Sequence[Page]) -> Iterator[Block]:
    """The blocks of all pages; locations are "page 3"."""
    return read_pages(without_repeated_lines(pages))


def read_pages(pages: Sequence[Page]) -> Iterator[Block]:
    typography = measure([lines for page in pages for lines in (page.lines, *page.turned)])
    trail = HeadingTrail(nests_bare=True)
    for page in pages:
        for block in read_page(page, typography, trail):
            yield block.at(f"page {page.number}")


def read_page(page: Page, typography: Typography, trail: HeadingTrail) -> Iterator[Block]:
    parts = split_page(page.lines, typography.body_height, page.rule)
    yield from read_margin([*page.header, *parts.header])
    yield from read_body(parts.body, typography, trail)
    for lines in page.turned:
        if len(lines) <= STAMP_MAX_LINES:
            yield from read_margin(lines)
        else:
            yield from read_body(lines, typography, trail)
    yield from read_footnotes(parts.notes, typography)
    yield from read_margin([*parts.footer, *page.footer])
    yield from map(trail.block, page.additions)


def read_body(
    lines: Sequence[Line], typography: Typography, trail: HeadingTrail
) -> Iterator[Block]:
    tables = TableReader()
    before: Sequence[Line] = ()
    for stretch in split_columns(lines):
        yield from read_columns(stretch.columns, typography, trail)
        for region in split_regions(stretch.lines):
            yield from read_region(region, tables, before, typography=typography, trail=trail)
            before = region.lines[-UNIT_LINES:]


def read_columns(
    columns: Sequence[PageColumn], typography: Typography, trail: HeadingTrail
) -> Iterator[Block]:
    """Yields each heading with what stands under it; what follows all columns is under none."""
    for column in columns:
        # Whatever heading is above them is that of all columns
        yield trail.enter(clean(column.heading.text), DEPTH_MAX)
        for region in split_regions(column.lines):
            yield from read_region(region, TableReader(), (), typography=typography, trail=trail)
        trail.leave(DEPTH_MAX)


def read_margin(lines: Sequence[Line]) -> Iterator[Block]:
    """Yields a header's or footer's lines, under no heading."""
    return (Block(clean(line.text), is_aside=True) for line in lines)


def read_footnotes(lines: Sequence[Line], typography: Typography) -> Iterator[Block]:
    """A block for each of them, under no heading."""
    note: list[Line] = []
    for line in lines:
        if note and FOOTNOTE_START.match(line.text):
            yield Block(join_paragraph(note, typography.words), is_aside=True)
            note = []
        note.append(line)
    if note:
        yield Block(join_paragraph(note, typography.words), is_aside=True)


def read_region(
    region: Region,
    tables: TableReader,
    before: Sequence[Line],
    *,
    typography: Typography,
    trail: HeadingTrail,
) -> list[Block]:
    """A table that cannot be read as one costs its layout, not its words."""
    if region.is_table:
        try:
            texts = tables.read(region.lines, before)
        except FAULTS:
            texts = []
        return [trail.block(text) for text in (*texts, *unsaid(region.lines, texts))]
    return list(read_text(region.lines, typography, trail))


def unsaid(lines: Sequence[Line], texts: Sequence[str]) -> Iterator[str]:
    """The lines of a table with words that its rows do not say."""
    missing = words_of(line.text for line in lines)
    missing.subtract(words_of(texts))
    for line in lines:
        if any(missing[word] > 0 for word in words_of([line.text])):
            yield clean(line.text)


def words_of(texts: Iterable[str]) -> Counter[str]:
    return Counter(WORD.findall(clean(" ".join(texts)).casefold()))


# --- What repeats ---------------------------------------------------------------------------------


def without_repeated_lines(pages: Sequence[Page]) -> list[Page]:
    """Drops copies of the lines at the edges that many pages share, and the numbers of the pages.

    Shared is the same text, or the same but for a number that counts the pages. The first copy
    stays: it may say what nothing else does. On a page that has nothing else, what differs stays.
    """
    body_height = body_height_of([line for page in pages for line in page.lines])
    edges = [
        {id(line): edge_keys(line, page.number, body_height) for line in edge_lines(page)}
        for page in pages
    ]
    counts = Counter(key for edge in edges for key in set().union(*edge.values()))
    repeated = {key for key, count in counts.items() if count >= pages_needed(key, len(pages))}
    said: set[EdgeKey] = set()
    left = [
        own_page(page, edge, repeated, said, body_height=body_height)
        for page, edge in zip(pages, edges, strict=True)
    ]
    return left if any(page.lines for page in left) else list(pages)


def pages_needed(key: EdgeKey, pages_count: int) -> int:
    """The number of pages that must share a line. In few pages, numbers count by chance ("Weight 14
    kg", "Weight 15 kg"): all must agree."""
    _, _, offset = key
    if offset is not None and pages_count < COUNTING_MIN_PAGES:
        return max(2, pages_count)
    return max(2, math.ceil(REPEATED_SHARE * pages_count))


def own_page(
    page: Page,
    edge: Mapping[int, set[EdgeKey]],
    repeated: set[EdgeKey],
    said: set[EdgeKey],
    *,
    body_height: int,
) -> Page:
    """`said`: keys of the repeated lines of the pages before, to which those of this are added."""
    kept: list[Line] = []
    first_copies: list[Line] = []
    differing: list[Line] = []
    for line in page.lines:
        keys = edge.get(id(line), set())
        if not keys & repeated:
            kept.append(line)
        elif not NUMBER_OF_PAGE.match(line.text):
            if not keys & repeated & said:
                kept.append(line)
                first_copies.append(line)
            elif not keys <= said:
                differing.append(line)
            said |= keys
    header, lines, footer = split_margins(kept or differing, first_copies, body_height)
    return replace(page, lines=tuple(lines), header=tuple(header), footer=tuple(footer))


def edge_lines(page: Page) -> list[Line]:
    upwards = sorted(page.lines, key=lambda line: line.baseline)
    return upwards[:EDGE_LINES] + upwards[EDGE_LINES:][-EDGE_LINES:]


def edge_keys(line: Line, page_number: int, body_height: int) -> set[EdgeKey]:
    """The keys that a line on another page must share to be the same header or footer.

    Each number may be the page's, but for headings: "Chapter 2" on page 2 is none.
    """
    text, height = clean(line.text), round(line.height)
    keys: set[EdgeKey] = {(text, height, None)}
    if height <= body_height:
        for number in islice(PAGE_NUMBER.finditer(text), NUMBERS_MAX):
            masked = f"{text[: number.start()]}#{text[number.end() :]}"
            keys.add((masked, height, int(number.group()) - page_number))
    return keys
