"""The column that a question compares rows by, or asks the value of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from language.words import fold, function_words
from query.answering.rows import Cell, holds_kind
from query.answering.tables.asking import TableQuestion
from query.answering.tables.conditions import fits_header
from query.answering.tables.matching import TableWords, WordPlaces
from query.answering.tables.table import Column, Table
from query.answering.tables.vocabulary import (
    DIMENSIONS,
    FILLERS,
    HOLDS,
    SAYS_WITHOUT,
    WITHOUT_TAX,
    Dimension,
)
from query.understanding.asked_for import AnswerKind

PERIODS = frozenset({"hour", "day", "night", "month", "year", "person", "piece"})
HOW_LONG_IS = re.compile(r"\bhow long (?:is|are)\b")
SAID = 0.1  # for a word of its name that is none to be looked for: «media» of «Media jornada»
UNITS_OF_KIND = {
    AnswerKind.MONEY: "money",
    AnswerKind.WEIGHT: "weight",
    AnswerKind.DURATION: "duration",
}


def choose_extreme_column(
    question: TableQuestion,
    table: Table,
    told: Sequence[Column],
    places: Sequence[WordPlaces],
    words: TableWords,
) -> Column | None:
    naming = table.name_column
    numeric = [c for c in told if c.is_numeric and not c.is_code and c is not naming]
    for noun in question.nouns if question.may_be_of_any else ():
        headers = words.headers_of(noun, question.asked.language)
        named = [c for c in numeric if c.header in headers]
        if named:
            return best_named(named, places, question)
    fits = [
        (name, [column for column in numeric if fits_dimension(column, DIMENSIONS[name])])
        for name in question.dimensions
    ]
    in_unit = [(name, [c for c in found if c.unit in question.unit_asked]) for name, found in fits]
    for name, fitting in [*in_unit, *fits]:  # «en km»: the distance, and not the duration
        if fitting:
            return best_named(fitting, places, question, DIMENSIONS[name])
    return None


def fits_dimension(column: Column, dimension: Dimension) -> bool:
    if dimension.name == "money" and column.words & dimension.headers:
        return column.unit not in ("percent", "hour", "day")
    if dimension.name == "money" and column.unit in PERIODS and column.has_cents:
        return True
    if column.unit and dimension.units and column.unit not in dimension.units:
        return False
    if dimension.units == frozenset({"km"}):  # a length, a height and a distance share their units
        return bool(column.words & dimension.headers)
    return column.unit in dimension.units or bool(column.words & dimension.headers)


def best_named(
    columns: Sequence[Column],
    places: Sequence[WordPlaces],
    question: TableQuestion,
    dimension: Dimension | None = None,
) -> Column:
    """The column whose header says most of the question; among equals, the first that is told for
    itself and not beside another («Fianza»)."""

    def weight(column: Column) -> tuple[float, float, float]:
        said = said_of(column, places)
        fitting = fits_header(question.asked, column)
        is_aside = dimension is not None and bool(column.words & dimension.aside)
        is_named = dimension is not None and bool(column.words & dimension.headers)
        is_net = is_without_tax(column, question)
        unit_said = 5.0 * (bool(column.unit) and column.unit in question.units)
        weighed = said + 5.0 * fitting + unit_said
        return (weighed - 0.5 * is_net, -float(is_aside), float(is_named))

    return max(columns, key=weight)


def said_of(column: Column, places: Sequence[WordPlaces]) -> float:
    """The information of the question's words that the column's header holds."""
    return sum(
        place.information
        for place in places
        if column.header in place.headers and place.word not in FILLERS
    )


def is_without_tax(column: Column, question: TableQuestion) -> bool:
    """Tells whether the column is net of tax, although the question does not ask for that:
    customers pay the tax."""
    header = fold(column.header).replace("_", " ").replace(".", "")
    is_net = bool(WITHOUT_TAX.search(header))
    return is_net != bool(SAYS_WITHOUT.search(question.plain)) if is_net else False


def names_column(question: TableQuestion, table: Table, places: Sequence[WordPlaces]) -> bool:
    """True if the noun that is asked for names a column other than that of the rows' names."""
    name = table.name_column
    return any(
        place.word == question.noun and place.headers - {name.header if name else ""}
        for place in places
    )


def is_of_length(question: TableQuestion, told: Sequence[Column]) -> bool:
    """ "How long is the boat", where a column tells lengths."""
    has_length = any(fits_dimension(column, DIMENSIONS["length"]) for column in told)
    return has_length and bool(HOW_LONG_IS.search(question.plain))


def asks_room_for_people(question: TableQuestion, told: Sequence[Column]) -> bool:
    """«¿Cuántos niños caben?», where a column tells how many people a row holds."""
    has_people = any(fits_dimension(column, DIMENSIONS["people"]) for column in told)
    return has_people and "person" in question.units and bool(HOLDS.search(question.plain))


def dimension_asked(question: TableQuestion, told: Sequence[Column]) -> str | None:
    """The dimension that a column must be of to answer; None when any column may."""
    kind = question.asked.kind
    name = UNITS_OF_KIND.get(kind) if kind else None
    if name == "duration" and is_of_length(question, told):
        return "length"
    if kind is AnswerKind.NUMBER and asks_room_for_people(question, told):
        return "people"
    return name


def holds_asked(
    column: Column, question: TableQuestion, name: str | None, rows: Sequence[int]
) -> bool:
    """True if the column's cells in `rows` hold the kind of thing asked for. `name`: the dimension
    that it must be of; a column that the question names may hold anything."""
    filled = [row for row in rows if column.texts[row]]
    if not filled:
        return False
    if name:
        return column.is_numeric and fits_dimension(column, DIMENSIONS[name])
    return bool(question.noun) or all(
        holds_kind(Cell(column.header, column.texts[row]), question.asked) for row in filled
    )


def choose_column(
    question: TableQuestion,
    table: Table,
    told: Sequence[Column],
    places: Sequence[WordPlaces],
    rows: Sequence[int],
) -> Column | None:
    """The column to tell a value of, among those that hold the kind of thing asked for. None when
    several may be meant."""
    asked = question.asked
    if question.noun:
        named = {
            header for place in places if place.word == question.noun for header in place.headers
        }
        told = [column for column in told if column.header in named]
    name = dimension_asked(question, told)
    of_kind = [
        column
        for column in told
        if column is not table.name_column and holds_asked(column, question, name, rows)
    ]
    if name == "people":
        of_kind = [column for column in of_kind if not column.words & DIMENSIONS[name].aside]
    if not of_kind:
        return None
    said = {
        column.header: said_of(column, places)
        + SAID * len((column.words & asked.tokens) - function_words(asked.language))
        + 5.0 * fits_header(asked, column)
        - 0.5 * is_without_tax(column, question)
        for column in of_kind
    }
    best = max(said.values())
    chosen = [column for column in of_kind if said[column.header] == best]
    if name and best <= 0:
        aside = DIMENSIONS[name].aside
        chosen = [column for column in chosen if not column.words & aside] or chosen
    if not name and best <= 0:
        measured = [column for column in of_kind if column.unit in question.units]
        if asked.kind is AnswerKind.NUMBER and len(measured) == 1:  # «¿cuántas personas caben?»
            return measured[0]
        is_told = asked.kind in (AnswerKind.DISTANCE, AnswerKind.TEMPERATURE)
        return of_kind[0] if is_told and len(of_kind) == 1 else None
    return chosen[0] if len(chosen) == 1 else None
