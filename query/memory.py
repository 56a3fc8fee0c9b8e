"""What a session said last, for follow-up questions: half an hour in Redis, encrypted, and not in
the database."""

from __future__ import annotations

from dataclasses import dataclass

from query.answers import Answer
from query.inquiries import Inquiry


@dataclass(frozen=True)
class Turn:
    """A message as it was understood, and its answer."""

    question: str
    answer: str


def recall(inquiry: Inquiry) -> tuple[Turn, ...]:
    """Oldest first; empty without a session, and when Redis does not answer."""
    return ()


def remember(inquiry: Inquiry, answer: Answer) -> None:
    """Adds the turn to its session."""
