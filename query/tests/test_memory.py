"""What a session remembers, and for whom."""

import re
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.test.utils import override_settings

from accounts.models import Tenant
from agents.tests.factories import make_agent
from config.jobs import redis_client
from config.security.rate_limits import Outage
from config.tests.parallel import in_parallel
from query.answers import Answer
from query.conversations import memory
from query.conversations.memory import (
    first_time,
    forget_session,
    forget_tenant,
    recall,
    remember,
)
from query.models import Outcome
from query.tests.factories import LIGHTHOUSE, ask, index_texts
from query.understanding.inquiries import Inquiry
from query.understanding.turns import Turn


@pytest.fixture(autouse=True)
def an_outage_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.jobs.redis_client.outage", Outage())


def answer(text: str = "Ten euros.", outcome: Outcome = Outcome.ANSWERED) -> Answer:
    return Answer(text, (), "extractive", outcome)


def say(inquiry: Inquiry, text: str = "Ten euros.", *, completed: str = "") -> None:
    remember(inquiry, answer(text), completed=completed or inquiry.text)


# --- Turns ----------------------------------------------------------------------------------------


def test_the_last_three_turns_are_remembered_oldest_first(tenant: Tenant) -> None:
    for number in range(1, 6):
        say(Inquiry(tenant, f"question {number}", session_id="s"), f"answer {number}")

    assert recall(Inquiry(tenant, "?", session_id="s")) == (
        Turn("question 3", "answer 3"),
        Turn("question 4", "answer 4"),
        Turn("question 5", "answer 5"),
    )


def test_a_turn_knows_what_was_written_and_how_it_was_understood(tenant: Tenant) -> None:
    inquiry = Inquiry(tenant, "and on Sundays?", session_id="s")
    say(inquiry, completed="on Sundays? open tower")

    (turn,) = recall(inquiry)
    assert (turn.question, turn.understood) == ("and on Sundays?", "on Sundays? open tower")


def test_what_is_said_once_in_a_session_is_said_once(tenant: Tenant) -> None:
    inquiry = Inquiry(tenant, "?", session_id="s")

    assert [first_time(inquiry, "topics") for _ in range(3)] == [True, False, False]
    assert first_time(Inquiry(tenant, "?", session_id="t"), "topics")
    assert all(first_time(Inquiry(tenant, "?"), "topics") for _ in range(2))
    forget_session(tenant, "s")
    assert first_time(inquiry, "topics")


def test_fifty_messages_at_once_hear_it_once(tenant: Tenant) -> None:
    inquiry = Inquiry(tenant, "?", session_id="s")

    assert sum(in_parallel(lambda: first_time(inquiry, "topics"))) == 1


def test_without_a_session_nothing_is_remembered(tenant: Tenant) -> None:
    say(Inquiry(tenant, "How much?"))

    assert recall(Inquiry(tenant, "How much?")) == ()


def test_the_same_id_is_another_session_elsewhere(tenant: Tenant, other_tenant: Tenant) -> None:
    agent, other_agent = make_agent(tenant), make_agent(tenant)
    say(Inquiry(tenant, "mine", agent, session_id="s"))

    for inquiry in (
        Inquiry(tenant, "?", session_id="s"),
        Inquiry(tenant, "?", other_agent, session_id="s"),
        Inquiry(tenant, "?", agent, "web", "s"),
        Inquiry(tenant, "?", agent, session_id="S"),
        Inquiry(other_tenant, "?", session_id="s"),
    ):
        assert recall(inquiry) == ()


@pytest.mark.parametrize("outcome", [Outcome.SMALL_TALK, Outcome.CONTACT_TAKEN])
def test_greetings_and_contact_data_are_not_remembered(tenant: Tenant, outcome: Outcome) -> None:
    inquiry = Inquiry(tenant, "my mail is ana@example.org", session_id="s")
    remember(inquiry, answer(outcome=outcome), completed=inquiry.text)

    assert recall(inquiry) == ()


def test_a_long_answer_is_remembered_by_its_beginning(tenant: Tenant) -> None:
    inquiry = Inquiry(tenant, "?", session_id="s")
    say(inquiry, "ñ" * 5000)

    assert recall(inquiry)[0].answer == "ñ" * 1000


