"""Keeping what messengers deliver: once each, in order, sealed, and not without end."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError
from django.utils import timezone

from accounts.models import Tenant
from agents.tests.factories import make_agent
from channels.models import ChannelConnection
from channels.surfaces.base import IncomingMessage, MessageKind
from channels.tests.factories import make_connection
from config.security.encryption import CannotDecrypt
from config.tests.parallel import in_parallel
from webhooks import inbox
from webhooks.inbox import WAITING_MAX, keep_messages, open_text
from webhooks.models import Chat, InboundMessage
from webhooks.tests.factories import make_chat, make_inbound_message

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)


@pytest.fixture
def connection(tenant: Tenant) -> ChannelConnection:
    return make_connection(make_agent(tenant))


def said(text: str = "Do you deliver?", number: int = 1, **over: object) -> IncomingMessage:
    message = IncomingMessage(
        provider_message_id=f"m{number}",
        chat_id="500",
        kind=MessageKind.TEXT,
        text=text,
        position=number,
        sent_at=timezone.now(),
    )
    return replace(message, **over)  # type: ignore[arg-type]


def kept(connection: ChannelConnection) -> list[InboundMessage]:
    return list(InboundMessage.objects.for_tenant(connection.tenant).select_related("chat"))


def chats(connection: ChannelConnection) -> list[Chat]:
    return list(Chat.objects.for_tenant(connection.tenant).order_by("external_id"))


# --- What is kept ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("noon")
def test_a_message_makes_its_chat_due_once_its_person_is_quiet(connection):
    sent_at = NOW - timedelta(seconds=3)

    [chat] = keep_messages(connection, [said(sent_at=sent_at, language="es")])

    [message] = kept(connection)
    assert (message.chat, message.connection) == (chat, connection)
    assert (message.provider_message_id, message.kind, message.position) == ("m1", "text", 1)
    assert message.handled_at is None
    [row] = chats(connection)
    assert row == chat
    assert (row.external_id, row.language) == ("500", "es")
    assert row.due_at == NOW + timedelta(seconds=1.5)
    assert row.last_inbound_at == sent_at
    assert (row.lease_id, row.failures) == (None, 0)


def test_the_text_is_sealed_for_its_row_alone(connection):
    keep_messages(connection, [said("my door code is 4711"), said("and mine 12", 2)])

    first, second = kept(connection)
    assert (open_text(first), open_text(second)) == ("my door code is 4711", "and mine 12")
    assert b"4711" not in bytes(first.encrypted_text)
    second.encrypted_text = first.encrypted_text
    with pytest.raises(CannotDecrypt):
        open_text(second)


def test_a_message_without_text_is_kept_as_its_kind(connection):
    keep_messages(
        connection,
        [said("", 1, kind=MessageKind.START), said("", 2, kind=MessageKind.MEDIA)],
    )

    assert [(row.kind, open_text(row)) for row in kept(connection)] == [
        ("start", ""),
        ("media", ""),
    ]


def test_messages_are_read_in_the_order_of_their_chat(connection):
    keep_messages(connection, [said("third", 3)])
    keep_messages(connection, [said("first", 1), said("second", 2)])

    assert [open_text(row) for row in kept(connection)] == ["first", "second", "third"]


def test_each_chat_of_a_call_gets_its_own(connection):
    messages = [said(number=number, chat_id=f"chat {number % 3}") for number in range(7)]

    assert len(keep_messages(connection, messages)) == 3
    assert [chat.external_id for chat in chats(connection)] == ["chat 0", "chat 1", "chat 2"]
    assert {row.provider_message_id: row.chat.external_id for row in kept(connection)} == {
        message.provider_message_id: message.chat_id for message in messages
    }


def test_two_agents_with_the_same_chat_share_nothing(connection, other_tenant):
    other = make_connection(make_agent(other_tenant))

    for each in (connection, other):
        assert len(keep_messages(each, [said()])) == 1

    assert len(kept(connection)) == len(kept(other)) == 1


# --- The chat -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize(
    ("due_at", "expected"),
    [
        (None, NOW + timedelta(seconds=1.5)),
        (NOW - timedelta(seconds=1), NOW - timedelta(seconds=1)),
        (NOW + timedelta(hours=1), NOW + timedelta(seconds=1.5)),
    ],
)
def test_a_chat_is_due_at_once_if_it_was_and_soon_otherwise(connection, due_at, expected):
    make_chat(connection, external_id="500", due_at=due_at)

    keep_messages(connection, [said()])

    assert chats(connection)[0].due_at == expected


@pytest.mark.usefixtures("noon")
def test_when_the_person_last_wrote_never_goes_back_and_is_never_in_the_future(connection):
    make_chat(connection, external_id="500", last_inbound_at=NOW - timedelta(minutes=5))

    def last_inbound_at(number: int, age: timedelta) -> datetime:
        keep_messages(connection, [said(number=number, sent_at=NOW - age)])
        return chats(connection)[0].last_inbound_at

    assert last_inbound_at(1, timedelta(hours=2)) == NOW - timedelta(minutes=5)
    assert last_inbound_at(2, timedelta(minutes=1)) == NOW - timedelta(minutes=1)
    assert last_inbound_at(3, timedelta(minutes=-9)) == NOW


def test_a_chat_keeps_the_last_language_that_was_said(connection):
    keep_messages(connection, [said(language="es"), said(number=2, language="en")])
    keep_messages(connection, [said(number=3)])

    assert chats(connection)[0].language == "en"


# --- What is not ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("noon")
def test_what_was_delivered_before_changes_nothing(connection):
    keep_messages(connection, [said("first")])
    Chat.objects.for_tenant(connection.tenant).update(due_at=None)

    assert keep_messages(connection, [said("other words")]) == []
    assert [open_text(row) for row in kept(connection)] == ["first"]
    assert chats(connection)[0].due_at is None


def test_what_is_answered_is_not_asked_again(connection):
    chat = make_chat(connection, external_id="500")
    make_inbound_message(chat, provider_message_id="m1", handled_at=timezone.now())

    assert keep_messages(connection, [said()]) == []


def test_of_a_batch_only_what_is_new_is_kept(connection):
    keep_messages(connection, [said(number=1)])

    assert len(keep_messages(connection, [said(number=1), said(number=2)])) == 1
    assert [row.provider_message_id for row in kept(connection)] == ["m1", "m2"]


def test_an_id_that_comes_twice_in_a_call_is_kept_once(connection):
    keep_messages(connection, [said("one"), said("two"), said("three", chat_id="501")])

    assert [open_text(row) for row in kept(connection)] == ["one"]


def test_fifty_messages_of_a_chat_may_wait(connection, caplog):
    assert WAITING_MAX == 50
    chat = make_chat(connection, external_id="500")
    for number in range(48):
        make_inbound_message(chat, provider_message_id=f"old {number}")
    make_inbound_message(chat, handled_at=timezone.now())
    more = [said("secret words", number) for number in range(4)]

    assert keep_messages(connection, more) == [chat]
    assert keep_messages(connection, [said(number=9), said(number=9, chat_id="501")]) == [
        Chat.objects.for_tenant(connection.tenant).get(external_id="501")
    ]

    here = [row for row in kept(connection) if row.chat == chat and row.handled_at is None]
    assert len(here) == 50
    assert {row.provider_message_id for row in here} & {"m0", "m1", "m2", "m3"} == {"m0", "m1"}
    assert [record.getMessage() for record in caplog.records] == [
        f"channel {connection.pk}: {count} messages dropped: too many wait" for count in (2, 1)
    ]


def test_a_new_chat_takes_fifty_as_well(connection):
    keep_messages(connection, [said(number=number) for number in range(60)])

    assert [row.position for row in kept(connection)] == list(range(50))


# --- At the same time -----------------------------------------------------------------------------


@pytest.fixture
def committed(committed_tenant: Tenant) -> ChannelConnection:
    return make_connection(make_agent(committed_tenant))


def test_of_twenty_deliveries_at_once_one_is_new(committed):
    message = said()

    outcomes = in_parallel(lambda: keep_messages(committed, [message]), times=25)

    assert sorted(map(len, outcomes)) == [0] * 24 + [1]
    assert len(kept(committed)) == len(chats(committed)) == 1


def test_batches_that_name_their_chats_in_any_order_do_not_wait_for_each_other_in_a_circle(
    committed,
):
    batch = [said(number=number, chat_id=f"chat {number}") for number in range(4)]
    orders = iter([batch, batch[::-1]] * 25)

    outcomes = in_parallel(lambda: keep_messages(committed, next(orders)), times=50)

    assert sum(map(len, outcomes)) == 4
    assert len(kept(committed)) == 4


def test_nothing_is_kept_for_a_connection_that_is_deleted_meanwhile(committed):
    ChannelConnection.objects.for_tenant(committed.tenant).filter(pk=committed.pk).delete()

    assert keep_messages(committed, [said(), said(number=2, chat_id="501")]) == []
    assert kept(committed) == []
    assert chats(committed) == []


def test_what_the_database_refuses_otherwise_is_no_deletion(connection, monkeypatch):
    def make_row(*given: object) -> InboundMessage:
        row = inbox_make_row(*given)  # type: ignore[arg-type]
        row.connection = make_connection(make_agent(connection.tenant), "messenger_b")
        row.chat_id = connection.pk  # no chat's
        return row

    inbox_make_row = inbox.make_row
    monkeypatch.setattr(inbox, "make_row", make_row)

    with pytest.raises(IntegrityError):
        keep_messages(connection, [said()])
