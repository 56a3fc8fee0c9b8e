"""The places of words on a PDF page: words → lines of cells. PDFium's order of reading is kept.

Lengths are in points (1/72 inch), y grows upwards.
"""

from __future__ import annotations

import ctypes
import math
import re
from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from statistics import median

import pypdfium2
import pypdfium2.raw as pdfium

from reading.extractors.pdf.places import Box, turned, turned_box
from reading.extractors.pdf.right_to_left import (
    RIGHT_TO_LEFT,
    Sign,
    find_phrases,
    is_right_to_left,
    mirror,
    plain_form,
)
from reading.extractors.pdf.strikes import level_lines, without_struck
from reading.extractors.prose import has_content

# PDFium joins a word that is divided by a line's end with one of the HYPHENS: two words for us.
WORD = re.compile(r"[^\s\ufffe\x02]+[\ufffe\x02]?")
CHARACTERS_MAX = 200_000  # of one page: a printed one has 5,000
LINE = re.compile(r"[^\r\n]+")
LINE_ENDS = frozenset(map(ord, "\r\n"))
BOLD_FROM_WEIGHT = 600
BOLD_NAME = re.compile(rb"bold|black|heavy|semibold|demi", re.IGNORECASE)
FONT_NAME_BYTES = 128
# Of the line's height: how far baselines of one line lie apart (superscripts)
SAME_LINE_SHARE = 0.35
CELL_GAP_SHARE = 0.9  # of the line's height: a wider gap between words separates cells
CELL_MAX_WORDS = 20  # what is longer is a line of text, and no cell
RECENT_LINES = 8  # how far back a cell may belong to a line that others have followed
RECENT_CELL_MAX_WORDS = 4  # so far back only headings and numbers: else columns of text are merged
LEADERS = re.compile(r"[.·_…]{4,}")  # the dots of a table of contents
MARK = re.compile(
    r"^(?:[•·▪●○■□–—➢✓*-]|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\d{1,2}(?:\.\d{1,2})+"
    r"|(?:item|note|nota|art[ií]culo|art\.|anexo|section|secci[oó]n|cap[ií]tulo|chapter)"
    r" \d{1,3}[a-z]?[.:)]?)$",
    re.IGNORECASE,
)
NUMBER = re.compile(r"^[($€£-]*\d[\d.,]*[)%€]*$")
MARK_GAP_SHARE = 5.0  # of the line's height: tab stops are that far apart
FOOTNOTE = re.compile(r"^\(?\d{1,2}\)?$|^[*†‡]+$")
FOOTNOTE_SHARE = 0.8  # of the label's height
SIGN_MAX_SHARE = 2.0  # of the height: no sign with the space beside it takes more
COPY_SHARE = 0.12  # of the height: how far what is drawn again to look bold is moved
COPIES = (4, 3, 2)
NEIGHBOURS = [(dx, dy) for dx in (0, -1, 1) for dy in (0, -1, 1)]
HYPHENS = ("\ufffe", "\x02")  # PDFium's marks for a hyphen at the end of a line


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    left: float
    right: float
    baseline: float
    height: float
    is_bold: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """Words on one line without a wide gap between them.

    A document's cells are all in memory at once: those that nobody will cut again forget their
    words and keep what they say.
    """

    text: str
    left: float
    right: float
    baseline: float
    height: float
    is_bold: bool
    words_count: int
    words: tuple[Word, ...] = field(repr=False)

    @classmethod
    def of(cls, words: Sequence[Word]) -> Cell:
        return cls(
            text=" ".join(word.text for word in words),
            left=words[0].left,
            right=words[-1].right,
            baseline=words[0].baseline,
            height=usual_height(words),
            is_bold=all(word.is_bold for word in words),
            words_count=sum(word.text.count(" ") + 1 for word in words),
            words=tuple(words),
        )

    def without_words(self) -> Cell:
        return replace(self, words=())


@dataclass(frozen=True)
class Line:
    """Cells from left to right. One cell: a line of text."""

    cells: tuple[Cell, ...]

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @property
    def left(self) -> float:
        return self.cells[0].left

    @property
    def right(self) -> float:
        return self.cells[-1].right

    @property
    def baseline(self) -> float:
        return self.cells[0].baseline

    @property
    def height(self) -> float:
        return max(self.cells, key=lambda cell: cell.words_count).height

    @property
    def is_bold(self) -> bool:
        return all(cell.is_bold for cell in self.cells)


def usual_height(words: Sequence[Word]) -> float:
    """Symbols and bullets come from other fonts, often with a taller box: letters decide."""
    # Nearly always; a median of every cell is slow
    if len({word.height for word in words}) == 1:
        return words[0].height
    letters = [word for word in words if has_content(word.text)]
    return median(word.height for word in letters or words)


