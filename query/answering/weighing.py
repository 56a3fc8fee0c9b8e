"""The sentences of the best passages, weighed: which of them answers, and what speaks for it.

A table row is one sentence: its headers are in it. What the embedding model makes of the sentences
was made when they were indexed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from language.calendar import MONTH_FORMS, WEEKDAY_NUMBERS
from language.dates import order_of
from language.weekdays import NO_DAYS, Days, days_of_lines
from language.words import information
from query.answering.hidden import Hidden
from query.answering.rows import read_cells, told_row
from query.answering.wording import asks_for_list
from query.search.calibration import get_calibration
from query.search.candidates import Question, RetrievedChunk, SentenceCloseness
from query.search.evidence import CertaintyEvidence, SentenceEvidence, weigh
from query.search.ordering import standing
from query.search.passage_words import FoundTerm, WantedTerms, read_line
from query.search.reader.decisions import LOWEST, NOT_READ, any_answers, get_decisions, read_only
from query.search.translations import translated_sentences
from query.understanding.asked_for import (
    Asked,
    asks_what_to_do,
    compare_quantities,
    has_kind,
    lost_names,
    missing_numbers,
    missing_words,
    negates,
    share_held,
)
from reading.passages import ChunkLevel

PASSAGES_READ = 5
RARE_NAME_INFORMATION = 7.0  # of a word that is in no list
LONG_SENTENCE_WORDS, SHORT_SENTENCE_WORDS = 45, 4
LONG_PASSAGE_WORDS = 150
AHEAD_MAX = 5.0  # of a score, a logarithm of odds: beyond, it is clear
WORDS_COUNTED_MAX = 8
BEHIND_ASKED_DAY = (
    5.0  # of a score: a line of hours for other days than the one that is asked about
)


@dataclass(frozen=True)
class Sentence:
    """A sentence of a passage. `score` is a logarithm of odds against the others; `named`: the
    names and codes of the question that it, or its heading, holds; `before`: the headers of the row
    that it goes on, where it begins within a cell of several sentences; `days`: those whose hours
    it tells; `is_other_day`: of its list, another line tells those of the day that is asked about.
    """

    text: str
    chunk: int  # index into the passages given
    position: int  # order within its passage
    score: float
    named: frozenset[str]
    evidence: SentenceEvidence = field(repr=False)
    read: float | None = None  # the reader's score
    before: tuple[str, ...] = ()
    days: Days = NO_DAYS
    is_other_day: bool = False
    label: str = ""  # what tells its list or passage from others: «Horario de invierno», «Garza 21»

    @cached_property
    def is_row(self) -> bool:
        return bool(self.evidence.is_row) or len(read_cells(self.text)) > 1

    def told(self, hidden: Hidden) -> str:
        """The text without the columns that are never told; "" where none is left."""
        if not self.before:
            return told_row(self.text, hidden, is_sheets=bool(self.evidence.is_row))
        begin = f"{self.before[-1]}: "
        told = told_row(begin + self.text, hidden, is_sheets=len(self.before) > 1)
        return told.removeprefix(begin)


@dataclass(frozen=True)
class ReadBest:
    """The reader's view of the best sentence: its score, how far it is behind the reader's own
    choice, and that anything at all answers. Logarithms of odds."""

    score: float
    behind: float
    any: float


@dataclass(frozen=True)
class Reading:
    """The passages, read for a question: all sentences in the documents' order, and best first;
    what speaks for the best, and what the reader says of it, where it has read; what is asked, and
    whether it is what to do, or a list; and the names and codes of the question, folded, that
    none of the passages mentions."""

    sentences: Sequence[Sentence]
    ranked: Sequence[Sentence]
    certainty: CertaintyEvidence
    read: ReadBest | None
    asked: Asked
    asks_what_to_do: bool
    asks_for_list: bool
    unmentioned: Sequence[str]

    @property
    def asks_for_kind(self) -> bool:
        return self.asked.kind is not None


@dataclass(frozen=True)
class PassageTerms:
    """The asked-for terms that a passage with its titles holds, and those of each of its sentences
    under its heading."""

    passage: frozenset[str]
    sentences: tuple[frozenset[str], ...]


def read_passages(question: Question, chunks: Sequence[RetrievedChunk]) -> Reading:
    asked = question.asked
    passages = chunks[:PASSAGES_READ]
    days = [
        days_of_lines(chunk.sentences) if asked.may_ask_hours else [NO_DAYS] * len(chunk.sentences)
        for chunk in passages
    ]
    terms = [
        with_days_said(found, asked, told)
        for found, told in zip(
            terms_of_passages(passages, WantedTerms(asked.terms)), days, strict=True
        )
    ]
    coverage = Coverage(asked)
    translated = [translated_sentences(question, chunk) for chunk in passages]
    sentences = [
        replace(sentence, days=told)
        for number, lines in enumerate(days)
        for sentence, told in zip(
            read_passage(question, coverage, passages, terms, number), lines, strict=True
        )
        if sentence.position not in translated[number]
    ]
    sentences = asked_days_first(sentences, passages, asked.weekdays)
    ranked = without_repeats(sorted(sentences, key=lambda item: -item.score))
    certainty = weigh_best(question, asked, ranked, passages, terms)
    return Reading(
        sentences,
        ranked,
        certainty,
        read_best(sentences, ranked),
        asked=asked,
        asks_what_to_do=asks_what_to_do(question.text),
        asks_for_list=asks_for_list(question.text, question.language),
        unmentioned=[
            name
            for name in lost_names(asked, set().union(*(part.passage for part in terms)))
            if name not in WEEKDAY_NUMBERS and not (asked.dates and name in MONTH_FORMS)
        ],
    )


def asked_days_first(
    sentences: Sequence[Sentence], passages: Sequence[RetrievedChunk], asked: Days
) -> list[Sentence]:
    """Gives the line of the asked days the score of the best line of its list: what the weights
    know of days is their names. A sheet's rows are one list."""
    lists: dict[str | int, list[Sentence]] = {}
    for item in sentences:
        if item.days and asked:
            lists.setdefault(list_of(passages[item.chunk], item.chunk), []).append(item)
    rise = {
        key: max(item.score for item in lines) - max(of_day)
        for key, lines in lists.items()
        if (of_day := [item.score for item in lines if item.days & asked])
    }
    weighed = []
    for item in sentences:
        risen = rise.get(list_of(passages[item.chunk], item.chunk)) if item.days else None
        if risen is not None and item.days & asked:
            item = replace(item, score=item.score + risen)
        elif risen is not None:
            item = replace(item, score=item.score - BEHIND_ASKED_DAY, is_other_day=True)
        weighed.append(item)
    return weighed


