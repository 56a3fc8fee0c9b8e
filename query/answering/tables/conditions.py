"""Conditions that no word of a cell tells: quantities, ranges, yes-or-no columns."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

from language.quantities import Quantity, in_measure, read_quantities
from language.quantity_words import UNITS
from language.words import WORD, fold, function_words
from query.answering.tables.asking import TableQuestion, Want
from query.answering.tables.cells import Span
from query.answering.tables.evidence import TableEvidence
from query.answering.tables.matching import WordPlaces, question_terms, terms_of_all
from query.answering.tables.table import Column, Table
from query.answering.tables.vocabulary import DIMENSIONS, NO, YES
from query.understanding.asked_for import Asked

CAPACITIES = frozenset({"person", "kg", "m3", "m2", "piece"})
SIZES_FROM = 50
LETTER = 1.0  # of information
WITHOUT_WORDS = frozenset({"sin", "without", "no", "free"})  # of headers
ASIDE_WORDS = DIMENSIONS["money"].aside
TIMES = frozenset({"hour", "day", "night", "month", "year"})
MULTIPLES = frozenset({"", "piece", "person"})  # «cuatro kayaks»: how many are wanted


def keep_yes(told: Sequence[Column], place: WordPlaces, rows: Sequence[int]) -> list[int] | None:
    """The rows that say yes in the column that the word names; None when the word does not name a
    column of yes and no."""
    for column in told:
        if column.header in place.headers and is_yes_or_no(column):
            return [row for row in rows if first_word(column.texts[row]) in YES]
    return None


def keep_without(
    told: Sequence[Column], place: WordPlaces, rows: Sequence[int]
) -> list[int] | None:
    """The rows that say no to what the word names, or yes to being without it («Sin lactosa»)."""
    for column in told:
        if column.header in place.headers and is_yes_or_no(column):
            wanted = NO if column.words.isdisjoint(WITHOUT_WORDS) else YES
            return [row for row in rows if first_word(column.texts[row]) in wanted]
    return None


def keep_lettered(
    question: TableQuestion, told: Sequence[Column], rows: list[int], evidence: TableEvidence
) -> list[int]:
    """Keeps the rows of a letter that follows the name of a column of letters: «de clase C»."""
    for column in told:
        letters = {fold(text) for text in column.texts if text}
        if not all(re.fullmatch(r"[a-z]\+*", letter) for letter in letters):
            continue
        for name, letter in re.findall(r"(?=\b(\w+) ([a-z]\+*)(?!\w))", question.plain):
            if not question_terms(name, column.language).isdisjoint(terms_of_all(column.words)):
                rows = [row for row in rows if fold(column.texts[row]) == letter]
                evidence.cells += LETTER
                evidence.kinds += LETTER
    return rows


def first_word(text: str) -> str:
    return fold(text).split(" ")[0].strip(",.;")


def is_yes_or_no(column: Column) -> bool:
    said = {first_word(text) for text in column.texts if text}
    return bool(said & YES) and said <= YES | NO


def fits_header(asked: Asked, column: Column) -> bool:
    """Tells whether a quantity of the question is the column's: «500 uds», «1 mes», "Half day"."""
    offered = [*read_quantities(column.header, column.language), *ones_of(column)]
    return any(
        one.unit and in_measure(one) == in_measure(other)
        for one in asked.quantities
        for other in offered
    )


def is_size(quantity: Quantity) -> bool:
    """Tells whether a number is too large to be how many somebody wants: "500 sq ft"."""
    return not quantity.unit and SIZES_FROM <= quantity.low < math.inf


def ones_of(column: Column) -> list[Quantity]:
    """The quantities that a header of time stands for: «Semana» is seven days, «día» is one."""
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
    for quantity in (as_area(one, told) for one in question.asked.quantities):
        if (quantity.low, quantity.high, quantity.unit) == (1, 1, "person"):
            continue  # «un niño»
        if not quantity.unit and f"{quantity.low:g}" in evidence.figures:
            continue  # of a name: «Alcornoque 8»
        if any(fits_header(question.asked, column) for column in told):
            evidence.quantities += 1
            continue
        column = column_for(quantity, question, told, compared, evidence)
        if column is None:
            if quantity.low == quantity.high == 1 and quantity.unit in TIMES:
                continue  # «por un día»
            is_condition = question.want is not Want.VALUE
            if quantity.unit not in MULTIPLES or is_condition or is_size(quantity):
                evidence.quantities_unfound += 1
            continue
        kept = [row for row in rows if satisfied(quantity, column, row, question)]
        if not kept and question.want is Want.VALUE and quantity.unit in MULTIPLES:
            continue
        rows = smallest_bracket(column, kept) if quantity.low == quantity.high else kept
        evidence.quantities += 1
        evidence.measured = column.header
    return rows


def as_area(quantity: Quantity, told: Sequence[Column]) -> Quantity:
    """«80 metros» of a flat are square metres, where the table tells areas and no lengths."""
    units = {column.unit for column in told}
    if quantity.unit != "km" or "km" in units or "m2" not in units:
        return quantity
    return Quantity(quantity.low * 1000, quantity.high * 1000, "m2")


def column_for(
    quantity: Quantity,
    question: TableQuestion,
    told: Sequence[Column],
    compared: Column | None,
    evidence: TableEvidence,
) -> Column | None:
    measure = in_measure(quantity).unit
    if not measure and quantity.low < quantity.high:  # «más de 1800 vatios»
        named = [c for c in told if c.is_numeric and c.header in evidence.named_headers]
        return named[0] if named else None
    if not measure:
        return next((c for c in told if c.is_numeric and is_numbered(c, quantity, question)), None)
    if compared is not None and measure_of(compared) == measure:
        return compared
    said = set(WORD.findall(question.plain))
    function = function_words("es") | function_words("en")  # «de» of «Caja de 6»

    def weight(column: Column) -> tuple[float, int, bool]:
        """Weighs a column by what the question says of its name and unit: «por 70 € al día»."""
        named = evidence.named_headers.get(column.header, 0.0)
        return named, len((column.words & said) - function), not column.words & ASIDE_WORDS

    fitting = [c for c in told if c.is_numeric and measure_of(c) == measure]
    return max(fitting, key=weight, default=None)


def is_numbered(column: Column, quantity: Quantity, question: TableQuestion) -> bool:
    """«Andén 2», "size 8": its name stands before the number."""
    before = re.search(rf"(\w+) {quantity.low:g}\b", question.plain)
    if before is None:
        return False
    terms = question_terms(before[1], question.asked.language)
    return not terms.isdisjoint(terms_of_all(column.words))


def measure_of(column: Column) -> str:
    return in_measure(Quantity(0, 0, column.unit)).unit


def satisfied(quantity: Quantity, column: Column, row: int, question: TableQuestion) -> bool:
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
    if asked.unit in CAPACITIES and question.asks_room:
        return asked.low <= offered.low
    return math.isclose(asked.low, offered.low)


def smallest_bracket(column: Column, rows: list[int]) -> list[int]:
    """The rows with the smallest bracket: «hasta 5 kg» and «hasta 10 kg» both hold 4 kg, and the
    first is meant."""
    spans: dict[int, Span] = {row: span for row in rows if (span := column.spans[row])}
    if len(spans) < 2 or any(not span.is_range or span.low > 0 for span in spans.values()):
        return rows
    least = min(span.high for span in spans.values())
    return [row for row, span in spans.items() if span.high == least]
