"""The extractive answerer: the sentences that answer, in the document's own words, each with its
source's number; or, when it is not sure, the closest ones, which the caller introduces as such.

It never writes a fact of its own, so it cannot invent one. A table row is one sentence: its headers
are in it. What the embedding model makes of the sentences was made when they were indexed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from query.answering.certainty import is_answer
from query.answering.cleaning import make_harmless
from query.answering.drafts import Draft, DraftWriter
from query.answering.rows import read_cells, shorten_row
from query.search.calibration import get_calibration
from query.search.candidates import Question, RetrievedChunk, SentenceCloseness
from query.search.evidence import CertaintyEvidence, SentenceEvidence, weigh
from query.search.ordering import standing
from query.search.passage_words import FoundTerm, WantedTerms, read_line
from query.understanding.asked_for import (
    Asked,
    asks_what_to_do,
    compare_quantities,
    has_kind,
    lost_names,
    missing_numbers,
    missing_words,
    negates,
    read_asked,
    share_held,
    takes_back,
)
from sources.language.words import fold, information
from sources.reading.passages import ChunkLevel

MODEL_LABEL = "extractive"
PASSAGES_READ = 5
MAX_SENTENCES = 3
MAX_QUOTED, MAX_QUOTED_CHARS = 6, 1000  # in doubt: sentences, of which so many
MAX_NEAR = 4  # are there for themselves, and not for the best one beside them
MAX_CHARS = 700
WHOLE_PASSAGE_MAX_WORDS = 40
ENTRY_MAX_WORDS = 80  # of questions and answers
SENTENCE_ENDS = (".", "!", "?", "…", ":", '"', "”", "»", ")")
RARE_NAME_INFORMATION = 7.0  # of a word that is in no list
LONG_SENTENCE_WORDS, SHORT_SENTENCE_WORDS = 45, 4
LONG_PASSAGE_WORDS = 150
AHEAD_MAX = 5.0  # of a score, a logarithm of odds: beyond, it is clear
WORDS_COUNTED_MAX = 8
# So few words, «El motor se calienta.», begin what the next sentence goes on with.
FRAGMENT_WORDS = 5
# A further sentence may be this much worse than the best one; beyond, it is padding.
NEARLY_AS_GOOD = 0.5
# Of what is only quoted, the right one may be the second: e to this power times less likely.
QUOTED_TOO = 4.0


@dataclass(frozen=True)
class Sentence:
    """One of a passage. `score` is a logarithm of odds against the others; `named`: the names and
    codes of the question that it, or its heading, holds."""

    text: str
    chunk: int  # index into the passages given
    position: int  # order within its passage
    score: float
    named: frozenset[str]
    evidence: SentenceEvidence = field(repr=False)

    @cached_property
    def is_row(self) -> bool:
        return bool(self.evidence.is_row) or len(read_cells(self.text)) > 1


@dataclass(frozen=True)
class Reading:
    """All sentences in the documents' order, and best first; what speaks for the best; whether a
    thing of some kind is asked for, or what to do; and the names and codes of the question, folded,
    that none of the passages mentions."""

    sentences: Sequence[Sentence]
    ranked: Sequence[Sentence]
    certainty: CertaintyEvidence
    asks_for_kind: bool
    asks_what_to_do: bool
    unmentioned: Sequence[str]


@dataclass(frozen=True)
class PassageTerms:
    """Of the terms that are asked for, those of a passage with its titles, and of each of its
    sentences under its heading."""

    passage: frozenset[str]
    sentences: tuple[frozenset[str], ...]


def extract_answer(
    question: Question, chunks: Sequence[RetrievedChunk], *, marks_sources: bool
) -> DraftWriter:
    """Sentences of `chunks` (best first, at least one) that answer, in the documents' order.

    `marks_sources` puts [n] behind each run of sentences of one passage, n counting `chunks` from
    1. When they may not answer, it yields nothing, and the draft has the closest of them.
    """
    reading = read_passages(question, chunks)
    if not is_answer(reading.certainty):
        return draft_closest(question, chunks, reading, MODEL_LABEL, marks_sources=marks_sources)
    chosen = choose(reading)
    if len(chosen) == 1:  # of several rows the other columns tell which is which
        chosen = [shorten(chosen[0], question, chunks)]
    parts = list(compose(chosen, marks_sources=marks_sources))
    yield from parts
    return Draft("".join(parts), tuple(range(len(chunks))), MODEL_LABEL)


def shorten(sentence: Sentence, question: Question, chunks: Sequence[RetrievedChunk]) -> Sentence:
    """A row says what was asked for; other sentences stay whole."""
    asked = read_asked(question.text, question.language)
    text = shorten_row(sentence.text, asked, chunks[sentence.chunk].language)
    return replace(sentence, text=text)


def quote_closest(
    question: Question, chunks: Sequence[RetrievedChunk], model: str, *, marks_sources: bool
) -> Draft:
    """The sentences of `chunks` (best first, at least one) that come closest to an answer, where
    `model` wrote none.
    """
    reading = read_passages(question, chunks)
    return draft_closest(question, chunks, reading, model, marks_sources=marks_sources)


def draft_closest(
    question: Question,
    chunks: Sequence[RetrievedChunk],
    reading: Reading,
    model: str,
    *,
    marks_sources: bool,
) -> Draft:
    """With the names and codes of the question that none of the passages mentions."""
    return Draft(
        "",
        tuple(range(len(chunks))),
        model,
        closest="".join(compose(choose_closest(reading), marks_sources=marks_sources)),
        unmentioned=as_written(reading.unmentioned, question.text),
    )


def as_written(words: Sequence[str], text: str) -> tuple[str, ...]:
    """Folded words as they stand in `text`; codes in capitals."""
    written = {fold(match[0]): match[0] for match in re.finditer(r"[\w'-]+", text)}
    found = (written.get(word, word) for word in words)
    return tuple(word.upper() if any(map(str.isdigit, word)) else word for word in found)


def read_passages(question: Question, chunks: Sequence[RetrievedChunk]) -> Reading:
    asked = read_asked(question.text, question.language)
    passages = chunks[:PASSAGES_READ]
    terms = terms_of_passages(passages, WantedTerms(asked.terms))
    coverage = Coverage(asked)
    sentences = [
        sentence
        for number in range(len(passages))
        for sentence in read_passage(question, coverage, passages, terms, number)
    ]
    ranked = without_repeats(sorted(sentences, key=lambda item: -item.score))
    certainty = weigh_best(question, asked, ranked, passages, terms)
    return Reading(
        sentences,
        ranked,
        certainty,
        asks_for_kind=asked.kind is not None,
        asks_what_to_do=asks_what_to_do(question.text),
        unmentioned=lost_names(asked, set().union(*(part.passage for part in terms))),
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
    """`size`: how many sentences it has."""
    above = {one.term for one in heading}
    sentences = [set(above) for _ in range(size)]
    for one in text:
        sentences[one.sentence].add(one.term)
    everything = above.union((one.term for one in title), *sentences)
    return PassageTerms(frozenset(everything), tuple(map(frozenset, sentences)))


class Coverage:
    """What sets of terms hold of a question. Most sentences hold nothing of it, or what others
    hold, so each set is looked at once."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._names = asked.names | asked.codes
        self._known: dict[frozenset[str], tuple[float, frozenset[str]]] = {}

    def of(self, terms: frozenset[str]) -> tuple[float, frozenset[str]]:
        """The share of what the question says, and which of its names and codes."""
        if terms not in self._known:
            named = self._names.difference(missing_words(self.asked, terms))
            self._known[terms] = share_held(self.asked, terms), named
        return self._known[terms]