def list_of(chunk: RetrievedChunk, number: int) -> str | int:
    """The list that the lines of a passage belong to. `number`: its index among the passages."""
    return chunk.source_file if chunk.level == ChunkLevel.ROW else number


def with_days_said(found: PassageTerms, asked: Asked, days: Sequence[Days]) -> PassageTerms:
    """The terms, and the asked weekdays where a line tells of them by a range."""
    words = [(f"={word}", WEEKDAY_NUMBERS[word]) for word in asked.words if word in WEEKDAY_NUMBERS]
    if not words:
        return found
    said = [frozenset(term for term, day in words if day in told) for told in days]
    return PassageTerms(
        found.passage.union(*said),
        tuple(map(frozenset[str].union, found.sentences, said)),
    )


def terms_of_passages(chunks: Sequence[RetrievedChunk], wanted: WantedTerms) -> list[PassageTerms]:
    words = [
        part
        for chunk in chunks
        for part in (
            chunk.words,
            read_line(chunk.section_title, chunk.language),
            read_line(chunk.document_title, chunk.language),
        )
    ]
    found = iter(wanted.find(words))
    return [
        terms_of_passage(len(chunk.spans), text, heading, title)
        for chunk, text, heading, title in zip(chunks, found, found, found, strict=True)
    ]


def terms_of_passage(
    size: int, text: Sequence[FoundTerm], heading: Sequence[FoundTerm], title: Sequence[FoundTerm]
) -> PassageTerms:
    """The terms of a passage and of its sentences. `size`: the number of its sentences."""
    above = {one.term for one in heading}
    sentences = [set(above) for _ in range(size)]
    for one in text:
        sentences[one.sentence].add(one.term)
    everything = above.union((one.term for one in title), *sentences)
    return PassageTerms(frozenset(everything), tuple(map(frozenset, sentences)))


