"""A message is understood once, at the door, whatever becomes of it."""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from accounts.models import Tenant
from agents.tests.factories import make_agent
from language import detection, message, small_talk
from language.message import read_message
from language.small_talk import SmallTalk
from query.models import Outcome
from query.tests.factories import LIGHTHOUSE, ask, index_texts


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How often what was asked about which text."""
    seen: Counter[tuple[str, str]] = Counter()

    def count(module: Any, name: str, what: str) -> None:
        function: Callable[[str], Any] = getattr(module, name)

        @wraps(function)
        def counted(text: str) -> Any:
            seen[what, text] += 1
            return function(text)

        monkeypatch.setattr(module, name, counted)

    count(detection, "message_evidence", "language")
    count(message, "message_evidence", "language")
    count(small_talk, "plain_words", "small talk")
    return seen


@pytest.mark.parametrize(
    "text",
    [
        "How much is a guided visit?",
        "Who painted the Mona Lisa?",
        "thanks a lot!",
        "Do you open today?",
        "And on Sundays?",
        "I want to buy ten tickets",
    ],
)
def test_the_language_and_the_small_talk_of_a_message_are_told_once(
    tenant: Tenant, read: Counter[tuple[str, str]], text: str
) -> None:
    index_texts(tenant, *LIGHTHOUSE)
    agent = make_agent(tenant, lead_capture_enabled=True, lead_notification_email="a@b.example")
    ask(tenant, "When does the lighthouse open?", agent, "s")
    read.clear()

    ask(tenant, text, agent, "s")

    assert (read["language", text], read["small talk", text]) == (1, 1)


def test_small_talk_is_seen_behind_a_slip_of_the_finger(
    tenant: Tenant, read: Counter[tuple[str, str]]
) -> None:
    """The corrected text is another one, and read again."""
    index_texts(tenant, *LIGHTHOUSE)

    assert ask(tenant, "graicas").outcome == Outcome.SMALL_TALK
    assert read == {
        ("language", "graicas"): 1,
        ("small talk", "graicas"): 1,
        ("small talk", "gracias"): 1,
    }


def test_a_message_behind_others_keeps_their_language_until_it_is_sure() -> None:
    assert read_message("menu?").after("es").language == "es"
    assert read_message("thx").after("es").language == "en"


def test_a_message_alone_has_the_likelier_language_and_else_the_likely_one() -> None:
    assert read_message("hola", "en").language == "es"
    assert read_message("👍", "es").language == "es"
    assert read_message("👍").small_talk is SmallTalk.AGREEMENT
