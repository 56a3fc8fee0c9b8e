"""What is written to an agent at a messenger is answered, once, in order and in few words."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import transaction

from accounts.models import Plan, Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.connections import reconnected
from channels.models import ChannelConnection
from channels.surfaces.base import MessageKind
from channels.tests import messenger_server
from channels.tests.factories import make_connection
from channels.tests.telegram_server import TelegramServer, update, webhook_call
from channels.tests.whatsapp_server import WhatsAppServer
from config.security.rate_limits import Limit, LimitsUnavailable
from config.tests.parallel import in_parallel
from query import pipeline
from query.answering.redirecting import FALLBACK
from query.conversations.memory import recall
from query.models import Conversation, Lead, Message
from query.services.asking import ask
from query.tests.chat_server import serve_chat
from query.tests.factories import index_texts
from query.understanding.inquiries import Inquiry
from webhooks import conversing, services
from webhooks.models import Chat, InboundMessage
from webhooks.tests.chatting import (
    ago,
    change,
    connection_of,
    hear,
    hear_kind,
    make_due,
    make_replies_due,
    messages_of,
    now_of,
    queries_of,
    replies_of,
    seconds_until,
    tend,
)
from webhooks.tests.factories import make_chat

QUESTION = "How much is a guided visit?"
PREGUNTA = "¿Cuánto cuesta la visita guiada?"
ENGLISH = ("The tower opens on Tuesdays.", "A guided visit costs 7 euros.", "The keeper is Aldara.")
SPANISH = ("La torre abre los martes.", "La visita guiada cuesta 7 euros.", "La farera es Aldara.")
ANSWER = "A guided visit costs 7 euros. [1]\n\nSources:\n[1] notes.txt, paragraph 2"


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    index_texts(tenant, *ENGLISH)
    return make_agent(tenant)


@pytest.fixture
def chat(agent: Agent, telegram: TelegramServer) -> Chat:
    return make_chat(make_connection(agent, config=telegram.config()), language="es")


# --- Questions ------------------------------------------------------------------------------------


def test_a_question_is_answered_with_its_sources_counted_and_forgotten(
    chat: Chat, telegram: TelegramServer
) -> None:
    hear(chat, QUESTION)

    assert tend(chat) is None
    assert telegram.texts(chat.external_id) == [ANSWER]
    assert queries_of(chat.tenant) == 1
    (message,), (reply,) = messages_of(chat), replies_of(chat)
    assert (bytes(message.encrypted_text), bytes(reply.encrypted_parts)) == (b"", b"")
    assert message.handled_at is not None
    assert message.error_message == ""
    after = now_of(chat)
    assert (after.due_at, after.lease_id, after.leased_until) == (None, None, None)
    assert connection_of(chat).error_message == ""


def test_an_agent_that_cites_no_sources_names_none(chat: Chat, telegram: TelegramServer) -> None:
    change(chat.connection.agent, cite_sources=False)
    hear(chat, QUESTION)
    tend(chat)

    assert telegram.texts() == ["A guided visit costs 7 euros."]


def test_spanish_is_answered_in_spanish(
    tenant: Tenant, whatsapp: WhatsAppServer, other_tenant: Tenant
) -> None:
    index_texts(tenant, *SPANISH)
    connection = make_connection(make_agent(tenant), "messenger_b", config=whatsapp.config())
    chat = make_chat(connection, external_id="34600111222")
    hear(chat, PREGUNTA)
    tend(chat)

    assert whatsapp.texts("34600111222") == [
        "La visita guiada cuesta 7 euros. [1]\n\nFuentes:\n[1] notes.txt, párrafo 2"
    ]
    assert (queries_of(tenant), queries_of(other_tenant)) == (1, 0)


def test_five_quick_messages_are_one_question_of_one_conversation(
    chat: Chat, telegram: TelegramServer
) -> None:
    change(chat.connection.agent, store_transcripts=True)
    words = ("hello", "how much", "is a", "guided", "visit?")
    hear(chat, *words)
    tend(chat)

    (conversation,) = Conversation.objects.for_tenant(chat.tenant)
    assert (conversation.session_id, conversation.channel) == (chat.external_id, "messenger_a")
    (message,) = Message.objects.for_tenant(chat.tenant)
    assert message.question == "\n".join(words)
    assert telegram.texts() == [ANSWER]
    assert queries_of(chat.tenant) == 1


def test_questions_with_a_pause_between_are_answered_one_by_one_in_order(
    chat: Chat, telegram: TelegramServer
) -> None:
    change(chat.connection.agent, store_transcripts=True)
    hear(chat, QUESTION, seconds_ago=20)
    hear(chat, "Who is the keeper?", seconds_ago=10)
    telegram.fail(messenger_server.error_page(502))

    tend(chat)
    assert (telegram.texts(), queries_of(chat.tenant)) == ([], 1)
    make_replies_due(chat)
    tend(chat)

    first, second = telegram.texts()
    assert first == ANSWER
    assert second.startswith("The keeper is Aldara. [1]")
    questions = Message.objects.for_tenant(chat.tenant).values_list("question", flat=True)
    assert list(questions) == [QUESTION, "Who is the keeper?"]


def test_a_message_that_may_not_be_the_last_waits(chat: Chat, telegram: TelegramServer) -> None:
    hear(chat, QUESTION, seconds_ago=0.5)

    assert seconds_until(tend(chat)) == pytest.approx(1, abs=0.4)
    assert telegram.calls == []


def test_a_follow_up_question_may_lean_on_what_was_said(
    chat: Chat, telegram: TelegramServer
) -> None:
    hear(chat, "When does the tower open?")
    tend(chat)
    inquiry = Inquiry(chat.tenant, "?", chat.connection.agent, "messenger_a", chat.external_id)

    (turn,) = recall(inquiry)
    assert turn.question == "When does the tower open?"
    assert telegram.texts()[0].startswith(turn.answer)


def test_twenty_deliveries_and_twenty_workers_make_one_answer(
    committed_tenant: Tenant, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "enqueue", lambda *_, **__: True)
    index_texts(committed_tenant, *ENGLISH)
    capture: dict[str, Any] = {
        "lead_capture_enabled": True,
        "lead_notification_email": "sales@example.com",
    }
    agent = make_agent(committed_tenant, **capture)
    make_connection(agent, config=telegram.config())
    headers, body = webhook_call(
        update("I want to buy a guided visit. How much is it?", chat_id=77), "secret-of-a-stand-in"
    )

    def deliver() -> None:
        call = services.admit_call("messenger_a", agent.pk, headers)
        services.receive_call(call, headers, body)

    in_parallel(deliver, times=20)
    (message,) = InboundMessage.objects.for_tenant(committed_tenant)
    InboundMessage.objects.for_tenant(committed_tenant).update(received_at=ago(10))
    chat = message.chat
    make_due(chat)
    in_parallel(lambda: conversing.tend_chat(committed_tenant, chat.pk), times=20)

    assert len(telegram.calls_of("sendMessage")) == 1
    assert telegram.texts(77)[0].startswith("A guided visit costs 7 euros. [1]")
    assert queries_of(committed_tenant) == 1
    lead = Lead.objects.for_tenant(committed_tenant).get()
    assert (lead.session_id, lead.channel) == ("77", "messenger_a")


@pytest.mark.parametrize(
    ("text", "answered"),
    [("How much is a guided visit?", "A guided visit costs 7 euros. [1]"), ("2 × A1", "")],
)
def test_an_order_is_a_wish_to_buy_and_its_text_a_question(
    agent: Agent, telegram: TelegramServer, text: str, answered: str
) -> None:
    change(agent, lead_capture_enabled=True, lead_notification_email="sales@example.com")
    chat = make_chat(make_connection(agent, config=telegram.config()), language="en")
    hear(chat, text, kind=MessageKind.ORDER.value)

    tend(chat)

    lead = Lead.objects.for_tenant(chat.tenant).get()
    assert (lead.intent_text, lead.session_id) == (text, chat.external_id)
    (said,) = telegram.texts(chat.external_id)
    assert said.startswith(answered)
    assert "send me your name and an e-mail address or phone number" in said


# --- No questions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("welcome", "language", "greeting"),
    [
        ("Welcome to the lighthouse.", "es", "Welcome to the lighthouse."),
        ("", "es", "¡Hola! ¿En qué puedo ayudarte?"),
        ("", "en", "Hello! How can I help you?"),
        ("", "", "¡Hola! ¿En qué puedo ayudarte?"),  # the tenant's
    ],
)
def test_whoever_opens_the_chat_is_greeted_and_nothing_is_counted(
    chat: Chat, telegram: TelegramServer, welcome: str, language: str, greeting: str
) -> None:
    change(chat.connection.agent, welcome_msg=welcome)
    hear_kind(chat, MessageKind.START)
    make_due(chat, language=language)
    tend(chat)

    assert telegram.texts() == [greeting]
    assert queries_of(chat.tenant) == 0


def test_media_hears_once_that_only_texts_are_read(chat: Chat, telegram: TelegramServer) -> None:
    for _ in range(2):
        hear_kind(chat, MessageKind.MEDIA)
        tend(chat)

    assert telegram.texts() == [
        "Por ahora solo puedo leer mensajes de texto. Escríbeme tu pregunta, por favor."
    ]
    assert [bool(message.handled_at) for message in messages_of(chat)] == [True, True]
    assert queries_of(chat.tenant) == 0


def test_a_question_with_a_photo_is_answered_and_the_photo_too(
    chat: Chat, telegram: TelegramServer
) -> None:
    for _ in range(2):
        hear_kind(chat, MessageKind.MEDIA)
        hear(chat, QUESTION)
        tend(chat)

    text_only = "I can only read text messages for now. Please write your question to me."
    assert telegram.texts() == [ANSWER, text_only, ANSWER]


def test_a_message_that_is_too_long_is_not_asked(chat: Chat, telegram: TelegramServer) -> None:
    hear(chat, "How much is it? " * 63)
    tend(chat)

    assert telegram.texts() == [
        "Your message is too long for me. Could you please put it in fewer than 1000 characters?"
    ]
    assert queries_of(chat.tenant) == 0


# --- Not answered ---------------------------------------------------------------------------------

UNAVAILABLE = {
    "es": "Ahora mismo no puedo responder por aquí. Inténtalo más tarde, por favor.",
    "en": "I cannot answer here right now. Please try again later.",
}


@pytest.mark.parametrize(
    ("text", "language"),
    [(PREGUNTA, "es"), (QUESTION, "en"), ("7 + 7 = 14", "es"), ("wifi?", "es"), ("thx", "en")],
)
def test_of_an_inactive_agent_people_hear_nothing_but_that_it_cannot_answer(
    chat: Chat, telegram: TelegramServer, text: str, language: str
) -> None:
    change(chat.connection.agent, status="inactive")
    hear(chat, text)
    tend(chat)

    assert telegram.texts() == [UNAVAILABLE[language]]
    assert queries_of(chat.tenant) == 0
    connection = connection_of(chat)
    assert (connection.status, connection.error_message) == (
        "connected",
        "People are not being answered: This agent is inactive. An admin can activate it:"
        " PUT /agents/{id}.",
    )


def test_of_a_plan_that_is_used_up_the_admin_hears_and_the_person_does_not(
    chat: Chat, telegram: TelegramServer
) -> None:
    plan = chat.tenant.plan
    plan.max_queries_per_month, plan.blocks_overage = 0, True
    plan.save()
    hear(chat, QUESTION)
    tend(chat)

    assert telegram.texts() == [UNAVAILABLE["en"]]
    assert connection_of(chat).error_message.startswith("People are not being answered: The")
    assert "month" in connection_of(chat).error_message


def test_a_fault_is_tried_again_later_each_time_and_given_up_politely(
    chat: Chat,
    telegram: TelegramServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(inquiry: Inquiry) -> None:
        if inquiry.text == "poison":
            raise RuntimeError(f"cannot answer {inquiry.text}")
        return ask(inquiry)  # type: ignore[return-value]

    monkeypatch.setattr(conversing, "ask", fail)
    hear(chat, "poison", seconds_ago=30)
    hear(chat, QUESTION, seconds_ago=20)
    waits = []
    for _ in range(5):
        waits.append(seconds_until(tend(chat)))
        Chat.objects.for_tenant(chat.tenant).update(due_at=ago(5))  # as a message that comes in
        assert tend(chat) is None
        make_due(chat)

    assert waits == [pytest.approx(2**failures, rel=0.25, abs=1.5) for failures in (1, 2, 3, 4, 5)]
    assert (telegram.texts(), now_of(chat).failures) == ([], 5)
    tend(chat)

    assert telegram.texts() == [FALLBACK, ANSWER]
    assert now_of(chat).failures == 0
    reason = "A message could not be answered because of a problem on our side (RuntimeError)."
    assert [message.error_message for message in messages_of(chat)] == [reason, ""]
    assert connection_of(chat).error_message == reason
    assert queries_of(chat.tenant) == 1
    assert "failure 5: RuntimeError" in caplog.text
    assert "poison" not in caplog.text.replace("def test", "")


def test_a_message_that_no_key_opens_does_not_block_its_chat(
    chat: Chat, telegram: TelegramServer
) -> None:
    (unreadable,) = hear(chat, "secret", seconds_ago=30)
    rows = InboundMessage.objects.for_tenant(chat.tenant).filter(pk=unreadable.pk)
    rows.update(encrypted_text=b"x" * 40)
    hear(chat, QUESTION, seconds_ago=20)
    for _ in range(conversing.FAILURES_MAX):
        make_due(chat)
        tend(chat)

    assert telegram.texts() == [FALLBACK, ANSWER]


def test_a_language_model_that_is_away_is_the_pipelines_matter(
    chat: Chat, telegram: TelegramServer, settings: Any
) -> None:
    with serve_chat() as model:
        settings.LLM_BASE_URL = model.url
    hear(chat, QUESTION)
    tend(chat)

    assert telegram.texts()[0].startswith(FALLBACK)
    assert connection_of(chat).error_message == ""


# --- Limits ---------------------------------------------------------------------------------------


def test_beyond_a_chats_limit_questions_wait_and_none_is_lost(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (conversing.QUESTIONS.amount, conversing.QUESTIONS.per_seconds) == (30, 600)
    monkeypatch.setattr(conversing, "QUESTIONS", Limit("questions of a test", 1, 600))
    other = make_chat(chat.connection)
    for one in (chat, other):
        hear(one, QUESTION, seconds_ago=20)
    hear(chat, "Who is the keeper?", seconds_ago=10)

    due_at = tend(chat)
    tend(other)

    assert seconds_until(due_at) == pytest.approx(600, abs=10)
    assert telegram.texts() == [ANSWER, ANSWER]
    monkeypatch.setattr(conversing, "QUESTIONS", Limit("questions later", 1, 600))
    make_due(chat)
    tend(chat)
    assert len(telegram.texts(chat.external_id)) == 2


def test_beyond_the_plans_requests_a_minute_chats_wait_and_none_is_lost(
    chat: Chat, telegram: TelegramServer
) -> None:
    plan = Plan.objects.filter(pk=chat.tenant.plan_id)
    plan.update(max_requests_per_minute=2)
    chats = [chat, *(make_chat(chat.connection) for _ in range(3))]
    for one in chats:
        hear(one, QUESTION, seconds_ago=20)

    held = [tend(one) for one in chats]

    assert held[:2] == [None, None]
    assert all(0 < seconds_until(due_at) <= 61 for due_at in held[2:])
    assert telegram.texts() == [ANSWER, ANSWER]
    assert connection_of(chat).error_message == str(conversing.TOO_MANY_WAIT)
    plan.update(max_requests_per_minute=10)
    for one in chats:
        make_due(one)
        tend(one)
    assert [telegram.texts(one.external_id) for one in chats] == [[ANSWER]] * 4


def test_what_is_passed_over_uses_up_nothing_of_the_limit(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversing, "QUESTIONS", Limit("questions beside photos", 1, 600))
    for _ in range(2):
        hear_kind(chat, MessageKind.MEDIA)
        make_due(chat, told_text_only_at=ago(60))
        tend(chat)
    hear(chat, QUESTION)
    tend(chat)

    assert telegram.texts() == [ANSWER]


def test_without_redis_nothing_is_limited(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(limit: object, key: str) -> int:
        raise LimitsUnavailable

    monkeypatch.setattr(conversing, "take", unavailable)
    hear(chat, QUESTION)
    tend(chat)

    assert telegram.texts() == [ANSWER]


# --- A connection that fails ----------------------------------------------------------------------


@transaction.atomic
def reconnect(chat: Chat, telegram: TelegramServer) -> None:
    telegram.revoked.clear()
    rows = ChannelConnection.objects.for_tenant(chat.tenant).filter(pk=chat.connection_id)
    rows.update(status="connected", error_message="", connected_at=ago(0))
    reconnected.send(ChannelConnection, connection=rows.get())


def test_a_token_that_is_revoked_in_the_middle_costs_no_answer_and_no_quota(
    chat: Chat, telegram: TelegramServer
) -> None:
    hear(chat, QUESTION, seconds_ago=20)
    hear(chat, "Who is the keeper?", seconds_ago=10)
    other = make_chat(chat.connection)
    hear(other, QUESTION)
    (token,) = telegram.bots
    telegram.revoke(token)

    assert seconds_until(tend(chat)) == pytest.approx(3600, abs=5)
    assert seconds_until(tend(other)) == pytest.approx(3600, abs=5)
    assert connection_of(chat).status == "failing"
    assert queries_of(chat.tenant) == 1
    assert len(telegram.calls) == 1

    reconnect(chat, telegram)
    tend(chat)
    tend(other)

    assert telegram.texts(chat.external_id)[0] == telegram.texts(other.external_id)[0] == ANSWER
    assert len(telegram.texts(chat.external_id)) == 2
    assert queries_of(chat.tenant) == 3


def test_a_question_that_may_not_be_answered_any_more_costs_nothing(
    tenant: Tenant, whatsapp: WhatsAppServer
) -> None:
    """It waited for more than a day, behind a connection that failed."""
    connection = make_connection(make_agent(tenant), "messenger_b", config=whatsapp.config())
    chat = make_chat(connection, last_inbound_at=ago(25 * 3600))
    hear(chat, QUESTION, seconds_ago=25 * 3600)

    assert tend(chat) is None
    assert (whatsapp.calls, queries_of(tenant)) == ([], 0)
    (message,) = messages_of(chat)
    assert message.handled_at is not None
    assert bytes(message.encrypted_text) == b""
    assert message.error_message == connection_of(chat).error_message
    assert message.error_message.startswith("An answer was not sent, because the messenger accepts")


# --- Workers that die -----------------------------------------------------------------------------


def test_an_answer_that_was_written_down_is_not_asked_for_again(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> bool:
        raise KeyboardInterrupt

    hear(chat, QUESTION)
    with monkeypatch.context() as patch:
        patch.setattr(conversing, "send_next_part", die)
        with pytest.raises(KeyboardInterrupt):
            tend(chat)
    assert now_of(chat).lease_id is not None
    assert tend(chat) is None  # its lease goes on
    assert telegram.texts() == []

    Chat.objects.for_tenant(chat.tenant).update(leased_until=ago(1))
    tend(chat)

    assert telegram.texts() == [ANSWER]
    assert queries_of(chat.tenant) == 1


def test_a_worker_that_dies_while_asking_leaves_the_question_and_its_unit_of_quota(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    hear(chat, QUESTION)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "take_lead_turn", die)
        with pytest.raises(KeyboardInterrupt):
            tend(chat)
    assert replies_of(chat) == []
    assert messages_of(chat)[0].handled_at is None
    Chat.objects.for_tenant(chat.tenant).update(leased_until=ago(1))
    tend(chat)

    assert telegram.texts() == [ANSWER]
    assert queries_of(chat.tenant) == 1


def test_a_worker_that_wakes_up_late_changes_nothing(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease ended while it asked, and another has answered."""
    asks: list[str] = []

    def ask_slowly(inquiry: Inquiry) -> Any:
        asks.append(inquiry.text)
        if len(asks) == 1:
            Chat.objects.for_tenant(chat.tenant).update(leased_until=ago(1))
            tend(chat)
        return ask(inquiry)

    monkeypatch.setattr(conversing, "ask", ask_slowly)
    hear(chat, QUESTION)
    tend(chat)

    assert len(asks) == 2
    assert telegram.texts() == [ANSWER]
    assert len(replies_of(chat)) == 1


def test_a_chat_that_is_deleted_while_it_is_answered_is_gone(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def delete_and_ask(inquiry: Inquiry) -> Any:
        Chat.objects.for_tenant(chat.tenant).filter(external_id=inquiry.session_id).delete()
        return ask(inquiry)

    monkeypatch.setattr(conversing, "ask", delete_and_ask)
    hear(chat, QUESTION)

    assert tend(chat) is None
    assert telegram.calls == []


def test_others_have_their_turn_while_one_writes_and_writes(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversing, "TENDING_SECONDS", 0.0)
    for number in range(3):
        hear(chat, QUESTION, seconds_ago=30 - number * 10)

    assert seconds_until(tend(chat)) <= 0
    assert len(messages_of(chat)) - 1 == [m.handled_at for m in messages_of(chat)].count(None)


def test_a_chat_that_is_not_there_is_left_alone(tenant: Tenant) -> None:
    assert conversing.tend_chat(tenant, uuid.uuid4()) is None
