"""OCR: one bitmap → its lines, as pdf/layout.py has them from a PDF's text.

Figures were measured with Tesseract 5.5 on drawn pages, skewed, shadowed, noisy and turned, and on
photographs and textures without text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import tesserocr
from PIL import Image, ImageFilter
from tesserocr import OEM, PSM, PT, RIL, WritingDirection

from reading.extractors.images.bitmap import make_ready
from reading.extractors.images.recognition_lines import Row, SeenWord, make_lines
from reading.extractors.pdf.layout import Line
from reading.extractors.prose import clean

RESOLUTION = 300  # dots per inch, of all: a lower one makes tables and lone lines pictures
READING_MS = 40_000  # of one bitmap, once; 6,000 letters take 3 s, on a busy machine 8
TEXT_BLOCKS = frozenset(
    {
        PT.FLOWING_TEXT,
        PT.HEADING_TEXT,
        PT.PULLOUT_TEXT,
        PT.TABLE,
        PT.CAPTION_TEXT,
        PT.VERTICAL_TEXT,
    }
)
WORD_MIN_CONFIDENCE = 30  # of 100; below: specks, and half of what is read upside down
LINE_MIN_CONFIDENCE = 60  # mean of a line's letters
PAGE_MIN_CONFIDENCE = 50  # mean of a page's letters: photographs of things have up to 49
GOOD_CONFIDENCE = 75  # mean of a page's letters: good ones have 90, upside-down ones 45 to 60
PROOF_MIN_LETTERS = 4  # a text has such a word, of GOOD_CONFIDENCE; a texture has none ...
PROOF_MIN_DIFFERENT = 3  # ... but "000000000"
LONE_MIN_DIFFERENT = 2  # letters or digits of a text without such a word; a bar is one, many times
OTHER_SIZE = 0.7  # of 66 numbers and short words, 49 of 52 read right are the same at it, 4 wrong
SOFT_RADIUS = 1.5  # pixels; of the blur that hides the grain of a photograph taken in the dark


class Engine:
    """Tesseract with its languages; without an `api` it cannot recognise text."""

    def __init__(self) -> None:
        self.api: tesserocr.PyTessBaseAPI | None = None
        self._options: Mapping[str, str] = {}

    def load(self, options: Mapping[str, str]) -> None:
        if options == self._options:
            return
        self.api = start_tesseract(**options) if options else None
        self._options = dict(options)


engine = Engine()


def prepare(options: Mapping[str, str]) -> None:
    """Loads the language data that `ocr.reader_options` has found; {} when there is none.

    In the warm parent it costs 0.2 s and 35 MB once, and the confined process, which may not read
    everywhere, needs no file. No thread is started: this build of Tesseract has no OpenMP.
    """
    engine.load(options)


def start_tesseract(*, tessdata: str, languages: str) -> tesserocr.PyTessBaseAPI:
    tesserocr.set_leptonica_log_level(tesserocr.LeptLogLevel.NONE)
    api = tesserocr.PyTessBaseAPI(path=tessdata, lang=languages, oem=OEM.LSTM_ONLY, psm=PSM.AUTO)
    # Standard error. Else it opens /dev/null for its first remark ("Empty page!!"), may not, where
    # it is confined, and crashes.
    api.SetVariable("debug_file", "")
    return api


def is_ready() -> bool:
    return engine.api is not None


@dataclass(frozen=True)
class Reading:
    """The text that Tesseract read from a bitmap."""

    rows: tuple[Row, ...] = ()
    is_complete: bool = True

    @cached_property
    def words(self) -> list[SeenWord]:
        return [word for row in self.rows for word in row.words]

    @cached_property
    def sure_letters(self) -> int:
        """The number of letters that are surely right: it makes one reading better than another."""
        return sum(word.letters for word in self.words if is_sure(word))

    @property
    def is_good(self) -> bool:
        return confidence(self.words) >= GOOD_CONFIDENCE

    @property
    def is_sideways(self) -> bool:
        vertical = sum(row.letters for row in self.rows if row.is_vertical)
        return vertical * 2 > sum(row.letters for row in self.rows)


def recognise(grey: Image.Image) -> list[Line]:
    """The lines of a bitmap of mode L in reading order, whichever way up it was scanned; empty if
    no text was found. Needs `prepare`."""
    if is_of_one_grey(grey):  # nothing to read, and Tesseract crashes on small black ones
        return []
    picture = make_ready(grey)
    reading = best_reading(picture)
    rows = without_noise(reading.rows)
    if not rows and is_confirmed(reading, picture):
        rows = without_noise(reading.rows, is_proven=True)
    return make_lines(rows)


def is_of_one_grey(grey: Image.Image) -> bool:
    darkest, lightest = grey.getextrema()
    return darkest == lightest


def best_reading(picture: Image.Image) -> Reading:
    """The reading of the picture as it lies; if that is bad, of one turned or without its grain."""
    first = read(picture)
    # Of a page on its side the words may be right, but not their places.
    best = Reading() if first.is_sideways else first
    for other in other_pictures(picture, is_sideways=first.is_sideways):
        if best.is_good or not first.is_complete:
            break
        best = max(best, read(other), key=lambda reading: reading.sure_letters)
    return best


def other_pictures(picture: Image.Image, *, is_sideways: bool) -> Iterator[Image.Image]:
    if is_sideways:
        yield picture.transpose(Image.Transpose.ROTATE_90)
        yield picture.transpose(Image.Transpose.ROTATE_270)
    else:
        yield picture.transpose(Image.Transpose.ROTATE_180)
        yield picture.filter(ImageFilter.GaussianBlur(SOFT_RADIUS))


def read(picture: Image.Image) -> Reading:
    """Reads the picture; the result is empty and not complete if it takes longer than
    READING_MS."""
    if engine.api is None:
        raise RuntimeError("recognition without language data: prepare must come first")
    engine.api.SetImage(picture)
    engine.api.SetSourceResolution(RESOLUTION)
    try:
        if not engine.api.Recognize(READING_MS):
            return Reading(is_complete=False)
        return Reading(tuple(read_rows(engine.api.GetIterator())))
    finally:
        engine.api.Clear()


def read_rows(iterator: tesserocr.PyResultIterator) -> Iterator[Row]:
    if iterator.Empty(RIL.WORD):
        return
    block, row, words = 0, None, list[SeenWord]()
    for place in tesserocr.iterate_level(iterator, RIL.WORD):
        block += place.IsAtBeginningOf(RIL.BLOCK)
        if place.IsAtBeginningOf(RIL.TEXTLINE):
            row, words = empty_row(place, block=block), []
        if place.BlockType() in TEXT_BLOCKS and (word := read_word(place)):
            words.append(word)
        if row and words and place.IsAtFinalElement(RIL.TEXTLINE, RIL.WORD):
            yield replace(row, words=tuple(words))


def empty_row(place: tesserocr.PyResultIterator, *, block: int) -> Row:
    start, end = place.Baseline(RIL.TEXTLINE)
    sizes = place.RowAttributes()
    _, direction, _, _ = place.Orientation()
    return Row(
        words=(),
        block=block,
        start=start,
        end=end,
        x_height=max(1.0, sizes["row_height"] - sizes["ascenders"] + sizes["descenders"]),
        is_vertical=direction == WritingDirection.TOP_TO_BOTTOM,
    )


def read_word(place: tesserocr.PyResultIterator) -> SeenWord | None:
    text = clean(place.GetUTF8Text(RIL.WORD))
    left, _, right, _ = place.BoundingBox(RIL.WORD)
    return SeenWord(text, place.Confidence(RIL.WORD), left, right) if text else None


def without_noise(rows: Sequence[Row], *, is_proven: bool = False) -> list[Row]:
    """Drops what Tesseract sees in textures and edges: all of it, where most is that, or no word
    proves a text and nothing else did.
    """
    if confidence([word for row in rows for word in row.words]) < PAGE_MIN_CONFIDENCE:
        return []
    likely = (replace(row, words=tuple(filter(is_likely, row.words))) for row in rows)
    kept = [row for row in likely if confidence(row.words) >= LINE_MIN_CONFIDENCE]
    is_proven = is_proven or any(is_proof(word) for row in kept for word in row.words)
    return kept if is_proven else []


def is_confirmed(reading: Reading, picture: Image.Image) -> bool:
    """True of a picture without a word that proves a text (a number alone, "OK") when most of it is
    read for sure, and read again at another size: nothing in a texture is.
    """
    letters = sum(word.letters for word in reading.words)
    different = {letter for word in reading.words for letter in word.text if letter.isalnum()}
    if reading.sure_letters * 2 < letters or len(different) < LONE_MIN_DIFFERENT:
        return False
    size = (round(picture.width * OTHER_SIZE), round(picture.height * OTHER_SIZE))
    again = read(picture.resize(size, Image.Resampling.BICUBIC))
    seen = {word.text for word in filter(is_sure, again.words)}
    same = (word.letters for word in filter(is_sure, reading.words) if word.text in seen)
    return sum(same) * 2 >= letters


def is_sure(word: SeenWord) -> bool:
    return word.confidence >= GOOD_CONFIDENCE


def is_likely(word: SeenWord) -> bool:
    return word.confidence >= WORD_MIN_CONFIDENCE


def is_proof(word: SeenWord) -> bool:
    if word.letters < PROOF_MIN_LETTERS or not is_sure(word):
        return False
    return len(set(filter(str.isalnum, word.text))) >= PROOF_MIN_DIFFERENT


def confidence(words: Sequence[SeenWord]) -> float:
    """Mean of the letters, of 100; 0 when there are none."""
    letters = sum(word.letters for word in words)
    return sum(word.confidence * word.letters for word in words) / letters if letters else 0.0
