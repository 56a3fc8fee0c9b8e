"""Words of a PDF page that are struck out: a thin line is drawn through their middle."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeVar

import pypdfium2
import pypdfium2.raw as pdfium

from reading.extractors.pdf.places import Box, turned_box

PATHS_LOOKED_AT = 1_000  # a map has more than anybody would wait for
THIN_MAX_SHARE = 0.2  # of the type's height: thicker, and it is a bar
# Of the type's height above the baseline: below, words are underlined; above, it is a table's rule
LOWEST_SHARE, HIGHEST_SHARE = 0.1, 0.45
# Of the type's height: how far its ends may be from those of the words. Rules of tables and charts
# that pass behind a word go on.
END_SHARE = 0.8
TALLEST = 100.0  # points of the type that is looked at


class Placed(Protocol):
    @property
    def left(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def baseline(self) -> float: ...
    @property
    def height(self) -> float: ...


Word = TypeVar("Word", bound=Placed)


def without_struck(words: Sequence[Word], drawn: Sequence[Box]) -> list[Word]:
    """`drawn`: the page's lines that run from left to right."""
    by_baseline = sorted(words, key=lambda word: word.baseline)
    baselines = [word.baseline for word in by_baseline]
    struck: set[int] = set()
    for left, right, bottom, top in drawn:
        begin = bisect_left(baselines, bottom - TALLEST)
        near = by_baseline[begin : bisect_right(baselines, top)]
        through = [
            word
            for word in near
            if crosses((bottom + top) / 2, top - bottom, word)
            and left <= (word.left + word.right) / 2 <= right
        ]
        if through and ends_with(through, left, right):
            struck.update(map(id, through))
    return [word for word in words if id(word) not in struck]


def crosses(middle: float, thickness: float, word: Placed) -> bool:
    share = (middle - word.baseline) / word.height
    return LOWEST_SHARE <= share <= HIGHEST_SHARE and thickness <= THIN_MAX_SHARE * word.height


def ends_with(words: Sequence[Placed], left: float, right: float) -> bool:
    """True if the line begins and ends where the words do."""
    reach = END_SHARE * words[0].height
    first, last = min(word.left for word in words), max(word.right for word in words)
    return abs(first - left) <= reach and abs(last - right) <= reach


def level_lines(page: pypdfium2.PdfPage, rotation: int) -> Iterator[Box]:
    """Yields lines that run from left to right when the page is turned by `rotation`."""
    paths = page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_PATH,), max_depth=1)
    for path in islice(paths, PATHS_LOOKED_AT):
        left, bottom, right, top = path.get_bounds()
        box = turned_box((left, right, bottom, top), rotation)
        if box[1] - box[0] > box[3] - box[2]:
            yield box