def read_passage(
    question: Question,
    coverage: Coverage,
    passages: Sequence[RetrievedChunk],
    terms: Sequence[PassageTerms],
    number: int,
) -> Iterator[Sentence]:
    calibration = get_calibration()
    chunk, held, asked = passages[number], terms[number], coverage.asked
    stands = standing(question, chunk, calibration)
    of_passage, _ = coverage.of(held.passage)
    across = float(chunk.language != question.language)
    closeness = chunk.closeness.sentences or (SentenceCloseness(),) * len(chunk.sentences)
    for position, text in enumerate(chunk.sentences):
        near = frozenset().union(*held.sentences[max(0, position - 1) : position + 2])
        own, named = coverage.of(held.sentences[position])
        near_coverage, _ = coverage.of(near)
        words = len(text.split())
        fits, misfits = compare_quantities(asked, text, chunk.language)
        evidence = SentenceEvidence(
            behind=chunk.score - passages[0].score,
            is_first_passage=float(number == 0),
            standing=stands,
            passage_coverage=of_passage,
            passage_closeness=chunk.closeness.mean,
            passage_weakest=chunk.closeness.weakest,
            closeness=closeness[position].mean,
            window=closeness[position].window,
            weakest=closeness[position].weakest,
            window_weakest=closeness[position].window_weakest,
            coverage=own,
            near_coverage=near_coverage,
            has_kind=float(has_kind(text, asked)),
            fits=float(fits),
            misfits=float(misfits),
            misfits_in_row=float(misfits and is_table_row(text, chunk.level)),
            is_row=float(chunk.level == ChunkLevel.ROW),
            is_long=float(words > LONG_SENTENCE_WORDS),
            is_short=float(words < SHORT_SENTENCE_WORDS),
            is_question=float(text.endswith("?")),
            crosses_languages=across,
            coverage_across=across * own,
            stands_out=closeness[position].mean - chunk.closeness.mean,
        )
        score = weigh(evidence, calibration.sentences)
        yield Sentence(text, number, position, score, named, evidence)


