"""Lead capture in two turns, through the API: who becomes a lead, and who is told, once."""

from dataclasses import replace

import pytest
from django.db import transaction

from accounts.mail.deliveries import read_context
from accounts.mail.messages import render
from accounts.models import CompanyProfile, OutgoingMail
from agents.tests.factories import make_agent
from config.security.rate_limits import Limit
from config.tests.parallel import in_parallel
from query.leads import turns as lead_turns
from query.leads.notifications import in_local_time, mail_context
from query.leads.turns import REMARKS, LeadTurn, take_lead_turn
from query.models import Lead, Notification
from query.tests.factories import LIGHTHOUSE, index_texts, make_lead
from query.understanding.inquiries import Inquiry

SELLERS = "ventas@acme.example"
WISH = {
    "es": "Quiero comprar una boya de señalización",
    "en": "I would like to buy a marker buoy",
}
CONTACT = {
    "es": "Soy Eva Soto, mi correo es eva@example.org, gracias",
    "en": "My name is Eva Soto and my e-mail is eva@example.org, thanks",
}
LANGUAGES = pytest.mark.parametrize("language", ["es", "en"])


@pytest.fixture
def agent(tenant):
    return make_agent(
        tenant, name="Tienda", lead_capture_enabled=True, lead_notification_email=SELLERS
    )


@pytest.fixture
def say(admin_api, agent):
    """Sends a message in the session and gives the answer's text."""

    def send(text, session_id="s1", to=agent):
        body = {"query": text, "session_id": session_id}
        response = admin_api.post(f"/agents/{to.pk}/query", body, format="json")
        assert response.status_code == 200, response.content
        return response.json()["answer"]

    return send


def remark(language, key, company="Acme", name="Eva Soto"):
    return REMARKS[language][key].format(company=company, name=name)


def only_lead():
    return Lead.all_tenants.get()


def mails():
    return list(OutgoingMail.all_tenants.filter(template="lead"))


# --- Turn 1 and turn 2 ----------------------------------------------------------------------------


@LANGUAGES
def test_a_wish_to_buy_opens_a_lead_and_asks_for_contact_data(say, agent, language):
    assert say(WISH[language]) == remark(language, "ask")
    lead = only_lead()
    assert (lead.agent, lead.channel, lead.session_id) == (agent, "api", "s1")
    assert (lead.intent_text, lead.status) == (WISH[language], "new")
    assert (lead.name, lead.email, lead.phone, lead.notified_at) == ("", "", "", None)
    assert (mails(), Notification.all_tenants.count()) == ([], 0)


@LANGUAGES
def test_contact_data_fills_it_in_and_tells_the_company_once(say, agent, language):
    say(WISH[language])
    assert say(CONTACT[language]) == remark(language, "thank_by_name")
    lead = only_lead()
    assert (lead.name, lead.email, lead.phone) == ("Eva Soto", "eva@example.org", "")
    assert lead.notified_at is not None
    (mail,) = mails()
    assert (mail.recipient, mail.tenant_id) == (SELLERS, agent.tenant_id)
    assert read_context(mail)["lead_id"] == str(lead.pk)
    notification = Notification.all_tenants.get()
    assert (notification.kind, notification.lead, notification.read_at) == ("lead", lead, None)


def test_a_wish_with_contact_data_is_both_turns_at_once(say):
    answer = say("Quiero comprar una boya, llamadme al 612 345 678")
    assert answer == remark("es", "thank")
    assert only_lead().phone == "+34612345678"
    assert len(mails()) == 1


def test_a_bare_address_is_thanked_in_the_language_of_the_session(say):
    say(WISH["en"])
    assert say("eva@example.org") == remark("en", "thank")


def test_a_name_alone_is_kept_and_the_address_asked_for(say):
    say(WISH["es"])
    assert say("Soy Eva Soto") == remark("es", "ask_by_name")
    assert (only_lead().name, mails()) == ("Eva Soto", [])


# --- What is answered -----------------------------------------------------------------------------


def test_the_remark_stands_behind_an_answer(tenant, say):
    index_texts(tenant, *LIGHTHOUSE)
    answer = say("I want to book a guided visit. How much does a guided visit cost?")
    assert "7 euros" in answer
    assert answer.endswith(f"\n\n{remark('en', 'ask')}")


def test_a_question_beside_contact_data_is_answered_and_thanked_for(tenant, say):
    index_texts(tenant, *LIGHTHOUSE)
    say(WISH["en"])
    answer = say("My e-mail is eva@example.org. How much does a guided visit cost?")
    assert "7 euros" in answer
    assert answer.endswith(f"\n\n{remark('en', 'thank')}")


def test_it_asks_again_only_where_the_wish_is_shown_again(say):
    say(WISH["es"])
    assert remark("es", "ask") not in say("¿De qué material son las boyas?")
    assert say("Pues quiero encargar cuatro boyas") == remark("es", "ask")
    say(CONTACT["es"])
    assert remark("es", "ask") not in say("Quiero comprar otra boya más")
    assert only_lead().intent_text == WISH["es"]


