"""A customer who needs a person: who asks for one, and what they are told."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from language.message import read_message
from language.people import asks_for_person
from query.models import Lead, Outcome
from query.pipeline import answer_question
from query.tests.factories import index_texts
from query.understanding.inquiries import Inquiry

pytestmark = pytest.mark.django_db

CARD: dict[str, Any] = {
    "contact_phone": "912 345 678",
    "contact_email": "hola@acme.example",
    "contact_hours": "lunes a viernes, de 9 a 18 h",
}


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    index_texts(tenant, "The lighthouse opens every day from ten to six.")
    return make_agent(tenant, **CARD)


def ask(agent: Agent, text: str, session_id: str = "s") -> Any:
    return answer_question(Inquiry(agent.tenant, text, agent, "web", session_id))


@pytest.mark.parametrize(
    "text",
    [
        "quiero hablar con una persona",
        "¿Puedo hablar con alguien por teléfono?",
        "que me atienda un humano",
        "pasame con un agente por favor",
        "prefiero una persona real",
        "Can I talk to a human?",
        "I'd like to speak to someone please",
        "connect me with an agent",
        "is there a real person here",
    ],
)
def test_who_asks_for_a_person_is_understood(text: str) -> None:
    assert asks_for_person(read_message(text))


@pytest.mark.parametrize(
    "text",
    [
        "¿Cuántas personas caben en la sala?",
        "¿cuánto cuesta por persona?",
        "How much is it per person?",
        "Can a person with a dog come in?",
        "Do you sell to agents?",
        "hablando de precios, cuanto es",
    ],
)
def test_who_only_mentions_people_asks_something_else(text: str) -> None:
    assert not asks_for_person(read_message(text))


def test_the_ways_that_the_company_has_set_are_told(agent: Agent) -> None:
    answer = ask(agent, "quiero hablar con una persona")

    assert answer.text == (
        "Puedes hablar con Acme por teléfono (912 345 678) o por correo (hola@acme.example)."
        " Horario de atención: lunes a viernes, de 9 a 18 h."
    )
    assert (answer.outcome, answer.sources) == (Outcome.SMALL_TALK, ())


def test_they_are_told_in_english_too(agent: Agent) -> None:
    text = ask(agent, "can I talk to a real person?").text

    assert text.startswith("You can reach Acme by phone (912 345 678) or by e-mail")


def test_a_question_that_finds_nothing_offers_them(agent: Agent) -> None:
    answer = ask(agent, "¿Quién pintó la Mona Lisa?")

    assert answer.outcome == Outcome.REDIRECTED
    assert "912 345 678" in answer.text


def test_nothing_is_offered_where_the_company_has_set_nothing(tenant: Tenant) -> None:
    text = ask(make_agent(tenant), "¿Quién pintó la Mona Lisa?").text

    assert "Puedes hablar con" not in text


def test_what_the_company_has_answered_by_hand_goes_first(
    agent: Agent, indexed_entry: None
) -> None:
    answer = ask(agent, "quiero hablar con una persona")

    assert "Llámanos al 600 000 000" in answer.text


@pytest.fixture
def indexed_entry(tenant: Tenant) -> None:
    index_texts(tenant, "Llámanos al 600 000 000.", section_title="Quiero hablar con una persona")


# --- A lead with the question in it ---------------------------------------------------------------


@pytest.fixture
def seller(tenant: Tenant) -> Agent:
    index_texts(tenant, "The lighthouse opens every day from ten to six.")
    return make_agent(
        tenant, lead_capture_enabled=True, lead_notification_email="ana@acme.example", **CARD
    )


def test_who_finds_nothing_is_offered_a_reply_once_and_becomes_a_lead_with_the_question(
    seller: Agent,
) -> None:
    asked = "¿Quién pintó la Mona Lisa?"
    first = ask(seller, asked)
    second = ask(seller, "¿Y quién esculpió el David?")

    thanked = ask(seller, "eva@example.org")

    assert "escríbeme un correo o teléfono" in first.text
    assert "escríbeme un correo o teléfono" not in second.text
    assert thanked.outcome == Outcome.CONTACT_TAKEN
    lead = Lead.objects.for_tenant(seller.tenant).get()
    assert (lead.email, lead.intent_text) == ("eva@example.org", "¿Y quién esculpió el David?")
    assert lead.notified_at is not None


def test_contact_data_that_nobody_asked_for_is_no_lead(seller: Agent) -> None:
    ask(seller, "eva@example.org")

    assert not Lead.objects.for_tenant(seller.tenant).exists()


def test_who_asks_for_a_person_becomes_a_lead_where_leads_are_taken(seller: Agent) -> None:
    answer = ask(seller, "quiero hablar con una persona")

    assert "912 345 678" in answer.text
    assert "escríbeme tu nombre y un correo o teléfono" in answer.text
    lead = Lead.objects.for_tenant(seller.tenant).get()
    assert lead.intent_text == "quiero hablar con una persona"
