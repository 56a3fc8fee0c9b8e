"""Reads earlier turns from the caller's request: for clients that keep their conversation
themselves.

They become the turns that query/conversations/memory.py would have kept of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from language.message import read_message
from language.words import Language
from query.conversations.follow_ups import complete_question
from query.conversations.memory import ANSWER_MAX_CHARS, TURNS_KEPT
from query.models import TEXT_MAX_CHARS
from query.understanding.turns import Turn

EXCHANGES_READ = 10  # a question leans on the one before it, and that on another


class Exchange(NamedTuple):
    question: str
    answer: str


def read_history(said: Sequence[Exchange], likely: Language) -> tuple[Turn, ...]:
    """The last turns of `said`, both oldest first, each understood from those before it.

    Small talk is none: there is nothing to come back to.
    """
    turns: list[Turn] = []
    for question, answer in said[-EXCHANGES_READ:]:
        asked = question[:TEXT_MAX_CHARS]
        whole = complete_question(read_message(asked, likely), turns[-TURNS_KEPT:])
        if not whole.small_talk:
            told = whole.text if whole.text != asked else ""
            turns.append(Turn(asked, answer[:ANSWER_MAX_CHARS], told, whole.language))
    return tuple(turns[-TURNS_KEPT:])
