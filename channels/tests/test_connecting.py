"""`connect_channel`: what is asked of whom, what is kept, and what is left as it was."""

import logging
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.db import connection as database
from django.utils import timezone
from psycopg.errors import DeadlockDetected
from redis import Redis

from accounts.models import Tenant
from accounts.tests.factories import make_tenant
from agents.errors import AgentNotFound
from agents.models import Agent
from agents.tests.factories import make_agent
from channels import services
from channels.connections import mark_failing, mark_working, open_config, reconnected, shown_error
from channels.errors import ChannelBusy, ChannelConnectFailed
from channels.models import ChannelConnection, ConnectionStatus
from channels.services import account_of, connect_channel, list_connections
from channels.surfaces import calling
from channels.surfaces.telegram.surface import Telegram
from channels.tests.factories import make_connection
from channels.tests.messenger_server import garbage, silence
from channels.tests.telegram_server import TelegramServer, error, too_many_requests
from channels.tests.whatsapp_server import WhatsAppServer
from channels.turns import account_turn, channel_turn
from config.errors import InvalidValue
from config.http.lines import call_server
from config.security.encryption import CannotDecrypt, current_key_id
from config.security.rate_limits import LimitsUnavailable, Outage
from config.tests.parallel import look_over_all_tenants
from reasons import Reason, join_reasons

A, B, WEB = "messenger_a", "messenger_b", "web"
REFUSED = "The channel was not connected, and nothing was changed. "


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_agent(tenant, name="Sales")


def connect_bot(agent: Agent, token: str) -> ChannelConnection:
    return connect_channel(agent.tenant, agent.pk, A, {"bot_token": token})


def rows(agent: Agent) -> list[dict[str, Any]]:
    """All that is kept of the agent's channels."""
    kept = ChannelConnection.objects.for_tenant(agent.tenant).filter(agent=agent)
    return [dict(row) for row in kept.values()]


def channels_of(agent: Agent) -> list[str]:
    agent.refresh_from_db()
    return agent.active_channels


# --- Accepted -------------------------------------------------------------------------------------


def test_a_bot_is_told_our_address_and_a_secret_that_is_kept_encrypted(
    agent: Agent, telegram: TelegramServer, settings: Any
) -> None:
    settings.BASE_URL = "https://agents.example.com"
    token = telegram.add_bot()

    kept = connect_bot(agent, token)

    webhook = telegram.webhooks[token]
    assert webhook["url"] == f"https://agents.example.com/webhooks/messenger_a/{agent.pk}"
    assert len(webhook["secret_token"]) == 43  # 256 bits
    assert open_config(kept) == {"bot_token": token, "secret_token": webhook["secret_token"]}
    account = kept.connection
    assert account is not None
    assert (account.provider, account.account) == ("messenger_a", token.partition(":")[0])
    assert (account.key_id, account.state) == (current_key_id(), "connected")
    assert channels_of(agent) == ["messenger_a"]


def test_each_time_has_a_secret_of_its_own(agent: Agent, telegram: TelegramServer) -> None:
    token = telegram.add_bot()
    seen = set()
    for _ in range(2):
        connect_bot(agent, token)
        seen.add(telegram.webhooks[token]["secret_token"])

    assert len(seen) == 2


def test_a_phone_number_is_asked_for_once(agent: Agent, whatsapp: WhatsAppServer) -> None:
    config = whatsapp.config()

    kept = connect_channel(agent.tenant, agent.pk, B, config)

    assert [(call.method, call.account) for call in whatsapp.calls] == [
        ("GET", config["phone_number_id"])
    ]
    assert open_config(kept) == config
    assert kept.account == config["phone_number_id"]
    assert channels_of(agent) == ["messenger_b"]


