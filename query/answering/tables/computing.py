"""The rows that answer: those that the question's conditions leave, and the column that it asks."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from language.words import tokenize
from query.answering.hidden import UNDECIDED, Hidden, told_cells
from query.answering.tables.asking import TableQuestion, Want
from query.answering.tables.cells import Span
from query.answering.tables.columns import (
    choose_column,
    choose_extreme_column,
    names_column,
)
from query.answering.tables.conditions import (
    keep_by_quantity,
    keep_lettered,
    keep_without,
    keep_yes,
)
from query.answering.tables.dating import keep_by_date, words_of_dates
from query.answering.tables.evidence import TableEvidence, rank_of
from query.answering.tables.matching import (
    TableWords,
    WordPlaces,
    may_be_missing,
    measured_figures,
    question_terms,
    telling_words,
    terms_in,
)
from query.answering.tables.table import Column, Table, TableRow
from query.answering.tables.vocabulary import DIMENSIONS, FILLERS
from query.search.candidates import RetrievedChunk

TIME = re.compile(r"^\D*\d{1,2}[:.h]\d\d")
TIME_WORDS, WHO_WORDS = frozenset({"hora", "time"}), frozenset({"who", "quien", "quienes"})
IN_SECTION = 1.0  # more for a word of the table's own name than for one of its document's
ASIDE = 2.0  # less for a column that tells something beside what is compared


@dataclass(frozen=True)
class Computed:
    """The result from one table. `column`: the column whose values are told; None where rows are
    named or counted alone."""

    question: TableQuestion
    table: Table
    rows: tuple[int, ...]
    column: Column | None
    told: tuple[Column, ...]  # the columns that may be told
    evidence: TableEvidence


def compute(
    question: TableQuestion,
    table: Table,
    chunks: Sequence[RetrievedChunk],
    hidden: Hidden = UNDECIDED,
    *,
    today: date,
) -> Computed | None:
    """The rows, and perhaps the column, that answer the question; None when the table does not say
    what is asked for."""
    table = with_told_name(table, hidden)
    told = [
        column for column in told_cells(table.columns, hidden) if column.header or table.has_labels
    ]
    words = TableWords(table)
    places = find_words(question, words, told)
    evidence = TableEvidence(rank=rank_of(table, chunks))
    if question.want is Want.VALUE and question.noun and not names_column(question, table, places):
        if question.is_of_column:
            return None
        question, places = read_as_list(question, table, places)
    column = None
    if question.want is Want.EXTREME:
        column = choose_extreme_column(question, table, told, places, words)
        if column is None:
            return None
        if any(column.words & DIMENSIONS[name].aside for name in question.dimensions[:1]):
            evidence.rank -= ASIDE
    elif question.want is Want.COUNT and counts_column(question, told, words):
        return None
    rows = keep_named(question, table, places, told, column, evidence)
    if not rows:
        return None
    rows = keep_by_quantity(question, table, told, rows, column, evidence)
    rows = keep_by_date(question, told, rows, evidence, today)
    if not rows:
        return None
    match question.want:
        case Want.EXTREME if column is not None:
            rows = extremes(column, rows, is_largest=question.is_largest)
        case Want.FITS | Want.LIST:
            column = next((one for one in told if one.header == evidence.measured), None)
        case Want.VALUE:
            column = choose_column(question, table, told, places, rows)
            if column is None:
                return None
            rows = [row for row in rows if column.texts[row]]
            if len(rows) != 1:
                return None
    return Computed(question, table, tuple(rows), column, tuple(told), evidence) if rows else None


def find_words(
    question: TableQuestion, words: TableWords, told: Sequence[Column]
) -> list[WordPlaces]:
    """The places of the question's words in the table. Words of its dates are not looked for
    where a column holds dates."""
    is_dated = any(column.is_dated for column in told)
    aside = words_of_dates(question) if is_dated else frozenset[str]()
    return [
        words.find(word, weight, question.asked.language)
        for word, weight in telling_words(question).items()
        if word not in aside
    ]


def read_as_list(
    question: TableQuestion, table: Table, places: list[WordPlaces]
) -> tuple[TableQuestion, list[WordPlaces]]:
    """The question, whose noun names no column, as one for rows, or for the time that its verb
    asks for; and where its words stand."""
    noun = question.noun
    if noun in WHO_WORDS:  # it names no rows: "who speaks Spanish"
        places = [place for place in places if place.word != noun]
        noun = ""
    verb = time_told(question, table, places)
    want = Want.VALUE if verb else Want.LIST
    return replace(question, want=want, noun=verb or noun), places


def time_told(question: TableQuestion, table: Table, places: Sequence[WordPlaces]) -> str:
    """«Acaba» of «¿a qué hora acaba?», where it names one column of times."""
    if question.noun not in TIME_WORDS:
        return ""
    of_times = {c.header for c in table.columns if all(map(TIME.search, filter(None, c.texts)))}
    found = {place.word: place.headers & of_times for place in places}
    words = [word for word, headers in found.items() if headers]
    return words[0] if len(set().union(*found.values())) == 1 else ""


def with_told_name(table: Table, hidden: Hidden) -> Table:
    """The table; where the column that names its rows is never told, without any such column, so
    that another one names them."""
    told = told_cells(table.columns, hidden)
    if table.name_column is None or table.name_column in told:
        return table
    headers = [column.header for column in told]
    rows = [
        TableRow(row.passage, tuple(cell for cell in row.cells if cell.header in headers))
        for row in table.rows
    ]
    return replace(table, rows=rows, headers=headers)


def counts_column(question: TableQuestion, told: Sequence[Column], words: TableWords) -> bool:
    """Tells whether a "how many" asks for a value of a column: «¿Cuántas plazas tiene?»."""
    if question.want is not Want.COUNT:
        return False
    headers = words.headers_of(question.noun, question.asked.language)
    named = [c for c in told if c.header in headers]
    name = words.table.name_column
    return any(c.is_numeric and c is not name and not c.is_telling for c in named)


def keep_named(
    question: TableQuestion,
    table: Table,
    places: Sequence[WordPlaces],
    told: Sequence[Column],
    column: Column | None,
    evidence: TableEvidence,
) -> list[int]:
    """The rows that hold the question's words, except words that the table's name or a header
    holds. A yes-or-no column whose header is named has to say yes."""
    if question.want is not Want.VALUE and not question.without <= {p.word for p in places}:
        return []
    rows = keep_lettered(question, told, list(range(len(table.rows))), evidence)
    keeper = RowKeeper(question, table, told, column, evidence)
    for place in places:
        for header in place.headers:
            evidence.named_headers[header] += place.information
        kept = keeper.keep(place, rows)
        if kept is None:
            return []
        rows = kept
    return by_whole_name(question, table, rows) if question.want is Want.VALUE else rows


@dataclass(frozen=True)
class RowKeeper:
    """Keeps the rows that one word of the question after another leaves, and adds to `evidence`
    what the words say. `told`: the columns that may be told; `column`: the one that is asked for.
    """

    question: TableQuestion
    table: Table
    told: Sequence[Column]
    column: Column | None
    evidence: TableEvidence

    @cached_property
    def shown(self) -> frozenset[str]:
        return frozenset(column.header for column in self.told)

    @cached_property
    def measured(self) -> frozenset[str]:
        return measured_figures(self.question.plain)

    def keep(self, place: WordPlaces, rows: list[int]) -> list[int] | None:
        """The rows that the word leaves of `rows`; None when no row can be meant."""
        want, evidence = self.question.want, self.evidence
        if want is Want.VALUE and place.word == self.question.noun:
            evidence.headers += place.information
            return rows
        if place.word in self.question.without:
            without = keep_without(self.told, place, rows)
            if without is not None:
                evidence.yes += place.information
                return without
            if want is not Want.VALUE:
                return None
        if place.word.isdigit() and (place.in_topic or place.rows):
            evidence.figures.add(place.word)
        return self._keep_holding(place, rows)

    def _keep_holding(self, place: WordPlaces, rows: list[int]) -> list[int] | None:
        want, evidence, held = self.question.want, self.evidence, self._cells_of(place)
        yes = keep_yes(self.told, place, rows)
        if yes is not None:
            evidence.headers += place.information
            evidence.yes += place.information
            return yes
        if self.column is not None and self.column.header in place.headers:
            evidence.headers += place.information
        elif self._is_topic(place):
            evidence.topic += place.information + (IN_SECTION if place.in_section else 0.0)
            if want is Want.VALUE:
                return [row for row in rows if row in held] or rows
        elif held and place.word not in FILLERS:
            return self._keep_cells(place, rows, held)
        elif place.headers & self.shown:
            if want is not Want.EXTREME:
                evidence.headers += place.information
        elif not may_be_missing(place.word) and self.question.is_said(place.word):
            self._miss(place)
        return rows

    def _keep_cells(
        self, place: WordPlaces, rows: list[int], held: Mapping[int, frozenset[str]]
    ) -> list[int] | None:
        kept = [row for row in rows if row in held]
        if not kept:
            if self.question.want is not Want.VALUE:
                return None
            self._miss(place)
            return rows
        self.evidence.cells += place.information
        name = self.table.name_column
        if any(held[row] - {name.header if name else ""} for row in kept):
            self.evidence.kinds += place.information
        return kept

    def _cells_of(self, place: WordPlaces) -> dict[int, frozenset[str]]:
        """The rows that hold the word, each with the headers of its cells. What is counted is
        sought in names and kinds alone; a figure beside a unit is a quantity, not a cell."""
        if place.word in self.measured:
            return {}
        shown = self.shown
        if self.question.want is Want.COUNT and place.word == self.question.noun:
            names = self.table.name_column
            shown = frozenset(c.header for c in self.told if c is names or c.is_category)
        held = {row: frozenset(headers & shown) for row, headers in place.rows.items()}
        return {row: headers for row, headers in held.items() if headers}

    def _is_topic(self, place: WordPlaces) -> bool:
        name = self.table.name_column
        return place.in_section or place.in_topic or (name.header if name else "") in place.headers

    def _miss(self, place: WordPlaces) -> None:
        self.evidence.unfound += place.information
        self.evidence.unfound_words.append(place.word)


def by_whole_name(question: TableQuestion, table: Table, rows: list[int]) -> list[int]:
    """Prefers rows whose whole name is said when several are left: «Haya» before
    «Haya accesible»."""
    column = table.name_column
    if column is None or len(rows) < 2:
        return rows
    language = question.asked.language
    said = frozenset[str]().union(
        *(question_terms(word, language) for word in question.asked.tokens)
    )
    whole = [
        row
        for row in rows
        if all(
            not said.isdisjoint(terms_in(word, table.language))
            for word in tokenize(column.texts[row])
        )
    ]
    return whole or rows


def extremes(column: Column, rows: Sequence[int], *, is_largest: bool) -> list[int]:
    """All rows that share the largest or the smallest number."""
    spans = {row: span for row in rows if (span := column.amounts[row]) is not None}
    if not spans:
        return []
    ends = {row: end_of(span, is_largest=is_largest) for row, span in spans.items()}
    most = max(ends.values()) if is_largest else min(ends.values())
    return [row for row in rows if row in ends and math.isclose(ends[row], most)]


def end_of(span: Span, *, is_largest: bool) -> float:
    if is_largest:
        return span.high if span.high < math.inf else span.low
    return span.low
