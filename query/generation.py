"""An answer by a language model, from the passages alone, with its citations checked."""

from __future__ import annotations

from collections.abc import Sequence

from query.drafts import DraftWriter
from query.inquiries import Inquiry
from query.memory import Turn
from query.retrieval import Question, RetrievedChunk


def generate_answer(
    inquiry: Inquiry,
    question: Question,
    passages: Sequence[RetrievedChunk],
    turns: Sequence[Turn],
    *,
    streams: bool,
) -> DraftWriter:
    """`streams`: yield the text as the model writes it; else in one piece."""
    raise NotImplementedError