def test_the_same_message_again_changes_nothing(say):
    assert say(WISH["es"]) == say(WISH["es"])
    assert say(CONTACT["es"]) == say(CONTACT["es"])
    assert only_lead().email == "eva@example.org"
    assert (len(mails()), Notification.all_tenants.count()) == (1, 1)


def test_later_messages_fill_in_what_is_missing(say):
    say(WISH["es"])
    say("eva@example.org")
    say("Soy Eva Soto, mi móvil es 612 345 678")
    lead = only_lead()
    assert (lead.name, lead.email) == ("Eva Soto", "eva@example.org")
    assert (lead.phone, len(mails())) == ("+34612345678", 1)


# --- Who is no lead -------------------------------------------------------------------------------


def test_an_agent_that_captures_no_leads_opens_none(tenant, say):
    say(f"{WISH['es']}, eva@example.org", to=make_agent(tenant))
    assert (Lead.all_tenants.count(), mails()) == (0, [])


def test_without_a_session_there_is_no_lead(say):
    say(f"{WISH['es']}, eva@example.org", session_id="")
    assert (Lead.all_tenants.count(), mails()) == (0, [])


def test_the_default_configuration_opens_none(admin_api, agent):
    body = {"query": f"{WISH['es']}, eva@example.org", "session_id": "s1"}
    assert admin_api.post("/agent/query", body, format="json").status_code == 200
    assert (Lead.all_tenants.count(), mails()) == (0, [])


@pytest.mark.parametrize(
    "text",
    [
        "Mi correo es eva@example.org",
        "¿Dónde está mi pedido? Mi correo es eva@example.org",
        "Quiero trabajar con vosotros, soy Eva, eva@example.org",
        "¿Cuánto cuesta una boya?",
    ],
)
def test_contact_data_without_a_wish_to_buy_opens_none(say, text):
    say(text)
    assert (Lead.all_tenants.count(), mails()) == (0, [])


def test_contact_data_of_the_documents_is_not_the_customers(tenant, say):
    index_texts(tenant, "The harbour office answers at harbour@example.com or 020 7946 0958.")
    say(WISH["en"])
    say("At which address does the harbour office answer?")
    assert (only_lead().email, only_lead().phone, mails()) == ("", "", [])


def test_other_peoples_contact_data_does_not_fill_it_in(say):
    say(WISH["es"])
    say("¿El correo de vuestra tienda es info@example.com?")
    assert (only_lead().email, mails()) == ("", [])


# --- Sessions, countries --------------------------------------------------------------------------


def test_a_session_is_one_agents_and_one_channels(tenant, agent):
    other = make_agent(tenant, lead_capture_enabled=True, lead_notification_email=SELLERS)
    inquiry = Inquiry(tenant, WISH["es"], agent, session_id="s1")
    for one in (
        inquiry,
        replace(inquiry, agent=other),
        replace(inquiry, channel="web"),
        replace(inquiry, session_id="s2"),
    ):
        take_lead_turn(one)
    assert Lead.all_tenants.count() == 4
    take_lead_turn(replace(inquiry, text=CONTACT["es"]))
    told = Lead.all_tenants.get(email="eva@example.org")
    assert (told.agent, told.channel, told.session_id) == (agent, "api", "s1")


def test_another_tenants_session_is_another(other_tenant, agent, say):
    stranger = make_agent(
        other_tenant, lead_capture_enabled=True, lead_notification_email="x@example.com"
    )
    untouched = make_lead(stranger, session_id="s1")
    say(WISH["es"])
    say(CONTACT["es"])
    untouched.refresh_from_db()
    assert (untouched.email, untouched.notified_at) == ("", None)


def test_numbers_are_read_as_in_the_companys_country(tenant, say):
    CompanyProfile.objects.for_tenant(tenant).create(country="MX", legal_name="Acme")
    say(WISH["es"])
    say("Mi celular es 55 1234 5678")
    assert only_lead().phone == "+525512345678"


def test_without_a_country_numbers_are_also_read_as_in_the_messages_language(tenant, agent):
    tenant.language = "en"
    for text in (WISH["es"], "Llamadme al 986 12 34 56"):
        take_lead_turn(Inquiry(tenant, text, agent, session_id="s1"))
    assert only_lead().phone == "+34986123456"


def test_a_message_without_either_costs_no_query(tenant, agent, django_assert_num_queries):
    with django_assert_num_queries(0):
        turn = take_lead_turn(Inquiry(tenant, "¿Cuándo abrís?", agent, session_id="s1"))
    assert turn == LeadTurn()


# --- Nothing is lost, nothing is told twice -------------------------------------------------------


