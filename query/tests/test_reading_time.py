"""Whatever a visitor writes is read in time that grows with its length, not with its cunning."""

from collections.abc import Callable
from functools import partial

import pytest

from language.detection import detect_message_language
from language.message import read_message
from language.small_talk import small_talk_of
from language.terms import question_terms
from language.tests.processor_time import processor_seconds
from query.answering.cleaning import clean, make_harmless
from query.leads.contacts import read_contact
from query.models import TEXT_MAX_CHARS

# Many times what the slowest takes: a pattern that goes back and forth takes hours.
BUDGET_SECONDS = 1.0
# What patterns go back and forth over: runs of what may end in several ways.
PIECES = [
    "a",
    "a-",
    "a.",
    "@",
    "a@a.",
    "1",
    "1 ",
    "+1-",
    "(",
    "[](",
    "<a ",
    "&a;",
    "\n",
    " \t",
    "¿?",
]
PIECES += [
    "á",
    "_",
    "-",
    "..",
    "mi ",
    "my name is ",
    "no, ",
    "ja",
    "www.",
    "a/",
    "'",
    "€",
    "http://",
]
TEXTS = [(piece * TEXT_MAX_CHARS)[:TEXT_MAX_CHARS] for piece in PIECES]
TEXTS += [f"{text[:-1]}!" for text in TEXTS] + [f"x@{text[:-5]}!" for text in TEXTS]

READERS: dict[str, Callable[[str], object]] = {
    "contact": lambda text: read_contact(text, ["ES"]),
    "language": detect_message_language,
    "terms": lambda text: question_terms(text, "es"),
    "small talk": small_talk_of,
    "message": lambda text: read_message(text).content,
    "answer": lambda text: clean(text, frozenset()),
    "document": make_harmless,
}


@pytest.mark.parametrize("name", READERS)
def test_a_question_is_read_in_time(name: str) -> None:
    read = READERS[name]
    read("Hello, how much is it?")  # what is loaded once is no text's
    slow = {}
    for text in TEXTS:
        seconds = processor_seconds(partial(read, text))
        if seconds > BUDGET_SECONDS:
            slow[text[:20]] = seconds

    assert slow == {}
