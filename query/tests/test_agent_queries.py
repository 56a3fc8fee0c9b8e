"""An agent that is asked: by its address or its id in the body, within its scope, in its manner."""

import re
import uuid
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant, UsageCounter
from agents.models import Agent
from agents.tests.factories import make_agent
from query.models import Conversation, Lead, Message
from query.tests.factories import (
    LIGHTHOUSE,
    index_texts,
    make_conversation,
    make_lead,
    make_message,
)
from sources.models import Source

QUESTION = "How much does a guided visit cost?"
BAKERY = (
    "The bakery opens at half past six in the morning, also on Sundays.",
    "A rye loaf costs 4 euros, and half a loaf 2 euros.",
)


@pytest.fixture
def lighthouse(tenant: Tenant) -> Source:
    return index_texts(tenant, *LIGHTHOUSE, name="lighthouse.txt")


@pytest.fixture
def bakery(tenant: Tenant) -> Source:
    return index_texts(tenant, *BAKERY, name="bakery.txt")


def ask(api: APIClient, agent: Agent, query: str = QUESTION, **more: Any) -> Any:
    return api.post(f"/agents/{agent.pk}/query", {"query": query, **more}, "json")


def files(answer: Any) -> set[str]:
    assert answer.status_code == 200, answer.content
    return {source["source_file"] for source in answer.json()["sources"]}


def test_by_its_address_and_by_its_id_it_answers_the_same(
    admin_api: APIClient, tenant: Tenant, lighthouse: Source
):
    agent = make_agent(tenant)

    by_path = ask(admin_api, agent)
    by_body = admin_api.post("/agent/query", {"query": QUESTION, "agent_id": str(agent.pk)}, "json")

    assert "7 euros" in by_path.json()["answer"]
    assert (by_body.status_code, by_body.json()) == (200, by_path.json())


def test_the_address_wins_over_the_body(
    admin_api: APIClient, tenant: Tenant, lighthouse: Source, bakery: Source
):
    agent, other = make_agent(tenant, lighthouse), make_agent(tenant, bakery)

    assert files(ask(admin_api, agent, agent_id=str(other.pk))) == {"lighthouse.txt"}


# --- Scope ----------------------------------------------------------------------------------------


def test_it_answers_from_its_own_sources_alone(
    admin_api: APIClient, tenant: Tenant, lighthouse: Source, bakery: Source
):
    of_all, of_one = make_agent(tenant), make_agent(tenant, bakery)

    assert files(ask(admin_api, of_all)) == {"lighthouse.txt"}
    assert files(ask(admin_api, of_one)) == set()
    assert files(ask(admin_api, of_one, "How much is a rye loaf?")) == {"bakery.txt"}


def test_what_it_can_talk_about_is_its_scope(
    admin_api: APIClient, tenant: Tenant, lighthouse: Source, bakery: Source
):
    answer = ask(admin_api, make_agent(tenant, bakery)).json()["answer"]

    assert "bakery" in answer
    assert "lighthouse" not in answer


def test_another_scope_holds_from_the_next_question(
    admin_api: APIClient, tenant: Tenant, lighthouse: Source, bakery: Source
):
    agent = make_agent(tenant, bakery)
    path = f"/agents/{agent.pk}/sources"

    admin_api.put(path, {"source_ids": [str(lighthouse.pk)]}, "json")
    assert files(ask(admin_api, agent)) == {"lighthouse.txt"}

    admin_api.put(path, {"source_ids": [str(bakery.pk)]}, "json")
    assert files(ask(admin_api, agent)) == set()

    admin_api.put(path, {"source_ids": []}, "json")
    assert files(ask(admin_api, agent)) == {"lighthouse.txt"}


