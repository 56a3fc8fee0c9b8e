"""The hard facts of a text: numbers with what they count, times, days, months, names, codes,
addresses. A sentence may say everything else in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import zip_longest

from language.calendar import MONTH_NUMBERS, WEEKDAY_NUMBERS
from language.terms import word_terms
from language.words import WORD, Language, fold, function_words, rarity
from query.answering.checking.rewriting import iter_numbers, read_number
from query.answering.checking.vocabulary import (
    BETWEEN,
    DAYS,
    FREE_OF_CHARGE,
    MINUTES,
    MONEY,
    MONTHS_LONG,
    NO_NAMES,
    ONE,
    TIME,
    UNITS,
)
from query.answering.cleaning import ADDRESS, normal


class FactKind(Enum):
    NUMBER = "number"
    CLOCK = "clock"
    WEEKDAY = "weekday"
    MONTH = "month"
    CONTACT = "contact"
    CODE = "code"
    NAME = "name"


@dataclass(frozen=True)
class Fact:
    """A hard fact. `value`: as read_number writes it, "18:30", 1 … 7, 1 … 12, an address without
    its scheme, or a folded word. `unit`: a key of UNITS, FREE, or "" when the text does not say.
    `counted`: terms of the noun that a number without a unit counts."""

    kind: FactKind
    value: str
    unit: str = ""
    counted: frozenset[str] = frozenset()


EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}")
PHONE = re.compile(r"(?<![\w.,:/-])(?:\+|00)?\d[\d ().-]{6,20}\d(?![\w:/])")
PHONE_MIN_DIGITS = 9
PHONE_OWN_DIGITS = 9  # without a country's code
CODE = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])\w+(?:-\w+)*")
CAPITAL = re.compile(r"(?<![\w'’])[^\W\d_a-zñáéíóúü][\w'’-]*")
ONE_UNIT = re.compile(r"(?<!\w)([^\W\d_]+)\s+(?=([^\W\d_]+))")
RANGE_OF_DAYS = re.compile(
    r"\b(\w++)\s?(?:a|al|to|till|until|through|hasta(?: el)?|-|–|—)\s?\b(\w+)", re.IGNORECASE
)
DAYS_WRITTEN = {name: re.compile(rf"\b(?:{'|'.join(phrases)})\b") for name, phrases in DAYS.items()}
DAYS_MEANT = {"every": range(1, 8), "working": range(1, 6), "weekend": range(6, 8)}
# «may» and "march" are verbs too.
MONTH_BESIDE = re.compile(
    r"(?:\b(?:in|of|until|from|to|during|by|since|and|through|\d{1,2})\s)(may|march)\b"
    r"|\b(may|march)\s\d",
    re.IGNORECASE,
)
VERBS_TOO = frozenset({"may", "march"})
NAME_INFORMATION = 2.0  # of the first word before a name, to be one too: "Marta", and not "Ask"
TITLE_CASE_SHARE = 0.6  # of its words: such a text does not tell its names
NEAR_WORDS = 2  # that may stand between a number and its unit
UNIT_CHARS = 60  # behind a number, for them all
SYMBOLS = re.compile(r"[€$£%°§]")


def find_facts(text: str, language: Language, *, begins: bool = True) -> frozenset[Fact]:
    """The facts of a text that rewrite() wrote. `begins`: the text begins a sentence, so its first
    capital tells nothing."""
    contacts = set(find_contacts(text))
    text = without_contacts(text)
    return frozenset(
        {
            *contacts,
            *(Fact(FactKind.CLOCK, found[0]) for found in re.finditer(r"\b\d{1,2}:\d\d\b", text)),
            *find_numbers(text, language),
            *(Fact(FactKind.WEEKDAY, str(day)) for day in find_weekdays(fold(text))),
            *(Fact(FactKind.MONTH, str(month)) for month in find_months(text)),
            *(
                Fact(FactKind.CODE, re.sub(r"[\W_]", "", fold(found[0])))
                for found in CODE.finditer(text)
            ),
            *(Fact(FactKind.NAME, name) for name in find_names(text, language, begins=begins)),
        }
    )


def find_contacts(text: str) -> Iterator[Fact]:
    for email in EMAIL.finditer(text):
        yield Fact(FactKind.CONTACT, email[0].lower().rstrip("."))
    for address in ADDRESS.finditer(EMAIL.sub(" ", text)):
        yield Fact(FactKind.CONTACT, normal(address[0]))
    for phone in iter_phones(text):
        yield Fact(FactKind.CONTACT, re.sub(r"\D", "", phone[0])[-PHONE_OWN_DIGITS:])


def iter_phones(text: str) -> Iterator[re.Match[str]]:
    return (
        found
        for found in PHONE.finditer(text)
        if len(re.sub(r"\D", "", found[0])) >= PHONE_MIN_DIGITS
        and not re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", found[0])
    )


def without_contacts(text: str) -> str:
    text = ADDRESS.sub(" ", EMAIL.sub(" ", text))
    for phone in list(iter_phones(text)):
        text = text.replace(phone[0], " ")
    return text


def find_numbers(text: str, language: Language) -> Iterator[Fact]:
    text = CODE.sub(lambda code: " " * len(code[0]), text)
    for found in iter_numbers(text):
        unit, counted = read_unit(text[found.end() : found.end() + UNIT_CHARS], language)
        yield Fact(FactKind.NUMBER, read_number(found[0]), unit, counted)
    for one, unit_word in ONE_UNIT.findall(fold(text)):
        if one in ONE and len(unit_word) > 2 and unit_word in UNITS:
            yield Fact(FactKind.NUMBER, "1", UNITS[unit_word])


def read_unit(after: str, language: Language) -> tuple[str, frozenset[str]]:
    """The unit behind a number, or the terms of the words that it counts. In "24 to 48 hours" the
    first number takes the second's."""
    other = re.match(r"\s?(?:a|al|to|y|and|or|o|-|–)\s?\d+(?:[.,]\d+){0,4}(?![\w:])", after)
    if other:
        return read_unit(after[other.end() :], language)
    counted: set[str] = set()
    for token in re.findall(r"[^\W\d_]+|\S", after)[: NEAR_WORDS + 1]:
        word = fold(token)
        if word in UNITS and (not counted or len(word) > 2):
            return UNITS[word], frozenset()
        if word in BETWEEN:
            continue
        if not word.isalpha() or word in function_words(language) or word in MONTH_NUMBERS:
            break
        counted.update(word_terms(word, language))
    return "", frozenset(counted)


