"""The answers to several questions of one message, as one answer with the sources of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from query.answering.redirecting import name_left_out
from query.answers import Answer
from query.conversations.parts import QuestionPart
from query.models import Outcome
from query.search.candidates import RetrievedChunk
from query.search.relevance import MAX_SOURCES

MARK = re.compile(r"\[(\d{1,2})\]")  # ours: a document's own [7] reads (7)

PARAGRAPH = "\n\n"
PARAGRAPHS_MAX = 3  # of closest words beside an answer: an introduction, and two quotes


def join_answers(told: Sequence[tuple[QuestionPart, Answer | None]]) -> Answer:
    """The answers in the order of their questions, what is told twice once; None where nothing was
    found, which is said of that question. At least one is an Answer."""
    is_certain = any(answer and answer.outcome == Outcome.ANSWERED for _, answer in told)
    told = [(part, shorter(answer) if answer and is_certain else answer) for part, answer in told]
    answers = [answer for _, answer in told if answer is not None]
    sources = join_sources(answers)
    texts = [
        renumber(answer, sources) if answer else name_left_out(part.name, part.question.language)
        for part, answer in told
    ]
    is_sure = all(answer and answer.outcome == Outcome.ANSWERED for _, answer in told)
    return Answer(
        PARAGRAPH.join(without_repeats(texts)),
        sources,
        answers[0].model,
        Outcome.ANSWERED if is_sure else Outcome.UNSURE,
    )


def shorter(answer: Answer) -> Answer:
    """The answer with fewer of the closest words, where it is not certain: another question of the
    message is answered, and must not be lost among them."""
    if answer.outcome == Outcome.ANSWERED:
        return answer
    return replace(answer, text=PARAGRAPH.join(answer.text.split(PARAGRAPH)[:PARAGRAPHS_MAX]))


def without_repeats(texts: Sequence[str]) -> Iterator[str]:
    """The paragraphs of all texts, each once, without an introduction that would introduce
    nothing."""
    told: set[str] = set()
    for text in texts:
        introduction: list[str] = []
        for paragraph in text.split(PARAGRAPH):
            if paragraph.endswith(":"):
                introduction = [paragraph]
            elif paragraph not in told:
                yield from (*introduction, paragraph)
                introduction = []
                told.add(paragraph)


def join_sources(answers: Sequence[Answer]) -> tuple[RetrievedChunk, ...]:
    """The sources of all answers, each once: those that are marked, and as many others as there is
    room for."""
    marked = {chunk.chunk_id: chunk for answer in answers for chunk in marked_sources(answer)}
    others = (chunk for answer in answers for chunk in answer.sources)
    joined = dict(marked)
    for chunk in others:
        if len(joined) < MAX_SOURCES:
            joined.setdefault(chunk.chunk_id, chunk)
    return tuple(joined.values())


def marked_sources(answer: Answer) -> Iterator[RetrievedChunk]:
    """The sources that the text marks, in their order; where it marks none, the first."""
    marked = {int(number) for number in MARK.findall(answer.text)} or {1}
    for number, chunk in enumerate(answer.sources, start=1):
        if number in marked:
            yield chunk


def renumber(answer: Answer, sources: Sequence[RetrievedChunk]) -> str:
    """The text with its marks as they count the joined sources."""
    places = {chunk.chunk_id: number for number, chunk in enumerate(sources, start=1)}

    def mark(found: re.Match[str]) -> str:
        number = int(found[1])
        if not 0 < number <= len(answer.sources):
            return found[0]
        return f"[{places[answer.sources[number - 1].chunk_id]}]"

    return MARK.sub(mark, answer.text)
