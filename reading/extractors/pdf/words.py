"""The words of a PDF page and where they stand, as PDFium tells them.

Lengths are in points (1/72 inch), y grows upwards.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import pypdfium2
import pypdfium2.raw as pdfium

from reading.extractors.pdf.places import Box, turned, turned_box
from reading.extractors.pdf.right_to_left import (
    RIGHT_TO_LEFT,
    Sign,
    find_phrases,
    is_right_to_left,
    plain_form,
)

# PDFium joins a word that is divided by a line's end with one of the HYPHENS: two words for us.
WORD = re.compile(r"[^\s\ufffe\x02]+[\ufffe\x02]?")
CHARACTERS_MAX = 200_000  # of one page: a printed one has 5,000
LINE = re.compile(r"[^\r\n]+")
LINE_ENDS = frozenset(map(ord, "\r\n"))
BOLD_FROM_WEIGHT = 600
BOLD_NAME = re.compile(rb"bold|black|heavy|semibold|demi", re.IGNORECASE)
FONT_NAME_BYTES = 128
LEADERS = re.compile(r"[.·_…]{4,}")  # the dots of a table of contents
SIGN_MAX_SHARE = 2.0  # of the height: no sign with the space beside it takes more
COPY_SHARE = 0.12  # of the height: how far what is drawn again to look bold is moved
COPIES = (4, 3, 2)
NEIGHBOURS = [(dx, dy) for dx in (0, -1, 1) for dy in (0, -1, 1)]
UPRIGHT_DEGREES = 5  # a page that was scanned askew is upright


@dataclass(frozen=True, slots=True)
class Word:
    """A word, placed as it is seen when the page is turned clockwise by `rotation` degrees, so that
    it runs from left to right."""

    text: str
    left: float
    right: float
    baseline: float
    height: float
    is_bold: bool
    rotation: int = 0


@dataclass(frozen=True)
class FoundWords:
    """`is_mirrored`: their places are, for most run from right to left. `unmapped`: how many have a
    font that does not tell their letters; `slanted`: how many run neither upright nor sideways."""

    words: Sequence[Word]
    is_whole: bool
    is_mirrored: bool = False
    unmapped: int = 0
    slanted: int = 0


def find_words(text_page: pypdfium2.PdfTextPage) -> FoundWords:
    """The words among the first CHARACTERS_MAX characters: nobody reads a longer page."""
    count = text_page.count_chars()
    if count <= 0:
        return FoundWords((), is_whole=True)
    reader = CharacterReader(text_page)
    text = text_page.get_text_range(count=min(count, CHARACTERS_MAX), errors="replace")
    # Asked first, because hardly a page has such letters and counting them is slow
    is_mixed = bool(RIGHT_TO_LEFT.search(text))
    is_mirrored = is_mixed and is_right_to_left(text)
    placed = (
        place_mixed_words(text, reader, is_mirrored=is_mirrored)
        if is_mixed
        else place_words(text, reader, Copies(), utf16_offsets(text))
    )
    return FoundWords(
        words=list(placed),
        is_whole=count <= CHARACTERS_MAX,
        is_mirrored=is_mirrored,
        unmapped=reader.unmapped,
        slanted=reader.slanted,
    )


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

    Places are told as a word is seen when it is upright: a landscape page may be a turned portrait
    one, and a table may be printed sideways.
    """

    def __init__(self, text_page: pypdfium2.PdfTextPage) -> None:
        # Of the words so far: those of unknown meaning, and those that run at a slant
        self.unmapped = self.slanted = 0
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
        quarter = self._quarter_of(first)
        self.slanted += quarter is None
        rotation = self._rotation if quarter is None else quarter
        begin, end = turned_box(begin, rotation), turned_box(end, rotation)
        if is_plain or last - first != len(text) - 1 or not self._is_torn(text, first, begin, end):
            return [self._word(text, first, (begin, end), rotation)]
        boxes = [turned_box(self._loose_box(at), rotation) for at in range(first, last + 1)]
        return [
            self._word(sign, index, (box, box), rotation)
            for index, (sign, box) in enumerate(zip(text, boxes, strict=True), start=first)
        ]

    def phrases(
        self, first: int, last: int, copies: Copies, *, is_mirrored: bool
    ) -> Iterator[Word]:
        """Yields the words of lines that run from right to left; `first` and `last` as in `words`,
        `is_mirrored` as in `find_phrases`."""
        begin = pdfium.FPDFText_GetCharIndexFromTextIndex(self._page, first)
        end = pdfium.FPDFText_GetCharIndexFromTextIndex(self._page, last)
        lines: dict[int, list[list[Sign]]] = defaultdict(lambda: [[]])
        for index in range(begin, end + 1):
            quarter = self._quarter_of(index)
            rotation = self._rotation if quarter is None else quarter
            if pdfium.FPDFText_GetUnicode(self._page, index) in LINE_ENDS:
                for each in lines.values():
                    each.append([])
            # Two narrow letters may stand nearer to each other than the copies of a word
            elif (sign := self._sign(index, rotation)) and (
                sign.is_space or not copies.has(sign, sign.right - sign.left)
            ):
                lines[rotation][-1].append(sign)
        for rotation, each in lines.items():
            for phrase in find_phrases(each, is_mirrored=is_mirrored):
                yield Word(
                    text=phrase.text,
                    left=phrase.left,
                    right=phrase.right,
                    baseline=phrase.first.baseline,
                    height=phrase.first.height,
                    is_bold=self._is_bold(phrase.first.number),
                    rotation=rotation,
                )

    def _sign(self, index: int, rotation: int) -> Sign | None:
        """None for what PDFium has added, or what stands beside the page."""
        code = pdfium.FPDFText_GetUnicode(self._page, index)
        box = self._loose_box(index)
        if not code or box[0] == box[1] or not self._is_shown(box):
            return None
        pdfium.FPDFText_GetCharOrigin(self._page, index, *self._origin)
        x, baseline = turned(self._origin[0].value, self._origin[1].value, rotation)
        left, right, bottom, top = turned_box(box, rotation)
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
        """Wider or higher than any type is set, or digits one below the other. In slanted text the
        width of a sign is what its height is elsewhere.
        """
        left, own_right, bottom, top = begin
        _, right, other_bottom, other_top = end
        reach = max(right - left, max(top, other_top) - min(bottom, other_bottom))
        if reach > SIGN_MAX_SHARE * len(text) * max(top - bottom, own_right - left, 1.0):
            return True
        is_apart = other_top < bottom or other_bottom > top
        if not (is_apart and text.isdigit()):
            return False
        return self._quarter_of(first) is not None

    def _word(self, text: str, first: int, ends: tuple[Box, Box], rotation: int) -> Word:
        left, _, bottom, top = ends[0]
        right = ends[1][1]
        height = max(top - bottom, 1.0)
        # The check asks PDFium about every letter, so only of words that begin doubled
        if len(text) > 1 and text[0] == text[1]:
            text = self._undoubled(text, first, height)
        self.unmapped += pdfium.FPDFText_HasUnicodeMapError(self._page, first) == 1
        pdfium.FPDFText_GetCharOrigin(self._page, first, *self._origin)
        _, baseline = turned(self._origin[0].value, self._origin[1].value, rotation)
        return Word(
            text=text,
            left=left,
            right=max(right, left),
            baseline=baseline,
            height=height,
            is_bold=self._is_bold(first),
            rotation=rotation,
        )

    def _quarter_of(self, index: int) -> int | None:
        """By how many degrees the page is turned clockwise until a character is upright: a multiple
        of 90. None for one that runs at a slant."""
        angle = pdfium.FPDFText_GetCharAngle(self._page, index)  # clockwise, -1 if it is not known
        degrees = -math.degrees(angle) if angle >= 0 else self._rotation
        quarter = round(degrees / 90) * 90
        return quarter % 360 if abs(degrees - quarter) <= UPRIGHT_DEGREES else None

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
