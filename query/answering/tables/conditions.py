"""Conditions that no word of a cell tells: quantities, ranges, yes-or-no columns."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from query.answering.tables.asking import TableQuestion, Want
from query.answering.tables.cells import Span
from query.answering.tables.evidence import TableEvidence
from query.answering.tables.matching import WordPlaces
from query.answering.tables.table import Column, Table
from query.answering.tables.vocabulary import DIMENSIONS, NO, YES
from query.understanding.asked_for import Asked
from sources.language.quantities import Quantity, in_measure, read_quantities
from sources.language.quantity_words import UNITS
from sources.language.words import fold

CAPACITIES = frozenset({"person", "kg", "m3", "m2", "piece"})
SIZES_FROM = 50
ASIDE_WORDS = DIMENSIONS["money"].aside
TIMES = frozenset({"hour", "day", "night", "month", "year"})
MULTIPLES = frozenset({"", "piece", "person"})  # «cuatro kayaks»: how many are wanted


def keep_yes(told: Sequence[Column], place: WordPlaces, rows: Sequence[int]) -> list[int] | None:
    """None where the word names no column of yes and no."""
    for column in told:
        if column.header in place.headers and is_yes_or_no(column):
            return [
                row for row in rows if fold(column.texts[row]).split(" ")[0].strip(",.;") in YES
            ]
    return None


def is_yes_or_no(column: Column) -> bool:
    said = {fold(text).split(" ")[0].strip(",.;") for text in column.texts if text}
    return bool(said & YES) and said <= YES | NO


def fits_header(asked: Asked, column: Column) -> bool:
    """A quantity of the question is the column's: «500 uds», «1 mes», "Half day"."""
    offered = [*read_quantities(column.header, column.language), *ones_of(column)]
    return any(
        one.unit and in_measure(one) == in_measure(other)
        for one in asked.quantities
        for other in offered
    )


def is_size(quantity: Quantity) -> bool:
    """Too many to be how many somebody wants: "500 sq ft"."""
    return not quantity.unit and SIZES_FROM <= quantity.low < math.inf


def ones_of(column: Column) -> list[Quantity]:
    """«Semana» is seven days, «día» is one."""
    if any(map(str.isdigit, column.header.replace("24h", ""))):
        return []
    return [Quantity(size, size, unit) for unit, size in units_in(column.words) if unit in TIMES]


def units_in(words: Collection[str]) -> list[tuple[str, float]]:
    return [UNITS[word] for word in words if word in UNITS]


def keep_by_quantity(
    question: TableQuestion,
    table: Table,
    told: Sequence[Column],
    rows: list[int],
    compared: Column | None,
    evidence: TableEvidence,
) -> list[int]:
    for quantity in question.asked.quantities:
        if (quantity.low, quantity.high, quantity.unit) == (1, 1, "person"):
            continue  # «un niño»
        if not quantity.unit and f"{quantity.low:g}" in evidence.figures:
            continue  # of a name: «Alcornoque 8»
        if any(fits_header(question.asked, column) for column in told):
            evidence.quantities += 1
            continue
        column = column_for(quantity, told, compared, evidence)
        if column is None:
            if quantity.low == quantity.high == 1 and quantity.unit in TIMES:
                continue  # «por un día»
            counts = question.want in (Want.COUNT, Want.FITS)
            if quantity.unit not in MULTIPLES or counts or is_size(quantity):
                evidence.quantities_unfound += 1
            continue
        kept = [row for row in rows if satisfied(quantity, column, row, question.want)]
        if not kept and question.want is Want.VALUE and quantity.unit in MULTIPLES:
            continue
        rows = smallest_bracket(column, kept) if quantity.low == quantity.high else kept
        evidence.quantities += 1
        evidence.measured = column.header
    return rows


def column_for(
    quantity: Quantity,
    told: Sequence[Column],
    compared: Column | None,
    evidence: TableEvidence,
) -> Column | None:
    measure = in_measure(quantity).unit
    if not measure and quantity.low < quantity.high:  # «más de 1800 vatios»
        named = [c for c in told if c.is_numeric and c.header in evidence.named_headers]
        return named[0] if named else None
    if not measure:
        return None
    if compared is not None and measure_of(compared) == measure:
        return compared
    fitting = [c for c in told if c.is_numeric and measure_of(c) == measure]
    return max(
        fitting,
        key=lambda c: (c.header in evidence.named_headers, not c.words & ASIDE_WORDS),
        default=None,
    )


def measure_of(column: Column) -> str:
    return in_measure(Quantity(0, 0, column.unit)).unit


def satisfied(quantity: Quantity, column: Column, row: int, want: Want) -> bool:
    span = column.amounts[row]
    if span is None:
        return False
    asked = in_measure(quantity)
    if not asked.unit:
        span = column.spans[row] or span
    offered = in_measure(Quantity(span.low, span.high, column.unit))
    if asked.low < asked.high:
        return asked.low <= offered.low and offered.high <= asked.high
    if offered.low < offered.high:
        return offered.low <= asked.low <= offered.high
    if asked.unit in CAPACITIES and want is Want.FITS:
        return asked.low <= offered.low
    return math.isclose(asked.low, offered.low)


def smallest_bracket(column: Column, rows: list[int]) -> list[int]:
    """Of «hasta 5 kg» and «hasta 10 kg» both hold 4 kg, and the first is meant."""
    spans: dict[int, Span] = {row: span for row in rows if (span := column.spans[row])}
    if len(spans) < 2 or any(not span.is_range or span.low > 0 for span in spans.values()):
        return rows
    least = min(span.high for span in spans.values())
    return [row for row, span in spans.items() if span.high == least]
