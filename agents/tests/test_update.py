"""PUT /agents/{id}: what is sent changes, all of it or nothing."""

import json
import uuid
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import bearer, make_user
from agents.models import Agent
from agents.services import update_agent
from agents.tests.factories import make_agent
from agents.tests.test_create import NAME_TAKEN, NEEDS_EMAIL
from agents.tests.wrong_values import WRONG, code_of
from config.tests.parallel import in_parallel

FIELDS: dict[str, Any] = {
    "name": "Sales",
    "persona": "Dry, but kind.",
    "welcome_msg": "¡Hola!",
    "status": "active",
    "allowed_origins": ["https://shop.example"],
    "cite_sources": False,
    "lead_capture_enabled": True,
    "lead_notification_email": "sales@shop.example",
    "store_transcripts": True,
    "transcript_retention_days": 7,
}


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_agent(tenant, active_channels=["web"], **FIELDS)


def put(api: APIClient, agent: Agent, **body: Any) -> Any:
    """As ASCII: half a surrogate pair has no UTF-8."""
    path = f"/agents/{agent.pk}"
    return api.generic("PUT", path, json.dumps(body), content_type="application/json")


def stored(agent: Agent) -> dict[str, Any]:
    """All but `id` and `tenant`."""
    agent.refresh_from_db()
    return {name: getattr(agent, name) for name in FIELDS}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "Support"),
        ("name", "SALES"),  # its own name
        ("persona", "Warm."),
        ("welcome_msg", "Hi!"),
        ("status", "inactive"),
        ("allowed_origins", []),
        ("allowed_origins", ["http://localhost:3000"]),
        ("cite_sources", True),
        ("lead_capture_enabled", False),
        ("lead_notification_email", "boss@shop.example"),
        ("store_transcripts", False),
        ("transcript_retention_days", 90),
    ],
)
def test_a_field_changes_and_the_others_stay(
    admin_api: APIClient, agent: Agent, field: str, value: Any
):
    before = admin_api.get(f"/agents/{agent.pk}").json()

    answer = put(admin_api, agent, **{field: value})

    assert (answer.status_code, answer.json()) == (200, before | {field: value})
    assert stored(agent) == FIELDS | {field: value}


@pytest.mark.parametrize(
    "body",
    [
        {},
        dict.fromkeys(FIELDS),
        {"name": "", "persona": "", "welcome_msg": ""},
        {"name": "  ", "persona": "\t", "welcome_msg": "\n"},
        {"plan": "free", "active_channels": [], "tenant_id": str(uuid.uuid4()), "mood": "good"},
    ],
    ids=["nothing", "null", "empty", "white space", "what clients do not set"],
)
def test_what_changes_nothing(admin_api: APIClient, agent: Agent, body: dict[str, Any]):
    before = admin_api.get(f"/agents/{agent.pk}").json()

    answer = put(admin_api, agent, **body)

    assert (answer.status_code, answer.json()) == (200, before)
    assert admin_api.get(f"/agents/{agent.pk}").json() == before


def test_an_inactive_agent_is_activated_again(admin_api: APIClient, agent: Agent):
    assert put(admin_api, agent, status="inactive").json()["status"] == "inactive"
    assert put(admin_api, agent, status="active").json()["status"] == "active"


@pytest.mark.parametrize(("field", "value", "told"), WRONG)
def test_a_wrong_value_is_named_and_nothing_changes(
    admin_api: APIClient, agent: Agent, field: str, value: Any, told: str
):
    answer = put(admin_api, agent, **{"persona": "Warm.", field: value})

    assert answer.status_code == 400
    assert answer.json() == {"error": {"code": code_of(field), "message": f"{field}: {told}"}}
    assert stored(agent) == FIELDS


def test_the_address_goes_with_the_leads(admin_api: APIClient, agent: Agent):
    answer = put(admin_api, agent, lead_capture_enabled=False, lead_notification_email="")

    assert answer.status_code == 200
    assert answer.json()["lead_notification_email"] == ""


def test_the_address_does_not_go_while_there_are_leads_to_tell(admin_api: APIClient, agent: Agent):
    answer = put(admin_api, agent, persona="Warm.", lead_notification_email="")

    assert (answer.status_code, answer.json()) == (400, NEEDS_EMAIL)
    assert stored(agent) == FIELDS


def test_leads_are_switched_on_with_an_address_that_is_there_or_comes_along(
    admin_api: APIClient, tenant: Tenant
):
    agent = make_agent(tenant)
    email = "sales@shop.example"

    refused = put(admin_api, agent, lead_capture_enabled=True)
    together = put(admin_api, agent, lead_capture_enabled=True, lead_notification_email=email)
    off = put(admin_api, agent, lead_capture_enabled=False)
    on = put(admin_api, agent, lead_capture_enabled=True)

    assert (refused.status_code, refused.json()) == (400, NEEDS_EMAIL)
    assert [answer.status_code for answer in (together, off, on)] == [200] * 3
    assert on.json()["lead_notification_email"] == email


def test_anothers_name_is_taken_and_nothing_changes(
    admin_api: APIClient, agent: Agent, tenant: Tenant
):
    make_agent(tenant, name="Support")

    answer = put(admin_api, agent, name="SUPPORT", persona="Warm.")

    assert (answer.status_code, answer.json()) == (409, NAME_TAKEN)
    assert stored(agent) == FIELDS


def test_the_last_rule_holds_for_changes_at_the_same_time(committed_tenant: Tenant):
    """Half of them switch leads on, half take the address away: never both."""
    agent = make_agent(committed_tenant, lead_notification_email="sales@shop.example")
    headers = bearer(make_user(committed_tenant), committed_tenant)
    bodies = [{"lead_capture_enabled": True}, {"lead_notification_email": ""}] * 25

    def change() -> int:
        body = bodies.pop()
        answer = APIClient().put(f"/agents/{agent.pk}", body, "json", headers=headers)
        return int(answer.status_code)

    assert set(in_parallel(change)) == {200, 400}
    agent.refresh_from_db()
    assert agent.lead_capture_enabled == bool(agent.lead_notification_email)


def test_a_text_can_be_emptied_on_purpose_and_a_name_never(tenant: Tenant, agent: Agent) -> None:
    update_agent(tenant, agent.pk, persona="", empties=["persona", "name"])

    agent.refresh_from_db()
    assert (agent.persona, agent.welcome_msg, agent.name) == ("", "¡Hola!", "Sales")