def test_it_ends_half_an_hour_after_the_last_turn(tenant: Tenant) -> None:
    inquiry = Inquiry(tenant, "?", session_id="s")
    say(inquiry)
    redis_client.client().expire(key_of(inquiry), 5)
    say(inquiry)

    assert 1790 <= redis_client.client().ttl(key_of(inquiry)) <= 1800


def test_messages_at_the_same_moment_leave_three_whole_turns(tenant: Tenant) -> None:
    inquiry = Inquiry(tenant, "How much?", session_id="s")

    in_parallel(lambda: say(inquiry))

    assert recall(inquiry) == (Turn("How much?", "Ten euros."),) * 3


# --- What Redis sees ------------------------------------------------------------------------------


def key_of(inquiry: Inquiry) -> str:
    return memory.session_key(inquiry)


def test_redis_sees_neither_words_nor_the_session_id(tenant: Tenant) -> None:
    inquiry = Inquiry(tenant, "Has my test come back?", session_id="+34600111222")
    say(inquiry, "Not yet.")

    pattern = rf"{tenant.pk}:turns:default:api:[0-9a-f]{{64}}"
    assert re.fullmatch(pattern, key_of(inquiry))
    (sealed,) = redis_client.client().lrange(key_of(inquiry), 0, -1)
    assert not any(word in sealed for word in (b"test", b"Not yet", b"600111222"))


def test_a_turn_that_was_copied_to_another_session_does_not_open(tenant: Tenant) -> None:
    inquiry, other = (Inquiry(tenant, "?", session_id=name) for name in ("s", "t"))
    say(inquiry)
    redis_client.client().copy(key_of(inquiry), key_of(other))

    assert recall(other) == ()


# --- Without Redis --------------------------------------------------------------------------------


@pytest.fixture
def silent_server() -> Iterator[str]:
    """Takes connections and says nothing: a Redis that hangs."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


@pytest.fixture
def no_server() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"redis://127.0.0.1:{server.getsockname()[1]}/0"


def with_redis(url: str) -> Any:
    return override_settings(REDIS_URL=url)


def test_a_question_is_answered_without_redis(tenant: Tenant, no_server: str) -> None:
    index_texts(tenant, *LIGHTHOUSE)
    with with_redis(no_server):
        text = ask(tenant, "How much is a guided visit?", session_id="s").text

    assert "7 euros" in text


def test_a_redis_that_hangs_is_waited_for_once(tenant: Tenant, silent_server: str) -> None:
    inquiry = Inquiry(tenant, "?", session_id="s")
    with with_redis(silent_server):
        started = time.monotonic()
        assert recall(inquiry) == ()
        first = time.monotonic() - started
        for _ in range(100):
            say(inquiry)
            assert recall(inquiry) == ()
        rest = time.monotonic() - started - first

    assert 0.4 < first < 5
    assert rest < 5  # one wait for each would be fifty


# --- Erasing --------------------------------------------------------------------------------------


def test_a_session_is_forgotten_with_every_agent_and_channel(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    agent = make_agent(tenant)
    mine = [
        Inquiry(tenant, "?", session_id="s"),
        Inquiry(tenant, "?", agent, session_id="s"),
        Inquiry(tenant, "?", agent, "messenger_a", "s"),
    ]
    others = [Inquiry(tenant, "?", session_id="t"), Inquiry(other_tenant, "?", session_id="s")]
    for inquiry in [*mine, *others]:
        say(inquiry)

    assert forget_session(tenant, "s") == 3
    assert [len(recall(inquiry)) for inquiry in [*mine, *others]] == [0, 0, 0, 1, 1]


def test_a_session_id_is_no_pattern(tenant: Tenant) -> None:
    say(Inquiry(tenant, "?", session_id="s"))

    assert forget_session(tenant, "*") == 0


def test_a_tenant_is_forgotten_and_no_other(tenant: Tenant, other_tenant: Tenant) -> None:
    mine, other = (Inquiry(one, "?", session_id="s") for one in (tenant, other_tenant))
    say(mine)
    say(other)

    assert forget_tenant(tenant) == 1
    assert (len(recall(mine)), len(recall(other))) == (0, 1)
