"""The words of words.toml, as the readers of facts and clauses look them up. All are folded."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from language.calendar import MONTHS
from language.numerals import CARDINALS, MULTIPLIERS
from language.words import LANGUAGES, Language, stem

FILE = Path(__file__).with_name("words.toml")
WORDS: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
FREE_OF_CHARGE = "free"  # a unit of its own: "free" states a price, and none other


@dataclass(frozen=True)
class Side:
    """A side of a pair of opposites, or of three."""

    pair: int
    number: int


def by_word(groups: Mapping[str, str]) -> dict[str, str]:
    """The key of each word of the groups."""
    return {word: key for key, words in groups.items() for word in words.split()}


def one_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(patterns)})(?![\w-])", re.IGNORECASE)


def read_synonyms(lines: list[str]) -> dict[str, set[str]]:
    """The synonym lines that hold each term, written as terms of their own: "~3"."""
    synonyms: dict[str, set[str]] = {}
    for number, line in enumerate(lines):
        for word in line.split():
            for term in (f"={word}", f"s{stem(word, 'es')}", f"c{stem(word, 'en')}"):
                synonyms.setdefault(term, set()).add(f"~{number}")
    return synonyms


def read_sides(lines: list[str]) -> dict[str, Side]:
    return {
        word: Side(pair, number)
        for pair, line in enumerate(lines)
        for number, words in enumerate(line.split())
        for word in words.split("|")
    }


UNITS = {**by_word(WORDS["units"]), "§": FREE_OF_CHARGE}
MINUTES: dict[str, int] = WORDS["minutes"]
MONTHS_LONG: dict[str, int] = WORDS["months"]
BETWEEN = frozenset(WORDS["between"]["words"].split())
ONE = frozenset(WORDS["one"]["words"].split())
NO_NUMBERS = ONE | frozenset(WORDS["numbers"]["vague"].split())
NUMBERS: dict[Language, dict[str, int]] = {
    language: {
        word: number
        for word, number in (CARDINALS[language] | MULTIPLIERS[language]).items()
        if word not in NO_NUMBERS
    }
    for language in LANGUAGES
}
NUMBERS["en"].update(WORDS["numbers"]["also"])
MONTH_NAMES = {number: name.lower() for number, name in enumerate(MONTHS["en"], start=1)}
DAYS: dict[str, list[str]] = WORDS["calendar"]["days"]
NO_NAMES = frozenset(WORDS["names"]["none"].split())
FREE = one_of(WORDS["free"]["patterns"])
NOT_FREE = one_of(WORDS["free"]["not"])
NEGATION = frozenset(WORDS["negation"]["words"].split())
CLOSING = frozenset(WORDS["negation"]["closing"].split())
CLOSED = frozenset(WORDS["negation"]["closed"].split())
BEING = frozenset(WORDS["negation"]["being"].split())
NEGATION_PATTERNS = re.compile("|".join(WORDS["negation"]["patterns"]), re.IGNORECASE)
EMPTY = frozenset(WORDS["empty"]["words"].split())
MEASURES = {name: frozenset(words.split()) for name, words in WORDS["measures"].items()}
MONEY = frozenset({"euro", "dollar", "pound", "cent", FREE_OF_CHARGE})
TIME = frozenset({"second", *MINUTES, *MONTHS_LONG})
WEIGHT = frozenset({"gram", "milligram", "kilo", "tonne"})
PRICE_WORDS = frozenset(f"={word}" for word in WORDS["price"]["words"].split())
SYNONYMS = read_synonyms([WORDS["price"]["words"], *WORDS["synonyms"]["lines"].split("\n")])
PRICES = "~0"  # the first of them
PHRASES: dict[str, str] = WORDS["phrases"]
PHRASE = one_of([re.escape(phrase) for phrase in PHRASES])
SIDES = read_sides(WORDS["contrasts"]["lines"].strip().split("\n"))
