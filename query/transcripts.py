"""Conversations that an agent's company wants to read."""

from __future__ import annotations

from query.answers import Answer
from query.inquiries import Inquiry


def keep_transcript(inquiry: Inquiry, answer: Answer) -> None:
    """Only for agents that store transcripts."""
