"""Quantities in Spanish and English text: «de 10 a 15 personas», "up to 5 kg", «media hora».

A quantity is a range of numbers with a unit. Times of day, dates, ordinals, codes and phone numbers
are none. One pass over the words, each of which looks at a few neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from language.amounts import (
    NUMBER,
    OF,
    Amount,
    Tokens,
    Unit,
    may_begin,
    plain_text,
    read_amount,
    tokens_of,
)
from language.calendar import MONTH_FORMS, WEEKDAY_NUMBERS
from language.quantity_words import (
    AGES_BEFORE,
    BOUND_AFTER,
    BOUND_BEFORE,
    CLOCK_AFTER,
    CLOCK_BEFORE,
    OLD_AFTER,
    PEOPLE_AFTER,
    PEOPLE_BEFORE,
    RANGE_WORDS,
    UNITS,
)
from language.words import Language

PLACES_TRIED = 500  # for a number; more than any passage holds: what comes behind is left out
NEIGHBOURS = 6  # tokens before and behind a number that tell what it means
# Units that are measured with one another: each unit's measure, and how much of it the unit is.
MEASURES = {"hour": ("time", 1), "day": ("time", 24), "month": ("age", 1), "year": ("age", 12)}
MEASURES["age"] = MEASURES["year"]

PHONE_MIN_PARTS = 3
HOURS_OF_DAY = 24
FIRST_YEAR, LAST_YEAR = 1900, 2099
NO_UNIT: Unit = ("", 1.0)


@dataclass(frozen=True)
class Quantity:
    """All numbers from `low` to `high`; the same twice for one number.

    An open side is 0 or infinite; a bound that is left out («más de 30») is the next number that a
    float can hold. `unit` is one of quantity_words.UNITS' names, "" when the text tells none.
    """

    low: float
    high: float
    unit: str = ""


def read_quantities(text: str, language: Language) -> tuple[Quantity, ...]:
    """The quantities that `text` names, in its order. `language` decides about «1.200» and
    «once»."""
    plain = plain_text(text)
    if not NUMBER[language].search(plain):
        return ()
    return tuple(quantities_of(tokens_of(plain), language))


def satisfies(asked: Quantity, offered: Quantity) -> bool | None:
    """Tells whether the asked quantity lies in the offered one, or the other way round («hasta 50
    €», an article at 45 €): False where nothing of one is in the other.

    None: their units cannot be compared, they only overlap, or neither has a unit and they differ.
    """
    one, other = in_measure(asked), in_measure(offered)
    if one.unit != other.unit:
        return None
    if other.low <= one.low <= one.high <= other.high:
        return True if one.unit or other.low < other.high else None
    if one.low <= other.low <= other.high <= one.high:
        return True if one.unit else None
    is_apart = one.high < other.low or other.high < one.low
    return False if is_apart and one.unit else None


def within_bounds(offered: Sequence[Quantity]) -> list[Quantity]:
    """The same, two open ones that leave room between them as one: «con al menos 48 horas y como
    máximo una semana» is from two to seven days; «menos de 8 días» and «más de 30» stay two."""
    closed = [one for one in offered if one.low > 0 and one.high < math.inf]
    lower = [one for one in offered if one.high == math.inf]
    upper = [one for one in offered if one.low == 0 and one.high < math.inf]
    for below in upper:
        above = next((one for one in lower if leave_room(one, below)), None)
        if above is None:
            closed.append(below)
            continue
        lower.remove(above)
        size = in_measure(above)
        closed.append(Quantity(size.low, in_measure(below).high, size.unit))
    return closed + lower


def leave_room(above: Quantity, below: Quantity) -> bool:
    one, other = in_measure(above), in_measure(below)
    return one.unit == other.unit and bool(one.unit) and one.low < other.high


def in_measure(quantity: Quantity) -> Quantity:
    measure, size = MEASURES.get(quantity.unit, (quantity.unit, 1))
    return Quantity(quantity.low * size, quantity.high * size, measure)


def quantities_of(tokens: Tokens, language: Language) -> Iterator[Quantity]:
    place = tried = 0
    while place < len(tokens) and tried < PLACES_TRIED:
        if not may_begin(tokens[place], language):
            place += 1
            continue
        tried += 1
        first = read_amount(tokens, place, language)
        if first is None:
            place += 1
            continue
        second = read_second(tokens, first, language)
        place = (second or first).end
        if (behind_phone := skip_phone(tokens, place)) != place:
            place = behind_phone
        elif quantity := build(tokens, first, second):
            yield quantity


def build(tokens: Tokens, first: Amount, second: Amount | None) -> Quantity | None:
    """A quantity; None for numbers that only look like one: times of day, days of a month,
    years."""
    last = second or first
    before, behind = words_before(tokens, first.begin), words_behind(tokens, last.end)
    if is_time(tokens, first, last, before, behind) or is_day_of_month(tokens, first, last):
        return None
    unit, size = last.unit or first.unit or unit_before(tokens, first.begin) or NO_UNIT
    low, high = first.value_in(size), last.value_in(size)
    unit = unit_in_context(unit, before, behind)
    if not unit and second is None and FIRST_YEAR <= low <= LAST_YEAR:
        return None
    if second is None:
        low, high = bounds(low, before, behind)
    return Quantity(low, high, unit)


def bounds(value: float, before: str, behind: str) -> tuple[float, float]:
    """«más de 30» is 30 and not 30 itself, up to infinity."""
    found = BOUND_BEFORE.search(before) or BOUND_AFTER.match(behind)
    match found.lastgroup if found else None:
        case "above":
            return math.nextafter(value, math.inf), math.inf
        case "at_least":
            return value, math.inf
        case "below":
            return 0.0, math.nextafter(value, 0.0)
        case "at_most":
            return 0.0, value
        case _:
            return value, value


def unit_in_context(unit: str, before: str, behind: str) -> str:
    """Ages and numbers of people are often told without their unit: «menores de 12», «somos 8»."""
    if unit in ("", "year") and (AGES_BEFORE.search(before) or OLD_AFTER.match(behind)):
        return "age"
    if not unit and (PEOPLE_BEFORE.search(before) or PEOPLE_AFTER.match(behind)):
        return "person"
    return unit


def unit_before(tokens: Tokens, begin: int) -> Unit | None:
    """The unit before a number: "€12", «Personas: 12», «Precio (EUR): 12»."""
    place = begin - 1
    if place >= 0 and tokens[place].kind == "sign" and tokens[place].text in UNITS:
        return UNITS[tokens[place].text]
    near = tokens[max(0, begin - NEIGHBOURS) : begin]
    texts = [token.text for token in near]
    if ":" not in texts and ")" not in texts and (not texts or texts[-1] not in ("eur", "usd")):
        return None
    for text in reversed(texts):
        if text in UNITS or text in (";", ".", ",", "\n", "|"):
            return UNITS.get(text)
    return None


def is_time(tokens: Tokens, first: Amount, last: Amount, before: str, behind: str) -> bool:
    """«de 9 a 14 h», «a las 5»; «de 24 a 48 h» is a duration."""
    if CLOCK_AFTER.match(behind):
        return True
    is_hours = last.unit is not None and last.unit[0] == "hour"
    if (last.unit and not is_hours) or max(first.number, last.number) > HOURS_OF_DAY:
        return False
    is_span = first is not last and tokens[last.begin - 1].text in ("a", "to")
    if is_span and (is_hours or has_weekday(before)):
        return True
    return CLOCK_BEFORE.search(before) is not None


def has_weekday(before: str) -> bool:
    return any(word in WEEKDAY_NUMBERS for word in before.split())


def is_day_of_month(tokens: Tokens, first: Amount, last: Amount) -> bool:
    if last.unit:
        return False
    following = [token.text for token in tokens[last.end : last.end + 2]]
    if following and following[0] in OF:
        following = following[1:]
    preceding = tokens[first.begin - 1].text if first.begin else ""
    return preceding in MONTH_FORMS or bool(following and following[0] in MONTH_FORMS)


def skip_phone(tokens: Tokens, end: int) -> int:
    """The place behind three or more bare numbers in a row, which are a phone number; else
    `end`."""
    place = end
    while place < len(tokens) and tokens[place].kind == "number":
        place += 1
    return place if place - end >= PHONE_MIN_PARTS - 1 else end


def words_before(tokens: Tokens, begin: int) -> str:
    return " ".join(token.text for token in tokens[max(0, begin - NEIGHBOURS) : begin])


def words_behind(tokens: Tokens, end: int) -> str:
    return " ".join(token.text for token in tokens[end : end + NEIGHBOURS])


def read_second(tokens: Tokens, first: Amount, language: Language) -> Amount | None:
    """The other end of a range that begins with `first`, in the same unit."""
    if first.end >= len(tokens):
        return None
    joint = tokens[first.end].text
    if joint in ("y", "and"):
        if not {"entre", "between"} & set(words_before(tokens, first.begin).split()[-2:]):
            return None
    elif joint not in RANGE_WORDS:
        return None
    begin = first.end + 1
    if begin < len(tokens) and tokens[begin].text in ("los", "las", "el", "the"):
        begin += 1
    second = read_amount(tokens, begin, language)
    return in_unit_of(first, second) if second else None


def in_unit_of(first: Amount, second: Amount) -> Amount | None:
    """`second`, when it is the larger; «de 6 meses a 2 años» are months."""
    if first.unit is None or second.unit is None:
        return second if second.number > first.number else None
    value = second.value_in(1)
    if first.unit[0] != second.unit[0]:
        one, other = MEASURES.get(first.unit[0]), MEASURES.get(second.unit[0])
        if one is None or other is None or one[0] != other[0]:
            return None
        value *= other[1] / one[1]
    is_larger = value > first.value_in(1)
    return Amount(value, (first.unit[0], 1), second.begin, second.end) if is_larger else None
