"""Times of the year in Spanish and English text: «en agosto», "1 April - 30 June", «Alta (15 jul -
31 ago)», «Desde: 01/11/2026; Hasta: 31/03/2027», "in winter".

A period is days of any year: what it is good for is whether a row of prices or hours counts at the
time that was asked about. Times of years long past («en mayo de 1954») are none, nor is what
has one end only («desde el 1 de mayo»). Seasons are those of the northern half of the world.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from language.calendar import MONTH_FORMS
from language.words import fold

DAYS = 31  # counted for each month, so that a day is one number
LAST_DAY = 12 * DAYS
PERIODS_READ = 40  # of a text; more than any passage names

AMBIGUOUS = frozenset({"mar", "may", "march", "ago"})  # words of other meanings
# By each name the days that are surely meant, and those that may be: (month, day) twice.
SEASONS = {
    "primavera": ((4, 1), (5, 31), (3, 1), (6, 30)),
    "verano": ((7, 1), (8, 31), (6, 1), (9, 30)),
    "otoño": ((10, 1), (11, 30), (9, 15), (12, 21)),
    "invierno": ((1, 1), (2, 31), (12, 1), (3, 31)),
}
SEASONS |= {
    "spring": SEASONS["primavera"],
    "summer": SEASONS["verano"],
    "autumn": SEASONS["otoño"],
    "winter": SEASONS["invierno"],
}

MONTH = rf"(?:{'|'.join(sorted(MONTH_FORMS, key=len, reverse=True))})"
ORDINAL = r"(?:st|nd|rd|th|º|°)?"
ATOM = re.compile(
    r"(?P<iso>(?<!\d)\d{4}-(?P<iso_month>\d{2})-(?P<iso_day>\d{2})(?!\d))"
    r"|(?P<numeric>(?<![\d/])(?P<n_day>\d{1,2})/(?P<n_month>\d{1,2})(?:/(?:\d{4}|\d{2}))?(?![\d/]))"
    rf"|(?P<day_first>(?<![\d.,:])(?P<d_day>\d{{1,2}}){ORDINAL}[ -]?(?:de |of )?"
    rf"(?P<d_month>{MONTH})\b)"
    rf"|(?P<month_first>\b(?P<m_month>{MONTH})\.? (?P<m_day>\d{{1,2}}){ORDINAL}"
    r"(?![\d:/%]|[.,]\d| ?(?:[€£$%]|eur|noches?\b|nights?\b)))"
    rf"|(?P<month>\b(?P<a_month>{MONTH})\b)"
    rf"|(?P<season>\b(?:{'|'.join(SEASONS)})\b)"
    r"|(?P<always>\b(?:todo el año|all year(?:[ -]round)?|(?:all )?year[ -]round)\b)"
)
YEAR_BEHIND = re.compile(r"\.?,? ?(?:del? |of )?(?:(?P<past>1\d\d\d|20[01]\d)|20\d\d)\b")
NOTE = r"(?:\.?,? ?(?:del? |of )?20\d\d\b)?\.?\s*(?:\([^)]{0,30}\)\s*)?"  # a year, a remark
JOINT = re.compile(
    NOTE + r"(?:[-–—/]|\ba\b|\bal\b|\bto\b|\buntil\b|\btill\b|\bthrough\b|\bhasta\b"
    r"|;\s*(?:hasta|fin|final|to|until|end|ends|al)\b[^:;]{0,15}:)"
    r"\s*(?:el |the |finales de |final de |(?:the )?end of |principios de |mediados de |mid[ -])?"
)
JOINT_BETWEEN = re.compile(NOTE + r"(?:y|and)\s*(?:el |the )?")
BETWEEN = re.compile(r"\b(?:entre|between)\s*(?:el |the )?$")
DAY_BEFORE = re.compile(
    r"(?<![\d.,:/])(\d{1,2})" + ORDINAL + r"\s*(?:[-–—]|a|al|to|y|and)\s*(?:el |the )?$"
)
DAY_BEHIND = re.compile(r"\s*[-–—]\s*(\d{1,2})" + ORDINAL + r"(?![\d:/%])")
MEANS_A_MONTH = re.compile(
    r"\b(?:in|of|from|until|till|during|by|since|for|this|next|last|mid|early|late|every|each)[ -]$"
)
# "under 12 may swim" is no day of May, «5 mar» is one of March
MEANS_A_DAY = re.compile(
    r"(?:\b(?:on|from|to|until|till|the|of|by|before|after|since|and)|[-–—]) ?$"
)
ONE_END = re.compile(
    r"\b(?:desde|from|since|a partir del?|antes del?|despues del?|before|after|hasta|until|till|by)"
    r" (?:el |the )?(?:dia )?$"
)


@dataclass(frozen=True)
class Period:
    """A time of the year. `parts`: first and last day each, two if it goes over new year. `surely`:
    the same without the edges of a season. `rules_out`: its text does not apply to other times."""

    parts: tuple[tuple[int, int], ...]
    surely: tuple[tuple[int, int], ...]
    rules_out: bool = True


@dataclass(frozen=True)
class Atom:
    """A day, a month or a season where it stands in the text."""

    begin: int
    end: int
    kind: str
    first: tuple[int, int]  # month and day
    last: tuple[int, int]


def read_periods(text: str) -> tuple[Period, ...]:
    """The periods that `text` names, in its order."""
    return find_periods(fold(text))


def find_periods(plain: str) -> tuple[Period, ...]:
    """The periods that a folded text names, in its order."""
    atoms = list(atoms_of(plain))
    return tuple(periods_of(plain, atoms)) if atoms else ()


def holds_period(asked: Period, offered: Period) -> bool | None:
    """True if one lies in the other; False if they are apart; None in between."""
    if lies_in(asked.surely, offered.parts) or lies_in(offered.surely, asked.parts):
        return True
    is_apart = not any(
        low <= other_high and other_low <= high
        for low, high in asked.surely
        for other_low, other_high in offered.parts
    )
    return False if is_apart and offered.rules_out else None


def lies_in(inner: Sequence[tuple[int, int]], outer: Sequence[tuple[int, int]]) -> bool:
    return all(any(low <= one and last <= high for low, high in outer) for one, last in inner)


def atoms_of(plain: str) -> Iterator[Atom]:
    for _, match in zip(range(PERIODS_READ), ATOM.finditer(plain), strict=False):
        if atom := read_atom(match):
            yield atom


def read_atom(match: re.Match[str]) -> Atom | None:
    """The date or period of a match; None for an impossible date such as 31/31."""
    kind = match.lastgroup or ""
    begin, end = match.span()
    match kind:
        case "always":
            return Atom(begin, end, kind, (1, 1), (12, DAYS))
        case "season":
            return Atom(begin, end, kind, (1, 1), (1, 1))
        case "month":
            month = MONTH_FORMS[match["a_month"]]
            return Atom(begin, end, kind, (month, 1), (month, DAYS))
        case "iso":
            month, day = int(match["iso_month"]), int(match["iso_day"])
        case "numeric":
            month, day = int(match["n_month"]), int(match["n_day"])
        case "day_first":
            month, day = MONTH_FORMS[match["d_month"]], int(match["d_day"])
        case _:
            month, day = MONTH_FORMS[match["m_month"]], int(match["m_day"])
    if not (1 <= month <= 12 and 1 <= day <= DAYS):
        return None
    return Atom(begin, end, kind, (month, day), (month, day))


def periods_of(plain: str, atoms: Sequence[Atom]) -> Iterator[Period]:
    place = 0
    while place < len(atoms):
        one = atoms[place]
        other = atoms[place + 1] if place + 1 < len(atoms) else None
        if other is not None and joins(plain, one, other):
            place += 2
            yield between(one.first, other.last)
            continue
        place += 1
        if period := alone(plain, one):
            yield period


def joins(plain: str, one: Atom, other: Atom) -> bool:
    """«del 1 de julio al 31 de agosto»; both as days or both as months of one form."""
    if "season" in (one.kind, other.kind) or "always" in (one.kind, other.kind):
        return False
    middle = plain[one.end : other.begin]
    if JOINT.fullmatch(middle):
        return True
    return bool(JOINT_BETWEEN.fullmatch(middle) and BETWEEN.search(plain[: one.begin]))


def alone(plain: str, atom: Atom) -> Period | None:
    before, behind = plain[max(0, atom.begin - 24) : atom.begin], plain[atom.end : atom.end + 12]
    match atom.kind:
        case "always":
            return between(atom.first, atom.last)
        case "season":
            return season(plain[atom.begin : atom.end])
        case "day_first" if found := DAY_BEFORE.search(before):
            return between((atom.first[0], int(found[1])), atom.last)
        case "month_first" if found := DAY_BEHIND.match(behind):
            return between(atom.first, (atom.last[0], int(found[1])))
        case "iso" | "numeric":
            return None  # alone it may be a fraction, and has mostly a year
    year = YEAR_BEHIND.match(behind)
    if (year and year["past"]) or ONE_END.search(before) or not is_meant(plain, atom, before):
        return None
    parts = between(atom.first, atom.last).parts
    return Period(parts, parts, rules_out=atom.kind == "month" and year is None)


def is_meant(plain: str, atom: Atom, before: str) -> bool:
    """False for the verbs "may" and "march", and for the Spanish «mar» (sea)."""
    name = plain[atom.begin : atom.end]
    if atom.kind == "month":
        return name not in AMBIGUOUS or bool(MEANS_A_MONTH.search(before))
    return not name.endswith(("may", "march")) or bool(
        MEANS_A_DAY.search(before) or not name.split()[0].isdigit()
    )


def between(first: tuple[int, int], last: tuple[int, int]) -> Period:
    parts = parts_of(day_of(first), day_of(last))
    return Period(parts, parts)


def season(name: str) -> Period:
    first, last, earliest, latest = SEASONS[name]
    return Period(parts_of(day_of(earliest), day_of(latest)), parts_of(day_of(first), day_of(last)))


def parts_of(low: int, high: int) -> tuple[tuple[int, int], ...]:
    return ((low, high),) if low <= high else ((low, LAST_DAY), (1, high))


def day_of(date: tuple[int, int]) -> int:
    month, day = date
    return (month - 1) * DAYS + min(day, DAYS)