@dataclass(frozen=True)
class PageText:
    """`lines` in reading order; `is_whole`: they are all of the page's. `unmapped_share`: of their
    words, those whose font does not tell which letters its signs are: PDFium guesses then.
    `drawn`: the lines that are drawn from left to right.
    """

    lines: tuple[Line, ...]
    is_whole: bool = True
    unmapped_share: float = 0.0
    drawn: tuple[Box, ...] = ()


def read_page(page: pypdfium2.PdfPage) -> PageText:
    text_page = page.get_textpage()
    try:
        count = text_page.count_chars()
        if count <= 0:
            return PageText(())
        reader = CharacterReader(text_page)
        # Nobody reads a longer page
        text = text_page.get_text_range(count=min(count, CHARACTERS_MAX), errors="replace")
        drawn = tuple(level_lines(page))
        # Asked first, because hardly a page has such letters and counting them is slow
        is_mixed = bool(RIGHT_TO_LEFT.search(text))
        is_mirrored = is_mixed and is_right_to_left(text)
        if is_mirrored:
            drawn = tuple(map(mirror, drawn))
        placed = (
            place_mixed_words(text, reader, is_mirrored=is_mirrored)
            if is_mixed
            else place_words(text, reader, Copies(), utf16_offsets(text))
        )
        words = without_struck(list(placed), drawn)
        return PageText(
            lines=tuple(make_line(join_marks(cells)) for cells in join_lines(join_words(words))),
            is_whole=count <= CHARACTERS_MAX,
            unmapped_share=reader.unmapped / max(len(words), 1),
            drawn=drawn,
        )
    finally:
        text_page.close()


def make_line(cells: Sequence[Cell]) -> Line:
    return Line((cells[0].without_words(),) if len(cells) == 1 else tuple(cells))


def place_words(
    text: str, reader: CharacterReader, copies: Copies, units: Sequence[int]
) -> Iterator[Word]:
    """Yields the words that stand on the page, each once. `units`: the place of each character as
    PDFium counts."""
    for match in WORD.finditer(text):
        if word := LEADERS.sub(" ", match.group()).strip():
            for placed in reader.words(word, units[match.start()], units[match.end() - 1]):
                if not copies.has(placed, placed.height):
                    yield placed


def place_mixed_words(text: str, reader: CharacterReader, *, is_mirrored: bool) -> Iterator[Word]:
    """Yields the words of a page on which some lines run from right to left, as `place_words`; of a
    page where most do, as `is_mirrored` says, their places are mirrored."""
    copies, units = Copies(), utf16_offsets(text)
    if is_mirrored:
        yield from reader.phrases(units[0], units[len(text) - 1], copies, is_mirrored=True)
        return
    for line in LINE.finditer(text):
        first, last = units[line.start()], units[line.end() - 1]
        if RIGHT_TO_LEFT.search(line.group()):
            yield from reader.phrases(first, last, copies, is_mirrored=False)
        else:
            yield from place_words(line.group(), reader, copies, units[line.start() : line.end()])