def test_a_deleted_source_is_out_at_once_and_nothing_takes_its_place(
    admin_api: APIClient, tenant: Tenant, lighthouse: Source
):
    copy = index_texts(tenant, *LIGHTHOUSE, name="copy.txt")
    agent = make_agent(tenant, lighthouse)
    assert files(ask(admin_api, agent)) == {"lighthouse.txt"}

    assert admin_api.delete(f"/ingest/sources/{lighthouse.pk}").status_code == 200

    assert files(ask(admin_api, agent)) == set()
    assert files(ask(admin_api, make_agent(tenant, copy))) == {"copy.txt"}


# --- Manner ---------------------------------------------------------------------------------------


def test_it_marks_its_sources_or_not(admin_api: APIClient, tenant: Tenant, lighthouse: Source):
    marked = ask(admin_api, make_agent(tenant)).json()
    unmarked = ask(admin_api, make_agent(tenant, cite_sources=False)).json()

    assert re.search(r"\[\d\]", marked["answer"])
    assert not re.search(r"\[\d\]", unmarked["answer"])
    assert "7 euros" in unmarked["answer"]
    assert unmarked["sources"] == marked["sources"] != []


@pytest.mark.parametrize(
    ("greeting", "said"),
    [
        ("Good morning!", "Ahoy! Ask me about the tower."),
        ("Hola", "¡Hola! ¿En qué puedo ayudarte?"),
    ],
)
def test_it_greets_with_its_own_words_whom_it_speaks_to_in_its_language(
    admin_api: APIClient, tenant: Tenant, lighthouse: Source, greeting: str, said: str
):
    agent = make_agent(tenant, welcome_msg="Ahoy! Ask me about the tower.")

    answer = ask(admin_api, agent, greeting).json()

    assert answer["answer"] == said
    assert answer["sources"] == []


# --- Agents that do not answer --------------------------------------------------------------------


def test_an_inactive_one_answers_nobody_and_nothing_is_counted(
    admin_api: APIClient, tenant: Tenant, lighthouse: Source
):
    agent = make_agent(tenant, status="inactive")
    by_body = {"query": QUESTION, "agent_id": str(agent.pk)}
    headers = {"Accept": "text/event-stream"}

    for answer in (
        ask(admin_api, agent),
        admin_api.post("/agent/query", by_body, "json"),
        admin_api.post("/agent/query", by_body, "json", headers=headers),
    ):
        assert answer.status_code == 409
        assert answer.json() == {
            "error": "This agent is inactive. An admin can activate it: PUT /agents/{id}."
        }
    assert not UsageCounter.objects.for_tenant(tenant).exists()


def test_one_that_is_not_there_answers_as_another_tenants(
    admin_api: APIClient, other_tenant: Tenant
):
    answers = {
        (answer.status_code, answer.content)
        for agent_id in (make_agent(other_tenant).pk, uuid.uuid4(), "no-id")
        for answer in (
            admin_api.post(f"/agents/{agent_id}/query", {"query": QUESTION}, "json"),
            admin_api.post("/agent/query", {"query": QUESTION, "agent_id": str(agent_id)}, "json"),
        )
    }

    assert answers == {(404, b'{"error":"There is no such agent."}')}
    assert not UsageCounter.objects.for_tenant(other_tenant).exists()


def test_one_that_is_deleted_takes_its_conversations_along_and_leaves_its_leads(
    admin_api: APIClient, tenant: Tenant
):
    agent, other = make_agent(tenant), make_agent(tenant)
    for each in (agent, other):
        make_message(make_conversation(each))
        make_lead(each)
    kept = Conversation.objects.for_tenant(tenant).get(agent=other)

    assert admin_api.delete(f"/agents/{agent.pk}").status_code == 204

    assert Conversation.objects.for_tenant(tenant).get() == kept
    assert Message.objects.for_tenant(tenant).get().conversation == kept
    agents = Lead.objects.for_tenant(tenant).values_list("agent", flat=True)
    assert set(agents) == {None, other.pk}
    assert ask(admin_api, agent).status_code == 404
