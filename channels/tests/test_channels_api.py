"""PUT and DELETE /agents/{id}/channels/{channel_type}, GET /agents/{id}/channels."""

import json
import logging
from typing import Any

import pytest
from django.db import connection as database
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import Tenant, User
from accounts.tests.factories import PASSWORD, sign_staff_in
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.models import ChannelConnection
from channels.services import is_reachable
from channels.tests.factories import make_config, make_connection
from channels.tests.telegram_server import TelegramServer
from channels.tests.whatsapp_server import WhatsAppServer
from channels.turns import channel_turn
from config.security.rate_limits import LimitsUnavailable
from reasons import Reason

A, B = "messenger_a", "messenger_b"
NOWHERE = "00000000-0000-4000-8000-000000000007"


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_agent(tenant)


def put(client: APIClient, agent_id: object, channel_type: str, body: Any) -> Any:
    path = f"/agents/{agent_id}/channels/{channel_type}"
    return client.put(path, json.dumps(body), content_type="application/json")


def error_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def count(tenant: Tenant) -> int:
    return ChannelConnection.objects.for_tenant(tenant).count()


# --- All three ------------------------------------------------------------------------------------


def test_each_channel_is_connected_listed_and_disconnected(
    admin_api: APIClient, agent: Agent, telegram: TelegramServer, whatsapp: WhatsAppServer
) -> None:
    bodies: dict[str, dict[str, str]] = {
        "web": {},
        "messenger_a": {"bot_token": telegram.add_bot()},
        "messenger_b": whatsapp.config(),
    }
    for channel_type, body in bodies.items():
        answer = put(admin_api, agent.pk, channel_type, body)
        assert (answer.status_code, answer.content) == (200, b"{}")
        assert answer["Cache-Control"] == "no-store"

    listed = admin_api.get(f"/agents/{agent.pk}/channels")
    active = admin_api.get(f"/agents/{agent.pk}").json()["active_channels"]
    assert [row["channel_type"] for row in listed.json()] == active == sorted(bodies)

    for channel_type in bodies:
        answer = admin_api.delete(f"/agents/{agent.pk}/channels/{channel_type}")
        assert (answer.status_code, answer.content) == (204, b"")
    assert admin_api.get(f"/agents/{agent.pk}/channels").json() == []
    assert admin_api.get(f"/agents/{agent.pk}").json()["active_channels"] == []


def test_list_says_how_each_is_and_nothing_of_its_configuration(
    admin_api: APIClient, agent: Agent, settings: Any
) -> None:
    settings.BASE_URL = "https://agents.example.com"
    config = make_config(A)
    kept = make_connection(
        agent, A, config=config, status="failing", error=Reason("bot_token_refused")
    )
    make_connection(agent, B)

    answer = admin_api.get(f"/agents/{agent.pk}/channels")

    first, second = answer.json()
    assert first == {
        "channel_type": "messenger_a",
        "status": "failing",
        "error_message": "The messenger does not accept the bot token. Copy it again from BotFather"
        " and connect the channel again.",
        "error_code": "bot_token_refused",
        "error_at": None,
        "connected_at": kept.connected_at.isoformat().replace("+00:00", "Z"),
        "last_call_at": None,
        "webhook_url": f"https://agents.example.com/webhooks/messenger_a/{agent.pk}",
    }
    assert second["webhook_url"] == (
        f"https://agents.example.com/webhooks/messenger_b/agent/{agent.pk}"
    )
    assert answer["Cache-Control"] == "no-store"
    assert not any(value in answer.content.decode() for value in config.values())


def test_list_costs_the_same_queries_for_any_number(admin_api: APIClient, agent: Agent) -> None:
    counts = []
    for channel_type in (A, B):
        make_connection(agent, channel_type)
        with CaptureQueriesContext(database) as queries:
            admin_api.get(f"/agents/{agent.pk}/channels")
        counts.append(len(queries))

    assert counts[0] == counts[1]


