"""Numbers as they are written, in figures or words, each with the unit behind it: «dos horas y
media», "1,200.50 kg", «½ kilo». What they mean where they stand: quantities.py."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from language.numerals import MULTIPLIERS
from language.quantity_words import (
    COMPOUND_UNITS,
    COUNTED,
    HALVES,
    NEED_A_UNIT,
    QUALIFIERS,
    QUARTERS,
    UNITS,
)
from language.words import Language, fold

DECIMALS_KEPT = 12  # 150 cm and 1.5 m are the same number of kilometres

TOKEN = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2}(?!\d)|\d{1,2}(?P<dot>[/.-])\d{1,2}(?P=dot)(?:\d{4}|\d{2})(?!\d))"
    r"|(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?!\d))"
    r"|(?P<fraction>\d{1,4}/\d{1,4}(?!\d))"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    r"|(?P<code>(?!(?:under|over|sub)-)[^\W\d_]+[-_]?\d\w*)"
    r"|(?P<word>[^\W\d_]+)"
    r"|(?P<sign>[<>]=|[^\w\s'’])"
    r"|(?P<end>\n)"
)
THOUSANDS = {
    "es": re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?|[1-9]\d{0,2}(?:,\d{3}){2,}"),
    "en": re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|[1-9]\d{0,2}(?:\.\d{3}){2,}"),
}
MIXED = re.compile(r"\d+(?:\.\d+)*,\d+|\d+(?:,\d+)*\.\d+")
THOUSANDS_SPACE = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
FRACTION_SIGN = re.compile(r"(\d?) ?([½¼¾])")
FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
NUMBER = {
    language: re.compile(
        r"\d|\b(?:" + "|".join({*COUNTED[language], *MULTIPLIERS[language], *HALVES}) + r")\b"
    )
    for language in COUNTED
}
OF = ("de", "of")
COUNTING = frozenset(MULTIPLIERS["es"]) | frozenset(MULTIPLIERS["en"])
PHONE_MIN_DIGITS = 7

Unit = tuple[str, float]  # its name, and its size in what goes by that name


@dataclass(frozen=True)
class Token:
    """`kind` is the name of its group in TOKEN. `is_glued`: nothing stands between it and the
    token before."""

    kind: str
    text: str
    is_glued: bool


@dataclass(frozen=True)
class Amount:
    """A number with the unit behind it; `begin` and `end` count tokens."""

    number: float
    unit: Unit | None
    begin: int
    end: int

    def value_in(self, size: float) -> float:
        """The number in the unit's base; `size` is used if the amount has no unit of its own."""
        return in_base(self.number, self.unit[1] if self.unit else size)


Tokens = Sequence[Token]


def plain_text(text: str) -> str:
    """Folded, with its fractions as decimals and its compound units as one word."""
    plain = fold(FRACTION_SIGN.sub(decimal_of, THOUSANDS_SPACE.sub("", text)))
    for pattern, unit in COMPOUND_UNITS:
        plain = pattern.sub(unit, plain)
    return plain


def decimal_of(sign: re.Match[str]) -> str:
    return f"{sign[1] or 0}{FRACTIONS[sign[2]]}"


def tokens_of(plain: str) -> list[Token]:
    tokens = []
    end = -1
    for match in TOKEN.finditer(plain):
        kind = match.lastgroup or ""
        if kind == "code" and match[0] in UNITS:  # m2
            kind = "word"
        tokens.append(Token(kind, match[0], match.start() == end))
        end = match.end()
    return tokens


def may_begin(token: Token, language: Language) -> bool:
    if token.kind != "word":
        return token.kind in ("number", "fraction")
    text = token.text
    tables = (COUNTED[language], MULTIPLIERS[language], HALVES, UNITS)
    return any(text in table for table in tables)


def read_amount(tokens: Tokens, place: int, language: Language) -> Amount | None:
    if place >= len(tokens):
        return None
    token = tokens[place]
    match token.kind:
        case "number":
            return read_figures(tokens, place, language)
        case "fraction":
            return read_fraction(tokens, place)
        case "word":
            return read_words(tokens, place, language) or read_unit_and_half(tokens, place)
    return None


def read_figures(tokens: Tokens, place: int, language: Language) -> Amount | None:
    text = tokens[place].text
    behind = tokens[place + 1] if place + 1 < len(tokens) else None
    if behind and behind.is_glued and behind.kind in ("word", "code"):
        if behind.text == "s":  # under 12s
            return Amount(number_of(text, language), ("age", 1), place, place + 2)
        if behind.text not in UNITS and behind.text != "k":
            return None  # 4x4, 1st, 2º
    value, end = number_of(text, language), place + 1
    if behind and behind.is_glued and behind.text == "k":
        value, end = value * 1000, end + 1
    while end < len(tokens) and tokens[end].text in MULTIPLIERS[language]:
        value *= MULTIPLIERS[language][tokens[end].text]
        end += 1
    amount = with_unit(tokens, value, place, end)
    is_long = len(text) >= PHONE_MIN_DIGITS and text.isdigit()
    return None if is_long and not amount.unit else amount