class Copies:
    """Finds words that are drawn once more a hair beside themselves, to look bold or shaded."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._places: set[tuple[str, int, int]] = set()

    def has(self, word: Word | Sign, size: float) -> bool:
        """True if the word is a copy of one asked before. `size`: that of its type, in points."""
        text, step = word.text, COPY_SHARE * size
        # A grid with its neighbours: comparing each word with all others takes quadratic time
        x, y = round(word.left / step), round(word.baseline / step)
        is_copy = text in self._texts and any(
            (text, x + dx, y + dy) in self._places for dx, dy in NEIGHBOURS
        )
        self._texts.add(text)
        self._places.add((text, x, y))
        return is_copy


def utf16_offsets(text: str) -> Sequence[int]:
    """The offset of each character as PDFium counts: one beyond U+FFFF counts twice."""
    # Nearly every page, at no cost
    if not text or max(text) <= "\uffff":
        return range(len(text))
    return list(accumulate((1 + (character > "\uffff") for character in text), initial=0))


class CharacterReader:
    """Asks PDFium about single characters, with the buffers it writes into made once.

    Places are told as the page is shown: a landscape page may be a turned portrait one.
    """

    def __init__(self, text_page: pypdfium2.PdfTextPage) -> None:
        self.unmapped = 0  # words so far, of unknown meaning
        self._page = text_page.raw
        self._shown = text_page.page.get_bbox()
        self._rotation = text_page.page.get_rotation()
        self._box = pdfium.FS_RECTF()
        self._origin = (ctypes.c_double(), ctypes.c_double())
        self._name = ctypes.create_string_buffer(FONT_NAME_BYTES)
        self._flags = ctypes.c_int()

    def words(self, text: str, first: int, last: int) -> list[Word]:
        """`first` and `last`: indexes in the page's text. None for what stands beside the page;
        several where PDFium has joined what lies apart: lone letters, the digits on an axis.
        """
        first = pdfium.FPDFText_GetCharIndexFromTextIndex(self._page, first)
        last = pdfium.FPDFText_GetCharIndexFromTextIndex(self._page, last)
        begin = self._loose_box(first)
        end = begin if first == last else self._loose_box(last)
        if not (self._is_shown(begin) or self._is_shown(end)):
            return []
        # Asked of each word: what lies on one line and is not wide needs no closer look.
        height = begin[3] - begin[2]
        is_plain = abs(end[2] - begin[2]) < height > (end[1] - begin[0]) / len(text)
        if is_plain or last - first != len(text) - 1 or not self._is_torn(text, first, begin, end):
            return [self._word(text, first, begin, end)]
        boxes = [(index, self._loose_box(index)) for index in range(first, last + 1)]
        return [
            self._word(sign, index, box, box)
            for sign, (index, box) in zip(text, boxes, strict=True)
        ]

    def phrases(
        self, first: int, last: int, copies: Copies, *, is_mirrored: bool
    ) -> Iterator[Word]:
        """Yields the words of lines that run from right to left; `first` and `last` as in `words`,
        `is_mirrored` as in `find_phrases`."""
        begin = pdfium.FPDFText_GetCharIndexFromTextIndex(self._page, first)
        end = pdfium.FPDFText_GetCharIndexFromTextIndex(self._page, last)
        lines: list[list[Sign]] = [[]]
        for index in range(begin, end + 1):
            if pdfium.FPDFText_GetUnicode(self._page, index) in LINE_ENDS:
                lines.append([])
            # Two narrow letters may stand nearer to each other than the copies of a word
            elif (sign := self._sign(index)) and (
                sign.is_space or not copies.has(sign, sign.right - sign.left)
            ):
                lines[-1].append(sign)
        for phrase in find_phrases(lines, is_mirrored=is_mirrored):
            yield Word(
                text=phrase.text,
                left=phrase.left,
                right=phrase.right,
                baseline=phrase.first.baseline,
                height=phrase.first.height,
                is_bold=self._is_bold(phrase.first.number),
            )

    def _sign(self, index: int) -> Sign | None:
        """None for what PDFium has added, or what stands beside the page."""
        code = pdfium.FPDFText_GetUnicode(self._page, index)
        box = self._loose_box(index)
        if not code or box[0] == box[1] or not self._is_shown(box):
            return None
        pdfium.FPDFText_GetCharOrigin(self._page, index, *self._origin)
        x, baseline = turned(self._origin[0].value, self._origin[1].value, self._rotation)
        left, right, bottom, top = self._turned(box)
        self.unmapped += pdfium.FPDFText_HasUnicodeMapError(self._page, index) == 1
        return Sign(
            text=plain_form(chr(code)),
            # The box of a narrow letter is narrower than the room that it takes
            left=min(left, max(x, left - (top - bottom))),
            right=right,
            baseline=baseline,
            height=max(top - bottom, 1.0),
            number=index,
        )

    def _is_torn(self, text: str, first: int, begin: Box, end: Box) -> bool:
        """Wider or higher than any type is set, or digits one below the other. In vertical text
        the width of a sign is what its height is elsewhere.
        """
        left, own_right, bottom, top = self._turned(begin)
        _, right, other_bottom, other_top = self._turned(end)
        reach = max(right - left, max(top, other_top) - min(bottom, other_bottom))
        if reach > SIGN_MAX_SHARE * len(text) * max(top - bottom, own_right - left, 1.0):
            return True
        is_apart = other_top < bottom or other_bottom > top
        if not (is_apart and text.isdigit()):
            return False
        return bool(pdfium.FPDFText_GetCharAngle(self._page, first) == 0)

    def _word(self, text: str, first: int, begin: Box, end: Box) -> Word:
        left, _, bottom, top = self._turned(begin)
        right = self._turned(end)[1]
        height = max(top - bottom, 1.0)
        # The check asks PDFium about every letter, so only of words that begin doubled
        if len(text) > 1 and text[0] == text[1]:
            text = self._undoubled(text, first, height)
        self.unmapped += pdfium.FPDFText_HasUnicodeMapError(self._page, first) == 1
        pdfium.FPDFText_GetCharOrigin(self._page, first, *self._origin)
        _, baseline = turned(self._origin[0].value, self._origin[1].value, self._rotation)
        return Word(
            text=text,
            left=left,
            right=max(right, left),
            baseline=baseline,
            height=height,
            is_bold=self._is_bold(first),
        )

    def _loose_box(self, index: int) -> Box:
        box = self._box
        pdfium.FPDFText_GetLooseCharBox(self._page, index, box)
        return box.left, box.right, box.bottom, box.top

    def _is_shown(self, box: Box) -> bool:
        """True if the box's middle is on the page: text that was cropped off, or left beside a
        drawing, is not shown."""
        left, bottom, right, top = self._shown
        if left >= right or bottom >= top:  # nonsense: then all of it is shown
            return True
        x, y = (box[0] + box[1]) / 2, (box[2] + box[3]) / 2
        return bool(left <= x <= right and bottom <= y <= top)

    def _turned(self, box: Box) -> Box:
        return turned_box(box, self._rotation)

    def _undoubled(self, text: str, first: int, height: float) -> str:
        """ "Munich" of "MMuunniicc…": letters that are drawn twice to look bold."""
        for copies in COPIES:
            single = text[::copies]
            if text == "".join(letter * copies for letter in single) and all(
                self._distance(first + index, first + index + copies - 1) <= COPY_SHARE * height
                for index in range(0, len(text), copies)
            ):
                return single
        return text

    def _distance(self, index: int, other: int) -> float:
        """Points between where two characters begin."""
        x, y = self._origin
        pdfium.FPDFText_GetCharOrigin(self._page, index, x, y)
        start = x.value, y.value
        pdfium.FPDFText_GetCharOrigin(self._page, other, x, y)
        return math.dist(start, (x.value, y.value))

    def _is_bold(self, index: int) -> bool:
        if pdfium.FPDFText_GetFontWeight(self._page, index) >= BOLD_FROM_WEIGHT:
            return True
        size = pdfium.FPDFText_GetFontInfo(
            self._page, index, self._name, FONT_NAME_BYTES, self._flags
        )
        return 0 < size <= FONT_NAME_BYTES and bool(BOLD_NAME.search(self._name.raw[: size - 1]))


def join_words(words: Sequence[Word]) -> list[Cell]:
    """Neighbours in PDFium's order that stand close together on one line."""
    cells: list[Cell] = []
    current: list[Word] = []
    for word in words:
        if current and not is_next_to(current[-1], word):
            cells.append(Cell.of(current))
            current = []
        current.append(word)
    if current:
        cells.append(Cell.of(current))
    return cells


