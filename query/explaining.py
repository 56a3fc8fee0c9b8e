"""Why an answer is as it is: what was understood, found, judged and decided.

Made of what the pipeline found: nothing is searched again, and nobody but the company's own people
sees it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from language.words import WORD, fold, function_words
from query.answering.certainty import bar, certainty
from query.answering.extraction import MODEL_LABEL
from query.answering.tables.answering import MODEL_LABEL as TABLES
from query.answering.weighing import Reading, read_passages
from query.answers import Answer
from query.models import Outcome
from query.pipeline import Findings
from query.search.candidates import RetrievedChunk
from query.search.matching import Matcher
from query.search.relevance import Relevance, thresholds_of


class Reason(StrEnum):
    """The step that decided the answer."""

    CERTAIN = "certain"  # the best sentence was certain enough
    UNCERTAIN = "uncertain"  # it was not, and the closest ones are quoted
    WRITTEN = "written"  # a language model wrote it, each sentence borne out by a passage
    DECLINED = "declined"  # the model found no answer in the passages, or none that they bear out
    MODEL_FAILED = "model_failed"
    IRRELEVANT = "irrelevant"  # no passage was likely enough to be about the question
    NOTHING_INDEXED = "nothing_indexed"
    SMALL_TALK = "small_talk"
    CONTACT_TAKEN = "contact_taken"


@dataclass(frozen=True)
class TextPart:
    """A run of a passage's text. `is_match`: a word of the question stands there, in some form."""

    text: str
    is_match: bool


@dataclass(frozen=True)
class ExplainedPassage:
    """A passage and what was decided about it. `relevance`: the gate's probability (0 … 1) that it
    is about the question; None: it stands too far behind to be judged. `is_chosen`: it was answered
    from. `document`: its place, as answers cite it, and `link`: where it is opened, or ""."""

    title: str
    document: str
    link: str
    location: str
    section_title: str
    parts: tuple[TextPart, ...]
    similarity: float
    relevance: float | None
    is_chosen: bool


@dataclass(frozen=True)
class Explanation:
    """`understood`: the question as it was searched for: completed from what came before, and
    corrected. `passages` best first. `answer_threshold`: of the best one's relevance, from which on
    there is an answer; `source_threshold`: from which on a passage is answered from. `certainty`
    (0 … 1) of the best sentence, and how much was needed: None where sentences were not chosen.
    `unmentioned`: names and codes of the question that no passage holds."""

    understood: str
    reason: Reason
    passages: tuple[ExplainedPassage, ...] = ()
    answer_threshold: float | None = None
    source_threshold: float | None = None
    certainty: float | None = None
    certainty_needed: float | None = None
    best_sentence: str = ""
    unmentioned: tuple[str, ...] = ()


def explain_answer(asked: str, findings: Findings | None, answer: Answer) -> Explanation:
    """Explains an answer. `findings` None: nothing was looked for."""
    if findings is None:
        return Explanation(asked, reason_of(answer, found=False))
    thresholds = thresholds_of(findings.chunks)
    reading = read_again(findings, answer)
    return Explanation(
        findings.question.text,
        reason_of(answer, found=bool(findings.chunks)),
        tuple(explain_passages(findings)),
        thresholds.answer,
        thresholds.source,
        certainty(reading) if reading else None,
        bar(reading) if reading else None,
        reading.ranked[0].text if reading else "",
        tuple(reading.unmentioned) if reading else (),
    )


def reason_of(answer: Answer, *, found: bool) -> Reason:
    is_extract = answer.model in (MODEL_LABEL, TABLES)
    match answer.outcome:
        case Outcome.ANSWERED:
            return Reason.CERTAIN if is_extract else Reason.WRITTEN
        case Outcome.UNSURE:
            return Reason.UNCERTAIN if is_extract else Reason.DECLINED
        case Outcome.FAILED:
            return Reason.MODEL_FAILED
        case Outcome.REDIRECTED:
            return Reason.IRRELEVANT if found else Reason.NOTHING_INDEXED
        case Outcome.SMALL_TALK:
            return Reason.SMALL_TALK
        case _:
            return Reason.CONTACT_TAKEN


def read_again(findings: Findings, answer: Answer) -> Reading | None:
    """Reads the sentences again as they were weighed, if that decided: a few milliseconds, for the
    passages are at hand."""
    if not findings.sources or answer.model != MODEL_LABEL:
        return None
    return read_passages(findings.question, findings.sources)


def explain_passages(findings: Findings) -> Iterator[ExplainedPassage]:
    matcher = Matcher(findings.question)
    judged: list[Relevance | None] = [*findings.judged]
    judged += [None] * (len(findings.chunks) - len(judged))
    chosen = {chunk.chunk_id for chunk in findings.sources}
    for chunk, relevance in zip(findings.chunks, judged, strict=True):
        yield ExplainedPassage(
            title=chunk.document_title or chunk.source_file,
            document=chunk.source_file,
            link=chunk.link,
            location=chunk.location,
            section_title=chunk.section_title,
            parts=tuple(mark_words(chunk, matcher)),
            similarity=chunk.similarity,
            relevance=relevance.probability if relevance else None,
            is_chosen=chunk.chunk_id in chosen,
        )


def mark_words(chunk: RetrievedChunk, matcher: Matcher) -> Iterator[TextPart]:
    """Yields the passage's text in parts, in order; the question's words are marked."""
    done = 0
    for found in WORD.finditer(chunk.text):
        word = fold(found[0])
        if word not in function_words(chunk.language) and matcher.asks_for(word, chunk.language):
            if done < found.start():
                yield TextPart(chunk.text[done : found.start()], is_match=False)
            yield TextPart(found[0], is_match=True)
            done = found.end()
    if done < len(chunk.text):
        yield TextPart(chunk.text[done:], is_match=False)
