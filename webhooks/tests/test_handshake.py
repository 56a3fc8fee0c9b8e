"""GET /webhooks/messenger_b/agent/{agent_id}: the messenger asks whether the address is ours."""

import uuid

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.models import ChannelConnection
from channels.tests.factories import VERIFY_TOKEN, make_config, make_connection

CHALLENGE = "1158201444"
RIGHT = {
    "hub.mode": "subscribe",
    "hub.verify_token": VERIFY_TOKEN,
    "hub.challenge": CHALLENGE,
}


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_agent(tenant)


@pytest.fixture
def connection(agent: Agent) -> ChannelConnection:
    return make_connection(agent, "messenger_b")


@pytest.fixture
def ask(api: APIClient, connection: ChannelConnection):
    def get(agent_id: object = connection.agent_id, **over: str | None):
        given = {**RIGHT, **{f"hub.{name}": value for name, value in over.items()}}
        params = {name: value for name, value in given.items() if value is not None}
        return api.get(f"/webhooks/messenger_b/agent/{agent_id}", params)

    return get


def test_who_knows_the_verify_token_gets_the_challenge_back(ask):
    answer = ask()

    assert (answer.status_code, answer.content) == (200, CHALLENGE.encode())
    assert answer["Content-Type"] == "text/plain"
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "over",
    [
        {"verify_token": "another token"},
        {"verify_token": VERIFY_TOKEN + "ñ"},
        {"verify_token": ""},
        {"verify_token": None},
        {"mode": "unsubscribe"},
        {"mode": None},
        {"challenge": None},
        {"challenge": ""},
        {"challenge": "1" * 201},
        {"challenge": "línea"},
        {"challenge": "one\ntwo"},
    ],
)
def test_anything_else_is_refused_alike(ask, over):
    answer = ask(**over)

    assert answer.status_code == 401
    assert answer.json() == {
        "error": {
            "code": "UNAUTHORIZED",
            "message": "The call does not prove that it comes from the messenger.",
        }
    }
    assert answer["WWW-Authenticate"] == "Bearer"


def test_the_verify_token_of_another_agent_opens_nothing(ask, other_tenant):
    config = make_config("messenger_b", verify_token="theirs")
    make_connection(make_agent(other_tenant), "messenger_b", config=config)

    answer, refused = ask(verify_token="theirs"), ask(verify_token="nobody's")

    assert (answer.status_code, answer.content) == (401, refused.content)


def test_a_challenge_is_never_a_page(ask):
    answer = ask(challenge="<script>alert(1)</script>")

    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain")


def test_an_agent_that_is_not_at_the_channel_was_never_there(ask, tenant):
    elsewhere = make_connection(make_agent(tenant), "messenger_a").agent_id

    for agent_id in (uuid.uuid4(), elsewhere, "not-an-id"):
        answer = ask(agent_id)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "AGENT_NOT_FOUND")


def test_the_token_is_in_no_line_of_the_log(ask, connection, caplog, settings):
    caplog.set_level("DEBUG")
    ask(mode="other")
    ask(uuid.uuid4())
    settings.CHANNEL_ENCRYPTION_KEYS = [b"k" * 32]
    assert ask().status_code == 503

    assert len(caplog.records) >= 3
    assert VERIFY_TOKEN not in caplog.text


def test_it_writes_nothing(ask, django_assert_num_queries):
    with django_assert_num_queries(1):
        ask()
    with django_assert_num_queries(1):
        ask(verify_token="wrong")