def number_of(text: str, language: Language) -> float:
    """«1.200,50» and "1,200.50" in either language; «1.200» in Spanish, "1,200" in English."""
    if THOUSANDS[language].fullmatch(text):
        mark = "." if language == "es" else ","
        if text.count(mark) == 0:  # several groups by the other language's mark
            mark = "," if mark == "." else "."
        text = text.replace(mark, "")
    elif "." in text and "," in text and MIXED.fullmatch(text):
        text = text.replace("." if text.rindex(",") > text.rindex(".") else ",", "")
    text = text.replace(",", ".")
    whole, _, rest = text.partition(".")
    return float(f"{whole}.{rest.replace('.', '')}" if rest else whole)


def read_fraction(tokens: Tokens, place: int) -> Amount | None:
    """1/2 kg; 24/7 and 12/05 are none."""
    above, below = (int(part) for part in tokens[place].text.split("/"))
    if not 0 < above < below <= 8:
        return None
    amount = with_unit(tokens, above / below, place, place + 1)
    return amount if amount.unit else None


def read_words(tokens: Tokens, place: int, language: Language) -> Amount | None:
    """«dos mil quinientos», "twenty-five", «media docena»."""
    if tokens[place].text in HALVES:
        return read_half(tokens, place, language)
    total, current, last, largest, end = 0.0, 0.0, math.inf, math.inf, place
    while end < len(tokens):
        step = joint_length(tokens, end, last, language) if end > place else 0
        if end + step >= len(tokens):
            break
        word = tokens[end + step].text
        value = COUNTED[language].get(word)
        if value is not None and value < last and (last >= 100 or value < 10 <= last < 100):
            current, last = current + value, value
        elif MULTIPLIERS[language].get(word, math.inf) < largest and (current or not total):
            largest = MULTIPLIERS[language][word]
            total, current, last = total + (current or 1) * largest, 0.0, min(1000, largest)
        else:
            break
        end += step + 1
    if end == place:
        return None
    amount = with_unit(tokens, total + current, place, end)
    is_article = end == place + 1 and tokens[place].text in NEED_A_UNIT
    return None if is_article and not amount.unit else amount


def joint_length(tokens: Tokens, place: int, last: float, language: Language) -> int:
    """1 where "y", "and" or a hyphen joins two words of one number, else 0."""
    text = tokens[place].text
    if language == "es":
        return int(text == "y" and 20 < last < 100)
    return int((text == "-" and 20 <= last < 100) or (text == "and" and last >= 100))


def read_half(tokens: Tokens, place: int, language: Language) -> Amount | None:
    """«medio kilo», "half a dozen"."""
    end = place + 1
    value = HALVES[tokens[place].text]
    while end < len(tokens) and tokens[end].text in ("a", "an", "de", "of"):
        end += 1
    if end < len(tokens) and tokens[end].text in MULTIPLIERS[language]:
        value *= MULTIPLIERS[language][tokens[end].text]
        return with_unit(tokens, value, place, end + 1)
    amount = with_unit(tokens, value, place, end)
    return amount if amount.unit else None


def read_unit_and_half(tokens: Tokens, place: int) -> Amount | None:
    """«kilo y medio», "an hour and a half"."""
    unit = UNITS.get(tokens[place].text)
    half = half_behind(tokens, place + 1)
    if unit is None or not half:
        return None
    return Amount(1.5, unit, place, place + 1 + half)


def with_unit(tokens: Tokens, value: float, begin: int, end: int) -> Amount:
    """«dos horas y media» and "two and a half hours" too."""
    if half := half_behind(tokens, end):
        value, end = value + 0.5, end + half
    if end < len(tokens) and tokens[end].text in QUARTERS and text_at(tokens, end + 1) in OF:
        value, end = value / 4, end + 1
    place = end + unit_distance(tokens, end)
    unit = UNITS.get(text_at(tokens, place))
    if unit is None:
        return Amount(value, None, begin, end)
    place += 1
    if half := half_behind(tokens, place):
        value, place = value + 0.5, place + half
    return Amount(value, unit, begin, place)


def unit_distance(tokens: Tokens, end: int) -> int:
    """How many tokens stand between a number and its unit: "5 working days", "7-year-old",
    «10 por ciento», «una docena de personas»; «10 de agosto» has none."""
    text = text_at(tokens, end)
    if text in QUALIFIERS or (text == "-" and tokens[end].is_glued):
        return 1
    if text == "por" and text_at(tokens, end + 1) == "ciento":
        return 1
    if text in OF and (tokens[end - 1].text in COUNTING or tokens[end - 1].text in QUARTERS):
        return 2 if text_at(tokens, end + 1) in ("a", "an") else 1
    return 0


def text_at(tokens: Tokens, place: int) -> str:
    return tokens[place].text if place < len(tokens) else ""


def half_behind(tokens: Tokens, place: int) -> int:
    """How many tokens «y media» or "and a half" take; 0 when it is not there."""
    texts = tuple(token.text for token in tokens[place : place + 3])
    if texts[:2] in (("y", "media"), ("y", "medio")):
        return 2
    return 3 if texts == ("and", "a", "half") else 0


def in_base(value: float, size: float) -> float:
    return round(value * size if size >= 1 else value / round(1 / size), DECIMALS_KEPT)
