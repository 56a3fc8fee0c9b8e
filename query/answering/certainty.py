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
from query.search.reader.decisions import SEES_ANSWER, AnswerEvidence, get_decisions
from query.search.relevance import logistic

# Where a second opinion speaks for the best sentence, or against it, so much less or more certainty
# is enough.
BORNE_OUT, CONTRADICTED = 0.15, 0.2
BEHIND_NOTHING, BEHIND = -0.1, -1.0  # the reader's own choice, in logarithms of odds
WORDS_SAY = 0.65  # of the question's information, by the sentence and its neighbours
WORDS_SAY_ALL = 0.9


def is_answer(reading: Reading) -> bool:
    """Tells whether the best sentence is told as the answer. Two opinions that agree need less
    certainty than one of them: of 61 such answers to the 32 companies, within BORNE_OUT below the
    bar, 54 were right; of 27 up to CONTRADICTED above it that the reader contradicts, ten."""
    enough = bar(reading)
    if is_contradicted(reading):
        enough += CONTRADICTED
    elif is_borne_out(reading):
        enough -= BORNE_OUT
    return certainty(reading) >= enough


def is_borne_out(reading: Reading) -> bool:
    """Tells whether the reader is sure of the very sentence that was chosen, or it says the
    question's own words; and it holds the kind of thing that is asked for, and nothing of the
    question speaks against it."""
    read, known = reading.read, reading.certainty
    if read is None or known.misfits or known.lacks_number or reading.unmentioned:
        return False
    is_sure = read.behind >= BEHIND_NOTHING and read.score >= SEES_ANSWER
    return bool(known.has_kind) and (is_sure or known.near_coverage >= WORDS_SAY)


def is_contradicted(reading: Reading) -> bool:
    """Tells whether the reader prefers a sentence of another passage, or sees no answer in any,
    though the words do not say all that is asked."""
    read = reading.read
    if read is None:
        return False
    prefers_other = read.is_elsewhere and read.behind < BEHIND
    return prefers_other or (read.any < 0 and reading.certainty.near_coverage < WORDS_SAY_ALL)


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
