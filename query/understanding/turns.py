"""An earlier question and its answer."""

from __future__ import annotations

from dataclasses import dataclass

from language.words import Language


@dataclass(frozen=True)
class Turn:
    """A question as it was written, and its answer. `completed`: the question as it was understood,
    where that differs; the next message refers to it. `language`: of the answer; None:
    not known."""

    question: str
    answer: str
    completed: str = ""
    language: Language | None = None

    @property
    def understood(self) -> str:
        return self.completed or self.question
