"""A cell's number, its unit, and how both are written for people."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from language.calendar import MONTH_FORMS, WEEKDAY_NUMBERS
from language.dates import Day, read_dates
from language.quantities import read_quantities
from language.quantity_words import UNITS
from language.words import Language, fold
from query.answering.tables.vocabulary import FREE, MONTH_NAMES

FIGURES = r"\d[\d.,]*\d|\d"
NUMBER = re.compile(rf"(?<![\w.,])(?P<minus>[-−–]?)(?:[€£$] ?)?(?P<figures>{FIGURES})")
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}|\b\d{1,2}:\d\d\b|\b\d\d/\d{4}\b")
FREE_WORDS = ("gratis", "free", "sin cargo", "sin coste", "no charge")  # that begin a cell
MEASURES = re.compile(r"\d ?[x×] ?\d")
THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
RANGE = re.compile(r" ?(?:-|–|—|a|al|to|hasta|y|and|o|or) ?(?:[€£$] ?)?$")
OPEN_ABOVE = re.compile(r"^(?: ?\w+)? ?(?:\+|o mas|or more|and over|and up|en adelante)")
ABOVE = re.compile(
    r"(?:mas de|over|from|desde|a partir de|above|more than|minimo|min|at least)\.? $"
)
BELOW = re.compile(r"(?:hasta|up to|under|menos de|below|max|maximo|less than|<)\.? ?$")
MONEY_SIGNS: dict[str, str] = {"eur": "€", "gbp": "£", "usd": "$"}
MORE_UNITS: dict[str, str] = {
    "db": "dB",
    "w": "W",
    "watts": "W",
    "cv": "CV",
    "hp": "hp",
    "kwh": "kWh",
}
COUNTED = frozenset({"personas", "plazas", "people", "seats", "places"})  # headers: «8 personas»
HAS_UNIT = re.compile(r"[^\W\d_]|[€£$%°]")
# «8.9», "£14.5", «1390 €»: no figures in groups, no decimal comma
BARE = re.compile(
    r"(?P<before>[€£$]?)(?P<figures>-?\d{1,15}(?:\.\d{1,6})?)(?P<behind>(?: ?[€£$])?)"
)
AS_PEOPLE_WRITE = re.compile(r"\D{0,2}\d{1,3}\.\d\d\D{0,2}")
# As a workbook's date becomes text, and as programs write a time
ISO_DATE = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)(?:[T ](?P<time>\d\d:\d\d)(?::\d\d(?:\.\d{1,9})?)?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
ISO_VALUE = re.compile(rf"(?<=: ){ISO_DATE.pattern}(?=;|$)")
# «Verano Día», "Winter Week": for what time something is paid, and no unit of the number
PERIODS = frozenset({
    "hour", "day", "night", "week", "month", "year",
    "hora", "dia", "noche", "semana", "mes", "ano",
})  # fmt: skip
IN_BRACKETS = re.compile(r" *\([^)]*\)$")
UNIT_WORDS = re.compile(r"[€£$%°]|[^\W_]+")


@dataclass(frozen=True)
class Span:
    """All numbers from `low` to `high`; both are the same for one number."""

    low: float
    high: float

    @property
    def is_range(self) -> bool:
        return self.low < self.high

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


@lru_cache(4096)
def read_span(text: str, language: Language) -> Span | None:
    """The first number or range of a cell, in either format; None for dates and for words."""
    plain = fold(text)
    if plain.strip(" .") in FREE or plain.startswith(FREE_WORDS):
        return Span(0.0, 0.0)
    if DATE.search(plain) or MEASURES.search(plain) or ": " in plain:
        return None
    numbers = list(NUMBER.finditer(plain))
    if not numbers or numbers[0].start() > 25:
        return None
    first = numbers[0]
    low = high = value_of(first, language)
    before, behind = plain[: first.start()], plain[first.end() :]
    if len(numbers) > 1 and is_range(plain[first.end() : numbers[1].start()], numbers[1]):
        high = max(low, value_of(numbers[1], language, in_range=True))
    elif OPEN_ABOVE.match(behind) or ABOVE.search(before):
        high = math.inf
    elif BELOW.search(before):
        low = 0.0
    return Span(low, high)


def is_range(between: str, second: re.Match[str]) -> bool:
    """Tells a range, «60-80 cm», «de 10 kg a 15 kg», from a negative number, «-10 °C»."""
    bare = re.sub(r"^ ?(?:[€£$]|[a-z]{1,10}\d?) ?(?=[-–—a-z])", " ", between)
    return bool(RANGE.search(between) and len(between) < 15) or (
        second["minus"] != "" and not bare.strip()
    )


def value_of(match: re.Match[str], language: Language, *, in_range: bool = False) -> float:
    figures = match["figures"].rstrip(".,")
    value = number_of(figures, language)
    return -value if match["minus"] and not in_range else value


def number_of(figures: str, language: Language) -> float:
    """Reads a number: «1.250,50» and "1,250.50" in either language; «1.200» as thousands in
    Spanish, "1,200" in English."""
    if "." in figures and "," in figures:
        thousands = "." if figures.rindex(",") > figures.rindex(".") else ","
        figures = figures.replace(thousands, "")
    elif THOUSANDS.fullmatch(figures):
        mark = "." if language == "es" else ","
        figures = figures.replace(mark, "") if mark in figures else figures
    figures = figures.replace(",", ".")
    whole, _, rest = figures.partition(".")
    return float(f"{whole}.{rest.replace('.', '')}" if rest else whole)


@lru_cache(4096)
def unit_of(text: str) -> tuple[str, float]:
    """The name and the size of the first unit in a header or a cell, "" where none is told."""
    plain = fold(text.replace("_", " "))
    found = (UNITS.get(word) for word in UNIT_WORDS.findall(plain))
    return next((unit for unit in found if unit), ("", 1.0))


@lru_cache(1024)
def unit_of_header(header: str) -> tuple[str, float]:
    """The unit in a header: money before others, «Precio por persona (€)»; otherwise the
    last one."""
    plain = fold(header.replace("_", " "))
    words = UNIT_WORDS.findall(plain)
    words = [word for word in words if word not in PERIODS] if len(words) > 1 else words
    found = [UNITS[word] for word in words if word in UNITS]
    money = [unit for unit in found if unit[0] in MONEY_SIGNS]
    return (money or found[-1:] or [("", 1.0)])[0]


@lru_cache(4096)
def read_amount(text: str, language: Language, size: float) -> Span | None:
    """The cell's number in the base of its unit. `size`: the size of the unit in the header, for a
    cell that names none."""
    span = read_span(text, language)
    told = [one for one in read_quantities(text, language) if one.unit]
    if span is None or not told:
        return span and Span(span.low * size, span.high * size)
    first = told[0]
    if len(told) > 1 and first.unit == told[1].unit == "hour" and "h" in text:  # 2 h 30 min
        return Span(first.low + told[1].low, first.high + told[1].high)
    return Span(first.low, first.high)


def unit_word(header: str) -> str:
    """The unit as the header writes it: "kg" of «Peso (kg)» and «peso_kg», "€" of «Precio EUR»,
    «€/noche»."""
    parts = re.findall(r"\(([^)]{1,12})\)", header) or header.replace("_", " ").split()[1:]
    for part in reversed(parts):
        first, slash, rest = str(part).partition("/")
        unit = None if fold(first) in PERIODS else UNITS.get(fold(first.strip()))
        if unit is not None:
            return f"{MONEY_SIGNS.get(unit[0], first.strip())}{slash}{rest.strip()}"
        if fold(first) in MORE_UNITS:
            return MORE_UNITS[fold(first)]
    return header.lower() if header.lower() in COUNTED else ""


def tell_value(header: str, value: str, language: Language, asked_in: Language) -> str:
    """The value as the table writes it, with the unit that only the header names. A bare number, as
    a spreadsheet's cell holds it and does not show it, is written in the question's language."""
    if date := ISO_DATE.fullmatch(value):
        return write_date(date, asked_in)
    bare = BARE.fullmatch(value)
    signs = (bare["before"] + bare["behind"]).strip() if bare else ""
    has_unit = bool(HAS_UNIT.search(value))
    unit = signs if signs else "" if has_unit else unit_word(header)
    if not unit:
        return value
    as_people_write = signs and language == "en" and AS_PEOPLE_WRITE.fullmatch(value)
    is_grouped = bare and language == "es" and THOUSANDS.fullmatch(bare["figures"])
    if bare is None or is_grouped or as_people_write:
        return value if has_unit else f"{value} {unit}"
    sign, per = unit[:1], unit[1:]
    if sign not in MONEY_SIGNS.values():
        return f"{write_number(bare['figures'], asked_in)} {unit}"
    told = write_number(bare["figures"], asked_in, is_money=True)
    before = sign in "£$" or bare["before"] or (sign == "€" and asked_in == "en" and not signs)
    return f"{sign}{told}{per}" if before else f"{told} {sign}{per}"


def write_number(figures: str, language: Language, *, is_money: bool = False) -> str:
    """«1.390», «8,90», "1,390.50", of a number as computers write it."""
    whole, dot, rest = figures.partition(".")
    told = f"{int(whole):,}" + (f".{rest.ljust(2, '0') if is_money else rest}" if dot else "")
    return told.translate(str.maketrans(",.", ".,")) if language == "es" else told


def write_date(match: re.Match[str], language: Language) -> str:
    """«25 nov 2026», "25 Nov 2026, 18:30"; as it stands if it is not a day."""
    days = read_dates(match["date"])
    if not (days and days[0].low):
        return match[0]
    told = write_day(days[0].low, language)
    if match["time"] and (match["time"] != "00:00" or match["zone"]):
        zone = match["zone"] or ""
        told += f", {match['time']}" + (" UTC" if zone == "Z" else f" (UTC{zone})" if zone else "")
    return told


def write_day(day: Day, language: Language) -> str:
    return " ".join(
        map(str, filter(None, (day.day, MONTH_NAMES[language][day.month - 1], day.year)))
    )


def write_dates(row: str, language: Language) -> str:
    """A row that is told as it stands, but its dates as people write them."""
    return ISO_VALUE.sub(lambda match: write_date(match, language), row)


def header_text(header: str) -> str:
    return header.replace("_", " ").strip()


def label_of(header: str) -> str:
    """The column's name within a sentence, without the unit that is told with the value."""
    told = header_text(header)
    if unit_word(header):
        told = IN_BRACKETS.sub("", told) or told
    first = told.split(" ", 1)[0]
    is_name = fold(first) in WEEKDAY_NUMBERS | MONTH_FORMS or not told[1:].islower()
    return told if is_name else told[:1].lower() + told[1:]


def write_decimals(value: str, language: Language) -> str:
    """Writes 29.4 as «29,40», for an amount of money whose currency the table does not tell."""
    if not re.fullmatch(r"\d+\.\d", value):
        return value
    return (f"{value}0").replace(".", "," if language == "es" else ".")
