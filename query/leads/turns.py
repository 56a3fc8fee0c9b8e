"""Leads: somebody who wants to buy, in two turns.

Turn 1, a wish to buy, opens the session's lead, and the answer asks how to reach its writer. Turn
2, their contact data, fills it in and tells the company once. Only agents that capture leads do it,
only in a session, and only the customer's own message is read. docs/decisions/0013-leads.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.models import CompanyProfile
from agents.models import Agent
from language.detection import detect_language
from language.people import asks_for_person
from language.words import Language
from query.conversations.memory import OFFER, recall, was_said
from query.leads.contacts import Contact, may_hold_phone, read_contact
from query.leads.intent import shows_intent
from query.leads.notifications import notify_of_lead
from query.models import Lead
from query.understanding.inquiries import Inquiry

# Where a phone number without a country code is from, in a tenant that does not say its country.
REGIONS: dict[Language, tuple[str, ...]] = {"es": ("ES",), "en": ("GB", "US")}

ADDRESS = re.compile(r"\S*[@\d]\S*")  # it is of no language

REMARKS: dict[Language, dict[str, str]] = {
    "es": {
        "ask": "Si quieres que {company} te atienda en persona, escríbeme tu nombre y un correo o"
        " teléfono. Al enviarlos aceptas que {company} te contacte por esta consulta.",
        "ask_by_name": "Gracias, {name}. ¿A qué correo o teléfono puede escribirte {company}? Al"
        " enviarlo aceptas que te contacte por esta consulta.",
        "thank": "¡Gracias! He pasado tus datos a {company} para que te contacte por tu consulta.",
        "thank_by_name": "¡Gracias, {name}! He pasado tus datos a {company} para que te contacte"
        " por tu consulta.",
    },
    "en": {
        "ask": "If you would like {company} to help you in person, send me your name and an e-mail"
        " address or phone number. By sending them you agree that {company} contacts you about"
        " this request.",
        "ask_by_name": "Thank you, {name}. At which e-mail address or phone number can"
        " {company} reach you? By sending it you agree to be contacted about this request.",
        "thank": "Thank you! I have passed your details on to {company}, so that they can contact"
        " you about your request.",
        "thank_by_name": "Thank you, {name}! I have passed your details on to {company}, so that"
        " they can contact you about your request.",
    },
}


@dataclass(frozen=True)
class LeadTurn:
    """The effect of a message on its session's lead.

    `remark` goes behind the answer: it asks for contact data, or thanks for it. `answers_alone`:
    the message was contact data and no question; the remark is the whole answer.
    """

    remark: str = ""
    answers_alone: bool = False


def take_lead_turn(inquiry: Inquiry) -> LeadTurn:
    """Writes the lead before the question is answered: a visitor who left an address may leave at
    once.

    The same message again changes nothing and gets the same remark. No query for a message that
    neither shows a wish nor holds contact data.
    """
    agent = inquiry.agent
    if agent is None or not inquiry.may_become_lead:
        return LeadTurn()
    message = inquiry.message
    has_intent = inquiry.wants_to_buy or shows_intent(message) or asks_for_person(message)
    contact = read_contact(inquiry.text, phone_regions(inquiry))
    if not (has_intent or contact.is_reachable or contact.name):
        return LeadTurn()
    with transaction.atomic():
        if has_intent:
            lead: Lead | None = open_lead(inquiry, agent, inquiry.text)
        else:
            lead = find_lead(inquiry, agent) or accept_offer(inquiry, agent, contact)
        if lead is None:
            return LeadTurn()
        fill_in(lead, contact)
        if contact.is_reachable:
            notify_once(lead, agent)
    return answer_turn(inquiry, lead, contact, has_intent=has_intent)


def phone_regions(inquiry: Inquiry) -> tuple[str, ...]:
    """The regions to read phone numbers of. At most one query, and none for a message without a
    number."""
    if not may_hold_phone(inquiry.text):
        return ()
    profiles = CompanyProfile.objects.for_tenant(inquiry.tenant)
    country = profiles.values_list("country", flat=True).first()
    return (country,) if country else spoken_regions(inquiry)


def spoken_regions(inquiry: Inquiry) -> tuple[str, ...]:
    """The regions of the company's language, then of the message's: "llamadme al …" gives a Spanish
    number."""
    company_language: Language = "es" if inquiry.tenant.language == "es" else "en"
    spoken = inquiry.message.told or "en"
    return tuple(dict.fromkeys(REGIONS[company_language] + REGIONS[spoken]))


def accept_offer(inquiry: Inquiry, agent: Agent, contact: Contact) -> Lead | None:
    """The lead of a visitor who was offered a reply to a question that found nothing, and sends
    contact data alone; its text is that question. None for all others."""
    if not (contact.is_reachable and contact.is_all and was_said(inquiry, OFFER)):
        return None
    turns = recall(inquiry)
    return open_lead(inquiry, agent, turns[-1].question) if turns else None


def open_lead(inquiry: Inquiry, agent: Agent, text: str) -> Lead:
    """The session's lead, which begins with `text`; a unique constraint keeps it one under parallel
    first messages."""
    lead, _ = Lead.objects.for_tenant(inquiry.tenant).get_or_create(
        agent=agent,
        channel=inquiry.channel,
        session_id=inquiry.session_id,
        defaults={"intent_text": text},
    )
    return lead


def find_lead(inquiry: Inquiry, agent: Agent) -> Lead | None:
    leads = Lead.objects.for_tenant(inquiry.tenant)
    return leads.filter(agent=agent, channel=inquiry.channel, session_id=inquiry.session_id).first()


def fill_in(lead: Lead, contact: Contact) -> None:
    """Writes contact data into the lead. A later address or number is a correction. The first name
    is kept: what is read as a name is less sure."""
    rows = Lead.objects.for_tenant(lead.tenant).filter(pk=lead.pk)
    reached = {"email": contact.email, "phone": contact.phone}
    if told := {field: value for field, value in reached.items() if value}:
        rows.update(**told)
    if contact.name:
        rows.filter(name="").update(name=contact.name)


def notify_once(lead: Lead, agent: Agent) -> None:
    """Notifies the company if this call is the one that sets notified_at, in the
    same transaction."""
    rows = Lead.objects.for_tenant(lead.tenant).filter(pk=lead.pk, notified_at=None)
    if rows.update(notified_at=timezone.now()):
        lead.refresh_from_db()
        notify_of_lead(lead, agent)


def answer_turn(inquiry: Inquiry, lead: Lead, contact: Contact, *, has_intent: bool) -> LeadTurn:
    if contact.is_reachable:
        return LeadTurn(write_remark(inquiry, lead, "thank", contact.name), contact.is_all)
    if lead.notified_at is not None:
        return LeadTurn()
    if has_intent or contact.is_all:  # then it is a name
        return LeadTurn(write_remark(inquiry, lead, "ask", contact.name), contact.is_all)
    return LeadTurn()


def write_remark(inquiry: Inquiry, lead: Lead, kind: str, name: str) -> str:
    """The remark in the message's language. An address alone does not tell a language: then it is
    the language of the lead's first message."""
    first = detect_language(lead.intent_text, inquiry.likely_language)
    language = detect_language(ADDRESS.sub(" ", inquiry.text), first)
    key = f"{kind}_by_name" if name else kind
    return REMARKS[language][key].format(company=inquiry.tenant.name, name=name)
