"""`disconnect_channel`: the messenger is told if it can be, and nothing of the channel stays."""

import logging
import threading
from contextvars import copy_context
from typing import Any

import pytest
from django.db import OperationalError
from django.db import connection as database
from psycopg.errors import DeadlockDetected

from accounts.models import Tenant
from agents.errors import AgentNotFound
from agents.models import Agent
from agents.tests.factories import make_agent
from channels import services
from channels.errors import ChannelBusy
from channels.models import ChannelConnection
from channels.services import connect_channel, disconnect_channel, list_connections
from channels.tests.factories import make_connection
from channels.tests.messenger_server import error_page, silence
from channels.tests.telegram_server import TelegramServer
from channels.tests.whatsapp_server import WhatsAppServer
from channels.turns import account_turn, channel_turn
from config.errors import InvalidValue
from sources.models import Connection, Source

A, B, WEB = "messenger_a", "messenger_b", "web"


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_agent(tenant)


def connect_bot(agent: Agent, token: str) -> ChannelConnection:
    return connect_channel(agent.tenant, agent.pk, A, {"bot_token": token})


def channels_of(agent: Agent) -> list[str]:
    """By the rows, which are those that the agent itself names."""
    agent.refresh_from_db()
    listed = list_connections(agent.tenant, agent.pk)
    assert [row.channel_type for row in listed] == agent.active_channels
    return agent.active_channels


def test_a_bots_webhook_is_unregistered_and_the_others_stay(
    agent: Agent, telegram: TelegramServer
) -> None:
    connect_bot(agent, telegram.add_bot())
    connect_channel(agent.tenant, agent.pk, WEB, {})

    disconnect_channel(agent.tenant, agent.pk, A)

    assert telegram.webhooks == {}
    assert channels_of(agent) == ["web"]