def test_web_asks_nobody_and_needs_no_redis(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("channels.turns.client", None)

    kept = connect_channel(agent.tenant, agent.pk, WEB, {"bot_token": "not for web"})

    assert (open_config(kept), kept.connection) == ({}, None)
    assert channels_of(agent) == ["web"]


def test_channels_are_sorted_and_each_stands_once(agent: Agent, telegram: TelegramServer) -> None:
    token = telegram.add_bot()
    for _ in range(2):
        connect_channel(agent.tenant, agent.pk, WEB, {})
        connect_bot(agent, token)

    assert channels_of(agent) == ["messenger_a", "web"]
    listed = list_connections(agent.tenant, agent.pk)
    assert [row.channel_type for row in listed] == ["messenger_a", "web"]


def test_no_connection_of_the_database_is_held_while_the_messenger_is_asked(
    committed_tenant: Tenant, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = make_agent(committed_tenant)
    token = telegram.add_bot()
    is_held = []
    ask = call_server

    def look(*args: Any, **kwargs: Any) -> Any:
        answer = ask(*args, **kwargs)
        is_held.append(database.connection is not None)
        return answer

    monkeypatch.setattr(calling, "call_server", look)

    connect_bot(agent, token)

    assert is_held == [False]


# --- Refused --------------------------------------------------------------------------------------


def test_an_unknown_bot_is_refused_and_nothing_is_kept(
    agent: Agent, telegram: TelegramServer
) -> None:
    with pytest.raises(ChannelConnectFailed) as raised:
        connect_bot(agent, "800000000:nobodys-token")

    assert raised.value.reason == join_reasons(
        Reason("channel_not_connected"), Reason("bot_token_refused")
    )
    assert rows(agent) == []
    assert channels_of(agent) == []


ANSWERS = {
    "no https": (
        error(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook"),
        "The messenger refused the webhook: Bad Request: bad webhook: An HTTPS URL must be",
    ),
    "busy": (
        too_many_requests(7),
        "The messenger asks us to wait. Try again in 7 s.",
    ),
    "garbage": (
        garbage,
        "The messenger gave an unexpected answer",
    ),
    "silence": (
        silence,
        "The messenger did not answer in time.",
    ),
}


@pytest.mark.parametrize(("answer", "reason"), ANSWERS.values(), ids=ANSWERS.keys())
def test_a_connection_stays_as_it_was_when_the_messenger_does_not_accept(
    agent: Agent,
    telegram: TelegramServer,
    monkeypatch: pytest.MonkeyPatch,
    answer: Any,
    reason: str,
) -> None:
    monkeypatch.setattr("channels.surfaces.telegram.surface.CONNECT_SECONDS", 0.3)
    connect_bot(agent, telegram.add_bot())
    before = rows(agent)
    telegram.fail(answer)

    with pytest.raises(ChannelConnectFailed) as raised:
        connect_bot(agent, telegram.add_bot())

    assert raised.value.message.startswith(REFUSED + reason)
    assert rows(agent) == before
    assert channels_of(agent) == ["messenger_a"]


@pytest.mark.parametrize("field", ["phone_number_id", "system_user_token", "app_secret"])
def test_what_the_platform_does_not_know_is_refused(
    agent: Agent, whatsapp: WhatsAppServer, field: str
) -> None:
    config = whatsapp.config() | {field: "100000000007"}

    with pytest.raises(ChannelConnectFailed):
        connect_channel(agent.tenant, agent.pk, B, config)

    assert rows(agent) == []


def test_silence_of_the_platform_keeps_nothing(
    agent: Agent, whatsapp: WhatsAppServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("channels.surfaces.whatsapp.surface.CONNECT_SECONDS", 0.3)
    whatsapp.fail(silence)

    with pytest.raises(ChannelConnectFailed):
        connect_channel(agent.tenant, agent.pk, B, whatsapp.config())

    assert rows(agent) == []


def test_nobody_is_asked_for_an_agent_or_a_channel_that_is_not_there(
    agent: Agent, other_tenant: Tenant, telegram: TelegramServer
) -> None:
    token = telegram.add_bot()

    with pytest.raises(AgentNotFound):
        connect_channel(other_tenant, agent.pk, A, {"bot_token": token})
    with pytest.raises(AgentNotFound):
        connect_channel(other_tenant, agent.pk, "fax", {})
    with pytest.raises(InvalidValue, match="one of: web, messenger_a, messenger_b"):
        connect_channel(agent.tenant, agent.pk, "fax", {})

    assert telegram.calls == []
    assert rows(agent) == []


def test_an_agent_that_is_deleted_meanwhile_leaves_no_webhook(
    agent: Agent, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = telegram.add_bot()
    monkeypatch.setattr("channels.services.find", lambda named: named.agent.delete() and None)

    with pytest.raises(AgentNotFound):
        connect_bot(agent, token)

    assert telegram.webhooks == {}


# --- Connected before -----------------------------------------------------------------------------


@contextmanager
def reconnections() -> Iterator[list[ChannelConnection]]:
    told: list[ChannelConnection] = []

    def note(connection: ChannelConnection, **_: Any) -> None:
        told.append(connection)

    reconnected.connect(note)
    yield told
    reconnected.disconnect(note)


def test_the_same_bot_keeps_its_row_and_begins_afresh(
    agent: Agent, telegram: TelegramServer
) -> None:
    first = connect_bot(agent, telegram.add_bot())
    mark_failing(first, Reason("bot_token_refused"))
    ChannelConnection.objects.for_tenant(agent.tenant).update(paused_until=timezone.now())

    with reconnections() as told:
        second = connect_bot(agent, open_config(first)["bot_token"])

    assert (second.pk, told) == (first.pk, [second])
    kept = ChannelConnection.objects.for_tenant(agent.tenant).get()
    assert (kept.status, kept.error_message, kept.error_at) == ("connected", "", None)
    assert kept.paused_until is None
    assert kept.connected_at > first.connected_at


def test_another_bot_takes_its_place_and_the_old_one_is_left(
    agent: Agent, telegram: TelegramServer
) -> None:
    old, new = telegram.add_bot(), telegram.add_bot()
    first = connect_bot(agent, old)

    with reconnections() as told:
        second = connect_bot(agent, new)

    assert first.pk != second.pk
    assert [row["id"] for row in rows(agent)] == [second.pk]
    assert list(telegram.webhooks) == [new]
    assert told == []


def test_an_old_bot_that_cannot_be_left_stops_nothing(
    agent: Agent, telegram: TelegramServer
) -> None:
    connect_bot(agent, telegram.add_bot())
    telegram.fail(error(401, "Unauthorized"), name="deleteWebhook")

    second = connect_bot(agent, telegram.add_bot())

    assert [row["id"] for row in rows(agent)] == [second.pk]


def test_bots_whose_tokens_have_no_number_are_not_taken_for_one() -> None:
    accounts = [
        account_of(Telegram(config), config)
        for config in (
            {"bot_token": "one", "secret_token": "1"},
            {"bot_token": "one", "secret_token": "2"},
            {"bot_token": "two", "secret_token": "3"},
        )
    ]

    assert accounts[0] == accounts[1] != accounts[2]
    assert all("one" not in account and "two" not in account for account in accounts)


# --- A bot has one webhook ------------------------------------------------------------------------


def test_a_bot_that_another_agent_takes_fails_at_the_first(
    agent: Agent, telegram: TelegramServer
) -> None:
    other = make_agent(agent.tenant, name="Support")
    token = telegram.add_bot()
    first = connect_bot(agent, token)

    connect_bot(other, token)

    assert telegram.webhooks[token]["url"].endswith(str(other.pk))
    first.refresh_from_db()
    assert (first.status, first.error_message) == (
        "failing",
        "This bot now answers for the agent “Support”. Connect another bot here, or disconnect it.",
    )
    assert rows(other)[0]["status"] == "connected"


def test_a_late_reply_does_not_hide_that_the_bot_is_another_agents(
    agent: Agent, telegram: TelegramServer
) -> None:
    token = telegram.add_bot()
    first = connect_bot(agent, token)
    connect_bot(make_agent(agent.tenant), token)

    mark_working(first)

    assert rows(agent)[0]["status"] == "failing"


def test_whoever_connects_another_bot_does_not_take_it_from_the_other_agent(
    agent: Agent, telegram: TelegramServer
) -> None:
    other, token = make_agent(agent.tenant), telegram.add_bot()
    connect_bot(agent, token)
    connect_bot(other, token)

    connect_bot(agent, telegram.add_bot())

    assert telegram.webhooks[token]["url"].endswith(str(other.pk))


def test_another_tenants_connection_to_the_bot_is_not_touched(
    agent: Agent, other_tenant: Tenant, telegram: TelegramServer
) -> None:
    token = telegram.add_bot()
    theirs = make_agent(other_tenant)
    connect_bot(theirs, token)
    before = rows(theirs)

    connect_bot(agent, token)

    assert rows(theirs) == before


# --- Taking turns ---------------------------------------------------------------------------------


def test_parallel_calls_leave_the_messenger_and_us_with_one_secret(
    committed_tenant: Tenant, telegram: TelegramServer
) -> None:
    agents = [make_agent(committed_tenant) for _ in range(2)]
    token = telegram.add_bot()
    barrier = threading.Barrier(20)

    def connect(number: int) -> str:
        barrier.wait(timeout=30)
        try:
            connect_bot(agents[number % 2], token)
        except ChannelBusy:
            return "busy"
        finally:
            database.close()
        return "connected"

    with ThreadPoolExecutor(20, initializer=look_over_all_tenants) as pool:
        outcomes = Counter(pool.map(connect, range(20)))

    assert set(outcomes) <= {"connected", "busy"}
    assert outcomes["connected"] == len(telegram.calls_of("setWebhook")) > 0
    webhook = telegram.webhooks[token]
    kept = [row for agent in agents for row in list_connections(committed_tenant, agent.pk)]
    working = [row for row in kept if row.status == ConnectionStatus.CONNECTED]
    assert len(working) == 1
    assert open_config(working[0])["secret_token"] == webhook["secret_token"]
    assert webhook["url"].endswith(str(working[0].agent_id))


def test_what_a_deadlock_took_back_is_written_again(
    agent: Agent, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_channels, deadlocks = services.save_channels, [1]

    def save_at_last(agent: Agent, channels: set[str]) -> None:
        if deadlocks:
            deadlocks.pop()
            raise OperationalError from DeadlockDetected()
        save_channels(agent, channels)

    monkeypatch.setattr(services, "save_channels", save_at_last)

    kept = connect_bot(agent, telegram.add_bot())

    assert [row["id"] for row in rows(agent)] == [kept.pk]
    assert open_config(ChannelConnection.objects.for_tenant(agent.tenant).get()) == open_config(
        kept
    )


@pytest.mark.parametrize("turn", [channel_turn, account_turn])
def test_who_comes_second_is_told_so_and_nobody_is_asked(
    agent: Agent, telegram: TelegramServer, turn: Any
) -> None:
    connection = connect_bot(agent, telegram.add_bot())

    with turn(connection), pytest.raises(ChannelBusy):
        connect_bot(agent, open_config(connection)["bot_token"])

    assert len(telegram.calls) == 1


def test_without_redis_no_messenger_is_asked(
    agent: Agent, telegram: TelegramServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("channels.turns.outage", Outage())
    monkeypatch.setattr("channels.turns.client", lambda: Redis(port=1, socket_timeout=0.5))

    with pytest.raises(LimitsUnavailable):
        connect_bot(agent, telegram.add_bot())

    assert telegram.calls == []


def test_a_turn_that_ended_meanwhile_is_not_taken_from_whoever_has_it(
    agent: Agent, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = connect_bot(agent, telegram.add_bot())
    monkeypatch.setattr("channels.turns.TURN_SECONDS", 0.05)
    slow = channel_turn(connection)
    slow.__enter__()
    monkeypatch.setattr("channels.turns.TURN_SECONDS", 60.0)
    while True:  # until the slow one's time is over
        try:
            quick = channel_turn(connection)
            quick.__enter__()
            break
        except ChannelBusy:
            continue

    slow.__exit__(None, None, None)

    with pytest.raises(ChannelBusy):
        channel_turn(connection).__enter__()
    quick.__exit__(None, None, None)


# --- Secrets --------------------------------------------------------------------------------------


def test_ciphertext_opens_only_in_the_row_of_its_agent_and_channel(agent: Agent) -> None:
    ours = make_connection(agent)
    elsewhere = [
        make_connection(make_agent(agent.tenant)),
        make_connection(make_agent(make_tenant())),
        make_connection(agent, B),
    ]
    assert ours.connection is not None
    for channel in elsewhere:
        assert channel.connection is not None
        channel.connection.encrypted_credentials = ours.connection.encrypted_credentials

        with pytest.raises(CannotDecrypt):
            open_config(channel)


def test_no_secret_is_in_the_table_in_a_log_in_a_repr_or_in_an_error(
    agent: Agent,
    telegram: TelegramServer,
    whatsapp: WhatsAppServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    token, config = telegram.add_bot(), whatsapp.config()
    connections = [
        connect_bot(agent, token),
        connect_channel(agent.tenant, agent.pk, B, config),
    ]
    secret_token = telegram.webhooks[token]["secret_token"]
    telegram.revoke(token)
    whatsapp.revoke(config["system_user_token"])
    errors = []
    for channel_type, given in ((A, {"bot_token": token}), (B, config)):
        with pytest.raises(ChannelConnectFailed) as raised:
            connect_channel(agent.tenant, agent.pk, channel_type, given)
        errors += traceback.format_exception(raised.value)

    with database.cursor() as cursor:
        cursor.execute("SELECT t::text FROM channels_channelconnection t")
        dump = str(cursor.fetchall())
    said = [caplog.text, *map(repr, connections), *map(str, connections), *errors, dump]
    secrets = [token, token.partition(":")[2], secret_token]
    secrets += [value for name, value in config.items() if name != "phone_number_id"]
    hidden = [secret.encode().hex() for secret in secrets]  # as bytes are dumped
    assert [secret for secret in [*secrets, *hidden] if secret in "".join(said)] == []


# --- What an admin reads --------------------------------------------------------------------------


def test_calls_with_a_wrong_signature_are_told_until_a_right_one_comes(agent: Agent) -> None:
    connection = make_connection(agent, connected_at=timezone.now() - timedelta(hours=1))
    assert shown_error(connection) is None

    connection.last_refused_at = timezone.now() - timedelta(hours=2)
    assert shown_error(connection) is None

    connection.last_refused_at = timezone.now() - timedelta(minutes=5)
    told = shown_error(connection)
    assert told == Reason("webhook_signature_wrong")

    connection.error = Reason("person_blocked_bot")
    assert shown_error(connection) == join_reasons(Reason("person_blocked_bot"), told)

    connection.last_call_at = timezone.now()
    assert shown_error(connection) == Reason("person_blocked_bot")
