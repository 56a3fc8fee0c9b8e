"""Dates in Spanish and English text: «el 4 de marzo de 2027», "March 4th", "4.3.27", "2027-03-04",
and what they bound: «antes del 15 de abril», "from 1 to 8 May", «en marzo de 2027».

A date is a day of the calendar, of any year where none is told; times of the year, such as seasons,
are language/periods.py's. Of two numbers the first is the day, as in Spain, unless it cannot be,
or the texts beside it say otherwise.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from language.calendar import MONTH_FORMS, MONTH_NUMBERS, MONTHS, PLAIN_WEEKDAYS
from language.periods import (
    AMBIGUOUS,
    BETWEEN,
    DAY_BEFORE,
    DAY_BEHIND,
    JOINT,
    JOINT_BETWEEN,
    LAST_DAY,
    MEANS_A_DAY,
    MEANS_A_MONTH,
    MONTH,
    ORDINAL,
    PERIODS_READ,
    day_of,
)
from language.word_lists import pattern
from language.words import Language, fold, split_words

LEAP_YEAR = 2028
CENTURY = 2000  # of a year of two figures
# In which a date without its year is looked for by the search, as computers write it
YEARS_SEARCHED = range(2020, 2040)
HOURS = range(24)  # of a time as programs write it: 2027-03-04T18:30
SHORT_CHARS = 3  # of a month's name: «mar», "Mar"
SEEN_BEFORE = 48  # characters before a date that tell what it bounds
FOREVER = 10**9

YEAR = r"(?:19|20)\d\d"
BEHIND = rf"(?:\.?,?[ -]?(?:del? |of )?(?P<%s_year>{YEAR})\b)?"
SHORT_YEAR = rf"(?:-(?P<d_short>\d\d)\b(?! ?(?:de |of )?{MONTH}))?"  # 04-mar-27
DATE = re.compile(
    rf"(?P<iso>(?<![\d/-])(?P<i_year>{YEAR})(?P<i_mark>[/-])(?P<i_month>\d{{1,2}})(?P=i_mark)"
    r"(?P<i_day>\d{1,2})(?![\d-]))"
    r"|(?P<numeric>(?<![\d/.,-])(?P<one>\d{1,2})(?P<mark>[/.-])(?P<two>\d{1,2})"
    rf"(?:(?P=mark)(?P<n_year>{YEAR}|\d\d))?(?![\d/]|[.,:-]\d| ?[%€]))"
    rf"|(?P<day_first>(?<![\d.,:/])(?P<d_day>\d{{1,2}})(?P<ordinal>{ORDINAL})[ -]?(?:de |of )?"
    rf"(?P<d_month>{MONTH})\b{BEHIND % 'd'}{SHORT_YEAR})"
    rf"|(?P<month_first>\b(?P<m_month>{MONTH})\.?[ -](?:the )?(?P<m_day>\d{{1,2}}){ORDINAL}"
    rf"(?![\d:/%]|[.,]\d| ?(?:[€£$%]|eur|noches?\b|nights?\b)){BEHIND % 'm'})"
    rf"|(?P<month>\b(?P<a_month>{MONTH})\b{BEHIND % 'a'})"
)
TO_THE_DAY = rf"(?: (?:del?|el|los|the|dia|al?|on))*(?: (?:{'|'.join(PLAIN_WEEKDAYS)}),?)? ?$"
BOUND_BEFORE = re.compile(
    "|".join(
        rf"(?P<{name}>\b(?:{pattern(f'dates.{name}')}){TO_THE_DAY})"
        for name in ("not_before", "before", "after", "since", "until")
    )
)
ONWARDS = re.compile(rf",? (?:{pattern('dates.onwards')})\b")
# «el 4/3»: without a year, such numbers may be a fraction
NAMES_A_DAY = re.compile(rf"\b(?:el|del|on|the|{pattern('dates.names_a_day')}) $")


@dataclass(frozen=True)
class Day:
    """A day of the calendar; `year` None: of any year."""

    month: int
    day: int
    year: int | None = None

    @property
    def number(self) -> int:
        """Its place in its year, or among all days; months are counted as DAYS days."""
        return day_of((self.month, self.day)) + LAST_DAY * (self.year or 0)

    def in_year(self, year: int | None) -> Day:
        return Day(self.month, self.day, year)

    def moved(self, days: int) -> Day:
        """The day before or behind it."""
        other = date(self.year or LEAP_YEAR, self.month, self.day) + timedelta(days)
        return Day(other.month, other.day, other.year if self.year else None)


@dataclass(frozen=True)
class DateRange:
    """All days from `low` to `high`, an open side None; `begin` and `end`: where it stands."""

    low: Day | None
    high: Day | None
    begin: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def days(self) -> tuple[Day, ...]:
        return tuple(day for day in (self.low, self.high) if day)

    @property
    def is_day(self) -> bool:
        return self.low is not None and self.low == self.high

    @property
    def is_month(self) -> bool:
        low, high = self.low, self.high
        if low is None or high is None or low.day != 1:
            return False
        return high == Day(low.month, last_day(low.month, low.year), low.year)

    @property
    def is_closed(self) -> bool:
        return self.low is not None and self.high is not None

    def in_year(self, year: int | None) -> DateRange:
        low, high = (day and day.in_year(year) for day in (self.low, self.high))
        return DateRange(low, high, self.begin, self.end)

    def overlaps(self, other: DateRange) -> bool:
        """Tell whether the two share a day; in any year, where one of them tells no year."""
        if not all(day.year for day in (*self.days, *other.days)):
            return any(
                low <= other_high and other_low <= high
                for low, high in self.in_year(None).parts
                for other_low, other_high in other.in_year(None).parts
            )
        (low, high), (other_low, other_high) = self.ends, other.ends
        return low <= other_high and other_low <= high

    @property
    def ends(self) -> tuple[int, int]:
        low = self.low.number if self.low else -FOREVER
        return low, self.high.number if self.high else FOREVER

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """The ends; two pairs of them where the range goes over new year."""
        low, high = self.ends
        return ((low, high),) if low <= high else ((low, LAST_DAY), (1, high))


Order = Literal["day", "month"]  # which of two numbers comes first


def read_dates(text: str, order: Order = "day") -> tuple[DateRange, ...]:
    """Return the dates that a text names, in its order."""
    return find_dates(fold(text), order)


def find_dates(plain: str, order: Order = "day") -> tuple[DateRange, ...]:
    """Return the dates that a folded text names, in its order."""
    found = [
        one
        for _, match in zip(range(PERIODS_READ), DATE.finditer(plain), strict=False)
        if (one := read_match(plain, match, order))
    ]
    return tuple(ranges_of(plain, found))


def read_asked_dates(plain: str, language: Language) -> tuple[DateRange, ...]:
    """Return the dates of a folded question, each in every order in which it may be meant: an
    English "4/3/2027" is the fourth of March, or else the third of April."""
    found = find_dates(plain)
    return (
        found if language == "es" else tuple(dict.fromkeys((*found, *find_dates(plain, "month"))))
    )


def order_of(texts: Iterable[str]) -> Order | None:
    """Return which number comes first in these texts, None where none of them tells: "25/03/2027"
    does."""
    numbers = [
        (int(match["one"]), int(match["two"]))
        for text in texts
        for match in DATE.finditer(fold(text))
        if match["numeric"]
    ]
    if any(one > 12 for one, _ in numbers):
        return "day"
    return "month" if any(two > 12 for _, two in numbers) else None


def read_match(plain: str, match: re.Match[str], order: Order) -> DateRange | None:
    """Return the day or the month of a match; None for 31/31, the verb "may" and the like."""
    before = plain[max(0, match.start() - SEEN_BEFORE) : match.start()]
    kind, told = match.lastgroup or "", match.groupdict()
    year = year_of(told)
    match kind:
        case "iso":
            low = high = Day(int(told["i_month"]), int(told["i_day"]), year)
        case "numeric":
            if year is None and not (told["mark"] == "/" and NAMES_A_DAY.search(before)):
                return None
            low = high = in_order(int(told["one"]), int(told["two"]), year, order)
        case "day_first":
            low = high = Day(MONTH_FORMS[told["d_month"]], int(told["d_day"]), year)
            is_sure = bool(year or told["ordinal"]) or told["d_month"] != "may"
            if not (is_sure or MEANS_A_DAY.search(before)):  # "under 12 may swim"
                return None
        case "month_first":
            low = high = Day(MONTH_FORMS[told["m_month"]], int(told["m_day"]), year)
        case _:
            name = told["a_month"]
            is_sure = name in MONTH_NUMBERS and name not in AMBIGUOUS
            if not (year or is_sure or MEANS_A_MONTH.search(before)):  # "what is the APR?"
                return None
            month = MONTH_FORMS[name]
            low, high = Day(month, 1, year), Day(month, last_day(month, year), year)
    is_real = 1 <= low.month <= 12 and 1 <= low.day <= last_day(low.month, low.year)
    return DateRange(low, high, *match.span()) if is_real else None


def year_of(told: Mapping[str, str | None]) -> int | None:
    names = ("i_year", "n_year", "d_year", "d_short", "m_year", "a_year")
    written = next((told[name] for name in names if told[name]), None)
    if written is None:
        return None
    return int(written) + (CENTURY if len(written) == 2 else 0)


def in_order(one: int, two: int, year: int | None, order: Order) -> Day:
    is_month_first = two > 12 if one > 12 or two > 12 else order == "month"
    return Day(one, two, year) if is_month_first else Day(two, one, year)


def last_day(month: int, year: int | None) -> int:
    return monthrange(year or LEAP_YEAR, month)[1]


def ranges_of(plain: str, found: Sequence[DateRange]) -> Iterator[DateRange]:
    """Join two dates that are the ends of a range, and open those that bound one side."""
    place = 0
    while place < len(found):
        one = found[place]
        other = found[place + 1] if place + 1 < len(found) else None
        before = plain[max(0, one.begin - SEEN_BEFORE) : one.begin]
        place += 1
        if other is not None and is_joined(before, plain[one.end : other.begin]):
            place += 1
            yield between(one, other)
        else:
            yield bounded(one, before, plain[one.end : one.end + SEEN_BEFORE])


def is_joined(before: str, middle: str) -> bool:
    return bool(
        JOINT.fullmatch(middle) or (JOINT_BETWEEN.fullmatch(middle) and BETWEEN.search(before))
    )


def between(one: DateRange, other: DateRange) -> DateRange:
    """Return the range from one date to the other, whose year both may share."""
    low, high = one.low, other.high
    if low and high and low.year is None and high.year is not None:
        is_of_year = low.in_year(None).number <= high.in_year(None).number
        low = low.in_year(high.year if is_of_year else high.year - 1)
    return DateRange(low, high, one.begin, other.end)


def bounded(one: DateRange, before: str, behind: str) -> DateRange:
    low, high = one.low, one.high
    if low is None or high is None:
        return one
    if one.is_day and (first := DAY_BEFORE.search(before)):
        begin = one.begin - len(before) + first.start(1)
        return DateRange(Day(low.month, int(first[1]), low.year), high, begin, one.end)
    if one.is_day and (last := DAY_BEHIND.match(behind)):
        return DateRange(low, Day(low.month, int(last[1]), low.year), one.begin, one.end)
    bound, onwards = BOUND_BEFORE.search(before), ONWARDS.match(behind)
    match bound.lastgroup if bound else None:
        case "before":
            high = low.moved(-1)
            low = None
        case "after":
            low = high.moved(1)
            high = None
        case "since" | "not_before":
            high = None
        case "until":
            low = None
        case _ if onwards:
            high = None
    begin = one.begin - len(before) + bound.start() if bound else one.begin
    return DateRange(low, high, begin, one.end + (onwards.end() if onwards else 0))


# --- For the search -------------------------------------------------------------------------------


def terms_of_dates(plain: str, found: Iterable[DateRange]) -> dict[str, frozenset[str]]:
    """Return, for each word of the days that a question names, the other forms in which a text may
    hold it: as search terms (language/terms.py). "2027-03-04" holds every word of «4 de marzo de
    2027»."""
    terms: dict[str, frozenset[str]] = {}
    for one in found:
        if not (one.is_day and one.low):
            continue
        whole = written_forms(one.low)
        for word in split_words(plain[one.begin : one.end]):
            forms = whole.union(forms_of_part(word, one.low))
            terms[word] = terms.get(word, frozenset()) | {f"={form}" for form in forms}
    return terms


def written_forms(day: Day) -> frozenset[str]:
    """Return the day as numbers, without the marks between them, as the search knows codes."""
    months, days = {str(day.month), f"{day.month:02}"}, {str(day.day), f"{day.day:02}"}
    pairs = [
        (a, b) for a in days for b in months if (len(a) == 2) == (len(b) == 2) or "0" not in a + b
    ]
    years = (day.year,) if day.year else YEARS_SEARCHED
    near = (day.year,) if day.year else years_around(datetime.now(UTC).year)
    with_hours = (f"{year}{day.month:02}{day.day:02}t{hour:02}" for year in near for hour in HOURS)
    return frozenset(with_hours).union(
        form
        for year in years
        for one, two in pairs
        for form in (
            f"{year}{day.month:02}{day.day:02}",
            f"{one}{two}{year}",
            f"{two}{one}{year}",
            *((f"{one}{two}{year % 100:02}", f"{two}{one}{year % 100:02}") if day.year else ()),
        )
    )


def years_around(year: int) -> range:
    """Return the years of which a time without its year is likely to be one."""
    return range(year - 1, year + 3)


def forms_of_part(word: str, day: Day) -> Iterator[str]:
    """Yield the forms of a number or a name that stands for the day or for the month."""
    is_month = MONTH_FORMS.get(word) == day.month
    if is_month or not word.isdigit() or int(word) == day.month or len(word) > 4:
        for names in MONTHS.values():
            name = fold(names[day.month - 1])
            yield from (name, name[:SHORT_CHARS])
    if word.isdigit() and int(word) == day.day:
        yield from (f"{day.day}", f"{day.day:02}", f"{day.day}{ordinal_of(day.day)}")


def ordinal_of(day: int) -> str:
    if day in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