def find_weekdays(folded: str) -> set[int]:
    days = {WEEKDAY_NUMBERS[word] for word in WORD.findall(folded) if word in WEEKDAY_NUMBERS}
    for found in RANGE_OF_DAYS.finditer(folded):
        first, last = WEEKDAY_NUMBERS.get(found[1]), WEEKDAY_NUMBERS.get(found[2])
        if first and last:
            days.update((first + step - 1) % 7 + 1 for step in range((last - first) % 7 + 1))
    for name, pattern in DAYS_WRITTEN.items():
        if pattern.search(folded):
            days.update(DAYS_MEANT[name])
    return days


def find_units(text: str) -> frozenset[str]:
    """The units that a text names, with a number or without: "Price (EUR)"."""
    words = [word for word in WORD.findall(fold(text)) if len(word) > 1]
    return frozenset(UNITS[word] for word in (*words, *SYMBOLS.findall(text)) if word in UNITS)


def find_months(text: str) -> set[int]:
    sure = {
        MONTH_NUMBERS[word]
        for word in WORD.findall(fold(text))
        if word in MONTH_NUMBERS.keys() - VERBS_TOO
    }
    beside = {
        MONTH_NUMBERS[(found[1] or found[2]).lower()] for found in MONTH_BESIDE.finditer(text)
    }
    return sure | beside


