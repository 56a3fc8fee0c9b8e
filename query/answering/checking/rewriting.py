"""Writes numbers, times and dates in one way, so that "seven", «siete» and "7" are the same.

What comes out is read by facts.py and clauses.py alone; nobody is shown it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from language.words import Language, fold
from query.answering.checking.vocabulary import (
    FREE,
    MONTH_NAMES,
    NOT_FREE,
    NUMBERS,
    PHRASE,
    PHRASES,
    UNITS,
)

PERCENT = re.compile(r"\b(?:per\s?cent|percent|por\s?ciento)\b", re.IGNORECASE)
ACCENTED = {"a": "[aá]", "e": "[eé]", "i": "[ií]", "o": "[oó]", "u": "[uú]"}
DATE = re.compile(r"(?<![\w/-])(\d{1,4})([/-])(\d{1,2})\2(\d{1,4})(?![\w/-])")
# 10GB, 8kg, 30€, 1st, 65s, 12-month; but no code: A4, TX-450
GLUED = re.compile(r"(?<!\w)(?<![A-Z0-9]-)(\d+(?:[.,]\d+){0,4})-?([^\W\d_]{1,14}|[€$£%°])(?![\w-])")
PREFIXED = re.compile(r"([€$£])\s?(\d+(?:[.,]\d+){0,4})")
WITHOUT = re.compile(r"\b(\w+)-free\b", re.IGNORECASE)
OTHERWISE = re.compile(r"\b(?:si no|if not),", re.IGNORECASE)
ORDINALS = frozenset({"st", "nd", "rd", "th", "s", "o", "a"})
HALVES = [
    (re.compile(rf"\b(?:{written})\b", re.IGNORECASE), meant)
    for written, meant in (
        (r"(?:una |an |one |1 )?(?:hora|hour) (?:y|and) (?:media|a half)", "90 min"),
        (r"media hora|half an hour|half-hour", "30 min"),
        (r"(?:un )?cuarto de hora|(?:a )?quarter of an hour", "15 min"),
        (r"half past (\d{1,2})", r"\1:30"),
        (r"quarter past (\d{1,2})", r"\1:15"),
        (r"las? (\d{1,2}) y media", r"\1:30"),
        (r"las? (\d{1,2}) y cuarto", r"\1:15"),
    )
]
PART_OF_DAY = (
    r"(?:\s?([ap])\.?\s?m\b\.?|\s?(?:h |horas |hours |o'clock )?(?:de|por|in|at) (?:la |the )?"
    r"(mañana|morning|tarde|noche|afternoon|evening|night)\b|\s?(?:de la|del mediod[ií]a)\b)"
)
CLOCK = re.compile(
    rf"(?<![\w:.,])(?:(\d{{1,2}})(?:[:.](\d{{2}}))?{PART_OF_DAY}"
    r"|(\d{1,2}):(\d{2})(?:\s?(?:h|hrs|horas|hours)\b\.?)?"
    r"|(\d{1,2})\.(\d{2})\s?(?:h|hrs|horas|hours)\b\.?)",
    re.IGNORECASE,
)
NOON = re.compile(r"\b(?:at|al) (?:noon|midday|mediod[ií]a)\b", re.IGNORECASE)
LATE = frozenset({"p", "tarde", "noche", "afternoon", "evening", "night"})
TENS = range(20, 100, 10)


def rewrite(text: str, language: Language) -> str:
    """`text` with numbers as figures, times as 18:30, days of the year as "3 march 2025", units
    apart from their number, "0 §" for free of charge, and one word for what comes in two."""
    text = PERCENT.sub("%", text.replace("\u00a0", " ").replace("\u202f", " "))
    text = number_run(language).sub(lambda run: spell_run(run[0], language), text)
    text = OTHERWISE.sub(
        "otherwise,", WITHOUT.sub(lambda found: f"without {found[1].lower()}", text)
    )
    for pattern, meant in HALVES:
        text = pattern.sub(meant, text)
    text = NOON.sub("12:00", CLOCK.sub(rewrite_clock, DATE.sub(rewrite_date, text)))
    text = PREFIXED.sub(r"\2 \1", GLUED.sub(rewrite_glued, text))
    text = FREE.sub(rewrite_free, NOT_FREE.sub(" ", text))
    return PHRASE.sub(lambda phrase: PHRASES[fold(phrase[0])], text)


@lru_cache(2)
def number_run(language: Language) -> re.Pattern[str]:
    longest_first = sorted(NUMBERS[language], key=len, reverse=True)
    words = "|".join("".join(ACCENTED.get(char, char) for char in word) for word in longest_first)
    return re.compile(rf"\b(?:{words})(?:(?:[ -]| y | and )(?:{words}))*\b", re.IGNORECASE)


def spell_run(run: str, language: Language) -> str:
    """Writes words as figures: "two hundred and fifty" becomes 250; "two and three" stays two
    numbers."""
    parts = re.split(r"( y | and |[ -])", run)
    written = [str(NUMBERS[language][fold(parts[0])])]
    for gap, word in zip(parts[1::2], parts[2::2], strict=True):
        value, before = NUMBERS[language][fold(word)], int(written[-1])
        joined = join(before, gap.strip(" -"), value, language)
        written[-1:] = [written[-1] + gap, str(value)] if joined is None else [str(joined)]
    return "".join(written)


def join(before: int, connector: str, value: int, language: Language) -> int | None:
    """The number that the two words make together; None when they are two numbers."""
    if value >= 1000 or (value == 100 and language == "en"):
        return before * value if before < value and not connector else None
    if connector:
        is_tens = language == "es" and before % 100 in TENS and value < 10
        fits = is_tens or (language == "en" and before >= 100 > value)
    else:
        fits = before >= 100 > value or (before in TENS and value < 10) or before >= 1000 > value
    return before + value if fits and before % 1000 != value else None


def rewrite_clock(match: re.Match[str]) -> str:
    hour = next(part for part in (match[1], match[5], match[7]) if part)
    minute = match[2] or match[6] or match[8] or "00"
    if int(hour) > 24 or int(minute) > 59:
        return match[0]
    is_late = (match[3] or match[4] or "").lower() in LATE
    return f"{int(hour) + 12 if is_late and int(hour) < 12 else int(hour)}:{minute}"


def rewrite_date(match: re.Match[str]) -> str:
    """Reads the day first, as in Spain, unless that makes no valid date. Other figures (a range, a
    fraction) stay as they are."""
    first, second, third = int(match[1]), int(match[3]), int(match[4])
    day, month, year = (third, second, first) if first > 31 else (first, second, third)
    if month > 12 >= day:
        day, month = month, day
    if not (1 <= day <= 31 and 1 <= month <= 12 and year < 2200):
        return match[0]
    return f"{day} {MONTH_NAMES[month]} {year + 2000 if year < 100 else year}"


def rewrite_glued(match: re.Match[str]) -> str:
    number, word = match[1], fold(match[2])
    if word in ORDINALS:
        return number
    is_word = word in UNITS or len(word) > 2
    return f"{number} {match[2]}" if is_word else match[0]


def rewrite_free(match: re.Match[str]) -> str:
    """Writes "free of charge" as the number 0. The words between stay: "no early
    termination fee"."""
    return f" 0 § {' '.join(part for part in match.groups() if part)}"


def read_number(written: str) -> str:
    """Writes a number in one way: "1.200", "1,200" and "1200.0" become "1200". A single mark before
    three figures separates thousands unless a zero stands before it."""
    if re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", written) and len({*written} & {".", ","}) == 1:
        return re.sub(r"\D", "", written)
    *whole, decimals = re.split(r"[.,]", written)
    if not whole:
        return written.lstrip("0") or "0"
    decimals = decimals.rstrip("0")
    number = "".join(whole).lstrip("0") or "0"
    return f"{number}.{decimals}" if decimals else number


def iter_numbers(text: str) -> Iterator[re.Match[str]]:
    return re.finditer(r"(?<![\w:])\d+(?:[.,]\d+){0,4}(?![\w:])", text)