def weigh_best(
    question: Question,
    asked: Asked,
    ranked: Sequence[Sentence],
    passages: Sequence[RetrievedChunk],
    terms: Sequence[PassageTerms],
) -> CertaintyEvidence:
    """What speaks for the best sentence, and what is missing. Names may stand anywhere in the
    passages: "it" in one is named in another."""
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
    """By how much its score is above the next one's, AHEAD_MAX at most."""
    return min(AHEAD_MAX, best.score - others[0].score) if others else AHEAD_MAX


def choose(reading: Reading) -> list[Sentence]:
    """The best sentence and those nearly as good, within MAX_SENTENCES and MAX_CHARS, in order.

    A short passage is given whole, and so is a short entry of questions and answers: their
    sentences lean on each other ("No. They exceed the limit.").
    """
    best = reading.ranked[0]
    passage = [item for item in reading.sentences if item.chunk == best.chunk]
    if is_one_entry(passage):
        return without_questions(passage)
    if entry := entry_of(best, passage):
        return without_questions(entry)
    chosen = within(reading.ranked, NEARLY_AS_GOOD, most=MAX_SENTENCES)
    return in_order(completed(chosen, passage, reading))


def completed(
    chosen: list[Sentence], passage: Sequence[Sentence], reading: Reading
) -> list[Sentence]:
    """With the sentence beside the best one that holds the kind of thing asked for, where none
    does; without such a kind, with the one that follows a fragment, is an exception, or may tell
    what to do."""
    best = chosen[0]
    if best.is_row or is_question(best):
        return chosen
    beside = sorted(
        (item for item in passage if abs(item.position - best.position) == 1 and not item.is_row),
        key=lambda item: -item.position,
    )
    if not reading.asks_for_kind:
        leads_on = len(best.text.split()) <= FRAGMENT_WORDS or reading.asks_what_to_do
        wanted = [
            item
            for item in beside
            if item.position > best.position and (leads_on or takes_back(item.text))
        ]
    elif any(item.evidence.has_kind for item in chosen):
        wanted = []
    else:
        wanted = [item for item in beside if item.evidence.has_kind][:1]
    for item in wanted:
        length = sum(len(one.text) for one in [*chosen, item])
        if item not in chosen and not ruled_out(item, best) and length <= MAX_CHARS:
            chosen = [*chosen, item]
    return chosen


def ruled_out(item: Sentence, best: Sentence) -> bool:
    """A quantity, a time of the year, a name or a code of the question rules out this row, and not
    the best one: the row of another season, group or model."""
    if item.evidence.misfits_in_row > best.evidence.misfits:
        return True
    if not (best.is_row and item.is_row):
        return False
    return best.evidence.fits > item.evidence.fits or not best.named <= item.named


