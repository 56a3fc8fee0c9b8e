"""Messages that ask for a person instead of an answer: "quiero hablar con una persona"."""

from __future__ import annotations

import re

from language.message import Message
from language.word_lists import pattern

ASKED_FOR = re.compile(rf"\b(?:{pattern('people.asked_for')})\b")
# In a longer message a person is mentioned, and something else is asked.
WORDS_MAX = 16


def asks_for_person(message: Message) -> bool:
    """Return True where a short message asks to be put through to somebody."""
    words = message.plain.split()
    return len(words) <= WORDS_MAX and ASKED_FOR.search(" ".join(words)) is not None
