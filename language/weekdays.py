"""Days of the week in Spanish and English text: «de lunes a viernes», "Mon–Fri", «L-V», "Tue, Thu &
Sat", «fines de semana»; and the lines of a list of hours, each with the days that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from language.calendar import WEEKDAY_NUMBERS, numbered
from language.word_lists import pattern, read
from language.words import fold

Days = frozenset[int]  # 1 for Monday … 7 for Sunday

WORKING_DAYS: Days = frozenset(range(1, 6))
WEEKEND: Days = frozenset((6, 7))
EVERY_DAY = WORKING_DAYS | WEEKEND
NO_DAYS: Days = frozenset()

LINE_MAX_CHARS = 240  # of a line of hours; a longer one is prose
LETTERS = {
    letter: number for number, letter in enumerate(read("calendar.weekday_letters", ())[0], 1)
}
SHORT = {**numbered("calendar.weekdays_short"), **WEEKDAY_NUMBERS}


def alternatives(names: dict[str, int]) -> str:
    return "|".join(sorted(filter(None, names), key=len, reverse=True))


TO = r"\.?\s?(?:-|–|—|\ba\b|\bal\b|\bto\b|\bthrough\b|\bthru\b|\buntil\b|\bhasta\b)\s?(?:el )?"
GROUPS = (
    rf"(?P<working>\b(?:{pattern('calendar.working_days')})\b)"
    rf"|(?P<weekend>\b(?:{pattern('calendar.weekends')})\b)"
    rf"|(?P<every>\b(?:{pattern('calendar.every_day')})\b)"
)
FULL = re.compile(
    rf"{GROUPS}|\b(?P<first>{alternatives(WEEKDAY_NUMBERS)})\b"
    rf"(?:{TO}(?P<last>{alternatives(WEEKDAY_NUMBERS)})\b)?"
)
# In a list of hours «mar» is Tuesday, not the sea, and "sat" Saturday, not the verb
ABBREVIATED = re.compile(
    rf"{GROUPS}|\b(?P<first>{alternatives(SHORT)})\b(?:{TO}(?P<last>{alternatives(SHORT)})\b)?"
    r"|\b(?P<first_letter>[lmxjvsd])\s?(?:-|–|a)\s?(?P<last_letter>[lmxjvsd])\b|(?P<m_f>\bm-f\b)"
)
TIME = r"\d{1,2}[:.h]\d\d|\d{1,2} ?(?:h|hs|hrs?|am|pm|a\.m|p\.m)\b|\d{1,2} ?(?:-|–|a|to) ?\d{1,2}\b"
HOURS = re.compile(rf"\b(?:{TIME}|(?:{pattern('calendar.hours')})\b)")
# «9:00-14:00», «y de 17:00 a 20:00», «tardes: cerrado»: a line behind that of its days
GOES_ON = re.compile(
    rf"\W*(?:(?:{pattern('calendar.hours_go_on')})\b\W*)*(?:{TIME}|(?:{pattern('calendar.hours')})\b)"
)
# «- De lunes…»; "Day: Monday; …", "Opening hours: Monday…"
BEFORE_DAYS = rf"(?:(?:{pattern('calendar.before_days')})\b\W*)*"
BEGIN = re.compile(rf"\W*{BEFORE_DAYS}")
BEGIN_OF_CELL = re.compile(rf"\W*[^:;\d]{{1,30}}: {BEFORE_DAYS}")


def read_weekdays(text: str) -> Days:
    """Return all days of the week that a sentence of prose names, by their whole names."""
    return NO_DAYS.union(*map(days_of, FULL.finditer(fold(text))))


def days_of(match: re.Match[str]) -> Days:
    """Return the days of one match; a range may go over the weekend: «de jueves a lunes»."""
    told = match.groupdict()
    if told["working"] or told.get("m_f"):
        return WORKING_DAYS
    if told["weekend"]:
        return WEEKEND
    if told["every"]:
        return EVERY_DAY
    if letter := told.get("first_letter"):
        return between(LETTERS[letter], LETTERS[told["last_letter"]])
    first = SHORT[told["first"]]
    return between(first, SHORT[told["last"]] if told["last"] else first)


def between(first: int, last: int) -> Days:
    return frozenset((first + step - 1) % 7 + 1 for step in range((last - first) % 7 + 1))


def days_of_lines(lines: Sequence[str]) -> list[Days]:
    """Return, for each line, the days that it tells hours of; no days for other lines. Hours on a
    line of their own belong to the days on the line before."""
    folded = [fold(line) if len(line) <= LINE_MAX_CHARS else "" for line in lines]
    told: list[Days] = []
    for plain, behind in zip(folded, [*folded[1:], ""], strict=True):
        days = NO_DAYS
        if ABBREVIATED.search(plain):  # most lines name no day, and are looked at no further
            days = days_in_list(plain) if begins_with_days(plain) else read_weekdays(plain)
            if not (HOURS.search(plain) or GOES_ON.match(behind)):
                days = NO_DAYS
        elif told and told[-1] and GOES_ON.match(plain):
            days = told[-1]
        told.append(days)
    return told


def days_in_list(text: str) -> Days:
    """Return the days that a line, a cell or a header names, in short forms too."""
    return NO_DAYS.union(*map(days_of, ABBREVIATED.finditer(fold(text[:LINE_MAX_CHARS]))))


def tells_hours(line: str) -> bool:
    """Tell whether a line begins with days and tells their hours."""
    return begins_with_days(line) and bool(days_of_lines([line])[0])


def begins_with_days(line: str) -> bool:
    """Tell whether a line begins with days, as those of a list of hours do: «- Lunes: cerrado»."""
    plain = fold(line[:LINE_MAX_CHARS])
    begins = (BEGIN.match(plain), BEGIN_OF_CELL.match(plain))
    return any(ABBREVIATED.match(plain, begin.end()) for begin in begins if begin)
