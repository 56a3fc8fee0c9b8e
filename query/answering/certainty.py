"""How sure is it that this sentence, in its passage, answers the question? What is asserted, and
what is only quoted as the closest that was found.

The relevance gate tells whether the passages are about the question; here they are. Left to tell
are questions that the text does not answer: another name, another year, the opposite, a detail that
nobody wrote down. One logistic decision on what is known of the best sentence; where the reader has
read it, a second one on that and on its scores. docs/retrieval.md has the figures, and what they
cost.
"""

from __future__ import annotations

from language.words import Language
from query.answering.weighing import Reading
from query.search.calibration import Calibration, get_calibration, threshold_name
from query.search.evidence import CertaintyEvidence, weigh
from query.search.reader.decisions import AnswerEvidence, get_decisions
from query.search.relevance import logistic
from query.understanding.asked_for import asks_of_a_day


def is_answer(reading: Reading) -> bool:
    return certainty(reading) >= bar(reading) or is_of_asked_day(reading)


def is_of_asked_day(reading: Reading) -> bool:
    """Tells whether the best sentence names the day that is asked about, and says all else of the
    question: "The fair is on 4 March 2027.", asked for 4/3/2027."""
    best, asked = reading.ranked[0], reading.asked
    unsaid = (1 - best.evidence.coverage) * sum(asked.words.values())
    is_answer = best.evidence.fits and best.evidence.has_kind
    return bool(is_answer) and asks_of_a_day(asked, unsaid=unsaid)


def certainty(reading: Reading) -> float:
    """The probability, 0 … 1, that the best sentence answers."""
    read = answer_evidence(reading)
    if read is None:
        return logistic(weigh(reading.certainty, get_calibration().certainty))
    return logistic(weigh(read, get_decisions().answer))


def bar(reading: Reading) -> float:
    """The certainty that is enough, for the question's language and the passage's."""
    if reading.read is None:
        return unread_bar(get_calibration(), reading.certainty)
    return get_decisions().enough(*languages_of(reading.certainty))


def answer_evidence(reading: Reading) -> AnswerEvidence | None:
    """The evidence that the reader's decisions weigh; None when the reader has not
    read anything."""
    read, known = reading.read, reading.certainty
    if read is None:
        return None
    return AnswerEvidence(
        calibrated=weigh(known, get_calibration().certainty),
        score=read.score,
        any=read.any,
        behind=read.behind,
        ahead=known.ahead,
        ahead_of_others=known.ahead_of_others,
        window=known.window,
        misfits=known.misfits,
        is_row=known.is_row,
        crosses_languages=known.crosses_languages,
        asked_in_spanish=known.asked_in_spanish,
    )


def unread_bar(calibration: Calibration, evidence: CertaintyEvidence) -> float:
    """The certainty that is enough when no reader has read the passages."""
    return calibration.certainty[threshold_name(*languages_of(evidence))]


def languages_of(evidence: CertaintyEvidence) -> tuple[Language, Language]:
    """The languages of the question and of the passage."""
    asked: Language = "es" if evidence.asked_in_spanish else "en"
    other: Language = "en" if evidence.asked_in_spanish else "es"
    return asked, other if evidence.crosses_languages else asked
