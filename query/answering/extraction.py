"""The extractive answerer: the sentences that answer, in the document's own words, each with its
source's number; or, when it is not sure, the closest ones, which the caller introduces as such.

It never writes a fact of its own, so it cannot invent one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from language.dates import read_dates
from language.words import fold
from query.answering.certainty import certainty, is_answer
from query.answering.checking.clauses import LIST_MARKER
from query.answering.cleaning import make_harmless
from query.answering.drafts import Draft, DraftWriter
from query.answering.headings import find_entry
from query.answering.hidden import UNDECIDED, Hidden
from query.answering.quotes import quote_windows
from query.answering.sentences import tell_all
from query.answering.timetables import find_hours
from query.answering.weighing import Reading, Sentence, read_passages, ruled_out
from query.answering.windows import SENTENCE_ENDS, heading_before, is_question, separator
from query.search.candidates import Question, RetrievedChunk
from query.search.reader.decisions import LOWEST, SEES_ANSWER
from query.search.siblings import are_alike
from query.understanding.asked_for import takes_back

MODEL_LABEL = "extractive"
MAX_SENTENCES = 3
MAX_CHARS = 700
WHOLE_PASSAGE_MAX_WORDS = 40
ENTRY_MAX_WORDS = 80  # of questions and answers
# So few words, «El motor se calienta.», begin what the next sentence goes on with.
FRAGMENT_WORDS = 5
# A further sentence may be this much worse than the best one; beyond, it is padding.
NEARLY_AS_GOOD = 0.5
# One of several things of which the same is told is meant when it is so much likelier than all.
ALIKE_BEHIND = 1.0
# Below this certainty, what is quoted is said to be only the closest: it holds the answer for three
# of ten questions, above it for seven.
DOUBTFUL = 0.35


def extract_answer(
    question: Question,
    chunks: Sequence[RetrievedChunk],
    *,
    marks_sources: bool,
    hidden: Hidden = UNDECIDED,
) -> DraftWriter:
    """Yields the sentences of `chunks` (best first, at least one) that answer, in the documents'
    order.

    `marks_sources` puts [n] behind each run of sentences of one passage, n counting `chunks` from
    1. `hidden`: columns that rows do not tell. When they may not answer, it yields nothing, and the
    draft has the closest of them.
    """
    reading = read_passages(question, chunks)
    entry = find_hours(question, chunks, reading) or find_entry(question, chunks, reading)
    if not entry and not is_answer(reading):
        return draft_closest(
            question, chunks, reading, MODEL_LABEL, marks_sources=marks_sources, hidden=hidden
        )
    chosen = entry or choose(reading)
    told = tell_all(chosen, reading, hidden)
    chosen = [
        replace(sentence, text=text) for sentence, text in zip(chosen, told, strict=True) if text
    ]
    if not chosen:
        return draft_closest(
            question, chunks, reading, MODEL_LABEL, marks_sources=marks_sources, hidden=hidden
        )
    parts = list(compose(under_labels(chosen), marks_sources=marks_sources))
    yield from parts
    return Draft("".join(parts), tuple(range(len(chunks))), MODEL_LABEL)


def quote_closest(
    question: Question,
    chunks: Sequence[RetrievedChunk],
    model: str,
    *,
    marks_sources: bool,
    hidden: Hidden = UNDECIDED,
) -> Draft:
    """The sentences of `chunks` (best first, at least one) that come closest to an answer, where
    `model` wrote none.
    """
    reading = read_passages(question, chunks)
    return draft_closest(
        question, chunks, reading, model, marks_sources=marks_sources, hidden=hidden
    )


def draft_closest(
    question: Question,
    chunks: Sequence[RetrievedChunk],
    reading: Reading,
    model: str,
    *,
    marks_sources: bool,
    hidden: Hidden,
    chosen: frozenset[int] = frozenset(),
) -> Draft:
    """A draft without text: the closest words, and the names and codes of the question that none of
    the passages mentions. Quotes the `chosen` passages alone, where a model has chosen some."""
    return Draft(
        "",
        tuple(range(len(chunks))),
        model,
        closest=quote_windows(reading, marks_sources=marks_sources, hidden=hidden, chosen=chosen),
        unmentioned=as_written(reading.unmentioned, question.text),
        is_doubtful=certainty(reading) < DOUBTFUL,
    )


def as_written(words: Sequence[str], text: str) -> tuple[str, ...]:
    """The folded words as `text` writes them; codes in capitals."""
    written = {fold(match[0]): match[0] for match in re.finditer(r"[\w'-]+", text)}
    found = (written.get(word, word) for word in words)
    return tuple(word.upper() if any(map(str.isdigit, word)) else word for word in found)


def choose(reading: Reading) -> list[Sentence]:
    """The best sentence and those nearly as good, within MAX_SENTENCES and MAX_CHARS, in order.

    A short passage is given whole, and so is a short entry of questions and answers: their
    sentences lean on each other ("No. They exceed the limit.").
    """
    best = reading.ranked[0]
    if alike := told_alike(best, reading):
        return alike
    passage = [item for item in reading.sentences if item.chunk == best.chunk]
    if of_day := told_of_day(best, reading):
        return of_day
    if is_one_entry(passage):
        return without_questions(passage)
    if entry := entry_of(best, passage):
        return without_questions(entry)
    chosen = within(reading.ranked, NEARLY_AS_GOOD, most=MAX_SENTENCES)
    return in_order(with_readers_choice(completed(chosen, passage, reading), reading))


def with_readers_choice(chosen: list[Sentence], reading: Reading) -> list[Sentence]:
    """Adds the sentence that the reader would have chosen, where the reader sees an answer
    in it."""
    best = chosen[0]
    choice = max(reading.ranked, key=lambda item: LOWEST if item.read is None else item.read)
    length = sum(len(item.text) for item in [*chosen, choice])
    if (
        choice in chosen
        or choice.read is None
        or choice.read < SEES_ANSWER
        or length > MAX_CHARS
        or is_question(choice)
        or ruled_out(choice, best)
    ):
        return chosen
    return [*chosen, choice]


def completed(
    chosen: list[Sentence], passage: Sequence[Sentence], reading: Reading
) -> list[Sentence]:
    """Adds the sentence beside the best one that holds the kind of thing asked for, where none
    does; the one that follows and is an exception; and, where no kind is asked for, the one that
    follows a fragment, or may tell what to do."""
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
        wanted = [
            item for item in beside if item.position > best.position and takes_back(item.text)
        ]
    else:
        wanted = [item for item in beside if item.evidence.has_kind][:1]
    for item in wanted:
        length = sum(len(one.text) for one in [*chosen, item])
        if item not in chosen and not ruled_out(item, best) and length <= MAX_CHARS:
            chosen = [*chosen, item]
    return chosen


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


def is_one_entry(passage: Sequence[Sentence]) -> bool:
    """Tells whether the passage is short and not a list of rows, each of which stands
    for itself."""
    is_list = all(": " in sentence.text for sentence in passage)
    words = sum(len(sentence.text.split()) for sentence in passage)
    return words <= WHOLE_PASSAGE_MAX_WORDS and not is_list


def told_of_day(best: Sentence, reading: Reading) -> list[Sentence]:
    """All rows of the day that is asked about, and all short records of it, a field a line, whose
    titles stand in other lines. [] where the best sentence is neither, and beyond MAX_CHARS."""
    if not names_asked_day(best, reading):
        return []
    told: list[Sentence] = []
    for item in reading.sentences:  # `ranked` has each text once: two items may share their time
        is_told = item in told or (item.is_row and item not in reading.ranked)
        if not is_told and names_asked_day(item, reading):
            told += [item] if item.is_row else record_around(item, reading)
    length = sum(len(item.text) for item in told)
    return in_order(told) if best in told and length <= MAX_CHARS else []


def names_asked_day(item: Sentence, reading: Reading) -> bool:
    """Tells whether the sentence names the day itself, and not a season that it lies in."""
    if not (item.evidence.fits and any(one.is_day for one in reading.asked.dates)):
        return False
    return any(one.is_day for one in read_dates(item.text))


def record_around(item: Sentence, reading: Reading) -> list[Sentence]:
    """The whole passage, where it is one short record; else []."""
    passage = [one for one in reading.sentences if one.chunk == item.chunk]
    words = sum(len(one.text.split()) for one in passage)
    is_record = all(": " in one.text and not one.is_row for one in passage)
    return passage if is_record and words <= WHOLE_PASSAGE_MAX_WORDS else []


def entry_of(best: Sentence, passage: Sequence[Sentence]) -> list[Sentence]:
    """The question and the answer that `best` belongs to; [] when no question stands before it in
    its passage, or the answer is long."""
    asked = [item.position for item in passage if is_question(item)]
    begin = max((position for position in asked if position <= best.position), default=None)
    if begin is None:
        return []
    end = min((position for position in asked if position > best.position), default=len(passage))
    entry = [item for item in passage if begin <= item.position < end]
    words = sum(len(item.text.split()) for item in entry)
    return entry if words <= ENTRY_MAX_WORDS and len(entry) > 1 else []


def without_questions(chosen: list[Sentence]) -> list[Sentence]:
    """Drops the questions, unless nothing else was chosen: the heading of an entry of questions and
    answers repeats the question and answers nothing."""
    return [item for item in chosen if not is_question(item)] or chosen


def told_alike(best: Sentence, reading: Reading) -> list[Sentence]:
    """The best sentence and those of its passage's siblings that say the same of other things: the
    prices of all models, where the question names none. [] where one is clearly meant, or they are
    too long together."""
    alike: dict[int, Sentence] = {}
    for item in reading.ranked if best.label else ():
        if item.label and are_alike(item.text, best.text) and not ruled_out(item, best):
            alike.setdefault(item.chunk, item)
    alike.pop(best.chunk, None)
    length = sum(len(item.text) for item in [best, *alike.values()])
    is_clear = all(item.score < best.score - ALIKE_BEHIND for item in alike.values())
    return [] if is_clear or length > MAX_CHARS else in_order([best, *alike.values()])


def under_labels(chosen: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, the first of each list or passage behind the label that tells whose values
    they are."""
    told: list[Sentence] = []
    for (_, label), group in groupby(chosen, key=lambda item: (item.chunk, item.label)):
        first, *rest = group
        text = "".join(compose((first, *rest), marks_sources=False))
        before = f"{label}:\n" if label and first.days else heading_before(label, text)
        told += [replace(first, text=f"{before}{first.text}"), *rest]
    return told


