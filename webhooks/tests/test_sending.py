"""Replies leave in order, at the messenger's pace, and say why when they do not."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Tenant
from agents.tests.factories import make_agent
from channels.connections import mark_failing, pause, take_account_over
from channels.models import ChannelConnection
from channels.surfaces.telegram.surface import Telegram
from channels.tests import messenger_server, whatsapp_server
from channels.tests.factories import make_connection
from channels.tests.telegram_server import TelegramServer, error, too_many_requests
from channels.tests.whatsapp_server import WhatsAppServer
from config.security.rate_limits import LimitsUnavailable
from reasons import Reason
from sources.models import Connection
from webhooks import sending
from webhooks.models import Chat, Reply
from webhooks.tests.chatting import (
    ago,
    connection_of,
    make_due,
    make_replies_due,
    now_of,
    replies_of,
    seconds_until,
    tend,
)
from webhooks.tests.factories import make_chat, make_reply


@pytest.fixture
def bot(tenant: Tenant, telegram: TelegramServer) -> ChannelConnection:
    return make_connection(make_agent(tenant), config=telegram.config())


@pytest.fixture
def chat(bot: ChannelConnection) -> Chat:
    return make_chat(bot, due_at=ago(5))


@pytest.fixture
def number(tenant: Tenant, whatsapp: WhatsAppServer) -> ChannelConnection:
    return make_connection(make_agent(tenant), "messenger_b", config=whatsapp.config())


def outcome_of(reply: Reply) -> tuple[bool, bool, bool, bytes]:
    """Sent, failed, waiting, what is left of its text."""
    reply.refresh_from_db()
    left = bytes(reply.encrypted_parts)
    return bool(reply.sent_at), bool(reply.failed_at), bool(reply.next_attempt_at), left


SENT = (True, False, False, b"")
FAILED = (False, True, False, b"")


def is_waiting(reply: Reply) -> bool:
    *flags, left = outcome_of(reply)
    return flags == [False, False, True] and bool(left)


# --- Sent -----------------------------------------------------------------------------------------


def test_parts_and_replies_are_sent_in_order_and_their_texts_are_erased(
    chat: Chat, telegram: TelegramServer
) -> None:
    replies = [make_reply(chat, "one", "two"), make_reply(chat, "three")]

    assert tend(chat) is None
    assert telegram.texts(chat.external_id) == ["one", "two", "three"]
    assert [outcome_of(reply) for reply in replies] == [SENT, SENT]
    assert [reply.parts_sent for reply in replies] == [2, 1]


def test_both_messengers(number: ChannelConnection, whatsapp: WhatsAppServer) -> None:
    chat = make_chat(number, external_id="34600111222", due_at=ago(5))
    reply = make_reply(chat, "one", "two")

    tend(chat)

    assert whatsapp.texts("34600111222") == ["one", "two"]
    assert outcome_of(reply) == SENT


def test_what_was_sent_before_a_worker_died_is_not_sent_again(
    chat: Chat, telegram: TelegramServer
) -> None:
    reply = make_reply(chat, "one", "two", "three", parts_sent=2)

    tend(chat)

    assert telegram.texts() == ["three"]
    assert outcome_of(reply) == SENT


def test_every_part_is_committed_before_the_next_is_sent(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is killed in the middle leaves a reply of which one part is sent."""
    reply = make_reply(chat, "one", "two")
    send_text = Telegram.send_text

    def die_at_the_second(messenger: Telegram, chat_id: str, text: str) -> None:
        if text == "two":
            raise KeyboardInterrupt
        send_text(messenger, chat_id, text)

    with monkeypatch.context() as patch:
        patch.setattr(Telegram, "send_text", die_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            tend(chat)
    reply.refresh_from_db()
    assert reply.parts_sent == 1
    make_due(chat)  # its lease has ended
    tend(chat)

    assert telegram.texts() == ["one", "two"]


# --- Not yet --------------------------------------------------------------------------------------


def test_a_messenger_that_is_away_is_asked_again_later_each_time(
    chat: Chat, telegram: TelegramServer
) -> None:
    reply = make_reply(chat, "one")
    telegram.fail(messenger_server.error_page(502), times=3)
    waits = []

    for _ in range(3):
        waits.append(seconds_until(tend(chat)))
        make_replies_due(chat)
    assert telegram.texts() == []
    tend(chat)

    assert waits == [pytest.approx(2**number, rel=0.25, abs=0.2) for number in (1, 2, 3)]
    assert telegram.texts() == ["one"]
    assert outcome_of(reply) == SENT
    assert (reply.attempts, reply.error_message) == (0, "")


def test_the_wait_ends_at_a_quarter_of_an_hour() -> None:
    assert {
        sending.BACK_OFF.wait_after(number) <= timedelta(seconds=1080) for number in (9, 500)
    } == {True}
    assert sending.BACK_OFF.wait_after(500) >= timedelta(seconds=720)


def test_order_holds_when_the_first_of_two_replies_fails_for_now(
    chat: Chat, telegram: TelegramServer
) -> None:
    make_reply(chat, "first")
    make_reply(chat, "second")
    telegram.fail(messenger_server.error_page(500))

    tend(chat)
    assert telegram.texts() == []
    make_replies_due(chat)
    tend(chat)

    assert telegram.texts() == ["first", "second"]


def test_whoever_asks_us_to_wait_is_asked_then_and_not_before(
    chat: Chat, telegram: TelegramServer
) -> None:
    reply = make_reply(chat, "one")
    telegram.fail(too_many_requests(17))

    due_at = tend(chat)
    assert seconds_until(due_at) == pytest.approx(17, abs=2)
    make_due(chat)
    assert tend(chat) == due_at
    assert len(telegram.calls) == 1
    reply.refresh_from_db()
    assert reply.attempts == 0

    Reply.objects.for_tenant(chat.tenant).update(next_attempt_at=ago(1))
    ChannelConnection.objects.for_tenant(chat.tenant).update(paused_until=ago(1))
    make_due(chat)
    tend(chat)
    assert telegram.texts() == ["one"]


def test_then_no_other_chat_of_the_bot_is_written_to_either(
    chat: Chat, telegram: TelegramServer
) -> None:
    make_reply(chat, "one")
    other = make_chat(chat.connection, due_at=ago(5))
    make_reply(other, "two")
    telegram.fail(too_many_requests(17))

    tend(chat)

    assert seconds_until(tend(other)) == pytest.approx(17, abs=2)
    assert len(telegram.calls) == 1


def test_our_own_pace_waits_a_moment_in_place_and_longer_in_the_row(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("webhooks.sending.time.sleep", slept.append)
    waits = iter([0, 2, 0, 3])
    monkeypatch.setattr(sending, "take", lambda limit, key: next(waits))
    make_reply(chat, "one", "two", "three")

    due_at = tend(chat)

    assert telegram.texts() == ["one", "two"]
    assert slept == [2]
    assert seconds_until(due_at) == pytest.approx(3, abs=1)


def test_a_chat_is_written_to_once_a_second(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Telegram, "chat_pause_seconds", 1)
    make_reply(chat, "one", "two")

    tend(chat)

    first, second = telegram.sent
    assert second.at - first.at >= 0.9


def test_a_bot_writes_so_many_a_second_to_all_its_chats(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Telegram, "sends_per_second", 3)
    begin = time.monotonic()
    for other in (chat, make_chat(chat.connection, due_at=ago(5))):
        make_reply(other, "one", "two")
        tend(other)

    assert time.monotonic() - begin >= 0.9
    assert telegram.sent[3].at - telegram.sent[0].at >= 0.9


def test_without_redis_it_is_sent_all_the_same(
    chat: Chat, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(limit: object, key: str) -> int:
        raise LimitsUnavailable

    monkeypatch.setattr(sending, "take", unavailable)
    make_reply(chat, "one")
    tend(chat)

    assert telegram.texts() == ["one"]


def test_an_unexpected_fault_is_tried_again_and_tells_nothing_of_the_call(
    chat: Chat,
    telegram: TelegramServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(messenger: Telegram, chat_id: str, text: str) -> None:
        raise RuntimeError(f"https://{messenger.config['bot_token']}")

    reply = make_reply(chat, "one")
    with monkeypatch.context() as patch:
        patch.setattr(Telegram, "send_text", fail)
        assert seconds_until(tend(chat)) == pytest.approx(2, abs=1)
    reply.refresh_from_db()

    assert (
        reply.error_message
        == "An answer could not be sent because of a problem on our side (RuntimeError)."
    )
    assert (
        "An answer could not be sent because of a problem on our side (RuntimeError)."
        in caplog.text
    )
    (token,) = telegram.bots
    assert token not in caplog.text
    make_replies_due(chat)
    tend(chat)
    assert telegram.texts() == ["one"]


# --- Not at all -----------------------------------------------------------------------------------


def test_a_person_who_blocked_the_bot_gets_nothing_more_and_others_go_on(
    chat: Chat, telegram: TelegramServer
) -> None:
    replies = [make_reply(chat, "one"), make_reply(chat, "two")]
    other = make_chat(chat.connection, due_at=ago(5))
    make_reply(other, "three")
    telegram.block(chat.external_id)

    assert tend(chat) is None
    tend(other)

    assert [outcome_of(reply) for reply in replies] == [FAILED, FAILED]
    assert len(telegram.calls) == 2
    assert telegram.texts() == ["three"]
    connection = connection_of(chat)
    assert connection.status == "connected"
    assert connection.error_message.startswith("A chat cannot be answered: This person blocked")
    assert connection.error_at is not None


def test_a_text_that_is_refused_is_given_up_and_the_next_is_sent(
    chat: Chat, telegram: TelegramServer
) -> None:
    refused, sent = make_reply(chat, "one"), make_reply(chat, "two")
    telegram.fail(error(400, "Bad Request: strange text"))

    tend(chat)

    assert [outcome_of(refused), outcome_of(sent)] == [FAILED, SENT]
    assert "strange text" in refused.error_message
    assert connection_of(chat).error_message.startswith("The messenger refused an answer: ")


def test_a_reply_that_gets_through_again_ends_the_wait_of_the_other_chats(
    chat: Chat, bot: ChannelConnection
) -> None:
    mark_failing(bot, Reason("bot_token_refused"))
    waits = make_chat(bot, due_at=ago(60), leased_until=ago(-3600))
    later = make_reply(waits, next_attempt_at=ago(-3600))
    make_reply(chat)

    tend(chat)

    waits.refresh_from_db()
    later.refresh_from_db()
    assert connection_of(chat).status == "connected"
    assert waits.leased_until is None
    assert max(waits.due_at or ago(-1), later.next_attempt_at or ago(-1)) <= timezone.now()


def test_a_revoked_token_marks_the_connection_and_the_reply_waits(
    chat: Chat, telegram: TelegramServer
) -> None:
    reply = make_reply(chat, "one")
    (token,) = telegram.bots
    telegram.revoke(token)

    assert seconds_until(tend(chat)) == pytest.approx(3600, abs=5)

    connection = connection_of(chat)
    assert connection.status == "failing"
    assert connection.error_message == (
        "The messenger does not accept the bot token. Copy it again from BotFather and connect the"
        " channel again. No messages will be answered on this channel until you reconnect it."
    )
    assert is_waiting(reply)


def test_the_first_reply_that_gets_through_makes_the_connection_work_again(
    chat: Chat, telegram: TelegramServer
) -> None:
    reply = make_reply(chat, "one")
    (token,) = telegram.bots
    telegram.revoke(token)
    tend(chat)
    telegram.revoked.clear()
    make_replies_due(chat)

    tend(chat)

    connection = connection_of(chat)
    assert (connection.status, connection.error_message) == ("connected", "")
    assert outcome_of(reply) == SENT


def test_a_bot_that_another_agent_has_now_sends_what_waits_and_stays_marked(
    chat: Chat, telegram: TelegramServer
) -> None:
    make_reply(chat, "one")
    (token,) = telegram.bots
    config = telegram.config(token)
    take_account_over(make_connection(make_agent(chat.tenant, name="Sales"), config=config))

    tend(chat)

    assert telegram.texts() == ["one"]
    connection = connection_of(chat)
    assert connection.status == "failing"
    assert "Sales" in connection.error_message


def test_it_stays_marked_whatever_went_wrong_since(chat: Chat, telegram: TelegramServer) -> None:
    (token,) = telegram.bots
    config = telegram.config(token)
    take_account_over(make_connection(make_agent(chat.tenant, name="Sales"), config=config))
    mark_failing(connection_of(chat), Reason("bot_token_refused"))
    make_reply(chat, "one")

    tend(chat)

    assert telegram.texts() == ["one"]
    assert connection_of(chat).status == "failing"


def test_a_worker_that_is_late_takes_back_nothing_of_what_another_has_sent(chat: Chat) -> None:
    late = make_reply(chat, "one", "two", "three")
    Reply.objects.for_tenant(chat.tenant).update(parts_sent=2)

    sending.note_sent(late)

    assert [reply.parts_sent for reply in replies_of(chat)] == [2]


def test_a_person_who_got_too_many_texts_waits_and_nobody_else(
    number: ChannelConnection, whatsapp: WhatsAppServer
) -> None:
    chat = make_chat(number, due_at=ago(5))
    make_reply(chat, "one")
    whatsapp.fail(whatsapp_server.too_many_requests(12, code=131056))

    due_at = tend(chat)

    assert seconds_until(due_at) == pytest.approx(12, abs=2)
    assert connection_of(chat).paused_until is None


def test_what_was_refused_before_says_nothing_of_what_is_connected_since(chat: Chat) -> None:
    before = connection_of(chat)
    ChannelConnection.objects.for_tenant(chat.tenant).update(connected_at=timezone.now())

    mark_failing(before, Reason("bot_token_refused"))

    assert connection_of(chat).status == "connected"


def test_a_longer_pause_stays(bot: ChannelConnection) -> None:
    pause(bot, 60)
    pause(bot, 5)

    bot.refresh_from_db()
    assert seconds_until(bot.paused_until) == pytest.approx(60, abs=5)


def test_what_could_not_be_delivered_for_a_day_is_given_up(
    chat: Chat, telegram: TelegramServer
) -> None:
    reply = make_reply(chat, "one")
    Reply.objects.for_tenant(chat.tenant).update(created_at=ago(24 * 3600 + 5))

    assert tend(chat) is None
    assert telegram.calls == []
    assert outcome_of(reply) == FAILED
    assert reply.error_message == connection_of(chat).error_message == str(sending.TOO_OLD)


@pytest.mark.parametrize(("hours", "is_sent"), [(23.9, True), (24.1, False)])
def test_messenger_b_is_not_called_after_its_window_has_closed(
    number: ChannelConnection, whatsapp: WhatsAppServer, hours: float, is_sent: bool
) -> None:
    chat = make_chat(number, last_inbound_at=ago(hours * 3600), due_at=ago(5))
    reply = make_reply(chat, "one")

    tend(chat)

    assert outcome_of(reply) == (SENT if is_sent else FAILED)
    assert len(whatsapp.calls) == is_sent
    assert connection_of(chat).error_message == (
        ""
        if is_sent
        else (
            "An answer was not sent, because the messenger accepts answers only within 24"
            " hours of a person's last message."
        )
    )


def test_messenger_b_says_itself_that_its_window_has_closed(
    number: ChannelConnection, whatsapp: WhatsAppServer
) -> None:
    chat = make_chat(number, external_id="34600111222", due_at=ago(5))
    reply = make_reply(chat, "one")
    whatsapp.close_window(chat.external_id)

    tend(chat)

    assert outcome_of(reply) == FAILED
    assert connection_of(chat).error_message.startswith(
        "A chat cannot be answered: This person last wrote more than 24"
    )


def test_a_text_that_no_key_opens_is_given_up(chat: Chat, telegram: TelegramServer) -> None:
    lost, sent = make_reply(chat, encrypted_parts=b"x" * 40), make_reply(chat, "two")

    tend(chat)

    assert [outcome_of(lost), outcome_of(sent)] == [FAILED, SENT]
    assert lost.error_message == str(sending.NO_KEY)


def test_secrets_that_no_key_opens_mark_the_connection(
    chat: Chat, telegram: TelegramServer
) -> None:
    reply = make_reply(chat, "one")
    Connection.objects.for_tenant(chat.tenant).update(encrypted_credentials=b"x" * 40)

    assert seconds_until(tend(chat)) == pytest.approx(3600, abs=5)

    connection = connection_of(chat)
    assert connection.status == "failing"
    assert connection.error_message == (
        "The secrets of this channel can no longer be decrypted here. Connect it again."
    )
    assert is_waiting(reply)
    assert now_of(chat).lease_id is None


def test_an_early_reply_costs_no_call(chat: Chat, telegram: TelegramServer) -> None:
    reply = make_reply(chat, "one", next_attempt_at=timezone.now() + timedelta(minutes=1))

    assert tend(chat) == reply.next_attempt_at
    assert telegram.calls == []


def test_parts_are_not_in_plain_in_the_row(chat: Chat) -> None:
    reply = make_reply(chat, "a word of ours")
    values: Any = replies_of(chat)[0].__dict__

    assert bytes(reply.encrypted_parts).find(b"a word of ours") == -1
    assert "a word of ours" not in repr(values)