class Coverage:
    """Measures how much of a question sets of terms hold. Most sentences hold nothing of it, or the
    same as others, so each set is looked at once."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._names = asked.names | asked.codes
        self._known: dict[frozenset[str], tuple[float, frozenset[str]]] = {}

    def of(self, terms: frozenset[str]) -> tuple[float, frozenset[str]]:
        """The share of the question that these terms say, and which of its names and codes."""
        if terms not in self._known:
            named = self._names.difference(missing_words(self.asked, terms))
            self._known[terms] = share_held(self.asked, terms), named
        return self._known[terms]


def weight_of_reader(passages: Sequence[RetrievedChunk]) -> float:
    """The weight of the reader's scores beside a sentence's own; 0 where it has read nothing."""
    is_read = any(passage.read is not None for passage in passages)
    return get_decisions().sentence if is_read else 0.0


def read_passage(
    question: Question,
    coverage: Coverage,
    passages: Sequence[RetrievedChunk],
    terms: Sequence[PassageTerms],
    number: int,
) -> Iterator[Sentence]:
    calibration = get_calibration()
    chunk, held, asked = passages[number], terms[number], coverage.asked
    stands, across = standing(question, chunk, calibration), chunk.language != question.language
    of_passage, _ = coverage.of(held.passage)
    weight, verdicts = weight_of_reader(passages), compare_sentences(asked, chunk)
    for position, (text, closeness, answers) in enumerate(lines_of(chunk)):
        own, named = coverage.of(held.sentences[position])
        around = held.sentences[max(0, position - 1) : position + 2]
        near, _ = coverage.of(frozenset().union(*around))
        words = len(text.split())
        fits, misfits = verdicts[position]
        evidence = SentenceEvidence(
            behind=chunk.score - passages[0].score,
            is_first_passage=float(number == 0),
            standing=stands,
            passage_coverage=of_passage,
            passage_closeness=chunk.closeness.mean,
            passage_weakest=chunk.closeness.weakest,
            closeness=closeness.mean,
            window=closeness.window,
            weakest=closeness.weakest,
            window_weakest=closeness.window_weakest,
            coverage=own,
            near_coverage=near,
            has_kind=float(has_kind(text, asked)),
            fits=float(fits),
            misfits=float(misfits),
            misfits_in_row=float(misfits and is_table_row(text, chunk.level)),
            is_row=float(chunk.level == ChunkLevel.ROW),
            is_long=float(words > LONG_SENTENCE_WORDS),
            is_short=float(words < SHORT_SENTENCE_WORDS),
            is_question=float(text.endswith("?")),
            crosses_languages=float(across),
            coverage_across=across * own,
            stands_out=closeness.mean - chunk.closeness.mean,
        )
        score = weigh(evidence, calibration.sentences)
        score += weight * (NOT_READ if answers is None else max(LOWEST, answers))
        before = headers_before(chunk, position)
        yield Sentence(
            text, number, position, score, named, evidence, answers, before, label=chunk.apart
        )


def lines_of(chunk: RetrievedChunk) -> Iterator[tuple[str, SentenceCloseness, float | None]]:
    """The chunk's sentences, each with its closeness to the question and the reader's score."""
    count = len(chunk.sentences)
    closeness = chunk.closeness.sentences or (SentenceCloseness(),) * count
    return zip(chunk.sentences, closeness, chunk.read or (None,) * count, strict=True)


def compare_sentences(asked: Asked, chunk: RetrievedChunk) -> list[tuple[bool, bool]]:
    """What `compare_quantities` says of each sentence. The passage tells which number of its dates
    is the day."""
    order = (order_of(chunk.sentences) if asked.dates else None) or "day"
    return [compare_quantities(asked, text, chunk.language, order) for text in chunk.sentences]


def read_best(sentences: Sequence[Sentence], ranked: Sequence[Sentence]) -> ReadBest | None:
    """Returns what the reader says of the best sentence, or None where it has read nothing."""
    scores = read_only(tuple(item.read for item in sentences))
    if not scores:
        return None
    best = ranked[0]
    score = NOT_READ if best.read is None else max(LOWEST, best.read)
    return ReadBest(
        score=score,
        behind=min(0.0, score - max(LOWEST, *scores)),
        any=any_answers(scores),
    )


def headers_before(chunk: RetrievedChunk, position: int) -> tuple[str, ...]:
    """The headers of the row in whose middle the sentence begins; () at the beginning of a line."""
    start = chunk.spans[position][0]
    line = chunk.text[chunk.text.rfind("\n", 0, start) + 1 : start]
    return tuple(cell.header for cell in read_cells(line)) if ": " in line else ()


def weigh_best(
    question: Question,
    asked: Asked,
    ranked: Sequence[Sentence],
    passages: Sequence[RetrievedChunk],
    terms: Sequence[PassageTerms],
) -> CertaintyEvidence:
    """The evidence for the best sentence, and against it. Names may stand anywhere in the passages:
    "it" in one is named in another."""
    best, chunk = ranked[0], passages[ranked[0].chunk]
    known, across = best.evidence, best.evidence.crosses_languages
    others = [item for item in ranked[1:] if item.chunk != best.chunk]
    everything = set().union(*(part.passage for part in terms))
    lost_names = asked.names.intersection(missing_words(asked, everything))
    lost = max((information(name, asked.language) for name in lost_names), default=0.0)
    return CertaintyEvidence(
        standing=known.standing,
        passage_coverage=known.passage_coverage,
        passage_closeness=known.passage_closeness,
        passage_weakest=known.passage_weakest,
        closeness=known.closeness,
        window=known.window,
        weakest=known.weakest,
        window_weakest=known.window_weakest,
        coverage=known.coverage,
        near_coverage=known.near_coverage,
        titled_coverage=chunk.match.titled_sentence,
        has_kind=known.has_kind,
        fits=known.fits,
        misfits=known.misfits,
        is_row=known.is_row,
        is_long=known.is_long,
        ahead=lead(best, ranked[1:]),
        ahead_of_others=lead(best, others),
        lacks_number=float(bool(missing_numbers(asked, terms[best.chunk].passage))),
        lacks_rare_name=min(1.0, lost / RARE_NAME_INFORMATION),
        lacks_negation=float(asked.is_negated and not negates(best.text)),
        unheard=question.unheard,
        question_words=min(len(question.words.weights), WORDS_COUNTED_MAX) / WORDS_COUNTED_MAX,
        question_information=math.log1p(sum(asked.words.values())),
        passage_length=min(1.0, len(chunk.text.split()) / LONG_PASSAGE_WORDS),
        asked_in_spanish=float(question.language == "es"),
        crosses_languages=across,
        standing_across=across * known.standing,
        window_across=across * known.window,
        near_coverage_across=across * known.near_coverage,
    )


def lead(best: Sentence, others: Sequence[Sentence]) -> float:
    """The distance from the best score to the next one, AHEAD_MAX at most."""
    return min(AHEAD_MAX, best.score - others[0].score) if others else AHEAD_MAX


def without_repeats(ranked: Sequence[Sentence]) -> list[Sentence]:
    """Keeps a text once that stands in two documents, or on each page of a website."""
    best: dict[str, Sentence] = {}
    for item in ranked:
        best.setdefault(item.text, item)
    return list(best.values())


def is_table_row(text: str, level: str) -> bool:
    """Tells whether the text is a row of a spreadsheet, or of a table within a text."""
    return level == ChunkLevel.ROW or len(read_cells(text)) > 1


def ruled_out(item: Sentence, best: Sentence) -> bool:
    """Tells whether a quantity, a time of the year, a day, a name or a code of the question rules
    out this row, and not the best one: the row of another season, group or model."""
    if item.evidence.misfits_in_row > best.evidence.misfits:
        return True
    if item.is_other_day and not best.is_other_day:
        return True
    if not (best.is_row and item.is_row):
        return False
    return best.evidence.fits > item.evidence.fits or not best.named <= item.named
