"""Looking through conversations: order, filters, search."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Tenant
from accounts.models.tenancy import TenantQuerySet
from agents.tests.factories import make_agent
from config.errors import NotFound
from query.answers import Answer
from query.conversations.transcripts import keep_transcript
from query.models import Message, Outcome
from query.services.conversations import (
    describe_conversations,
    find_lead_of,
    get_conversation,
    list_channels,
    list_conversations,
    list_messages,
    matching,
)
from query.tests.factories import make_conversation, make_lead, make_message
from query.understanding.inquiries import Inquiry

ANSWER = Answer("Seven euros.", (), "extractive", Outcome.ANSWERED)


def test_whoever_wrote_last_comes_first_also_in_an_old_conversation(tenant: Tenant) -> None:
    agent = make_agent(tenant, store_transcripts=True)
    for session in ("old", "new", "old"):
        keep_transcript(Inquiry(tenant, "How much?", agent, session_id=session), ANSWER)

    assert [one.session_id for one in list_conversations(tenant)] == ["old", "new"]


def test_a_line_tells_the_first_question_how_many_and_the_worst(tenant: Tenant) -> None:
    one = make_conversation(make_agent(tenant))
    now = timezone.now()
    for number, outcome in enumerate((Outcome.SMALL_TALK, Outcome.REDIRECTED, Outcome.ANSWERED)):
        message = make_message(one, question=f"Question {number}", outcome=outcome)
        message.created_at = now + timedelta(seconds=number)
        message.save()
    empty = make_conversation(make_agent(tenant))

    lines = describe_conversations(tenant, [one, empty])

    assert [(line.first_question, line.messages_count, line.outcome) for line in lines] == [
        ("Question 0", 3, Outcome.REDIRECTED),
        ("", 0, None),
    ]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("canarias", True),
        ("CANARIAS envio", True),  # neither case nor accents
        ("envíos", True),
        ("env", True),  # a beginning
        ("euros", True),  # of the answer
        ("ana@acme.es", True),
        ("canarias baleares", False),  # all of them
        ("arias", False),
        ("?", False),
        ("' | 'x", False),
        ("a:*&!|<->()\\", True),  # the word «a»
        ("\0", False),
    ],
)
def test_words_are_found_in_questions_and_answers(tenant: Tenant, words: str, found: bool) -> None:
    conversation = make_conversation(make_agent(tenant))
    make_message(
        conversation,
        question="¿Hacéis envíos a Canarias?",
        answer="Sí, por 7 euros. Escribe a ana@acme.es.",
    )

    assert list_conversations(tenant, words=words).exists() == found


def test_what_narrows_narrows(tenant: Tenant) -> None:
    agent, other = make_agent(tenant), make_agent(tenant)
    first = make_conversation(agent, channel="web")
    second = make_conversation(other)
    make_message(first, outcome=Outcome.UNSURE)
    make_message(second)

    assert list(list_conversations(tenant, agent_id=agent.pk)) == [first]
    assert list(list_conversations(tenant, channel="api")) == [second]
    assert list(list_conversations(tenant, outcome="unsure")) == [first]
    assert list(list_conversations(tenant, outcome="unsure", channel="api")) == []
    assert list(list_conversations(tenant, outcome="unsure", words="visit")) == [first]


def test_nothing_of_another_tenant_is_listed_found_or_read(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    theirs = make_conversation(make_agent(other_tenant))
    make_message(theirs)

    assert list(list_conversations(tenant)) == []
    assert list(list_conversations(tenant, words="visit")) == []
    assert list(list_messages(tenant, theirs)) == []
    with pytest.raises(NotFound):
        get_conversation(tenant, theirs.pk)


def test_the_lead_of_a_session_is_found_from_its_conversation(tenant: Tenant) -> None:
    agent = make_agent(tenant)
    lead = make_lead(agent)

    assert find_lead_of(tenant, make_conversation(agent)) == lead
    assert find_lead_of(tenant, make_conversation(agent, session_id="other")) is None
    assert find_lead_of(tenant, make_conversation(agent, session_id="")) is None


def test_channels_to_choose_from_are_those_of_the_agents(tenant: Tenant) -> None:
    agents = [make_agent(tenant, active_channels=kinds) for kinds in (["web"], ["web", "x"], [])]

    assert list_channels(agents) == ["api", "web", "x"]


def test_the_index_of_words_is_what_a_search_uses(db: None) -> None:
    """Else a change of the expression makes every search read every message."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert "query_message_words" in matching(TenantQuerySet(Message), "canarias").explain()
