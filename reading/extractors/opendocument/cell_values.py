"""A cell's value, and what the program shows of it (OpenDocument 1.3 part 3, 9.1.4 and 19.385).

The value is written as of a workbook of Excel, whatever the file's language: 12.5 €, 21%,
2025-01-31. What the program shows is told where it says something else: "12 kg", "marzo 2027",
"#DIV/0!".
"""

from __future__ import annotations

import datetime
import math
import re

from lxml import etree

from reading.extractors.office.format_codes import PERCENT
from reading.extractors.office.number_formats import (
    cell_text,
    number_text,
    round_number,
    with_sign,
)

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
CURRENCIES = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}
SIGNS = re.compile(r"[€$£¥%]")
DURATION = re.compile(r"^-?PT(\d{1,9})H(\d{1,9})M")
# No unit, no error: a number that the program has written in its own way
BARE_NUMBER = re.compile(r"^[-+(]?[\d.,'\s]*(?:[eE][-+]?\d+)?\)?$")
# Languages part thousands with spaces that do not break; this one was typed, as in 600 123 456
TYPED_SPACE = re.compile(r"\d \d")
DECIMALS_MAX = 12
FIGURES = re.compile(r"\d+")
HALF_DAYS = re.compile(r"[ap]\.? ?m\b\.?", re.IGNORECASE)


def shown_value(cell: etree._Element, shown: str, raw: str) -> str:
    """Return the value, or `shown`, the program's own text, if that says something else. `raw`: the
    same with all of its spaces as they are."""
    value = cell.get(f"{OFFICE}value", "")
    match cell.get(f"{OFFICE}value-type", ""):
        case "float":
            return shown_amount(value, shown, raw, "")
        case "percentage" if value:
            return shown_amount(value, shown, raw, PERCENT)
        case "currency" if value:
            currency = cell.get(f"{OFFICE}currency", "")[:10]
            return shown_amount(value, shown, raw, CURRENCIES.get(currency, currency), currency)
        case "date":
            return shown_date(cell.get(f"{OFFICE}date-value", ""), shown)
        case "time":
            duration = DURATION.match(cell.get(f"{OFFICE}time-value", ""))
            if duration is None or has_letters(HALF_DAYS.sub("", shown)):
                return shown
            return f"{int(duration[1]):02}:{int(duration[2]):02}"
        case "boolean":
            return cell.get(f"{OFFICE}boolean-value", "").upper() or shown
        case _:
            return shown


def shown_amount(value: str, shown: str, raw: str, sign: str, currency: str = "") -> str:
    """Return the number, rounded as it is shown, with its sign. `currency`: its code, which may be
    shown instead of a sign."""
    bare = SIGNS.sub("", shown).replace(currency, "").strip()
    number = number_of(value) * (100 if sign == PERCENT else 1)
    if not BARE_NUMBER.match(bare) or TYPED_SPACE.search(raw) or not math.isfinite(number):
        return shown
    digits = "".join(FIGURES.findall(bare))
    if not digits or "e" in bare.lower():
        return with_sign(number_text(number), sign)
    for decimals in range(DECIMALS_MAX + 1):
        rounded = round_number(number, decimals)
        if digits == "".join(FIGURES.findall(rounded)):
            return with_sign(number_text(float(rounded)), sign)
    return shown  # leading zeros, or divided by a thousand


def shown_date(value: str, shown: str) -> str:
    """Return the date as "2025-01-31", or with its time, a month as "01/2025"; or else as it
    is shown."""
    try:
        moment = datetime.datetime.fromisoformat(value[:19])
    except ValueError:
        return shown
    numbers = [int(figures) for figures in FIGURES.findall(shown)]
    years = (moment.year, moment.year % 100)
    if len(numbers) < 2 and moment.day not in numbers and (shown and set(numbers) <= {*years}):
        return shown  # "lunes", "marzo 2027", "2027"
    if sorted(numbers) in (sorted((moment.month, year)) for year in years):
        return shown if has_letters(shown) else f"{moment:%m/%Y}"
    return cell_text(moment if ":" in shown else moment.date())


def has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))


def number_of(value: str) -> float:
    """Return the number; NaN for any other text."""
    try:
        return float(value)
    except ValueError:
        return float("nan")
