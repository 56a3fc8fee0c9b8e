"""The names of months and weekdays, as people write them and folded."""

from __future__ import annotations

from itertools import chain

from language.word_lists import lines
from language.words import LANGUAGES, Language, fold

MONTHS: dict[Language, list[str]] = {
    language: [line.split()[0] for line in lines("calendar.months", language)]
    for language in LANGUAGES
}
WEEKDAYS: dict[Language, list[str]] = {
    language: [line.split()[0] for line in lines("calendar.weekdays", language)]
    for language in LANGUAGES
}


def numbered(*places: str) -> dict[str, int]:
    """The number, from 1, of each folded name in these lists."""
    return {
        fold(name): number
        for place in places
        for language in LANGUAGES
        for number, line in enumerate(lines(place, language), start=1)
        for name in line.split()
    }


MONTH_NUMBERS = numbered("calendar.months")
MONTH_FORMS = numbered("calendar.months", "calendar.months_short")  # «ene», "sept"
WEEKDAY_NUMBERS = numbered("calendar.weekdays")
PLAIN_WEEKDAYS = frozenset(fold(name) for name in chain(*WEEKDAYS.values()))  # no plurals
