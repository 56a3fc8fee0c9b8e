"""How a spreadsheet shows its numbers: as a date, a percentage, money (ECMA-376 part 1, 18.8.30 and
18.17.4).
"""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from reading.extractors.prose import clean

# As many as Excel shows of a number; what lies beyond is binary dust (12.500000000000002).
SIGNIFICANT_DIGITS = 10
LEADING_SIGNS = ("$", "£", "US$")
WHOLE_BELOW = 1e15  # beyond, a spreadsheet's numbers are no longer exact
FIXED_FROM = 1e9  # from here on ten digits would cut the units off
PERCENT = "%"
# [$€-40A], [$USD]: no name of a currency is longer than that
CURRENCY = re.compile(r'\[\$([^\]-]{1,10})[\]-]|"\s*([€$£¥])\s*"|([€$£¥])')
CODE_MAX_CHARS = 500  # Excel allows half of it
ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
# What is no letter of a date: texts, colours and conditions, what is repeated or skipped
NOT_OF_DATES = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|[_*].|general', re.IGNORECASE)
DATE_LETTER = re.compile(r"[dmyhse]", re.IGNORECASE)
# Of numbers of a fixed length, as postal codes are: "00000"
PADDED = re.compile(r"0{2,20}")
# 0" kg": what stands behind a number, and is no digit of it
UNIT = re.compile(r'[0#?](?:\\ |\s)*"\s*([^\W\d_][^"\d]{0,19}|[%‰°º]C?)"\s*$')
IN_THOUSANDS = re.compile(r"[0#?],+(?![0#?,])")  # shown divided: its unit is not that of the number
QUOTED = re.compile(r'"[^"]*"|\\.')
BUILT_IN_DATES = frozenset([*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)])
BUILT_IN_ELAPSED = 46
BUILT_IN_PERCENT = (9, 10)
EPOCH = datetime.datetime(1899, 12, 30)  # noqa: DTZ001 - a spreadsheet's times have no zone
EPOCH_1904 = datetime.datetime(1904, 1, 1)  # noqa: DTZ001
LEAP_DAY_1900 = 60  # Excel's 29 February 1900, which never was: days before it count one more
DAYS_MAX = 2_958_465  # 31 December 9999
Cell = (
    int
    | float
    | str
    | bool
    | datetime.time
    | datetime.date
    | datetime.datetime
    | datetime.timedelta
)


class Shown(Enum):
    NUMBER = "number"
    DATE = "date"
    ELAPSED = "elapsed"


@dataclass(frozen=True)
class NumberFormat:
    """`sign`: what stands beside the number, "%", a currency or a unit; "" for none. `digits`: it
    has that many, with zeros before it.
    """

    shown: Shown = Shown.NUMBER
    sign: str = ""
    digits: int = 0


GENERAL = NumberFormat()


def built_in_format(number: int) -> NumberFormat:
    if number in BUILT_IN_DATES:
        return NumberFormat(Shown.DATE)
    if number == BUILT_IN_ELAPSED:
        return NumberFormat(Shown.ELAPSED)
    return NumberFormat(sign=PERCENT) if number in BUILT_IN_PERCENT else GENERAL


def read_format(code: str) -> NumberFormat:
    """The format of positive numbers, the first of up to four in the code."""
    code = code[:CODE_MAX_CHARS].split(";")[0]
    if ELAPSED.search(code):
        return NumberFormat(Shown.ELAPSED)
    if DATE_LETTER.search(NOT_OF_DATES.sub("", code)):
        return NumberFormat(Shown.DATE)
    if PERCENT in QUOTED.sub("", code):
        return NumberFormat(sign=PERCENT)
    if PADDED.fullmatch(code):
        return NumberFormat(digits=len(code))
    match = CURRENCY.search(code) or (None if IN_THOUSANDS.search(code) else UNIT.search(code))
    return NumberFormat(sign=next(filter(None, match.groups()), "").strip()) if match else GENERAL


def shown_number(number: float, form: NumberFormat, *, is_1904: bool = False) -> str:
    if form.digits and float(number).is_integer():
        return number_text(number).zfill(form.digits)
    if form.shown is Shown.NUMBER:
        return signed_text(number, form.sign)
    return cell_text(date_of(number, form, is_1904=is_1904))


def date_of(number: float, form: NumberFormat, *, is_1904: bool) -> Cell:
    """The number itself where no calendar has it."""
    if not 0 <= number <= DAYS_MAX:
        return number
    elapsed = datetime.timedelta(seconds=round(number * 86_400))
    if form.shown is Shown.ELAPSED:
        return elapsed
    if is_1904:
        return EPOCH_1904 + elapsed
    if number < 1:
        return (EPOCH + elapsed).time()
    return EPOCH + elapsed + datetime.timedelta(days=number < LEAP_DAY_1900)


def signed_text(cell: Cell, sign: str) -> str:
    """0.21 and "%" are 21%, 12.5 and "€" are 12.5 €."""
    if not sign or isinstance(cell, bool) or not isinstance(cell, int | float):
        return cell_text(cell)
    if sign == PERCENT:
        return f"{number_text(cell * 100)}%"
    text = number_text(cell)
    return f"{sign}{text}" if sign in LEADING_SIGNS else f"{text} {sign}"


def cell_text(cell: Cell) -> str:
    """The cell's value as a person would see it: 12.5, 3, 2025-01-31, 10:30."""
    match cell:
        case bool():
            return str(cell).upper()
        case int() | float():
            return number_text(cell)
        case datetime.datetime():
            is_date = cell.time() == datetime.time()
            return cell.date().isoformat() if is_date else cell.isoformat(" ", precision_of(cell))
        case datetime.date():
            return cell.isoformat()
        case datetime.time():
            return cell.isoformat(timespec=precision_of(cell))
        case datetime.timedelta():
            minutes = round(cell.total_seconds() / 60)
            return f"{minutes // 60}:{minutes % 60:02}"
        case _:
            return clean(cell)


def precision_of(time: datetime.time | datetime.datetime) -> str:
    return "seconds" if time.second else "minutes"


def number_text(number: float) -> str:
    if not math.isfinite(number):
        return ""
    if number == int(number) and abs(number) < WHOLE_BELOW:
        return str(int(number))
    digits = f"{number:.2f}" if abs(number) >= FIXED_FROM else f"{number:.{SIGNIFICANT_DIGITS}g}"
    plain = format(Decimal(digits), "f")  # no exponent
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
