"""Keeps the rows of the dates that a question names: «el 4 de marzo», "after 1 May"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from language.dates import DateRange, Day, order_of
from language.words import split_words
from query.answering.tables.asking import TableQuestion
from query.answering.tables.evidence import TableEvidence
from query.answering.tables.table import Column
from query.answering.tables.vocabulary import BEGINNINGS, ENDS
from query.understanding.asked_for import AROUND_DATE

DATE_SAYS = 3.0  # of information: a date chooses a row as its name does


def words_of_dates(question: TableQuestion) -> frozenset[str]:
    """The question's words that are looked at as dates, and not as words of the table; with those
    that need not stand there beside a date."""
    spans = {(one.begin, one.end) for one in question.asked.dates}
    told = (split_words(question.plain[begin:end]) for begin, end in spans)
    return AROUND_DATE.union(*told) if spans else frozenset()


def keep_by_date(
    question: TableQuestion,
    told: Sequence[Column],
    rows: list[int],
    evidence: TableEvidence,
    today: date,
) -> list[int]:
    """The rows whose date is one that the question names; of a date that may be read in two ways,
    those of the first that leaves a row. All, where it names none."""
    asked = question.asked.dates
    columns = dated_columns(told, evidence)
    if not asked or not columns:
        return rows
    if order_of(columns[0].texts) == "month":
        asked = asked[::-1]  # read_asked_dates puts the day first
    for one in asked:
        kept = [row for row in rows if holds(one, columns, row, today)]
        if kept:
            break
    if one.is_day:
        kept = of_one_year(kept, columns, today)
    evidence.quantities += 1
    evidence.cells += DATE_SAYS
    evidence.measured, evidence.is_dated = columns[0].header, True
    return kept


def dated_columns(told: Sequence[Column], evidence: TableEvidence) -> list[Column]:
    """The column of dates that the question names, else a first day with a last, else the first of
    them."""
    dated = [column for column in told if column.is_dated]
    named = [column for column in dated if column.header in evidence.named_headers]
    if named:
        return named[:1]
    begins = [column for column in dated if column.words & BEGINNINGS]
    ends = [column for column in dated if column.words & ENDS]
    return [begins[0], ends[0]] if begins and ends else dated[:1]


def date_of_row(columns: Sequence[Column], row: int) -> DateRange | None:
    first, last = columns[0].dates[row], columns[-1].dates[row]
    if first is None or last is None:
        return first
    return DateRange(first.low, last.high)


def holds(asked: DateRange, columns: Sequence[Column], row: int, today: date) -> bool:
    offered = date_of_row(columns, row)
    if offered is None:
        return False
    if not asked.is_closed and not all(day.year for day in asked.days):
        days = (one.low for column in columns for one in column.dates if one)
        asked = asked.in_year(year_meant(asked.days[0], filter(None, days), today))
    return asked.overlaps(offered)


def year_meant(bound: Day, offered: Iterable[Day], today: date) -> int | None:
    """The year of a bound that tells none: the next time that it comes, or the last of the table
    where all its dates are before that; None where the table tells no years."""
    numbers = [(day.number, day.year) for day in offered if day.year]
    if not numbers:
        return None
    now = Day(today.month, today.day, today.year)
    coming = bound.in_year(today.year)
    if coming.number < now.number:
        coming = bound.in_year(today.year + 1)
    last, year = max(numbers)
    return coming.year if coming.number <= last else year


def of_one_year(rows: list[int], columns: Sequence[Column], today: date) -> list[int]:
    """Returns the rows whose days, asked without a year, come next, else those that were last."""
    found = {row: one.low for row in rows if (one := date_of_row(columns, row))}
    years = {day.year for day in found.values() if day and day.year}
    if len(years) < 2:
        return rows
    now = Day(today.month, today.day, today.year).number
    coming = [day for day in found.values() if day and day.number >= now]
    chosen = min(coming, key=number_of).year if coming else max(years)
    return [row for row, day in found.items() if day and day.year == chosen]


def number_of(day: Day) -> int:
    return day.number
