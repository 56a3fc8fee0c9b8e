"""The answer that a caller gets."""

from __future__ import annotations

from dataclasses import dataclass

from query.models import Confidence, Outcome
from query.search.candidates import RetrievedChunk


@dataclass(frozen=True)
class Answer:
    """An answer. `sources` are best first, or, when a language model wrote the text, in the order
    in which it cites them; empty when nothing relevant is indexed. [n] in `text` counts them from
    1."""

    text: str
    sources: tuple[RetrievedChunk, ...]
    model: str
    outcome: Outcome

    @property
    def confidence(self) -> Confidence:
        return self.outcome.confidence