def test_the_lead_is_written_before_the_answer_is_worked_out(tenant, say, admin_api, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError

    say(WISH["es"])
    monkeypatch.setattr("query.pipeline.answer_in_context", fail)
    path = f"/agents/{only_lead().agent_id}/query"
    body = {"query": "Mi correo es eva@example.org, ¿cuándo abrís?", "session_id": "s1"}
    assert admin_api.post(path, body, format="json").status_code == 500
    assert (only_lead().email, len(mails())) == ("eva@example.org", 1)


def test_lead_mail_and_notification_are_written_together_or_not_at_all(tenant, agent, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError

    inquiry = Inquiry(tenant, WISH["es"], agent, session_id="s1")
    take_lead_turn(inquiry)
    monkeypatch.setattr("query.notifications.recipients.queue_mail", fail)
    with pytest.raises(RuntimeError), transaction.atomic():
        take_lead_turn(replace(inquiry, text=CONTACT["es"]))
    assert (only_lead().email, only_lead().notified_at) == ("", None)
    assert Notification.all_tenants.count() == 0


@pytest.fixture
def committed_inquiry(committed_tenant, django_db_blocker, monkeypatch):
    monkeypatch.setattr("accounts.services.mails.enqueue_mail", lambda *ids: None)
    with django_db_blocker.unblock():
        agent = make_agent(
            committed_tenant, lead_capture_enabled=True, lead_notification_email=SELLERS
        )
        yield Inquiry(committed_tenant, WISH["es"], agent, session_id="s1")


def counts(inquiry):
    """Leads, mails, notifications."""
    return tuple(
        model.objects.for_tenant(inquiry.tenant).count()
        for model in (Lead, OutgoingMail, Notification)
    )


def test_fifty_parallel_first_turns_open_one_lead(committed_inquiry):
    turns = in_parallel(lambda: take_lead_turn(committed_inquiry))
    assert counts(committed_inquiry) == (1, 0, 0)
    assert set(turns) == {LeadTurn(remark("es", "ask", committed_inquiry.tenant.name))}


def test_fifty_parallel_second_turns_tell_the_company_once(committed_inquiry):
    take_lead_turn(committed_inquiry)
    second = replace(committed_inquiry, text=CONTACT["es"])
    turns = in_parallel(lambda: take_lead_turn(second))
    assert counts(second) == (1, 1, 1)
    thanks = remark("es", "thank_by_name", second.tenant.name)
    assert set(turns) == {LeadTurn(thanks, answers_alone=True)}


def test_fifty_parallel_messages_with_both_are_one_lead_told_once(committed_inquiry):
    both = replace(committed_inquiry, text=f"{WISH['es']}. Mi correo es eva@example.org")
    in_parallel(lambda: take_lead_turn(both))
    assert counts(both) == (1, 1, 1)


# --- The mail -------------------------------------------------------------------------------------


@LANGUAGES
def test_the_mail_says_who_how_what_and_where(agent, language):
    lead = make_lead(agent, name="Eva Soto", email="eva@example.org", channel="web")
    lead_turns.notify_once(lead, agent)
    message = render("lead", language, mail_context(lead, agent))
    for text in (message.text, message.html):
        for shown in ("Tienda", "Eva Soto", "eva@example.org", "I want to buy a buoy", "web"):
            assert shown in text
        assert in_local_time(lead) in text
        assert f"/dashboard/leads/{lead.pk}" in text


@LANGUAGES
def test_a_strangers_words_are_shown_and_do_nothing(agent, language):
    lead = make_lead(
        agent,
        email="eva&bcc=x@example.org",
        intent_text="Quiero <b>uno</b>\r\nBcc: x@example.com\n"
        "https://evil.example/?a www.evil.example",
    )
    lead_turns.notify_once(lead, agent)
    message = render("lead", language, mail_context(lead, agent))
    assert "<b>uno" not in message.html
    assert "&lt;b&gt;uno&lt;/b&gt;" in message.html
    assert 'href="mailto:eva%26bcc%3Dx@example.org"' in message.html
    assert "\nBcc" not in message.text
    assert "\n" not in message.subject
    for text in (message.text, message.html):
        assert "://evil" not in text
        assert "evil.example" not in text
        assert "https: //evil. example/?a www. evil. example" in text


def test_a_correction_changes_the_lead_and_sends_no_second_mail(say):
    say(WISH["es"])
    say(CONTACT["es"])
    say("Perdón, mi correo es eva.soto@example.org")
    assert (only_lead().email, only_lead().name) == ("eva.soto@example.org", "Eva Soto")
    assert len(mails()) == 1


def test_an_agent_gets_no_more_than_so_many_mails_an_hour_and_all_notifications(say, monkeypatch):
    monkeypatch.setattr("query.leads.notifications.MAIL_LIMIT", Limit("lead_mails", 2, 3600))
    for number in range(4):
        say(f"{WISH['en']}. My e-mail is eva{number}@example.org", session_id=f"s{number}")
    assert (len(mails()), Notification.all_tenants.filter(kind="lead").count()) == (2, 4)
