"""What agents keep of conversations, and for how long."""

import itertools
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from config.tests.parallel import in_parallel
from query.answers import Answer
from query.conversations.transcripts import keep_transcript, open_conversation, purge
from query.models import Conversation, Message, Outcome
from query.tasks import purge_transcripts
from query.tests.factories import (
    LIGHTHOUSE,
    ask,
    index_texts,
    judging_by,
    make_conversation,
    make_message,
)
from query.understanding.inquiries import Inquiry

NOW = timezone.now()
ANSWER = Answer("Seven euros.", (), "extractive", Outcome.ANSWERED)
PRICE = "How much is a guided visit to the lighthouse?"


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_agent(tenant, store_transcripts=True)


def add_message(agent: Agent, *, days_ago: float, **over: Any) -> Message:
    conversation = make_conversation(agent, **over)
    message = make_message(conversation)
    Message.all_tenants.filter(pk=message.pk).update(created_at=NOW - timedelta(days=days_ago))
    return message


# --- Keeping --------------------------------------------------------------------------------------


def test_a_message_is_kept_with_its_answer_and_what_was_shown(agent: Agent) -> None:
    index_texts(agent.tenant, *LIGHTHOUSE)

    with judging_by(ordering={"lexical": 1.0}, certainty={"bias": 1.0}):
        answer = ask(agent.tenant, PRICE, agent, session_id="visitor 1")

    message = Message.objects.for_tenant(agent.tenant).select_related("conversation").get()
    assert (message.conversation.agent_id, message.conversation.channel) == (agent.pk, "api")
    assert message.conversation.session_id == "visitor 1"
    assert (message.question, message.answer) == (PRICE, answer.text)
    assert (message.outcome, message.model) == ("answered", "extractive")
    assert message.sources[0] == {"source_file": "notes.txt", "page_or_row": "paragraph 2"}
    assert len(message.sources) == len(answer.sources)


@pytest.mark.parametrize(
    ("question", "weights", "outcome"),
    [
        (PRICE, {"relevance": {"bias": 3.0}, "certainty": {"bias": -3.0}}, "unsure"),
        (PRICE, {"relevance": {"bias": -3.0}}, "redirected"),
        ("ok, gracias", {}, "small_talk"),
    ],
)
def test_what_came_of_a_question_is_kept_with_it(
    agent: Agent, question: str, weights: dict[str, dict[str, float]], outcome: str
) -> None:
    index_texts(agent.tenant, *LIGHTHOUSE)

    with judging_by(**weights):
        answer = ask(agent.tenant, question, agent)

    message = Message.objects.for_tenant(agent.tenant).get()
    assert (message.outcome, message.answer) == (outcome, answer.text)
    assert Outcome(message.outcome).confidence == answer.confidence


def test_an_agent_that_stores_none_keeps_none(tenant: Tenant) -> None:
    keep_transcript(Inquiry(tenant, PRICE, make_agent(tenant), session_id="s"), ANSWER)
    keep_transcript(Inquiry(tenant, PRICE, session_id="s"), ANSWER)

    assert Message.objects.for_tenant(tenant).count() == 0
    assert Conversation.objects.for_tenant(tenant).count() == 0


def test_a_session_is_one_conversation_of_an_agent_and_a_channel(agent: Agent) -> None:
    other = make_agent(agent.tenant, store_transcripts=True)
    for inquiry in (
        Inquiry(agent.tenant, "one", agent, session_id="s"),
        Inquiry(agent.tenant, "two", agent, session_id="s"),
        Inquiry(agent.tenant, "three", agent, "web", "s"),
        Inquiry(agent.tenant, "four", other, session_id="s"),
    ):
        keep_transcript(inquiry, ANSWER)

    conversations = Conversation.objects.for_tenant(agent.tenant)
    kept = {tuple(messages_of(one)) for one in conversations}
    assert kept == {("one", "two"), ("three",), ("four",)}


def messages_of(conversation: Conversation) -> list[str]:
    messages = Message.objects.for_tenant(conversation.tenant).filter(conversation=conversation)
    return list(messages.values_list("question", flat=True))


def test_without_a_session_each_message_is_a_conversation(agent: Agent) -> None:
    for text in ("one", "two"):
        keep_transcript(Inquiry(agent.tenant, text, agent), ANSWER)

    conversations = Conversation.objects.for_tenant(agent.tenant)
    assert [one.session_id for one in conversations] == ["", ""]


