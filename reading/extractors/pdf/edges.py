"""The foot and the edges of a PDF page: footnotes, headers and footers, and the number of the page
where no other page shows what it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from reading.extractors.pdf.layout import Line
from reading.extractors.pdf.places import Box

# Of the body's height: the type of footnotes is a fifth smaller, that of a text hardly varies
SMALL_MAX_SHARE = 0.88
FOOTNOTE_START = re.compile(
    r"^(?:[*†‡§]{1,3}|\(?\d{1,3}[.)]?|\[\d{1,3}\]|\(?[a-z][.)]|(?:note|nota)s?\b[ \d]*[.:])"
    r"\s*[^\W\d]",
    re.IGNORECASE,
)
FOLIO = re.compile(
    r"^\W*+(?:\d{1,3}|(?:p|pp|pg|page|p[aá]g|p[aá]gina)\W*+\d{1,4})[^\w/]*+"
    r"(?:(?:of|de|/)\W*+\d{1,4}\W*+)?$",
    re.IGNORECASE,
)
FOLIOS_MAX = 2  # of a page: more lone numbers are those of an axis
APART_SHARE = 1.6  # of a line's height, between it and the text: more than between lines
# A mark of a footnote: a sign, a number in brackets, or a number
MARK = re.compile(
    r"^(?:(?P<sign>[*†‡§]{1,3})|(?P<bracketed>\(\d{1,3}\)|\[\d{1,3}\])|(?P<number>\d{1,3})[.)]?)"
    r"(?=\s|[^\W\d])"
)
# What refers to each of them. A number follows several small letters ("report1"), for there are
# "km2", "CO2" and "art.3"; one in brackets says the same as a word ("ten (10) years") elsewhere.
REFERENCES = {
    "sign": r"(?<=[\w.,;:)])MARK(?![*†‡§])",
    "bracketed": r"(?:(?<=[\w.,;:] )|(?<=[\w.,;:]))MARK",
    "number": r"(?:(?<=[^\W\d_A-Z]{3})|(?<=[^\W\d_A-Z]{4}[.,;:)»”]))MARK(?![\w%])",
}
# The rule above footnotes begins with the text and is a third of it wide; those of tables are as
# wide as their rows
RULE_MIN_SHARE, RULE_MAX_SHARE = 0.1, 0.6
RULE_THICKNESS_MAX = 3.0  # points, with what PDFium adds around a stroke
RULE_EDGE = 5.0  # points between the left edges of the rule and of the text


@dataclass(frozen=True)
class PageParts:
    """The lines of a page: its text, and those that belong to none of its sections."""

    body: Sequence[Line]
    header: Sequence[Line] = ()
    footer: Sequence[Line] = ()
    notes: Sequence[Line] = ()


def split_page(lines: Sequence[Line], body_height: int, rule: float | None) -> PageParts:
    """`rule`: the height of the short rule above the footnotes, where one is drawn."""
    lines = without_folio(lines, body_height)
    header, lines, footer = split_numbered_margins(lines, body_height)
    body, notes = split_footnotes(lines, body_height, rule)
    return PageParts(body, header, footer, notes)


def without_folio(lines: Sequence[Line], body_height: int) -> list[Line]:
    """The lines without the page's number, which stands alone at its top or bottom."""
    if sum(bool(FOLIO.match(line.text)) for line in lines) > FOLIOS_MAX:
        return list(lines)
    by_height = sorted(lines, key=lambda line: line.baseline)
    folios = [
        edge[0]
        for edge in (by_height[:2], by_height[-2:][::-1])
        if len(edge) > 1
        and len(edge[0].cells) == 1
        and is_in_margin(edge[0], edge[1], body_height)
        and FOLIO.match(edge[0].text)
    ]
    return without(lines, folios)


def is_in_margin(line: Line, nearest: Line, body_height: int) -> bool:
    gap = abs(line.baseline - nearest.baseline)
    return gap >= APART_SHARE * line.height and round(line.height) <= body_height


def without(lines: Sequence[Line], dropped: Iterable[Line]) -> list[Line]:
    known = set(map(id, dropped))
    return [line for line in lines if id(line) not in known]


# --- Headers and footers --------------------------------------------------------------------------


def split_numbered_margins(
    lines: Sequence[Line], body_height: int
) -> tuple[list[Line], list[Line], list[Line]]:
    """(header, text, footer): the first and the last line, where one of their cells is the number
    of the page ("Guild of Cambados … Page 1 of 3"). The number itself goes."""
    by_height = sorted(lines, key=lambda line: line.baseline)
    found: list[list[Line]] = [[], []]
    taken: list[Line] = []
    for margin, edge in zip(found, (by_height[-2:][::-1], by_height[:2]), strict=True):
        if len(edge) == 2 and is_in_margin(edge[0], edge[1], body_height):
            cells = [cell for cell in edge[0].cells if not is_page_number(cell.text)]
            if 0 < len(cells) < len(edge[0].cells):
                margin.append(Line(tuple(cells)))
                taken.append(edge[0])
    header, footer = found
    return header, without(lines, taken), footer


