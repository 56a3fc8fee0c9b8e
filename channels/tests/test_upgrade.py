"""Channels that were connected by an older version go on working: migrations 0003 to 0005 move
their secrets to Connections."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest
from django.db import connection as database
from django.test import override_settings

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.connections import find_connection, open_config, open_messenger
from channels.models import ChannelConnection
from channels.services import connect_channel, disconnect_channel
from channels.tests.factories import make_config, make_connection
from channels.tests.telegram_server import TelegramServer
from config.security.encryption import CannotDecrypt, decrypt, encrypt
from config.security.rotation import Counts, rotate
from sources.models import Connection, Source
from sources.tests.migrating import migrate_back, upgrade

pytestmark = pytest.mark.slow

OLD, NEW, LOST = b"\1" * 32, b"\2" * 32, b"\3" * 32
BEFORE = "0002_tenant_walls"


@dataclass(frozen=True)
class Kept:
    """A row as the older version wrote it, and what it holds."""

    agent: Agent
    channel_type: str
    config: dict[str, str]


@pytest.fixture
def older(tenant: Tenant) -> Iterator[Tenant]:
    """In the schema of the older version; whatever becomes of it, the end is the newest."""
    migrate_back(BEFORE, "channels")
    yield tenant
    upgrade()


def keep(
    agent: Agent, channel_type: str, config: dict[str, str], *, key: bytes, **over: Any
) -> None:
    """What the older version's seal_config wrote; its columns are no longer ours."""
    context = f"channels.ChannelConnection:{agent.pk}:{channel_type}"
    with override_settings(CHANNEL_ENCRYPTION_KEYS=[key]):
        sealed = encrypt(json.dumps(config).encode(), context=context)
    row = {
        "id": uuid.uuid4(),
        "tenant_id": agent.tenant_id,
        "agent_id": agent.pk,
        "channel_type": channel_type,
        "account_id": config.get("phone_number_id") or config.get("bot_token", "").split(":")[0],
        "encrypted_config": sealed,
        "key_id": f"of key {key[0]}",
        "status": "connected",
        "error_message": "",
        "connected_at": "2026-11-01T10:00:00Z",
        **over,
    }
    names, marks = ", ".join(row), ", ".join(["%s"] * len(row))
    statement = f"INSERT INTO channels_channelconnection ({names}) VALUES ({marks})"  # noqa: S608 - ours
    with database.cursor() as cursor:
        cursor.execute(statement, list(row.values()))


def keep_three(tenant: Tenant, *, key: bytes) -> list[Kept]:
    kinds = ("web", "messenger_a", "messenger_b")
    agent = make_agent(tenant, name="Sales", active_channels=sorted(kinds))
    kept = [Kept(agent, kind, make_config(kind)) for kind in kinds]
    for one in kept:
        keep(one.agent, one.channel_type, one.config, key=key)
    return kept


def test_what_was_connected_opens_after_the_upgrade(older: Tenant, settings: Any) -> None:
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW, OLD]
    kept = keep_three(older, key=OLD)

    upgrade()

    settings.CHANNEL_ENCRYPTION_KEYS = [NEW]  # which sealed them anew
    for one in kept:
        channel = find_connection(one.agent.pk, one.channel_type)
        assert open_config(channel) == one.config
        assert (channel.status, channel.connected_at.day) == ("connected", 1)
        if one.config:
            account = channel.connection
            assert account is not None
            assert (account.tenant, account.provider) == (older, one.channel_type)
            assert account.account == open_messenger(channel).account_id != ""
            assert (account.state, account.reason) == ("connected", "")
    assert Connection.objects.for_tenant(older).count() == 2
    assert rotate()["sources.Connection"] == Counts(current=2)


