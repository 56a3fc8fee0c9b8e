"""Numbers in words, Spanish and English, folded."""

from __future__ import annotations

from language.word_lists import groups
from language.words import LANGUAGES, Language


def values(place: str, language: Language) -> dict[str, int]:
    return {word: int(value) for value, words in groups(place, language) for word in words}


CARDINALS: dict[Language, dict[str, int]] = {
    language: values("numerals.cardinals", language) for language in LANGUAGES
}
MULTIPLIERS: dict[Language, dict[str, int]] = {
    language: values("numerals.multipliers", language) for language in LANGUAGES
}


def names_of(value: int) -> list[str]:
    """The words for a number in either language, the usual one first; what only multiplies small
    numbers, as a dozen does, is not one."""
    tables = [*CARDINALS.values(), *(MULTIPLIERS.values() if value >= 100 else ())]
    return [word for table in tables for word, number in table.items() if number == value]


def usual_name(value: int, language: Language) -> str:
    return next(word for word, number in CARDINALS[language].items() if number == value)