def is_page_number(text: str) -> bool:
    """True where the text says that it is one, or counts the pages: "Page 1", "1 / 3"."""
    return not text.strip().isdigit() and bool(FOLIO.match(text))


def split_margins(
    lines: Sequence[Line], repeated: Sequence[Line], body_height: int
) -> tuple[list[Line], list[Line], list[Line]]:
    """(header, text, footer) of lines of which `repeated` stand on other pages too: those in the
    margins, apart from the text or smaller than it."""
    known = set(map(id, repeated))
    downwards = sorted(lines, key=lambda line: -line.baseline)
    header = margin_lines(downwards, known, body_height)
    footer = margin_lines(downwards[::-1], known, body_height)[::-1]
    return header, without(lines, [*header, *footer]), footer


def margin_lines(inwards: Sequence[Line], repeated: set[int], body_height: int) -> list[Line]:
    """`inwards`: the page's lines from the margin on."""
    margin = list(takewhile(lambda line: id(line) in repeated, inwards))
    if not margin or len(margin) == len(inwards):
        return []
    last, nearest = margin[-1], inwards[len(margin)]
    is_plain = all(round(line.height) <= body_height and not line.is_bold for line in margin)
    is_apart = is_small(last, body_height) or is_in_margin(last, nearest, body_height)
    return margin if is_plain and is_apart else []


# --- Footnotes ------------------------------------------------------------------------------------


def find_rule(lines: Sequence[Line], drawn: Sequence[Box]) -> float | None:
    """The height of the lowest short rule that could stand above footnotes: it begins where the
    text does."""
    if not lines:
        return None
    left = min(line.left for line in lines)
    width = max(line.right for line in lines) - left
    return min(
        (
            bottom
            for start, end, bottom, top in drawn
            if top - bottom <= RULE_THICKNESS_MAX
            and abs(start - left) <= RULE_EDGE
            and RULE_MIN_SHARE * width <= end - start <= RULE_MAX_SHARE * width
        ),
        default=None,
    )


def split_footnotes(
    lines: Sequence[Line], body_height: int, rule: float | None = None
) -> tuple[Sequence[Line], Sequence[Line]]:
    """(the page's text, its footnotes). Notes are below all other lines, from the first on that
    begins with a mark or a number. They are of smaller type, stand below a short rule, or have a
    mark to which the text refers."""
    downwards = sorted(lines, key=lambda line: -line.baseline)
    foots = (
        small_foot(downwards, body_height),
        ruled_foot(downwards, rule),
        referred_foot(downwards, body_height),
    )
    notes = next((foot for foot in foots if 0 < len(foot) < len(lines)), [])
    return without(lines, notes), notes


def small_foot(downwards: Sequence[Line], body_height: int) -> list[Line]:
    small = list(takewhile(lambda line: is_small(line, body_height), reversed(downwards)))[::-1]
    # A page in small type alone is a text, not notes to one
    return from_first_note(small) if len(small) < len(downwards) else []


def from_first_note(lines: Sequence[Line]) -> list[Line]:
    starts = (place for place, line in enumerate(lines) if FOOTNOTE_START.match(line.text))
    return list(lines[next(starts, len(lines)) :])


def ruled_foot(downwards: Sequence[Line], rule: float | None) -> list[Line]:
    below = [line for line in downwards if rule is not None and line.baseline < rule]
    is_marked = bool(below) and bool(FOOTNOTE_START.match(below[0].text))
    return below if is_marked and all(len(line.cells) == 1 for line in below) else []


def referred_foot(downwards: Sequence[Line], body_height: int) -> list[Line]:
    """The lines from the last gap on, where the text above refers to the mark of the first."""
    gaps = [
        place
        for place, (line, following) in enumerate(pairwise(downwards), start=1)
        if is_in_margin(following, line, body_height)
    ]
    start = gaps[-1] if gaps else len(downwards)
    foot = downwards[start:]
    if not foot or any(len(line.cells) > 1 for line in foot):
        return []
    mark = MARK.match(foot[0].text)
    text = "\n".join(line.text for line in downwards[:start])
    return list(foot) if mark and refers_to(text, mark) else []


def refers_to(text: str, mark: re.Match[str]) -> bool:
    kind = mark.lastgroup or ""
    return bool(re.search(REFERENCES[kind].replace("MARK", re.escape(mark[kind])), text))


def is_small(line: Line, body_height: int) -> bool:
    """True for a line of smaller type that is not a row of a table."""
    return line.height <= SMALL_MAX_SHARE * body_height and len(line.cells) == 1
