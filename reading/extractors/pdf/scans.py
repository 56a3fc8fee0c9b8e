"""Pages of a PDF that are pictures of text: which they are, and their lines through OCR."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from enum import Enum, auto
from itertools import islice

import pypdfium2
import pypdfium2.raw as pdfium

from reading.extractors.images import bitmap, recognition
from reading.extractors.pdf.layout import Line, PageText
from reading.extractors.prose import has_content

POINTS_PER_INCH = 72
RESOLUTION = 250  # dots per inch of the rendered page
LITTLE_TEXT_LETTERS = 100  # a stamp, a page number, the name of the scanner's program
PICTURE_MIN_SHARE = 0.5  # of the page
OBJECTS_LOOKED_AT = 1_000
SHAPES_MIN = 50  # letters that are drawn as shapes; fewer are lines and frames
UNKNOWN_MAX_SHARE = 0.3  # of the characters: more, and the font does not say what its signs mean
UNKNOWN_CATEGORIES = ("Co", "Cn", "Cc")  # private, unassigned, control
REPLACEMENT = "\ufffd"
LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]{4,}")
VOWELS = "aeiouyøæœəı"
VOWELS_MIN_SHARE = 0.2  # of the letters: languages have 35 to 50 %
GIBBERISH_MIN_WORDS = 10  # fewer prove nothing
COMPARED_MIN_WORDS = 3
SAME_MIN_SHARE = 0.3  # of the words that OCR has seen: then the file tells the truth
SCRIPT_LETTERS = 2_000
ONE_SCRIPT_SHARE = 0.8
EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})


class Verdict(Enum):
    """The right text of a page: the one that OCR has seen, or the one that the file tells."""

    SEEN = auto()
    TOLD = auto()
    UNKNOWN = auto()


def is_scan(page: pypdfium2.PdfPage, lines: Sequence[Line]) -> bool:
    """True if the page shows text that is not in `lines`: it has none, but a picture or letters
    drawn as shapes; or hardly any beside a large picture."""
    if not lines:
        return shows_something(page)
    return letters(lines) < LITTLE_TEXT_LETTERS and pictures_share(page) >= PICTURE_MIN_SHARE


def is_doubtful(text: PageText) -> bool:
    """True if the fonts do not give the meaning of their signs, or an impossible one: signs of
    unknown meaning, or words of Latin letters with hardly a vowel."""
    lines = text.all_lines
    if not lines:
        return False
    told = "".join(line.text for line in lines)
    if not has_content(told) or text.unmapped_share > UNKNOWN_MAX_SHARE:
        return True
    return unknown_share(told) > UNKNOWN_MAX_SHARE or is_gibberish(lines)


def unknown_share(told: str) -> float:
    """The share of unknown characters. Nearly every page has none; the quick check is ten times
    faster."""
    if told.isprintable() and REPLACEMENT not in told:
        return 0.0
    return sum(map(is_unknown, told)) / len(told)


def is_gibberish(lines: Sequence[Line]) -> bool:
    """Letters that stand for others: no language writes with so few vowels."""
    # Some scripts are written without vowels; only Latin letters are judged
    found = (word for line in lines for word in LATIN_WORD.findall(line.text))
    words = [word for word in found if not word.isupper()]  # "HTML", "BKRS-17"
    if len(words) < GIBBERISH_MIN_WORDS:
        return False
    joined = "".join(words)
    plain = unicodedata.normalize("NFD", joined).casefold()
    return sum(map(plain.count, VOWELS)) < VOWELS_MIN_SHARE * len(joined)


def compare(seen: Sequence[Line], told: Sequence[Line], *, is_doubtful: bool) -> Verdict:
    if not (is_doubtful and told):
        return Verdict.SEEN if letters(seen) > letters(told) else Verdict.UNKNOWN
    seen_words, told_words = long_words(seen), long_words(told)
    # OCR is taught two languages of Latin letters: of others it sees nonsense
    if len(seen_words) < COMPARED_MIN_WORDS or is_of_another_script(told):
        return Verdict.UNKNOWN
    same = len(seen_words & told_words)
    return Verdict.TOLD if same >= SAME_MIN_SHARE * len(seen_words) else Verdict.SEEN


def long_words(lines: Sequence[Line]) -> set[str]:
    return {word.casefold() for line in lines for word in LATIN_WORD.findall(line.text)}


def is_of_another_script(lines: Sequence[Line]) -> bool:
    """True if nearly all letters are of one script other than Latin, which OCR reads."""
    # The first ones tell the script; counting a whole book would tell no more
    told = islice((sign for line in lines for sign in line.text if sign.isalpha()), SCRIPT_LETTERS)
    scripts = Counter(script_of(letter) for letter in told)
    script, count = scripts.most_common(1)[0] if scripts else ("LATIN", 0)
    return script != "LATIN" and count >= ONE_SCRIPT_SHARE * scripts.total()


def script_of(letter: str) -> str:
    script = unicodedata.name(letter, "").split(" ")[0].split("-")[0]
    return "CJK" if script in EAST_ASIAN else script


def shows_something(page: pypdfium2.PdfPage) -> bool:
    # A map has more objects than anybody would wait for, and the first ones show enough
    kinds = [found.type for found in islice(page.get_objects(), OBJECTS_LOOKED_AT)]
    return pdfium.FPDF_PAGEOBJ_IMAGE in kinds or kinds.count(pdfium.FPDF_PAGEOBJ_PATH) >= SHAPES_MIN


def is_unknown(character: str) -> bool:
    return character == REPLACEMENT or unicodedata.category(character) in UNKNOWN_CATEGORIES


def letters(lines: Sequence[Line]) -> int:
    """Letters and digits of known meaning."""
    return sum(character.isalnum() for line in lines for character in line.text)


def pictures_share(page: pypdfium2.PdfPage) -> float:
    """The share of the page's area that pictures cover; overlapping ones count twice."""
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
    # A page may claim to be kilometres wide: its picture must fit into memory all the same
    return min(
        RESOLUTION / POINTS_PER_INCH,
        math.sqrt(bitmap.PIXELS_MAX / max(width * height, 1.0)),
        bitmap.SIDE_MAX / max(width, height, 1.0),
    )
