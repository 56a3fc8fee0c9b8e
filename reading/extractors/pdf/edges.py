"""The foot and the edges of a PDF page: footnotes, and the number of the page where no other page
shows what it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from reading.extractors.pdf.layout import Line

# Of the body's height: the type of footnotes is a fifth smaller, that of a text hardly varies
SMALL_MAX_SHARE = 0.88
FOOTNOTE_START = re.compile(
    r"^(?:[*†‡§]{1,3}|\(?\d{1,3}[.)]?|\[\d{1,3}\]|\(?[a-z][.)]|(?:note|nota)s?\b[ \d]*[.:])"
    r"\s*[^\W\d]",
    re.IGNORECASE,
)
FOLIO = re.compile(
    r"^\W*+(?:\d{1,3}|(?:p|pp|pg|page|p[aá]g|p[aá]gina)\W*+\d{1,4})\W*+"
    r"(?:(?:of|de|/)\W*+\d{1,4}\W*+)?$",
    re.IGNORECASE,
)
FOLIOS_MAX = 2  # of a page: more lone numbers are those of an axis
FOLIO_GAP_SHARE = 1.6  # of its height, between it and the text: more than between lines


def without_folio(lines: Sequence[Line], body_height: int) -> list[Line]:
    """The lines without the page's number, which stands alone at its top or bottom."""
    if sum(bool(FOLIO.match(line.text)) for line in lines) > FOLIOS_MAX:
        return list(lines)
    by_height = sorted(lines, key=lambda line: line.baseline)
    folios: list[Line] = []
    for edge, following in ((by_height[:1], by_height[1:2]), (by_height[-1:], by_height[-2:-1])):
        for line, nearest in zip(edge, following, strict=False):
            gap = abs(line.baseline - nearest.baseline)
            is_apart = gap >= FOLIO_GAP_SHARE * line.height and len(line.cells) == 1
            if is_apart and round(line.height) <= body_height and FOLIO.match(line.text):
                folios.append(line)
    return [line for line in lines if not any(line is folio for folio in folios)]


def split_footnotes(
    lines: Sequence[Line], body_height: int
) -> tuple[Sequence[Line], Sequence[Line]]:
    """(the page's text, its footnotes): lines of smaller type below all others, from the first on
    that begins with a mark or a number."""
    upwards = sorted(lines, key=lambda line: line.baseline)
    small = list(takewhile(lambda line: is_small(line, body_height), upwards))
    if len(small) == len(lines):
        return lines, ()
    downwards = small[::-1]
    starts = [place for place, line in enumerate(downwards) if FOOTNOTE_START.match(line.text)]
    notes = downwards[starts[0] :] if starts else []
    known = set(map(id, notes))
    return [line for line in lines if id(line) not in known], notes


def is_small(line: Line, body_height: int) -> bool:
    """True for a line of smaller type that is not a row of a table."""
    return line.height <= SMALL_MAX_SHARE * body_height and len(line.cells) == 1