# --- Who may --------------------------------------------------------------------------------------


def test_another_tenants_agent_is_not_there(other_api: APIClient, agent: Agent) -> None:
    make_connection(agent)
    for channel_type in ("web", "fax"):
        for path in (f"/agents/{agent.pk}/channels", f"/agents/{NOWHERE}/channels"):
            answers = [
                other_api.get(path),
                other_api.put(f"{path}/{channel_type}", {}, format="json"),
                other_api.delete(f"{path}/{channel_type}"),
            ]
            assert {error_of(answer) for answer in answers} == {(404, "AGENT_NOT_FOUND")}
    assert count(agent.tenant) == 1


# --- What is sent ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["put", "delete"])
def test_an_unknown_channel(admin_api: APIClient, agent: Agent, method: str) -> None:
    path = f"/agents/{agent.pk}/channels/carrier_pigeon"
    answer = getattr(admin_api, method)(path, {}, format="json")

    assert answer.status_code == 400
    assert answer.json() == {
        "error": {
            "code": "VALIDATION_ERROR",
            "message": "channel_type: Must be one of: web, messenger_a, messenger_b.",
        }
    }


FIELDS = {"messenger_a": ["bot_token"], "messenger_b": list(make_config(B))}
EACH_FIELD = [(channel, field) for channel, fields in FIELDS.items() for field in fields]


@pytest.mark.parametrize(("channel_type", "field"), EACH_FIELD)
@pytest.mark.parametrize("value", ["absent", None, ""])
def test_every_field_is_needed(
    admin_api: APIClient, agent: Agent, channel_type: str, field: str, value: Any
) -> None:
    body: dict[str, Any] = make_config(channel_type) | {field: value}
    if value == "absent":
        del body[field]

    answer = put(admin_api, agent.pk, channel_type, body)

    assert answer.json()["error"] == {"code": "MISSING_FIELDS", "message": f"Missing: {field}."}
    assert (answer.status_code, count(agent.tenant)) == (400, 0)


WRONG = {
    "a number": 5,
    "an array": ["a"],
    "NUL": "a\0b",
    "a line break": "a\nb",
    "a line break at its end": "123\n",
    "spaces around it": " 123 ",
    "spaces alone": "  ",
    "letters beyond ASCII": "contraseña",
    "half a surrogate pair": "\ud800",
    "too long": "1" * 501,
}


@pytest.mark.parametrize(("channel_type", "field"), EACH_FIELD)
@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG.keys())
def test_a_field_of_another_form_is_refused_and_not_repeated(
    admin_api: APIClient, agent: Agent, channel_type: str, field: str, value: Any
) -> None:
    body: dict[str, Any] = make_config(channel_type) | {field: value}

    answer = put(admin_api, agent.pk, channel_type, body)

    assert error_of(answer) == (400, "VALIDATION_ERROR")
    assert answer.json()["error"]["message"].startswith(f"{field}: ")
    assert str(value).strip() == "" or str(value) not in answer.json()["error"]["message"]
    assert count(agent.tenant) == 0


@pytest.mark.parametrize("value", ["12a", "../me", "1/2", "-1", "1" * 101])
def test_a_phone_number_id_is_digits(admin_api: APIClient, agent: Agent, value: str) -> None:
    answer = put(admin_api, agent.pk, "messenger_b", make_config(B, phone_number_id=value))

    assert error_of(answer) == (400, "VALIDATION_ERROR")


def test_a_bot_token_has_at_most_200_characters(
    admin_api: APIClient, agent: Agent, telegram: TelegramServer
) -> None:
    codes = [
        error_of(put(admin_api, agent.pk, "messenger_a", {"bot_token": "1:" + "x" * length}))
        for length in (198, 199)
    ]

    assert codes == [(400, "CHANNEL_CONNECT_FAILED"), (400, "VALIDATION_ERROR")]


