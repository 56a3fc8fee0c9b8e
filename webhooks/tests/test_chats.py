"""A chat has one worker at a time, and is never forgotten."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextvars import copy_context
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection as database
from django.db import transaction
from django.utils import timezone

from accounts.models import Tenant
from agents.tests.factories import make_agent
from channels.connections import reconnected
from channels.models import ChannelConnection
from channels.surfaces.base import IncomingMessage, MessageKind
from channels.tests.factories import make_connection
from config.tests.parallel import in_parallel, wait_until_somebody_waits_for_us
from webhooks import chats, dispatch, tasks
from webhooks.chats import (
    LEASE,
    claim_chat,
    leased,
    list_waiting,
    lock_chat,
    release_chat,
    renew_lease,
)
from webhooks.inbox import keep_messages
from webhooks.models import Chat, InboundMessage, Reply
from webhooks.tests.chatting import ago, hear, make_due, now_of, seconds_until
from webhooks.tests.factories import make_chat, make_inbound_message, make_reply


@pytest.fixture
def chat(tenant: Tenant) -> Chat:
    return make_chat(make_connection(make_agent(tenant)), due_at=ago(5))


def claim(chat: Chat) -> Chat:
    claimed = claim_chat(chat.tenant, chat.pk)
    assert claimed is not None
    return claimed


# --- Claiming -------------------------------------------------------------------------------------


def test_one_of_many_workers_gets_a_chat(committed_tenant: Tenant) -> None:
    chat = make_chat(make_connection(make_agent(committed_tenant)), due_at=ago(5))

    claims = in_parallel(lambda: claim_chat(committed_tenant, chat.pk))

    assert len([claimed for claimed in claims if claimed]) == 1


def test_it_is_claimed_for_as_long_as_the_longest_step(chat: Chat) -> None:
    claimed = claim(chat)

    assert timedelta(seconds=90) == LEASE.lifetime
    assert seconds_until(now_of(chat).leased_until) == pytest.approx(90, abs=5)
    assert claimed.connection.tenant == claimed.connection.agent.tenant == chat.tenant


@pytest.mark.parametrize(
    "over",
    [
        {"due_at": None},
        {"due_at": timezone.now() + timedelta(days=1)},
        {"leased_until": timezone.now() + timedelta(days=1), "lease_id": uuid.uuid4()},
        {"leased_until": timezone.now() + timedelta(days=1)},
    ],
    ids=["idle", "due later", "another's", "held"],
)
def test_what_is_idle_due_later_held_or_of_another_worker_is_not_claimed(
    chat: Chat, over: dict[str, Any]
) -> None:
    make_due(chat, **over)

    assert claim_chat(chat.tenant, chat.pk) is None


def test_a_chat_of_another_tenant_is_not_there(chat: Chat, other_tenant: Tenant) -> None:
    assert claim_chat(other_tenant, chat.pk) is None


def test_the_chat_of_a_dead_worker_is_anothers_after_its_lease(chat: Chat) -> None:
    dead = claim(chat)
    leased(dead).update(leased_until=ago(1))

    heir = claim(chat)

    assert renew_lease(dead) is None
    with transaction.atomic():
        assert lock_chat(dead) is None
    assert release_chat(dead) is None
    assert now_of(chat).lease_id == heir.lease_id
    assert renew_lease(heir) is not None


def test_each_step_renews_the_lease_and_sees_the_connection_as_it_is(chat: Chat) -> None:
    claimed = claim(chat)
    leased(claimed).update(leased_until=ago(-5))
    ChannelConnection.objects.for_tenant(chat.tenant).update(status="failing")

    renewed = renew_lease(claimed)

    assert renewed is not None
    assert renewed.connection.status == "failing"
    assert seconds_until(now_of(chat).leased_until) == pytest.approx(90, abs=5)


def test_a_chat_that_was_deleted_meanwhile_is_nobodys(chat: Chat) -> None:
    claimed = claim(chat)
    chat.delete()

    assert renew_lease(claimed) is None
    assert release_chat(claimed) is None


# --- Releasing ------------------------------------------------------------------------------------


def test_with_nothing_left_it_is_idle(chat: Chat) -> None:
    assert release_chat(claim(chat), held_until=ago(-60)) is None

    after = now_of(chat)
    assert (after.due_at, after.lease_id, after.leased_until) == (None, None, None)


def test_with_a_message_it_is_due_when_that_may_be_asked(chat: Chat) -> None:
    """Also one that came after the worker had looked."""
    claimed = claim(chat)
    message = make_inbound_message(chat)

    due_at = release_chat(claimed)

    assert due_at == now_of(chat).due_at == message.received_at + timedelta(seconds=1.5)


def test_with_a_reply_it_is_due_at_its_next_attempt_and_messages_wait_behind_it(chat: Chat) -> None:
    claimed = claim(chat)
    make_inbound_message(chat, received_at=ago(60))
    reply = make_reply(chat, next_attempt_at=ago(-60))
    make_reply(chat)

    assert release_chat(claimed) == reply.next_attempt_at


def test_while_the_messenger_wants_nothing_it_is_due_after_that(chat: Chat) -> None:
    paused_until = ago(-300)
    ChannelConnection.objects.for_tenant(chat.tenant).update(paused_until=paused_until)
    claimed = claim(chat)
    make_reply(chat)

    assert release_chat(claimed) == paused_until


def test_what_is_held_is_due_no_sooner_whoever_writes(chat: Chat) -> None:
    claimed = claim(chat)
    make_inbound_message(chat, received_at=ago(60))
    held_until = ago(-600)

    assert release_chat(claimed, held_until=held_until) == held_until
    Chat.objects.for_tenant(chat.tenant).update(due_at=ago(1))  # as a message that comes in
    assert claim_chat(chat.tenant, chat.pk) is None
    Chat.objects.for_tenant(chat.tenant).update(leased_until=ago(1))  # as time goes by
    assert claim_chat(chat.tenant, chat.pk) is not None


def test_a_hold_shortens_no_wait(chat: Chat) -> None:
    claimed = claim(chat)
    make_reply(chat, next_attempt_at=ago(-3600))

    due_at = release_chat(claimed, held_until=ago(-60))

    assert seconds_until(due_at) == pytest.approx(3600, abs=5)
    assert now_of(chat).due_at == due_at


def test_a_message_that_comes_in_just_now_is_never_forgotten(committed_tenant: Tenant) -> None:
    """Releasing and keeping lock the same row: whichever is second sees what the first wrote."""
    connection = make_connection(make_agent(committed_tenant))
    connection.tenant = committed_tenant
    chat = make_chat(connection, due_at=ago(5))

    def write_and_release() -> None:
        number = uuid.uuid4().hex
        message = IncomingMessage(
            number, chat.external_id, MessageKind.TEXT, "Hello", 1, timezone.now()
        )
        claimed = claim_chat(committed_tenant, chat.pk)
        keep_messages(connection, [message])
        if claimed is not None:
            release_chat(claimed)
            InboundMessage.objects.for_tenant(committed_tenant).update(handled_at=timezone.now())

    for _ in range(3):
        in_parallel(write_and_release, times=25)
        now = now_of(chat)
        assert now.due_at is not None or list_waiting(now) == []
        assert now.lease_id is None
        make_due(chat)


# --- Connecting anew ------------------------------------------------------------------------------


@transaction.atomic
def connect_anew(connection: ChannelConnection) -> None:
    connections = ChannelConnection.objects.for_tenant(connection.tenant)
    connections.filter(pk=connection.pk).update(connected_at=timezone.now(), status="connected")
    reconnected.send(ChannelConnection, connection=connection)


def test_connecting_anew_makes_due_what_waits_and_what_is_held(chat: Chat) -> None:
    make_due(chat, due_at=ago(-3600), leased_until=ago(-3600))
    make_reply(chat, next_attempt_at=ago(-3600))
    idle = make_chat(chat.connection)

    connect_anew(chat.connection)

    assert claim_chat(chat.tenant, chat.pk) is not None
    assert Reply.objects.for_tenant(chat.tenant).get().next_attempt_at <= timezone.now()  # type: ignore[operator]
    assert now_of(idle).due_at is None


def test_connecting_anew_takes_no_chat_from_its_worker(chat: Chat) -> None:
    """Two would answer it at once."""
    claim(chat)

    connect_anew(chat.connection)

    assert claim_chat(chat.tenant, chat.pk) is None


def test_connecting_anew_while_a_worker_despairs_is_not_forgotten(chat: Chat) -> None:
    """It had read the connection before, and puts things off for an hour."""
    claimed = claim(chat)
    make_reply(chat)
    connect_anew(chat.connection)
    Reply.objects.for_tenant(chat.tenant).update(next_attempt_at=ago(-3600))

    due_at = release_chat(claimed, held_until=ago(-3600))

    assert seconds_until(due_at) <= 0
    assert claim_chat(chat.tenant, chat.pk) is not None


def test_connecting_anew_while_a_worker_gives_a_chat_back_is_not_forgotten(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks whether that happened before the PUT commits, and holds the chat after the PUT has
    begun to wake what is held."""
    chat = make_chat(make_connection(make_agent(committed_tenant)), due_at=ago(5))
    make_inbound_message(chat)
    claimed = claim(chat)
    has_looked = threading.Event()
    look = chats.was_connected_anew

    def look_and_wait(chat: Chat) -> bool:
        was_anew = look(chat)
        has_looked.set()
        wait_until_somebody_waits_for_us()
        return was_anew

    def connect() -> None:
        has_looked.wait(timeout=30)
        try:
            with transaction.atomic():
                connect_anew(chat.connection)
        finally:
            database.close()

    monkeypatch.setattr(chats, "was_connected_anew", look_and_wait)
    other = threading.Thread(target=copy_context().run, args=[connect])
    other.start()
    release_chat(claimed, held_until=ago(-3600))
    other.join()

    assert claim_chat(committed_tenant, chat.pk) is not None