def compose(sentences: Sequence[Sentence], *, marks_sources: bool) -> Iterator[str]:
    """The text in pieces, a sentence each. Lines that end without a mark stay lines, and what
    stands under headings of its own begins one."""
    for index, sentence in enumerate(sentences):
        before = sentences[index - 1] if index else None
        after = sentences[index + 1] if index + 1 < len(sentences) else None
        ends_run = after is None or after.chunk != sentence.chunk
        mark = f" [{sentence.chunk + 1}]" if marks_sources and ends_run else ""
        yield f"{gap_between(before, sentence)}{make_harmless(sentence.text)}{mark}"


def begins_list(before: Sentence | None, sentence: Sentence) -> bool:
    return before is None or (before.chunk, before.label) != (sentence.chunk, sentence.label)


def gap_between(before: Sentence | None, sentence: Sentence) -> str:
    """What stands between two sentences, with "…" where others of their list are left out: two days
    side by side would say that the shop is closed between them. A table's row stands for itself."""
    if before is None:
        return ""
    if before.is_row and sentence.is_row:
        return "\n"
    begins = bool(sentence.label) and begins_list(before, sentence)
    gap = "\n" if begins else separator(before.text)
    has_left_out = before.chunk == sentence.chunk and sentence.position > before.position + 1
    is_list = is_list_item(before) and is_list_item(sentence)
    return f"{gap}…{gap}" if has_left_out and is_list and not begins else gap


def is_list_item(item: Sentence) -> bool:
    """Tells an item of a list, «- Levadura», «Alba: 30 €.», from a sentence of prose."""
    is_line = bool(LIST_MARKER.match(item.text)) or not item.text.endswith(SENTENCE_ENDS)
    return is_line or bool(item.days) or ": " in item.text
