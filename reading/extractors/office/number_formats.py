"""How a spreadsheet shows its cells: rounded, as a date, a percentage, money, a phone number
(ECMA-376 part 1, 18.8.30 and 18.17.4).

What is shown is told where it says something else than the value: neither zeros behind the last
decimal nor marks between thousands, which each language writes in its own way.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from reading.extractors.office.format_codes import (
    DATE_PARTS,
    GENERAL,
    LITERALS,
    PERCENT,
    FormatPart,
    Kind,
    NumberFormat,
    Section,
    read_format,
)
from reading.extractors.prose import clean, has_content

# As many as Excel shows of a number; what lies beyond is binary dust (12.500000000000002).
SIGNIFICANT_DIGITS = 10
LEADING_SIGNS = ("$", "£", "US$")
WHOLE_BELOW = 1e15  # beyond, a spreadsheet's numbers are no longer exact
FIXED_FROM = 1e9  # from here on ten digits would cut the units off
BUILT_IN_CODES = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "m/d/yy h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss",
}  # fmt: skip
# 14, and those whose form each country has for itself
BUILT_IN_DATES = frozenset([14, *range(27, 37), *range(50, 59)])
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


@lru_cache(256)
def built_in_format(number: int) -> NumberFormat:
    if number in BUILT_IN_DATES:
        return read_format("yyyy-mm-dd")
    return read_format(BUILT_IN_CODES[number]) if number in BUILT_IN_CODES else GENERAL


def shown_number(number: float, form: NumberFormat, *, is_1904: bool = False) -> str:
    """Return the number in the section that is its own; "" where the sheet shows nothing of it."""
    section = next(
        (each for each in form.sections if not each.condition or each.condition.holds(number)), None
    )
    if section is None:
        return number_text(number)
    if section.kind in (Kind.MOMENT, Kind.ELAPSED):
        return shown_moment(number, section, is_1904=is_1904)
    digits = "" if section.kind is Kind.WORDS else written_digits(number, section)
    text = clean(f"{section.before}{digits}{section.after}")
    if digits or (section.kind is Kind.WORDS and has_content(text)):
        return text
    # A dash for nothing is a zero, and says no more
    return with_sign(number_text(number), section.sign) if text + section.sign else ""


def shown_string(text: str, form: NumberFormat) -> str:
    """Return a cell's text with what the sheet writes around it."""
    section = form.text
    if section is None or not text:
        return text
    return clean(f"{section.before}{text if section.kind is Kind.TEXT else ''}{section.after}")


def written_digits(number: float, section: Section) -> str:
    """Return the number's digits with its sign; "" where the code shows none of
    them: "#" of a zero."""
    if not math.isfinite(number):
        return ""
    value = Decimal(str(number)).scaleb(section.power)
    if section.decimals is None or abs(value) >= WHOLE_BELOW:
        text = number_text(float(value))
    else:
        text = without_zeros(round_number(value, section.decimals))
    digits = text.removeprefix("-")
    if digits == "0" and not section.shows_zero:
        return ""
    minus = "-" if digits != text and digits != "0" and section.has_minus else ""
    if section.mask:
        digits = fill_mask(section.mask, digits)
    return minus + with_sign(digits.zfill(section.padding), section.sign)


def round_number(number: float | Decimal, decimals: int) -> str:
    """Return the number with so many decimals, halves away from zero as spreadsheets round them."""
    value = Decimal(str(number))
    if abs(value) >= WHOLE_BELOW:
        return format(value, "f")
    return format(value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP), "f")


def fill_mask(mask: Sequence[FormatPart], digits: str) -> str:
    """Return the digits from the last to the first in the places of the mask; what is left stands
    before them."""
    filled: list[str] = []
    for piece in reversed(mask):
        if piece.kind != "digits":
            filled.append(piece.text if piece.kind in LITERALS else "")
            continue
        for place in reversed(piece.text):
            filled.append(digits[-1:] or ("0" if place == "0" else ""))
            digits = digits[:-1]
    return digits + "".join(reversed(filled))


def with_sign(text: str, sign: str) -> str:
    """Return "21%" of 21, "12.5 €" of 12.5, "$12.5" with a sign that stands before."""
    if not sign:
        return text
    if sign == PERCENT:
        return f"{text}%"
    return f"{sign}{text}" if sign in LEADING_SIGNS else f"{text} {sign}"


# --- Dates and times ------------------------------------------------------------------------------


def shown_moment(number: float, section: Section, *, is_1904: bool) -> str:
    """Return the date or the time; the number itself where no calendar has it."""
    if not 0 <= number <= DAYS_MAX:
        return number_text(number)
    seconds = round(number * 86_400)
    if section.pieces:
        return clean("".join(clock_piece(piece, seconds) for piece in section.pieces))
    if "second" not in section.parts:
        seconds -= seconds % 60
    if section.kind is Kind.ELAPSED:
        return cell_text(datetime.timedelta(seconds=seconds))
    if number < 1:
        return cell_text((EPOCH + datetime.timedelta(seconds=seconds)).time())
    epoch = EPOCH_1904 if is_1904 else EPOCH
    days = number < LEAP_DAY_1900 and not is_1904
    return shown_parts(epoch + datetime.timedelta(days=days, seconds=seconds), section.parts)


def shown_parts(moment: datetime.datetime, parts: frozenset[str]) -> str:
    """Return a date, a month ("03/2027"), a year, a time, or a date with its time."""
    if parts.isdisjoint(DATE_PARTS):
        return cell_text(moment.time())
    if not parts <= DATE_PARTS:
        return cell_text(moment)
    if "day" in parts:
        return moment.date().isoformat()
    return f"{moment:%m/%Y}" if "month" in parts else f"{moment:%Y}"


def clock_piece(piece: FormatPart, seconds: int) -> str:
    if piece.kind in LITERALS:
        return piece.text
    if piece.kind not in ("moment", "elapsed"):
        return ""
    units = {"h": (3600, 24), "m": (60, 60), "s": (1, 60)}
    unit, limit = units[piece.text[0].lower()]
    count = seconds // unit
    count = count if piece.kind == "elapsed" else count % limit
    return str(count).zfill(len(piece.text))


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
            minutes, seconds = divmod(round(cell.total_seconds()), 60)
            return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
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
    return without_zeros(format(Decimal(digits), "f"))  # no exponent


def without_zeros(digits: str) -> str:
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
