"""PDF, page by page: paragraphs rebuilt from lines, headings by their type, tables by row; what repeats is left out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import pypdfium2
import pypdfium2.raw as pdfium

from sources.ingestion.extractors.interface import DAMAGED, Extraction, UnreadableFile, protected
from sources.ingestion.extractors.pdf_layout import HYPHENS, Line, read_lines
from sources.ingestion.extractors.pdf_tables import read_table, split_regions
from sources.ingestion.extractors.text import clean, has_content, section_path
from sources.ingestion.passages import Block

PAGES_MAX = 5_000  # 20 ms each
NO_TEXT = (
    "This PDF has no text: it looks like a scan. Text recognition (OCR) of PDFs is not available yet; run it through a "
    "program that recognises text and upload the result."
)
TOO_MANY_PAGES = f"This PDF has more than {PAGES_MAX:,} pages. Split it into several files and upload them one by one."
EDGE_LINES = 3  # at the top and at the bottom of a page, where headers and footers stand
REPEATED_SHARE = 0.5  # of the pages
LARGER_SHARE = 1.15  # of the body's height: a heading
HEADING_MAX_WORDS = 16
HEADING_MAX_LINES = 3
PARAGRAPH_GAP_SHARE = 1.3  # of the usual distance between lines
DEFAULT_LEADING_SHARE = 1.35  # of the line's height
SHORT_LINE_SHARE = (
    0.8  # of the column's width: a line that ends before and ends a sentence ends its paragraph
)
BULLET = re.compile(r"^\s*(?:[•·▪●○■□–—➢✓*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Page:
    number: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Typography:
    """What is usual in a document. Points."""

    body_height: float
    heading_heights: tuple[float, ...]  # largest first

    def depth_of(self, line: Line) -> int:
        """From 1 for the largest headings; bold ones of the body's size are the deepest."""
        height = round(line.height)
        return next(
            (rank for rank, other in enumerate(self.heading_heights, start=1) if height >= other),
            len(self.heading_heights) + 1,
        )


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
        if (
            pdfium.FPDF_GetLastError() == pdfium.FPDF_ERR_PASSWORD
            or "password" in str(error).lower()
        ):
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


# --- What repeats -----------------------------------------------------------------------------------------------------


def without_repeated_lines(pages: Sequence[Page]) -> list[Page]:
    """Drops headers, footers and page numbers: lines at an edge that most pages share, numbers aside."""
    counts = Counter(key for page in pages for key in {edge_key(line) for line in edge_lines(page)})
    needed = max(2, math.ceil(REPEATED_SHARE * len(pages)))
    repeated = {key for key, count in counts.items() if count >= needed}
    return [Page(page.number, tuple(drop_repeated(page, repeated))) for page in pages]


def drop_repeated(page: Page, repeated: set[tuple[str, int, int]]) -> Iterator[Line]:
    edges = {id(line) for line in edge_lines(page) if edge_key(line) in repeated}
    return (line for line in page.lines if id(line) not in edges)


def edge_lines(page: Page) -> list[Line]:
    by_height = sorted(page.lines, key=lambda line: line.baseline)
    return by_height[:EDGE_LINES] + by_height[EDGE_LINES:][-EDGE_LINES:]


def edge_key(line: Line) -> tuple[str, int, int]:
    return DIGITS.sub("#", clean(line.text)), round(line.baseline / 10), round(line.height)


# --- Blocks -----------------------------------------------------------------------------------------------------------


def read_pages(pages: Sequence[Page]) -> Iterator[Block]:
    typography = measure(pages)
    outline = Outline()
    for page in pages:
        location = f"page {page.number}"
        for region in split_regions(page.lines):
            if region.is_table:
                for text in read_table(region.lines):
                    yield outline.block(text, location)
            else:
                yield from read_text(region.lines, typography, outline, location=location)


def measure(pages: Sequence[Page]) -> Typography:
    heights: Counter[int] = Counter()
    for page in pages:
        for line in page.lines:
            heights[round(line.height)] += len(line.text)
    body = heights.most_common(1)[0][0] if heights else 10
    return Typography(
        body,
        tuple(
            sorted((height for height in heights if height >= LARGER_SHARE * body), reverse=True)
        ),
    )


class Outline:
    """The headings above, across pages. Headings with nothing between them stand one under the other."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._is_open = False  # the last heading has nothing under it yet

    def enter(self, text: str, depth: int, location: str) -> Block:
        keep = depth + 1 if self._is_open else depth
        self._headings = [(other, name) for other, name in self._headings if other < keep]
        self._headings.append((depth, text))
        self._is_open = True
        return Block(text, location, self._path(), is_heading=True)

    def block(self, text: str, location: str) -> Block:
        self._is_open = False
        return Block(text, location, self._path())

    def _path(self) -> str:
        return section_path([name for _, name in self._headings]) if self._headings else ""


def read_text(
    lines: Sequence[Line], typography: Typography, outline: Outline, *, location: str
) -> Iterator[Block]:
    for paragraph in paragraphs(lines, typography):
        text = join_paragraph(paragraph)
        if not has_content(text):
            continue
        if is_heading(paragraph, text, typography):
            yield outline.enter(text, typography.depth_of(paragraph[0]), location)
        else:
            yield outline.block(text, location)


def paragraphs(lines: Sequence[Line], typography: Typography) -> Iterator[list[Line]]:
    leading = usual_leading(lines)
    width = max((line.right - line.left for line in lines), default=0.0)
    group: list[Line] = []
    for line in lines:
        if group and begins_paragraph(group, line, leading=leading, width=width):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def usual_leading(lines: Sequence[Line]) -> float:
    """The distance between the lines of a paragraph."""
    heights = [line.height for line in lines]
    distances = [
        line.baseline - following.baseline
        for line, following in zip(lines, lines[1:], strict=False)
        if 0 < line.baseline - following.baseline < 2 * line.height and not ends_sentence(line.text)
    ]
    return median(distances) if distances else DEFAULT_LEADING_SHARE * median(heights)


def ends_sentence(text: str) -> bool:
    return text.rstrip("\"'”’»)").endswith((".", "!", "?", ":"))


def begins_paragraph(group: Sequence[Line], line: Line, *, leading: float, width: float) -> bool:
    last = group[-1]
    distance = last.baseline - line.baseline
    if distance > PARAGRAPH_GAP_SHARE * leading or distance < -0.5 * line.height:
        return True
    if abs(line.height - last.height) > 1 or line.is_bold != last.is_bold:
        return True
    if BULLET.match(line.text):
        return True
    return (
        ends_sentence(last.text)
        and last.right - last.left < SHORT_LINE_SHARE * width
        and line.left <= last.left + line.height
    )


def join_paragraph(lines: Sequence[Line]) -> str:
    """One text: a word that is divided at the end of a line is whole again."""
    text = ""
    for line in lines:
        following = line.text
        if text.endswith(HYPHENS):
            text = text.rstrip("".join(HYPHENS)) + following
        elif re.search(r"[^\W\d_]-$", text) and following[:1].islower():
            text = text[:-1] + following
        else:
            text = f"{text} {following}"
    return clean(text)


def is_heading(lines: Sequence[Line], text: str, typography: Typography) -> bool:
    if (
        len(text.split()) > HEADING_MAX_WORDS
        or len(lines) > HEADING_MAX_LINES
        or BULLET.match(text)
        and not lines[0].is_bold
    ):
        return False
    if lines[0].height >= LARGER_SHARE * typography.body_height:
        return not text.endswith((",", ";"))
    return all(line.is_bold for line in lines) and not text.endswith((".", ",", ";"))
