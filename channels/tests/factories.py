"""Connected channels for the tests of every app. Their secrets are nobody's."""

import itertools
from typing import Any

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.models import ChannelConnection
from sources.connections import keep_credentials
from sources.models import Connection

_numbers = itertools.count(1)

SECRET_TOKEN = "the-secret-token-of-a-test"
APP_SECRET = "the-app-secret-of-a-test"
VERIFY_TOKEN = "the-verify-token-of-a-test"


def make_config(channel_type: str = "messenger_a", **over: str) -> dict[str, str]:
    """What is encrypted: each call has another bot or number, and other tokens."""
    number = next(_numbers)
    configs: dict[str, dict[str, str]] = {
        "web": {},
        "messenger_a": {
            "bot_token": f"{700_000_000 + number}:bot-token-of-a-test-{number}",
            "secret_token": SECRET_TOKEN,
        },
        "messenger_b": {
            "phone_number_id": f"{100_000_000_000 + number}",
            "system_user_token": f"system-user-token-of-a-test-{number}",
            "app_secret": APP_SECRET,
            "verify_token": VERIFY_TOKEN,
        },
    }
    return {**configs[channel_type], **over}


def make_connection(
    agent: Agent,
    channel_type: str = "messenger_a",
    *,
    config: dict[str, str] | None = None,
    **over: Any,
) -> ChannelConnection:
    """`agent` is at the channel, as if a PUT had connected it. No messenger is asked."""
    config = make_config(channel_type) if config is None else config
    account = None
    if config:
        account = Connection(
            tenant=agent.tenant, provider=channel_type, account=account_id_of(config)
        )
        keep_credentials(account, config)
    connection = ChannelConnection(
        tenant=agent.tenant, agent=agent, channel_type=channel_type, connection=account, **over
    )
    connection.save(force_insert=True)
    agent.active_channels = sorted({*agent.active_channels, str(channel_type)})
    agent.save(update_fields=["active_channels"])
    return connection


def account_id_of(config: dict[str, str]) -> str:
    return config.get("phone_number_id") or config.get("bot_token", "").partition(":")[0]


ORIGIN = "https://shop.example"


def make_web_agent(tenant: Tenant, **over: Any) -> Agent:
    """Connected to `web`; pages of ORIGIN may ask it."""
    agent = make_agent(tenant, **{"allowed_origins": [ORIGIN], **over})
    make_connection(agent, "web")
    return agent