def test_the_webhook_goes_first(
    agent: Agent, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_bot(agent, telegram.add_bot())
    seen: list[dict[str, Any]] = []
    remove = services.remove

    def look(named: ChannelConnection) -> None:
        seen.append(dict(telegram.webhooks))
        remove(named)

    monkeypatch.setattr(services, "remove", look)

    disconnect_channel(agent.tenant, agent.pk, A)

    assert seen == [{}]


@pytest.mark.parametrize("answer", [silence, error_page(502)], ids=["silent", "broken"])
def test_a_messenger_that_does_not_answer_stops_nothing(
    agent: Agent, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    monkeypatch.setattr("channels.surfaces.telegram.surface.FAREWELL_SECONDS", 0.3)
    connect_bot(agent, telegram.add_bot())
    telegram.fail(answer, name="deleteWebhook")

    disconnect_channel(agent.tenant, agent.pk, A)

    assert channels_of(agent) == []


def test_a_revoked_token_stops_nothing_and_is_in_no_log(
    agent: Agent, telegram: TelegramServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token = telegram.add_bot()
    connection = connect_bot(agent, token)
    telegram.revoke(token)

    disconnect_channel(agent.tenant, agent.pk, A)

    assert channels_of(agent) == []
    assert f"channel {connection.pk} was not told" in caplog.text
    assert token.partition(":")[2] not in caplog.text


def test_secrets_that_no_key_opens_stop_nothing(
    agent: Agent, telegram: TelegramServer, settings: Any
) -> None:
    connect_bot(agent, telegram.add_bot())
    settings.CHANNEL_ENCRYPTION_KEYS = [b"\7" * 32]

    disconnect_channel(agent.tenant, agent.pk, A)

    assert channels_of(agent) == []
    assert telegram.calls_of("deleteWebhook") == []


def test_messenger_b_is_told_nothing(agent: Agent, whatsapp: WhatsAppServer) -> None:
    connect_channel(agent.tenant, agent.pk, B, whatsapp.config())

    disconnect_channel(agent.tenant, agent.pk, B)

    assert len(whatsapp.calls) == 1
    assert channels_of(agent) == []


@pytest.mark.parametrize("channel_type", [A, B, WEB])
def test_a_channel_that_is_not_connected_stays_so(
    agent: Agent, telegram: TelegramServer, channel_type: str
) -> None:
    disconnect_channel(agent.tenant, agent.pk, channel_type)

    assert telegram.calls == []
    assert channels_of(agent) == []


def test_another_tenant_disconnects_nothing(agent: Agent, other_tenant: Tenant) -> None:
    make_connection(agent)

    for channel_type in (A, "fax"):
        with pytest.raises(AgentNotFound):
            disconnect_channel(other_tenant, agent.pk, channel_type)
    with pytest.raises(InvalidValue):
        disconnect_channel(agent.tenant, agent.pk, "fax")

    assert channels_of(agent) == ["messenger_a"]


def test_a_bot_that_another_agent_has_taken_keeps_its_webhook(
    agent: Agent, telegram: TelegramServer
) -> None:
    other, token = make_agent(agent.tenant), telegram.add_bot()
    connect_bot(agent, token)
    connect_bot(other, token)

    disconnect_channel(agent.tenant, agent.pk, A)

    assert telegram.webhooks[token]["url"].endswith(str(other.pk))
    assert (channels_of(agent), channels_of(other)) == ([], ["messenger_a"])

    disconnect_channel(agent.tenant, other.pk, A)

    assert telegram.webhooks == {}


def test_a_bot_that_is_just_being_connected_elsewhere_is_left_alone(
    agent: Agent, telegram: TelegramServer
) -> None:
    connection = connect_bot(agent, telegram.add_bot())

    with account_turn(connection):
        disconnect_channel(agent.tenant, agent.pk, A)

    assert telegram.calls_of("deleteWebhook") == []
    assert channels_of(agent) == []


def test_it_waits_for_its_turn(agent: Agent, telegram: TelegramServer) -> None:
    connection = connect_bot(agent, telegram.add_bot())

    with channel_turn(connection), pytest.raises(ChannelBusy):
        disconnect_channel(agent.tenant, agent.pk, A)

    assert channels_of(agent) == ["messenger_a"]


def test_rows_that_a_worker_holds_are_waited_for_and_asked_for_again(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_connection(agent)
    monkeypatch.setattr(services, "leave_account", lambda connection: None)
    remove, deadlocks = services.remove, [1, 2]

    def remove_at_last(named: ChannelConnection) -> None:
        if deadlocks:
            deadlocks.pop()
            raise OperationalError from DeadlockDetected()
        remove(named)

    monkeypatch.setattr(services, "remove", remove_at_last)

    disconnect_channel(agent.tenant, agent.pk, A)

    assert channels_of(agent) == []


def test_connecting_and_disconnecting_at_once_leave_the_messenger_and_us_of_one_mind(
    committed_tenant: Tenant, telegram: TelegramServer
) -> None:
    agent, token = make_agent(committed_tenant), telegram.add_bot()
    barrier = threading.Barrier(8)

    def act(is_connecting: bool) -> None:
        barrier.wait(timeout=30)
        try:
            for _ in range(3):
                try:
                    if is_connecting:
                        connect_bot(agent, token)
                    else:
                        disconnect_channel(committed_tenant, agent.pk, A)
                except ChannelBusy:
                    continue
        finally:
            database.close()

    threads = [
        threading.Thread(target=copy_context().run, args=[act, number % 2 == 0])
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert bool(telegram.webhooks) == (channels_of(agent) == ["messenger_a"])


# --- What goes with what --------------------------------------------------------------------------


def test_an_account_goes_with_its_channel_however_that_goes(tenant: Tenant) -> None:
    for delete in (
        lambda channel: channel.delete(),
        lambda channel: channel.agent.delete(),
        lambda channel: ChannelConnection.objects.for_tenant(tenant).delete(),
    ):
        channel = make_connection(make_agent(tenant))
        assert Connection.objects.for_tenant(tenant).count() == 1
        delete(channel)
        assert not Connection.objects.for_tenant(tenant).exists()


def test_an_account_that_a_source_needs_too_stays(tenant: Tenant) -> None:
    channel = make_connection(make_agent(tenant), "messenger_b")
    Source.objects.for_tenant(tenant).create(
        name="Catalogue", source_type="messenger_b", connection=channel.connection
    )

    channel.delete()

    assert Connection.objects.for_tenant(tenant).count() == 1
