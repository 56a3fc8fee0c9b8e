"""How sure is it that this sentence, in its passage, answers the question? What is asserted, and
what is only quoted as the closest that was found.

The relevance gate tells whether the passages are about the question; here they are. Left to tell
are questions that the text does not answer: another name, another year, the opposite, a detail that
nobody wrote down. One logistic decision on what is known of the best sentence; docs/retrieval.md
has the figures, and what they cost.
"""

from __future__ import annotations

from query.search.calibration import Calibration, get_calibration, threshold_name
from query.search.evidence import CertaintyEvidence, weigh
from query.search.relevance import logistic
from sources.language.words import Language


def is_answer(evidence: CertaintyEvidence) -> bool:
    return certainty(evidence) >= bar(get_calibration(), evidence)


def bar(calibration: Calibration, evidence: CertaintyEvidence) -> float:
    """How certain is enough, for the question's language and the passage's."""
    return calibration.certainty[threshold_name(*languages_of(evidence))]


def languages_of(evidence: CertaintyEvidence) -> tuple[Language, Language]:
    """Of the question and of the passage."""
    asked: Language = "es" if evidence.asked_in_spanish else "en"
    other: Language = "en" if evidence.asked_in_spanish else "es"
    return asked, other if evidence.crosses_languages else asked


def certainty(evidence: CertaintyEvidence) -> float:
    """The probability, 0 … 1, that the sentence answers."""
    return logistic(weigh(evidence, get_calibration().certainty))
