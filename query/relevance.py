"""Does a passage answer this question? The gate between retrieval and answering.

One logistic decision a passage, on three features: how near it is (cosine), what share of the
question's words it holds (coverage), and how much those words say (information, a logarithm: small
talk is made of common words). Each alone fails: cosine passes small talk, coverage passes questions
of common words. `bench/fit_relevance.py` fits the weights on eval/, leaving one tenant out;
docs/retrieval.md has the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from query.retrieval import Question, RetrievedChunk
from sources.language.terms import coverage

PASSAGES_JUDGED = 5  # the best by fused score
# Fitted for all-MiniLM-L6-v2 read through the glossary.
BIAS = -10.36
SIMILARITY_WEIGHT = 17.82
COVERAGE_WEIGHT = 5.86
INFORMATION_WEIGHT = 1.15
# A question is answered when one passage is at least this probable: below, the service says that it
# does not know. Chosen for at most 4 wrong ones in 100 questions that have no answer.
ANSWER_THRESHOLD = 0.65
# Beside that passage, others are shown as sources from here on.
SOURCE_THRESHOLD = 0.2


@dataclass(frozen=True)
class Relevance:
    """A passage's features: cosine 0 … 1, share of the question's information 0 … 1, its amount.

    `information` is ≥ 0, about 7 for a word that is in no list (sources/language/words.py).
    """

    similarity: float
    coverage: float
    information: float

    @property
    def probability(self) -> float:
        """0 … 1 that the passage answers."""
        score = (
            BIAS
            + SIMILARITY_WEIGHT * self.similarity
            + COVERAGE_WEIGHT * self.coverage
            + INFORMATION_WEIGHT * math.log1p(self.information)
        )
        return 1 / (1 + math.exp(-score))


IRRELEVANT = Relevance(similarity=0.0, coverage=0.0, information=0.0)


def judge_passages(question: Question, chunks: Sequence[RetrievedChunk]) -> list[Relevance]:
    """The relevance of the first PASSAGES_JUDGED of `chunks`, in their order."""
    return [judge_passage(question, chunk) for chunk in chunks[:PASSAGES_JUDGED]]


def judge_passage(question: Question, chunk: RetrievedChunk) -> Relevance:
    passage = f"{chunk.document_title}\n{chunk.section_title}\n{chunk.text}"
    found = coverage(question.text, question.language, passage, chunk.language)
    return Relevance(chunk.similarity, found.share, found.covered)
