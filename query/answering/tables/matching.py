"""Finds the words of a question in a table: in its name, its headers, its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from language.quantity_words import COMPOUND_UNITS, UNITS
from language.terms import word_terms
from language.words import WORD, Language, information, tokenize
from query.answering.tables.asking import TableQuestion, Want
from query.answering.tables.table import Column, Table, topic_of
from query.answering.tables.vocabulary import BOUND_WORDS, FILLERS, SAID_OF_HEADERS, SAME, THINGS
from query.understanding.asked_for import NUMBER_WORDS

YEAR = re.compile(r"(?:19|20)\d\d")
DIMINUTIVE = re.compile(r"(?P<root>\w{3,})it(?P<end>[oa]s?)$")


@dataclass(frozen=True)
class WordPlaces:
    """The places of one word in a table. `rows`: those in which a cell of words holds it, with the
    columns."""

    word: str
    information: float
    in_topic: bool
    in_section: bool
    headers: frozenset[str]
    rows: Mapping[int, frozenset[str]]

    @property
    def is_found(self) -> bool:
        return self.in_topic or bool(self.headers) or bool(self.rows)


class TableWords:
    """The words of a table, each looked at once."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.topic = terms_of_all(tokenize(topic_of(table)))
        self.section = terms_of_all(tokenize(table.name))

    @cached_property
    def headers(self) -> dict[str, frozenset[str]]:
        return {column.header: terms_of_all(column.words) for column in self.table.columns}

    @cached_property
    def cells(self) -> dict[str, set[tuple[int, str]]]:
        """The places of each term in columns of words. The figures of other columns are
        not names."""
        places: dict[str, set[tuple[int, str]]] = {}
        for column in self.table.columns:
            if column.is_numeric and self.holds_figures(column):
                continue
            for row, text in enumerate(column.texts):
                for word in set(tokenize(text)):
                    for term in terms_in(word, self.table.language):
                        places.setdefault(term, set()).add((row, column.header))
        return places

    def holds_figures(self, column: Column) -> bool:
        if column.is_code or column is self.table.name_column:
            return False
        worded = sum(any(map(str.isalpha, text)) for text in column.texts)
        return bool(column.unit) or worded * 2 < len(column.texts)

    def headers_of(self, word: str, language: Language) -> frozenset[str]:
        """The headers with the word, else those that say it otherwise: rpm for «revoluciones»."""
        for terms in (question_terms(word, language), header_terms(word)):
            named = [name for name, told in self.headers.items() if not terms.isdisjoint(told)]
            if named:
                return frozenset(named)
        return frozenset()

    def find(self, word: str, information: float, language: Language) -> WordPlaces:
        terms = question_terms(word, language)
        rows: dict[int, set[str]] = {}
        for term in terms:
            for row, header in self.cells.get(term, ()):
                rows.setdefault(row, set()).add(header)
        return WordPlaces(
            word,
            information,
            not terms.isdisjoint(self.topic),
            not terms.isdisjoint(self.section),
            self.headers_of(word, language),
            {row: frozenset(headers) for row, headers in rows.items()},
        )


@lru_cache(4096)
def question_terms(word: str, language: Language) -> frozenset[str]:
    forms = [word, *SAME.get(word, ())]
    if language == "en" and word.endswith("s"):
        forms.append(f"{word}es")  # lens, lenses
    if language == "es" and (small := DIMINUTIVE.match(word)):
        forms.append(small["root"] + small["end"])
    return frozenset(term for form in forms for term in word_terms(form, language))


@lru_cache(4096)
def header_terms(word: str) -> frozenset[str]:
    """The terms of the words that headers use for this word."""
    return terms_of_all(SAID_OF_HEADERS.get(word, ()))


@lru_cache(65_536)
def terms_in(word: str, language: Language) -> tuple[str, ...]:
    return word_terms(word, language)


def terms_of_all(words: Iterable[str]) -> frozenset[str]:
    """The words' terms in both languages: names of tables and columns are too short to
    tell theirs."""
    return frozenset(term for word in words for one in ("es", "en") for term in terms_in(word, one))


def telling_words(question: TableQuestion) -> dict[str, float]:
    """The words that have to be found in the table, with their information; figures and units are
    looked at as quantities."""
    asked = question.asked
    has_quantities = bool(asked.quantities)
    units = words_of_units(question.plain)
    told = dict(asked.words)
    if question.want is Want.VALUE and question.noun:  # «desde» is no word that tells otherwise
        told.setdefault(question.noun, information(question.noun, asked.language))
    return {
        word: weight
        for word, weight in told.items()
        if word not in question.used
        and not (has_quantities and (is_of_quantity(word) or word in units))
    }


def is_of_quantity(word: str) -> bool:
    return word in NUMBER_WORDS or word in UNITS or word in BOUND_WORDS


def words_of_units(plain: str) -> frozenset[str]:
    """ "Square" and "metres"."""
    found = [match for unit, _ in COMPOUND_UNITS for match in unit.findall(plain)]
    return frozenset(word for unit in found for word in unit.split())


def measured_figures(plain: str) -> frozenset[str]:
    """Figures beside a unit: «10 euros» is not «10:45», though it may be a header's «10 €»."""
    signed = re.findall(r"[€£$] ?(\d+)", plain)
    following = pairwise(WORD.findall(plain))
    return frozenset(
        [*signed, *(one for one, unit in following if unit in UNITS and one.isdigit())]
    )


def may_be_missing(word: str) -> bool:
    """Tells whether a word need not stand in the table: any question may hold it, or it stands for
    any row."""
    return word in THINGS or word in FILLERS or (word.isdigit() and not YEAR.fullmatch(word))