def find_names(text: str, language: Language, *, begins: bool) -> Iterator[str]:
    words = [word for word in text.split() if word[:1].isalpha()]
    capitals = list(CAPITAL.finditer(text))
    if len(capitals) - begins > max(2, TITLE_CASE_SHARE * len(words)):
        return
    first = re.search(r"\w", text)
    for found, following in zip_longest(capitals, capitals[1:]):
        is_first = begins and first is not None and found.start() == first.start()
        goes_on = following is not None and text[found.end() : following.start()] == " "
        name = re.sub(r"['’]s?$", "", fold(found[0]))
        is_name = not is_first or (goes_on and rarity(name, language) >= NAME_INFORMATION)
        if not is_name or is_no_name(name, language):
            continue
        yield from (part for part in WORD.findall(name) if len(part) > 1)


@lru_cache(4096)
def is_no_name(word: str, language: Language) -> bool:
    return (
        word in NO_NAMES
        or word in MONTH_NUMBERS
        or word in WEEKDAY_NUMBERS
        or word in UNITS
        or word in function_words(language)
        or any(char.isdigit() for char in word)
    )


def is_stated(
    fact: Fact, stated: Iterable[Fact], terms: frozenset[str], language: Language
) -> bool:
    """Tells whether a text that states these facts, and has these terms, states `fact` of a
    sentence in `language`."""
    if fact.kind is FactKind.NAME:
        return not terms.isdisjoint(word_terms(fact.value, language))
    if fact.kind is FactKind.NUMBER and fact.unit == FREE_OF_CHARGE:
        return any(other.value == "0" and other.unit in MONEY for other in stated)
    if fact.kind is FactKind.NUMBER:
        stated = [other for other in stated if not counts_another(fact, other, stated)]
    return any(is_same(fact, other) for other in stated)


def is_counted_so(fact: Fact, stated: Iterable[Fact], units: frozenset[str]) -> bool:
    """Tells whether a text says the unit of a number that it states, if only in a
    column's heading."""
    if fact.kind is not FactKind.NUMBER or fact.unit in ("", FREE_OF_CHARGE) or fact.unit in units:
        return True
    return any(
        is_same(fact, other) and (other.unit or other.kind is FactKind.CLOCK) for other in stated
    )


def counts_another(fact: Fact, other: Fact, stated: Iterable[Fact]) -> bool:
    """Tells whether the same number counts something else, while another one counts this: "five
    weeks" where three weeks and five books are stated."""
    if fact.value != other.value or fact.unit == other.unit or other.counted & fact.counted:
        return False
    return any(
        rival.value != fact.value
        and ((fact.unit and rival.unit == fact.unit) or fact.counted & rival.counted)
        for rival in stated
    ) and bool(other.unit or other.counted)


def is_same(fact: Fact, other: Fact) -> bool:
    kinds = {fact.kind, other.kind}
    if kinds == {FactKind.NUMBER, FactKind.CLOCK}:
        number, clock = sorted((fact, other), key=lambda one: one.kind is FactKind.CLOCK)
        return number.unit in ("", "hour") and f"{number.value}:00" == clock.value.lstrip("0")
    if len(kinds) == 2:
        return False
    if fact.kind is not FactKind.NUMBER:
        return fact.value.lstrip("0") == other.value.lstrip("0")
    if fact.value == other.value:
        return fact.unit == other.unit or not (fact.unit and other.unit)
    return any(
        length[fact.unit] * float(fact.value) == length[other.unit] * float(other.value)
        for length in (MINUTES, MONTHS_LONG)
        if fact.unit in length and other.unit in length
    )


def competes(fact: Fact, other: Fact) -> bool:
    """Tells whether `other` is another answer to the same question: another price, another day."""
    if fact.kind is not other.kind or fact.value == other.value:
        return False
    if fact.kind is FactKind.NUMBER:
        units = {fact.unit, other.unit}
        return len(units) == 1 or units <= MONEY or units <= TIME
    return fact.kind is not FactKind.NAME