def is_next_to(word: Word, following: Word) -> bool:
    height = max(word.height, following.height)
    gap = following.left - word.right
    return abs(
        word.baseline - following.baseline
    ) <= SAME_LINE_SHARE * height and -0.5 * height <= gap <= CELL_GAP_SHARE * min(
        word.height, following.height
    )


def join_lines(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells on one baseline, from left to right, make a line.

    The cells of a table's heading may come column by column; a text's columns stay apart.
    """
    lines: list[list[Cell]] = []
    for cell in cells:
        # All lines would take quadratic time, and far ones belong to other columns
        recent = lines[-RECENT_LINES:]
        for line in reversed(recent):
            if is_beside(line, cell) and may_join(line, cell, is_last=line is recent[-1]):
                insort(line, cell, key=lambda each: each.left)
                break
        else:
            lines.append([cell])
    return lines


def is_beside(line: Sequence[Cell], cell: Cell) -> bool:
    """True if the cell is on the same baseline and does not overlap."""
    first = line[0]
    if abs(first.baseline - cell.baseline) > SAME_LINE_SHARE * max(first.height, cell.height):
        return False
    return not any(each.left < cell.right and cell.left < each.right for each in line)


def may_join(line: Sequence[Cell], cell: Cell, *, is_last: bool) -> bool:
    """`is_last`: the line is the one that PDFium told just before the cell."""
    first = line[0]
    if len(line) == 1 and is_mark(first, cell):
        return True
    if is_last:
        return max(first.words_count, cell.words_count) <= CELL_MAX_WORDS
    if NUMBER.match(cell.text):
        return True
    return max(first.words_count, cell.words_count) <= RECENT_CELL_MAX_WORDS


def is_mark(cell: Cell, following: Cell) -> bool:
    """The number or bullet of a list item or heading, and what it stands before."""
    gap = following.left - cell.right
    return bool(MARK.match(cell.text)) and 0 <= gap <= MARK_GAP_SHARE * following.height


def join_marks(cells: Sequence[Cell]) -> list[Cell]:
    """A mark and its text are one cell; so are a label and the small number of its footnote."""
    joined: list[Cell] = []
    for cell in cells:
        if joined and (
            (len(joined) == 1 and is_mark(joined[0], cell)) or is_footnote(joined[-1], cell)
        ):
            joined[-1] = Cell.of((*joined[-1].words, *cell.words))
        else:
            joined.append(cell)
    return joined


def is_footnote(cell: Cell, following: Cell) -> bool:
    return (
        following.height <= FOOTNOTE_SHARE * cell.height
        and bool(FOOTNOTE.match(following.text))
        and following.left - cell.right < cell.height
    )
