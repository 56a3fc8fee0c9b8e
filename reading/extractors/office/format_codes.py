"""The codes of number formats, read once for all cells that have them (ECMA-376 part 1,
18.8.31).

How a value is written by them: number_formats.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from itertools import takewhile

CODE_MAX_CHARS = 500  # Excel allows half of it
SECTIONS_MAX = 4
AFFIX_MAX_CHARS = 40  # longer texts before and behind a number are a sentence in every cell
DECIMALS_MAX = 12
PADDED_MIN, PADDED_MAX = 2, 20  # digits of numbers of a fixed length, as postal codes are
PERCENT = "%"
CURRENCY_SIGNS = frozenset("€£$¥")
TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<skipped>[_*].)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General)|(?P<exponent>E[+-])|(?P<half>AM/PM|A/P)|(?P<digits>[0#?]+)"
    r"|(?P<end>;)|(?P<point>\.)|(?P<comma>,)|(?P<percent>%)|(?P<text>@)"
    r"|(?P<moment>y+|m+|d+|h+|s+|g+|e+)|(?P<literal>.)",
    re.IGNORECASE | re.DOTALL,
)
CONDITION = re.compile(r"(<=|>=|<>|<|>|=) ?(-?\d{1,15}(?:\.\d{1,15})?)")
ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
CURRENCY_MAX_CHARS = 10  # [$€-40A], [$USD]: no currency's name is longer
CALENDAR = {"y": "year", "e": "year", "g": "year", "m": "month", "d": "day"}
CLOCK = {"h": "hour", "m": "minute", "s": "second"}
DATE_PARTS = frozenset(CALENDAR.values())
SIGN = "\0"  # where a currency or a percent sign stands among the texts
LITERALS = ("quoted", "escaped", "literal")


class Kind(Enum):
    NUMBER = "number"
    WORDS = "words"  # no digit is shown: "free of charge"
    MOMENT = "moment"
    ELAPSED = "elapsed"
    TEXT = "text"


@dataclass(frozen=True)
class FormatPart:
    """`kind`: the name of its group in TOKEN, or "currency", "condition", "elapsed"."""

    kind: str
    text: str


@dataclass(frozen=True)
class ValueCondition:
    sign: str
    limit: float

    def holds(self, number: float) -> bool:
        return {
            "<": number < self.limit,
            "<=": number <= self.limit,
            ">": number > self.limit,
            ">=": number >= self.limit,
            "=": number == self.limit,
            "<>": number != self.limit,
        }[self.sign]


NEGATIVE = ValueCondition("<", 0)
POSITIVE = ValueCondition(">", 0)
NOT_NEGATIVE = ValueCondition(">=", 0)


@dataclass(frozen=True)
class Section:
    """One of up to four parts of a code.

    `before` and `after`: texts around the value. `sign`: its currency, or PERCENT. `power`: of ten,
    that it is multiplied with; `decimals`: None for all of them. `padding`: it has as many digits,
    with zeros before them; `shows_zero`: False for "#". `mask`: digits and what stands between
    them, "000 000 000". `has_minus`: whether a negative number shows its sign. `parts`: what is
    shown of a date or a time, "month";
    `pieces`: how, where words stand between.
    """

    kind: Kind
    condition: ValueCondition | None = None
    before: str = ""
    after: str = ""
    sign: str = ""
    power: int = 0
    decimals: int | None = None
    padding: int = 0
    shows_zero: bool = True
    mask: tuple[FormatPart, ...] = ()
    has_minus: bool = True
    parts: frozenset[str] = frozenset()
    pieces: tuple[FormatPart, ...] = ()

    @property
    def words(self) -> str:
        return "".join(filter(str.isalnum, self.before + self.after))


@dataclass(frozen=True)
class NumberFormat:
    """`sections`: of numbers, each with its condition; none shows any number as it is. `text`: of
    cells that hold text."""

    sections: tuple[Section, ...] = ()
    text: Section | None = None


GENERAL = NumberFormat()


def read_format(code: str) -> NumberFormat:
    return GENERAL if code.lower() == "general" else read_sections(code[:CODE_MAX_CHARS])


@lru_cache(256)
def read_sections(code: str) -> NumberFormat:
    groups = list(split_sections(code))[:SECTIONS_MAX]
    text = None
    if len(groups) == SECTIONS_MAX or any(piece.kind == "text" for piece in groups[-1]):
        text = read_text_section(groups.pop())
    return NumberFormat(tuple(with_conditions([read_section(group) for group in groups])), text)


def split_sections(code: str) -> Iterator[list[FormatPart]]:
    group: list[FormatPart] = []
    for match in TOKEN.finditer(code):
        kind = match.lastgroup or ""
        if kind == "end":
            yield group
            group = []
        elif kind != "skipped":
            group.append(read_piece(kind, match[kind]))
    yield group


def read_piece(kind: str, text: str) -> FormatPart:
    if kind == "bracket":
        name = text[1:].partition("-")[0].strip()
        if text.startswith("$") and 0 < len(name) <= CURRENCY_MAX_CHARS:
            return FormatPart("currency", name)
        if ELAPSED.fullmatch(text):
            return FormatPart("elapsed", text)
        return FormatPart("condition" if CONDITION.fullmatch(text) else "colour", text)
    if kind in LITERALS and text.strip() in CURRENCY_SIGNS:
        return FormatPart("currency", text.strip())
    return FormatPart(kind, text)


def read_section(pieces: Sequence[FormatPart]) -> Section:
    kinds = [piece.kind for piece in pieces]
    conditions = (CONDITION.fullmatch(piece.text) for piece in pieces if piece.kind == "condition")
    found = next(filter(None, conditions), None)
    condition = ValueCondition(found[1], float(found[2])) if found else None
    moments = [kinds.index(kind) for kind in ("moment", "elapsed") if kind in kinds]
    digits = [kinds.index(kind) for kind in ("digits", "general") if kind in kinds]
    # Letters behind a digit are a unit that somebody did not quote: 0 kg
    if moments and (not digits or min(moments) < min(digits)):
        return replace(read_moment(pieces), condition=condition)
    if not digits:
        return with_affixes(Section(Kind.WORDS, condition), pieces, ())
    return replace(read_number(pieces), condition=condition)


def read_number(pieces: Sequence[FormatPart]) -> Section:
    places = [at for at, piece in enumerate(pieces) if piece.kind in ("digits", "general")]
    inner, behind = pieces[places[0] : places[-1] + 1], pieces[places[-1] + 1 :]
    whole, decimals = split_at_point(inner)
    # Powers of ten and fractions say the number itself in another way
    is_plain = any(
        piece.kind in ("general", "exponent") or piece == FormatPart("literal", "/")
        for piece in inner
    )
    is_whole = not decimals and not is_plain
    zeros = sum(piece.text.count("0") for piece in whole if piece.kind == "digits")
    percents = sum(piece.kind == "percent" for piece in pieces)
    section = Section(
        Kind.NUMBER,
        power=2 * percents - 3 * (leading_commas(behind) + leading_commas(whole[::-1])),
        decimals=None if is_plain else min(count_digits(decimals), DECIMALS_MAX),
        shows_zero=zeros > 0 or is_plain or any("0" in piece.text for piece in decimals),
        padding=zeros if is_whole and PADDED_MIN <= zeros <= PADDED_MAX else 0,
        mask=tuple(inner) if is_whole and is_mask(inner) else (),
    )
    return with_affixes(section, pieces[: places[0]], behind)


def split_at_point(
    pieces: Sequence[FormatPart],
) -> tuple[Sequence[FormatPart], Sequence[FormatPart]]:
    at = next((at for at, piece in enumerate(pieces) if piece.kind == "point"), len(pieces))
    return pieces[:at], pieces[at + 1 :]


def leading_commas(pieces: Iterable[FormatPart]) -> int:
    """Return how often the number is divided by a thousand."""
    return sum(1 for _ in takewhile(lambda piece: piece.kind == "comma", pieces))


def count_digits(pieces: Iterable[FormatPart]) -> int:
    return sum(len(piece.text) for piece in pieces if piece.kind == "digits")


def is_mask(inner: Iterable[FormatPart]) -> bool:
    """Tell "000 000 000" from "# ##0", whose spaces only part thousands."""
    between = "".join(piece.text for piece in inner if piece.kind in LITERALS)
    digits = "".join(piece.text for piece in inner if piece.kind == "digits")
    return bool(between.strip()) or (bool(between) and digits.strip("0") == "")


def with_affixes(
    section: Section, before: Sequence[FormatPart], after: Sequence[FormatPart]
) -> Section:
    """Return the section with its texts and its sign, which is written in one way wherever it
    stands in the code."""
    currencies = [piece.text for piece in (*before, *after) if piece.kind == "currency"]
    percents = [PERCENT] * any(piece.kind == "percent" for piece in (*before, *after))
    sign = next(iter((*percents, *currencies)), "")
    texts = [
        "".join(
            SIGN if piece.kind in ("currency", "percent") else piece.text
            for piece in pieces
            if piece.kind in (*LITERALS, "currency", "percent")
        )
        for pieces in (before, after)
    ]
    if sum(map(len, texts)) > AFFIX_MAX_CHARS:
        return replace(section, sign=sign)
    return replace(
        section,
        before=re.sub(rf"{SIGN}\s*", "", texts[0]),
        after=re.sub(rf"\s*{SIGN}", "", texts[1]),
        sign=sign,
    )


def read_moment(pieces: Sequence[FormatPart]) -> Section:
    parts: set[str] = set()
    clock = [piece for piece in pieces if piece.kind in ("moment", "elapsed")]
    for at, piece in enumerate(clock):
        letter = piece.text[0].lower()
        before = clock[at - 1].text[0].lower() if at else ""
        behind = clock[at + 1].text[0].lower() if at + 1 < len(clock) else ""
        is_of_clock = letter != "m" or before == "h" or behind == "s" or piece.kind == "elapsed"
        parts.add(CLOCK[letter] if letter in CLOCK and is_of_clock else CALENDAR[letter])
    is_elapsed = any(piece.kind == "elapsed" for piece in pieces)
    texts = "".join(piece.text for piece in pieces if piece.kind in LITERALS)
    is_told_in_words = any(map(str.isalpha, texts)) and parts.isdisjoint(DATE_PARTS)
    return Section(
        Kind.ELAPSED if is_elapsed else Kind.MOMENT,
        parts=frozenset(parts),
        pieces=tuple(pieces) if is_told_in_words and len(texts) <= AFFIX_MAX_CHARS else (),
    )


def read_text_section(pieces: Sequence[FormatPart]) -> Section:
    """Return the section of texts, which stand where "@" does; without one they are not shown."""
    at = next((at for at, piece in enumerate(pieces) if piece.kind == "text"), None)
    if at is None:
        return with_affixes(Section(Kind.WORDS), pieces, ())
    return with_affixes(Section(Kind.TEXT), pieces[:at], pieces[at + 1 :])


def with_conditions(sections: Sequence[Section]) -> Iterator[Section]:
    """Return the sections with the conditions that their places say: positive, negative, zero."""
    usual: list[ValueCondition | None] = [None]
    if len(sections) > 1:
        usual = [NOT_NEGATIVE if len(sections) == 2 else POSITIVE, NEGATIVE, None]
    if len(sections) == 2 and sections[0].condition:
        usual[1] = None
    for section, condition in zip(sections, usual, strict=False):
        told = replace(section, condition=section.condition or condition)
        yield of_negatives(told, sections[0]) if told.condition == NEGATIVE else told


def of_negatives(section: Section, first: Section) -> Section:
    """Return the section with one minus, however the code marks one: by a dash, by brackets, or
    only by red. Other words than those of the first section say it themselves: "5 owed"."""
    before = re.sub(r"[-−(]", "", section.before, count=1)
    is_marked = before != section.before
    after = section.after.replace(")", "", 1) if is_marked else section.after
    has_minus = is_marked or section.words == first.words
    return replace(section, before=before, after=after, has_minus=has_minus)