def test_first_messages_at_the_same_moment_are_one_conversation(committed_tenant: Tenant) -> None:
    agent = make_agent(committed_tenant, store_transcripts=True)
    inquiry = Inquiry(committed_tenant, PRICE, agent, session_id="s")

    in_parallel(lambda: keep_transcript(inquiry, ANSWER))

    assert Conversation.objects.for_tenant(committed_tenant).count() == 1
    assert Message.objects.for_tenant(committed_tenant).count() == 50


def test_an_answer_is_given_though_its_transcript_cannot_be_kept(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise DatabaseError("Failing row contains: How much is a guided visit")

    monkeypatch.setattr("query.conversations.transcripts.open_conversation", fail)
    index_texts(agent.tenant, *LIGHTHOUSE)

    assert "7 euros" in ask(agent.tenant, PRICE, agent, session_id="s").text
    assert f"a transcript of agent {agent.pk} was not kept: DatabaseError" in caplog.text
    assert "guided visit" not in caplog.text


def test_an_agent_that_was_deleted_meanwhile_keeps_nothing(agent: Agent) -> None:
    Agent.objects.for_tenant(agent.tenant).filter(pk=agent.pk).delete()

    keep_transcript(Inquiry(agent.tenant, PRICE, agent, session_id="s"), ANSWER)

    assert Conversation.objects.for_tenant(agent.tenant).count() == 0


# --- Purging --------------------------------------------------------------------------------------


def test_what_is_older_than_its_agents_days_goes_and_nothing_sooner(
    agent: Agent, other_tenant: Tenant
) -> None:
    week = make_agent(other_tenant, store_transcripts=True, transcript_retention_days=7)
    add_message(agent, days_ago=30.01, session_id="old")
    kept = add_message(agent, days_ago=29.99, session_id="kept")
    add_message(week, days_ago=7.01, session_id="old")
    kept_there = add_message(week, days_ago=6.99, session_id="kept")

    assert purge(NOW) == 4  # two messages, two conversations
    assert set(Message.all_tenants.all()) == {kept, kept_there}
    assert {one.session_id for one in Conversation.all_tenants.all()} == {"kept"}
    assert purge(NOW) == 0


def test_the_days_count_as_the_agent_says_now_also_when_it_stores_no_more(agent: Agent) -> None:
    add_message(agent, days_ago=8)
    agent.transcript_retention_days = 7
    agent.store_transcripts = False
    agent.save()

    assert purge(NOW) == 2


def test_a_conversation_that_goes_on_stays_with_its_newer_messages(agent: Agent) -> None:
    old = add_message(agent, days_ago=31)
    newer = make_message(old.conversation)

    assert purge(NOW) == 1
    assert list(Message.objects.for_tenant(agent.tenant)) == [newer]


def test_more_than_a_batch_goes_in_one_run(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.leaving.expiry.ROWS_AT_ONCE", 2)
    for number in range(5):
        add_message(agent, days_ago=31, session_id=str(number))

    assert purge(NOW) == 10


def test_purging_beside_messages_that_come_loses_none(committed_tenant: Tenant) -> None:
    """A conversation that has become empty is deleted while its session goes on."""
    agent = make_agent(committed_tenant, store_transcripts=True)
    inquiry = Inquiry(committed_tenant, PRICE, agent, session_id="s")
    calls = itertools.cycle([lambda: keep_transcript(inquiry, ANSWER), lambda: purge(NOW)])

    for _ in range(5):
        Message.objects.for_tenant(committed_tenant).delete()
        in_parallel(lambda: next(calls)())
        assert Message.objects.for_tenant(committed_tenant).count() == 25


def test_a_conversation_that_is_being_written_to_is_not_empty(committed_tenant: Tenant) -> None:
    agent = make_agent(committed_tenant, store_transcripts=True)
    conversation = make_conversation(agent, session_id="s")
    inquiry = Inquiry(committed_tenant, PRICE, agent, session_id="s")

    with transaction.atomic():
        assert open_conversation(inquiry, agent) == conversation
        assert in_parallel(lambda: purge(NOW), times=1) == [0]


@pytest.mark.django_db
def test_the_task_purges(agent: Agent) -> None:
    add_message(agent, days_ago=31)

    purge_transcripts()

    assert Message.objects.for_tenant(agent.tenant).count() == 0