def test_a_bot_that_was_connected_before_is_left_connected_anew_and_disconnected(
    older: Tenant, settings: Any, telegram: TelegramServer
) -> None:
    settings.CHANNEL_ENCRYPTION_KEYS = [OLD]
    agent, token = make_agent(older, active_channels=["messenger_a"]), telegram.add_bot()
    keep(agent, "messenger_a", telegram.config(token), key=OLD)
    upgrade()
    before = find_connection(agent.pk, "messenger_a")

    again = connect_channel(older, agent.pk, "messenger_a", {"bot_token": token})

    assert (again.pk, again.connection_id) == (before.pk, before.connection_id)
    disconnect_channel(older, agent.pk, "messenger_a")
    assert token not in telegram.webhooks
    assert not Connection.objects.for_tenant(older).exists()


def test_it_goes_on_where_it_was_killed(
    older: Tenant, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    moving = import_module("channels.migrations.0004_secrets_to_connections")
    settings.CHANNEL_ENCRYPTION_KEYS = [OLD]
    agents = [make_agent(older, active_channels=["messenger_a"]) for _ in range(5)]
    configs = [make_config("messenger_a") for _ in agents]
    for agent, config in zip(agents, configs, strict=True):
        keep(agent, "messenger_a", config, key=OLD)
    monkeypatch.setattr(moving, "BATCH_ROWS", 2)
    seal, sealed = moving.encrypt, []

    def die_at_the_fourth(content: bytes, *, context: str) -> bytes:
        sealed.append(context)
        if len(sealed) == 4:
            raise KeyboardInterrupt
        result: bytes = seal(content, context=context)
        return result

    monkeypatch.setattr(moving, "encrypt", die_at_the_fourth)
    with pytest.raises(KeyboardInterrupt):
        upgrade()
    monkeypatch.setattr(moving, "encrypt", seal)

    upgrade()

    assert Connection.objects.for_tenant(older).count() == 5
    for agent, config in zip(agents, configs, strict=True):
        assert open_config(find_connection(agent.pk, "messenger_a")) == config


def test_back_again_the_older_version_opens_it(older: Tenant, settings: Any) -> None:
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW, OLD]
    kept = keep_three(older, key=OLD)
    upgrade()

    migrate_back(BEFORE, "channels")

    with database.cursor() as cursor:
        cursor.execute(
            "SELECT channel_type, account_id, encrypted_config FROM channels_channelconnection"
        )
        rows = {kind: (account, bytes(sealed)) for kind, account, sealed in cursor.fetchall()}
        cursor.execute("SELECT count(*) FROM pg_proc WHERE proname = 'channels_forget_connection'")
        assert cursor.fetchone() == (0,)
    for one in kept:
        account, sealed = rows[one.channel_type]
        context = f"channels.ChannelConnection:{one.agent.pk}:{one.channel_type}"
        assert json.loads(decrypt(sealed, context=context)) == one.config
        assert bool(account) == bool(one.config)


def test_what_no_key_opens_is_marked_and_kept_for_the_key_to_come_back(
    older: Tenant, settings: Any
) -> None:
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW]
    agent, config = make_agent(older, active_channels=["messenger_a"]), make_config("messenger_a")
    keep(agent, "messenger_a", config, key=LOST)

    upgrade()

    channel = find_connection(agent.pk, "messenger_a")
    assert channel.connection is not None
    assert (channel.connection.state, channel.connection.key_id) == ("reauth_required", "of key 3")
    with pytest.raises(CannotDecrypt):
        open_config(channel)
    migrate_back(BEFORE, "channels")
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW, LOST]
    upgrade()
    assert open_config(find_connection(agent.pk, "messenger_a")) == config


def test_a_channel_that_was_failing_is_an_account_to_connect_again(
    older: Tenant, settings: Any
) -> None:
    settings.CHANNEL_ENCRYPTION_KEYS = [OLD]
    agent = make_agent(older, active_channels=["messenger_a"])
    why = {"status": "failing", "error_message": "The messenger does not accept the bot token."}
    keep(agent, "messenger_a", make_config("messenger_a"), key=OLD, **why)

    upgrade()

    account = Connection.objects.for_tenant(older).get()
    assert (account.state, account.reason) == ("reauth_required", why["error_message"])


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
