"""Pages of a PDF that are pictures of text: which they are, and their lines through OCR."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from itertools import islice

import pypdfium2
import pypdfium2.raw as pdfium

from sources.reading.extractors.images import bitmap, recognition
from sources.reading.extractors.pdf.layout import Line
from sources.reading.extractors.prose import has_content

POINTS_PER_INCH = 72
RESOLUTION = 250  # dots per inch of the rendered page
LITTLE_TEXT_LETTERS = 100  # a stamp, a page number, the name of the scanner's program
PICTURE_MIN_SHARE = 0.5  # of the page
OBJECTS_LOOKED_AT = 1_000
SHAPES_MIN = 50  # letters that are drawn as shapes; fewer are lines and frames
UNKNOWN_MAX_SHARE = 0.3  # of the characters: more, and the font does not say what its signs mean
UNKNOWN_CATEGORIES = ("Co", "Cn", "Cc")  # private, unassigned, control
REPLACEMENT = "\ufffd"


def is_scan(page: pypdfium2.PdfPage, lines: Sequence[Line]) -> bool:
    """Whether the page shows text that is not in `lines`: it has none, but a picture or letters
    drawn as shapes; or hardly any beside a large picture; or signs of unknown meaning.
    """
    text = "".join(line.text for line in lines)
    if not text:
        return shows_something(page)
    if not has_content(text) or sum(map(is_unknown, text)) > UNKNOWN_MAX_SHARE * len(text):
        return True
    return letters(lines) < LITTLE_TEXT_LETTERS and pictures_share(page) >= PICTURE_MIN_SHARE


def shows_something(page: pypdfium2.PdfPage) -> bool:
    kinds = [found.type for found in islice(page.get_objects(), OBJECTS_LOOKED_AT)]
    return pdfium.FPDF_PAGEOBJ_IMAGE in kinds or kinds.count(pdfium.FPDF_PAGEOBJ_PATH) >= SHAPES_MIN


def is_unknown(character: str) -> bool:
    return character == REPLACEMENT or unicodedata.category(character) in UNKNOWN_CATEGORIES


def letters(lines: Sequence[Line]) -> int:
    """Letters and digits of known meaning."""
    return sum(character.isalnum() for line in lines for character in line.text)


def pictures_share(page: pypdfium2.PdfPage) -> float:
    """Of the page's area; those on top of one another count twice."""
    width, height = page.get_size()
    pictures = page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,))
    boxes = (picture.get_bounds() for picture in islice(pictures, OBJECTS_LOOKED_AT))
    area = sum((right - left) * (top - bottom) for left, bottom, right, top in boxes)
    return float(area / max(width * height, 1.0))


def recognise_page(page: pypdfium2.PdfPage) -> list[Line]:
    picture = page.render(scale=render_scale(*page.get_size()), grayscale=True).to_pil()
    return recognition.recognise(picture.convert("L"))


def render_scale(width: float, height: float) -> float:
    """Pixels a point, whatever size the page claims."""
    return min(
        RESOLUTION / POINTS_PER_INCH,
        math.sqrt(bitmap.PIXELS_MAX / max(width * height, 1.0)),
        bitmap.SIDE_MAX / max(width, height, 1.0),
    )