def choose_closest(reading: Reading) -> list[Sentence]:
    """The best sentence with those beside it, which often hold what it leads to, and the
    runners-up: one of them may be what was meant. The question of an entry of questions and answers
    stays: "Yes, always" says nothing without it."""
    best = reading.ranked[0]
    passage = [item for item in reading.sentences if item.chunk == best.chunk]
    entry = entry_of(best, passage)
    beside = [
        item
        for item in entry or passage
        if not best.is_row and abs(item.position - best.position) == 1
    ]
    near = within(reading.ranked, QUOTED_TOO, most=MAX_NEAR)
    runners_up = [
        part
        for item in near[1:]
        for part in (*question_above(item, reading.sentences), item)
        if part not in beside
    ]
    following = entry or sorted(beside, key=lambda item: -item.position)
    chosen: list[Sentence] = []
    for item in [best, *following, *runners_up]:
        if item in chosen:
            continue
        if not chosen or sum(len(one.text) for one in [*chosen, item]) <= MAX_QUOTED_CHARS:
            chosen.append(item)
    return sorted(chosen[:MAX_QUOTED], key=lambda item: (item.chunk, item.position))


def is_table_row(text: str, level: str) -> bool:
    """Of a spreadsheet, or of a table within a text."""
    return level == ChunkLevel.ROW or len(read_cells(text)) > 1


def within(ranked: Sequence[Sentence], distance: float, *, most: int) -> list[Sentence]:
    best = ranked[0]
    others = [item for item in ranked[1:] if not ruled_out(item, best)]
    chosen, length = [best], len(best.text)
    for item in others[: most - 1]:
        length += len(item.text)
        if item.score < best.score - distance or length > MAX_CHARS:
            break
        chosen.append(item)
    return chosen


def in_order(chosen: list[Sentence]) -> list[Sentence]:
    return sorted(without_questions(chosen), key=lambda item: (item.chunk, item.position))


def without_repeats(ranked: Sequence[Sentence]) -> list[Sentence]:
    """A text that stands in two documents, or on each page of a website, once."""
    best: dict[str, Sentence] = {}
    for item in ranked:
        best.setdefault(item.text, item)
    return list(best.values())


def is_one_entry(passage: Sequence[Sentence]) -> bool:
    """Short, and no list of rows, of which each stands for itself."""
    is_list = all(": " in sentence.text for sentence in passage)
    words = sum(len(sentence.text.split()) for sentence in passage)
    return words <= WHOLE_PASSAGE_MAX_WORDS and not is_list


def entry_of(best: Sentence, passage: Sequence[Sentence]) -> list[Sentence]:
    """The question and the answer that `best` belongs to; [] when its passage holds no questions,
    or a long answer.
    """
    asked = [item.position for item in passage if is_question(item)]
    begin = max((position for position in asked if position <= best.position), default=None)
    if begin is None:
        return []
    end = min((position for position in asked if position > best.position), default=len(passage))
    entry = [item for item in passage if begin <= item.position < end]
    words = sum(len(item.text.split()) for item in entry)
    return entry if words <= ENTRY_MAX_WORDS and len(entry) > 1 else []


def question_above(item: Sentence, sentences: Sequence[Sentence]) -> list[Sentence]:
    return [
        other
        for other in sentences
        if (other.chunk, other.position) == (item.chunk, item.position - 1) and is_question(other)
    ]


def is_question(sentence: Sentence) -> bool:
    return sentence.text.endswith("?")


def without_questions(chosen: list[Sentence]) -> list[Sentence]:
    """The heading of an entry of questions and answers is what was asked, and no answer."""
    return [item for item in chosen if not is_question(item)] or chosen


def compose(sentences: Sequence[Sentence], *, marks_sources: bool) -> Iterator[str]:
    """The text in pieces, a sentence each. Lines that end without a mark stay lines."""
    for index, sentence in enumerate(sentences):
        before = sentences[index - 1] if index else None
        after = sentences[index + 1] if index + 1 < len(sentences) else None
        ends_run = after is None or after.chunk != sentence.chunk
        mark = f" [{sentence.chunk + 1}]" if marks_sources and ends_run else ""
        yield f"{separator(before, sentence)}{make_harmless(sentence.text)}{mark}"


def separator(before: Sentence | None, sentence: Sentence) -> str:
    if before is None:
        return ""
    return " " if before.text.endswith(SENTENCE_ENDS) else "\n"
