"""The numbers that a text says, in figures or in words, so that a text and its translation hold
the same ones: «14,50 €» and "€14.50", «las 19:30» and "7:30 pm", «nueve días» and "nine days".
"""

from __future__ import annotations

import re

from language.amounts import number_of
from language.numerals import CARDINALS
from language.words import WORD, Language, fold

FIGURES = re.compile(r"(?P<number>\d+(?:[.,:]\d+)*)(?: ?(?P<half>[ap])\.?m\b)?")
FIGURES_MAX = 300  # of one text: a page of a price list holds fewer
# "A" and "one" come and go in a translation
SMALLEST_IN_WORDS = 2
NOON = 12


def read_figures(text: str, language: Language) -> frozenset[float]:
    """Return the numbers that `text` says, each once. Hours and minutes are two numbers."""
    folded = fold(text)
    found: set[float] = set()
    for count, match in enumerate(FIGURES.finditer(folded)):
        if count == FIGURES_MAX:
            break
        found |= read_one(match["number"], match["half"], language)
    cardinals = CARDINALS[language]
    told = {cardinals[word] for word in WORD.findall(folded) if word in cardinals}
    return frozenset(found.union(number for number in told if number >= SMALLEST_IN_WORDS))


def read_one(number: str, half: str | None, language: Language) -> set[float]:
    """Return the number, or the hour of the day and its minutes where it is a time; `half`: the
    first letter of "am" or "pm"."""
    if half is None and ":" not in number:
        return {number_of(number, language)}
    hour, *minutes = (float(part) for part in re.split(r"[.,:]", number))
    if half == "p" and hour < NOON:
        hour += NOON
    return {hour, *(part for part in minutes if part)}