# --- Tasks ----------------------------------------------------------------------------------------

Enqueued = list[tuple[tuple[str, ...], float]]


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> Enqueued:
    calls: Enqueued = []

    def enqueue(
        task: object, *arguments: str, countdown_seconds: float = 0, expires_seconds: float = 0
    ) -> bool:
        calls.append((arguments, countdown_seconds or expires_seconds))
        return True

    monkeypatch.setattr(tasks, "enqueue", enqueue)
    return calls


@pytest.mark.parametrize(
    ("wait", "countdown"), [(-5, 0), (60, 60), (290, 290), (310, None), (None, None)]
)
def test_a_chat_that_is_due_again_soon_is_enqueued_and_beat_finds_the_others(
    chat: Chat, wait: float | None, countdown: float | None, enqueued: Enqueued, monkeypatch: Any
) -> None:
    due_at = None if wait is None else ago(-wait)
    monkeypatch.setattr("webhooks.conversing.tend_chat", lambda tenant, chat_id: due_at)

    tasks.tend_chat(str(chat.pk), str(chat.tenant_id))

    seconds = [] if countdown is None else [countdown]
    assert [seconds for _, seconds in enqueued] == pytest.approx(seconds, abs=2)
    assert {ids for ids, _ in enqueued} <= {(str(chat.pk), str(chat.tenant_id))}


