"""The words around numbers, Spanish and English, folded (language.words: fold): units,
number words, and what tells a bound, an age, a number of people, a time of day."""

from __future__ import annotations

import re
from fractions import Fraction

from language.numerals import CARDINALS
from language.word_lists import groups, pattern, words
from language.words import LANGUAGES, Language


def read_units() -> dict[str, tuple[str, float]]:
    """Map each word of a quantity to its unit, and to how many of that unit it is."""
    return {
        word: (unit, float(Fraction(size)))
        for (unit, size), names in (
            (name.split(), names) for name, names in groups("quantities.units")
        )
        for word in names
    }


def any_of(key: str) -> str:
    return f"(?:{pattern(f'quantities.{key}')})"


UNITS = read_units()
# Two words that are one unit, and the unit.
COMPOUND_UNITS = (
    (re.compile(r"\bmetros? cubicos?\b|\bcubic met(?:re|er)s?\b"), "m3"),
    (re.compile(r"\bmetros? cuadrados?\b|\bsquare met(?:re|er)s?\b"), "m2"),
)
# Without zero: nobody wants none of a thing.
COUNTED: dict[Language, dict[str, int]] = {
    language: {word: value for word, value in CARDINALS[language].items() if value}
    for language in LANGUAGES
}
HALVES = dict.fromkeys(words("numerals.halves"), 0.5) | {"cuarto": 0.25, "quarter": 0.25}
QUARTERS = words("numerals.quarters")
QUALIFIERS = words("quantities.qualifiers")  # of units: "working days"
NEED_A_UNIT = words("quantities.need_a_unit")  # alone they are articles and pronouns
RANGE_WORDS = words("quantities.ranges")

# What stands right before a number, or right behind it and its unit. Neighbours are joined by one
# blank each, signs too: a comma or a full stop between them ends what they tell.
BOUND_BEFORE = re.compile(
    rf"(?:^| )(?:(?P<at_most>{any_of('at_most')})|(?P<at_least>{any_of('at_least')})"
    rf"|(?P<above>{any_of('above')})|(?P<below>{any_of('below')}))"
    r"(?: (?:los|las|the|€|\$|£|unos|unas))?$"
)
BOUND_AFTER = re.compile(
    rf"(?P<at_least>{any_of('at_least_behind')})|(?P<at_most>{any_of('at_most_behind')})"
)
AGES_BEFORE = re.compile(rf"(?:^| ){any_of('ages')}(?: (?:los|las))?$")
OLD_AFTER = re.compile(any_of("ages_behind"))
PEOPLE_BEFORE = re.compile(rf"(?:^| ){any_of('people')}(?: (?:unos|unas|solo|about|around|only))?$")
PEOPLE_AFTER = re.compile(any_of("people_behind"))
CLOCK_BEFORE = re.compile(rf"(?:^| ){any_of('clock')}$")
CLOCK_AFTER = re.compile(any_of("clock_behind"))