def test_a_body_that_is_no_object(admin_api: APIClient, agent: Agent) -> None:
    assert error_of(put(admin_api, agent.pk, "web", [])) == (400, "INVALID_REQUEST_BODY")


# --- What the messenger says ----------------------------------------------------------------------


def test_a_rejected_token(admin_api: APIClient, agent: Agent, telegram: TelegramServer) -> None:
    answer = put(admin_api, agent.pk, "messenger_a", {"bot_token": "800000000:nobodys"})

    assert error_of(answer) == (400, "CHANNEL_CONNECT_FAILED")
    assert "nobodys" not in answer.content.decode()
    assert answer["Cache-Control"] == "no-store"
    assert count(agent.tenant) == 0


def test_while_another_call_connects_it(
    admin_api: APIClient, agent: Agent, telegram: TelegramServer
) -> None:
    body = {"bot_token": telegram.add_bot()}
    assert put(admin_api, agent.pk, "messenger_a", body).status_code == 200

    with channel_turn(ChannelConnection.objects.for_tenant(agent.tenant).get()):
        answer = put(admin_api, agent.pk, "messenger_a", body)

    assert answer.status_code == 409
    assert answer.json()["error"] == {
        "code": "CONFLICT",
        "message": "This channel is being connected or disconnected right now. Try again in a few"
        " seconds.",
    }


def test_without_redis(
    admin_api: APIClient, agent: Agent, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(name: str) -> None:
        raise LimitsUnavailable

    monkeypatch.setattr("channels.turns.begin", begin)

    answer = put(admin_api, agent.pk, "messenger_a", {"bot_token": telegram.add_bot()})

    assert error_of(answer) == (503, "SERVICE_UNAVAILABLE")
    assert answer["Retry-After"] == "2"


# --- Secrets --------------------------------------------------------------------------------------


def test_no_secret_is_in_an_answer_a_log_or_the_back_office(
    admin_api: APIClient,
    agent: Agent,
    telegram: TelegramServer,
    whatsapp: WhatsAppServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    token, config = telegram.add_bot(), whatsapp.config()
    answers = [
        put(admin_api, agent.pk, "messenger_a", {"bot_token": token}),
        put(admin_api, agent.pk, "messenger_b", config),
        put(admin_api, agent.pk, "messenger_b", config | {"phone_number_id": "x"}),
        put(admin_api, agent.pk, "messenger_a", {"bot_token": token + "wrong"}),
        admin_api.get(f"/agents/{agent.pk}/channels"),
        admin_api.get(f"/agents/{agent.pk}"),
    ]
    staff = Client()
    sign_staff_in(staff, User.objects.create_superuser("staff@example.com", PASSWORD))
    pages = [staff.get(reverse("admin:channels_channelconnection_changelist"))]
    for kept in ChannelConnection.objects.for_tenant(agent.tenant):
        change = reverse("admin:channels_channelconnection_change", args=[kept.pk])
        pages.append(staff.get(change))
    assert {page.status_code for page in pages} == {200}

    secrets = [token.partition(":")[2], telegram.webhooks[token]["secret_token"]]
    secrets += [value for name, value in config.items() if name != "phone_number_id"]
    said = caplog.text + "".join(answer.content.decode() for answer in [*answers, *pages])
    assert [secret for secret in secrets if secret in said] == []
    assert "encrypted" not in "".join(page.content.decode() for page in pages).lower()


# --- Whether anybody can come ---------------------------------------------------------------------


def test_customers_come_at_a_channel_or_from_a_page(tenant: Tenant, other_tenant: Tenant):
    make_connection(make_agent(other_tenant), "web")
    agent = make_agent(tenant)
    assert not is_reachable(tenant)

    page = make_agent(tenant, allowed_origins=["https://acme.example"])
    assert is_reachable(tenant)
    page.delete()
    make_connection(agent, "web")

    assert is_reachable(tenant)
