"""Reads what a question asks of a table: its largest or smallest, how many, which fit, or
a value."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile

from query.answering.tables.vocabulary import (
    COUNT,
    FILLERS,
    FITS,
    NAMED,
    NEGATED,
    NOT_COUNTED,
    OF_ANY,
    SUPERLATIVES,
    THEN,
    WHICH,
    bounded,
)
from query.understanding.asked_for import NUMBER_WORDS, AnswerKind, Asked, read_asked
from sources.language.amounts import plain_text
from sources.language.quantity_words import UNITS
from sources.language.words import WORD, Language, fold, function_words

VALUED = (
    AnswerKind.MONEY,
    AnswerKind.WEIGHT,
    AnswerKind.DISTANCE,
    AnswerKind.DURATION,
    AnswerKind.NUMBER,
    AnswerKind.TEMPERATURE,
)
# «¿Cuántos polifenoles tiene?» asks for a value.
OF_ONE = re.compile(
    r"\b(?:tiene|trae|lleva|incluye|does (?:the|a|an|it|each|your)|has|is in|are in)\b"
)
NOT_NOUNS = frozenset(NUMBER_WORDS) | function_words("es") | function_words("en")
HAS = re.compile(r"\W*(?:que|q) (?:ten|hay|vend|alquil|ofrec|haya|trabaj)\w*")
ARTICLE = re.compile(r"\b(?:lo|el|la|los|las) $")
ASKS_WHICH = re.compile(r"\b(?:cual|cuales|q|que (?!se|si|es |sale |cuesta ))\b")
LARGEST_AND_SMALLEST = ((True, "largest"), (False, "smallest"))
NOUNS = r"(?: (?:de |of (?:the )?|the )?(?P<noun>[^\W\d]\w+))"


class Want(Enum):
    """The thing asked of the rows that meet the conditions."""

    EXTREME = "extreme"
    COUNT = "count"
    FITS = "fits"
    VALUE = "value"


@dataclass(frozen=True)
class TableQuestion:
    """A question put to a table. `phrase`: the superlative as it was written, folded; its words ask
    and do not name anything. `noun`: what is counted, or what a column has most of; `dimensions`:
    () where the noun names the column."""

    want: Want
    asked: Asked
    is_largest: bool = False
    dimensions: tuple[str, ...] = ()
    phrase: str = ""
    noun: str = ""
    told: str = ""  # "cheapest", «barat@»; "" where a column's name is told
    before: str = ""  # the question up to the superlative, folded
    nouns: tuple[str, ...] = ()  # beside the superlative: «fianza más alta», "biggest monthly fee"

    plain: str = ""  # the question, folded

    @property
    def may_be_of_any(self) -> bool:
        """Tells whether the superlative is a size that any column may have: the words beside it
        name the column."""
        return not self.dimensions or self.dimensions[0] in OF_ANY

    @property
    def units(self) -> frozenset[str]:
        """The units that the question names, with a number or without."""
        return frozenset(
            UNITS[word][0] for word in WORD.findall(plain_text(self.plain)) if word in UNITS
        )

    def is_said(self, word: str) -> bool:
        """Tells whether a word stands in the superlative's sentence, and not in another: the story
        around a question. True without a superlative."""
        if not self.phrase:
            return True
        begin = max((self.before.rfind(mark) for mark in ".?!"), default=-1) + 1
        behind = re.split(r"[.?!](?:\s|$)", self.plain[begin:], maxsplit=1)[0]
        return word in WORD.findall(behind)

    @property
    def used(self) -> frozenset[str]:
        return frozenset(WORD.findall(self.phrase)) - {self.noun, *self.nouns}


def read_table_question(text: str, language: Language) -> TableQuestion | None:
    """The question as it is put to a table; None when it asks nothing of a table."""
    plain = fold(text)
    asked = read_asked(text, language)
    found = read_superlative(plain, language, asked)
    if found is None:
        found = read_count(plain, language, asked) or read_fits(plain, language, asked)
    if found is None and asked.kind in VALUED:
        found = TableQuestion(Want.VALUE, asked)
    return found and replace(found, plain=plain)


def read_superlative(plain: str, language: Language, asked: Asked) -> TableQuestion | None:
    for superlative in SUPERLATIVES:
        match = superlative.patterns[language].search(plain)
        if match and is_meant(plain, match, language):
            nouns = nouns_beside(plain, match, language)
            return TableQuestion(
                Want.EXTREME,
                asked,
                superlative.is_largest,
                superlative.dimensions,
                phrase=match[0],
                told=superlative.told[language],
                before=plain[: match.start()],
                nouns=nouns,
            )
    for is_largest, name in LARGEST_AND_SMALLEST:
        before = bounded(NAMED[f"{name}_{language}"]).pattern
        match = re.search(before + NOUNS, plain)
        if not match and f"{name}_after_{language}" in NAMED:
            after = bounded(NAMED[f"{name}_after_{language}"]).pattern
            match = re.search(rf"\b(?P<noun>\w+) {after}", plain)
        if match and match["noun"] not in NOT_NOUNS and is_meant(plain, match, language):
            return TableQuestion(
                Want.EXTREME, asked, is_largest, phrase=match[0], nouns=(match["noun"],)
            )
    return None


def nouns_beside(plain: str, match: re.Match[str], language: Language) -> tuple[str, ...]:
    if language == "es":
        return tuple(WORD.findall(plain[: match.start()])[-1:])
    behind = WORD.findall(plain[match.end() :])[:2]
    return tuple(takewhile(lambda word: word not in function_words("en"), behind))


def is_meant(plain: str, match: re.Match[str], language: Language) -> bool:
    """Tells whether a superlative is meant as one. False for «¿es más barato entre semana?» and
    "cheaper than"."""
    before, behind = plain[: match.start()], plain[match.end() :]
    if NEGATED.search(plain):
        return False
    if language == "en":
        return not THEN["en"].match(behind)
    if HAS.match(behind) or ARTICLE.search(before) or ASKS_WHICH.search(before):
        return True
    return not THEN["es"].match(behind) and bool(WHICH["es"].search(before))


def read_count(plain: str, language: Language, asked: Asked) -> TableQuestion | None:
    match = COUNT[language].search(plain)
    if match is None or match["noun"] in NOT_COUNTED or NEGATED.search(plain):
        return None
    if OF_ONE.search(plain[match.end() :]):
        return None
    noun = match["noun"]
    if noun in asked.words and language == "en":  # "autumn workshops"
        behind = WORD.findall(plain[match.end() :])[:1]
        noun = next((w for w in behind if w in asked.words and w not in FILLERS), noun)
    return TableQuestion(Want.COUNT, asked, noun=noun)


def read_fits(plain: str, language: Language, asked: Asked) -> TableQuestion | None:
    if not asked.quantities or NEGATED.search(plain):
        return None
    if (
        asked.kind in VALUED
        or not FITS[language].search(plain)
        or not WHICH[language].search(plain)
    ):
        return None
    return TableQuestion(Want.FITS, asked)