def test_a_tenant_that_was_deleted_has_no_chats(db: None, enqueued: Enqueued) -> None:
    tasks.tend_chat(str(uuid.uuid4()), str(uuid.uuid4()))

    assert enqueued == []


def due_ids() -> list[uuid.UUID]:
    return [chat_id for chat_id, _ in dispatch.list_due_chats(timezone.now())]


def test_beat_finds_what_is_due_for_some_seconds_and_nobodys(chat: Chat) -> None:
    connection = chat.connection
    longest = make_chat(connection, due_at=ago(60), leased_until=ago(1), lease_id=uuid.uuid4())
    make_chat(connection, due_at=ago(1))  # its task is on its way
    make_chat(connection, due_at=ago(60), leased_until=ago(-60), lease_id=uuid.uuid4())
    make_chat(connection)

    assert due_ids() == [longest.pk, chat.pk]


def test_beat_finds_chats_of_all_tenants_in_turn_and_a_share_of_each(
    chat: Chat, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "CHATS_OF_TENANT_AT_ONCE", 2)
    older = [make_chat(chat.connection, due_at=ago(90 - number)) for number in range(3)]
    connection = make_connection(make_agent(other_tenant), "messenger_a")
    others = make_chat(connection, due_at=ago(10))

    assert due_ids() == [older[0].pk, others.pk, older[1].pk]


def test_beat_hands_it_to_a_worker(chat: Chat, enqueued: Enqueued) -> None:
    tasks.tend_due_chats()

    assert enqueued == [((str(chat.pk), str(chat.tenant_id)), 60)]


def test_finding_many_due_chats_is_one_query(
    chat: Chat, django_assert_num_queries: Callable[[int], Any]
) -> None:
    for _ in range(20):
        make_chat(chat.connection, due_at=ago(5))

    with django_assert_num_queries(1):
        assert len(due_ids()) == 21


def test_messages_are_read_in_the_order_of_their_chat(chat: Chat) -> None:
    hear(chat, "second", position=2)
    hear(chat, "first", position=1)
    hear(chat, "third", position=2)

    assert [waiting.text for waiting in list_waiting(chat)] == ["first", "second", "third"]


def test_a_message_that_no_key_opens_is_there_without_its_text(chat: Chat) -> None:
    (message,) = hear(chat, "secret")
    InboundMessage.objects.for_tenant(chat.tenant).update(encrypted_text=b"x" * 40)

    (waiting,) = list_waiting(chat)

    assert (waiting.id, waiting.text) == (message.pk, None)
