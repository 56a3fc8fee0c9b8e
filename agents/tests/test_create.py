"""POST /agents. Who may: config/tests/isolation."""

import json
import uuid
from datetime import datetime
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import bearer, make_user
from agents.models import Agent
from agents.tests.factories import make_agent
from agents.tests.wrong_values import WRONG, code_of
from config.tests.parallel import in_parallel

PATH = "/agents"
NAME_TAKEN = {
    "error": {
        "code": "CONFLICT",
        "message": "The workspace already has an agent with this name (case does not matter)."
        " Choose another.",
    }
}
NEEDS_EMAIL = {
    "error": {
        "code": "INVALID_AGENT_CONFIG",
        "message": "lead_notification_email: While lead_capture_enabled is true, a valid e-mail"
        " address is needed.",
    }
}


def create(api: APIClient, **body: Any) -> Any:
    """As ASCII: half a surrogate pair has no UTF-8."""
    return api.generic("POST", PATH, json.dumps(body), content_type="application/json")


def test_a_name_is_enough(admin_api: APIClient, tenant: Tenant):
    answer = create(admin_api, name="Sales")

    agent = Agent.objects.for_tenant(tenant).get()
    created_at = answer.json()["created_at"]
    assert answer.status_code == 201
    assert answer.json() == {
        "id": str(agent.pk),
        "tenant_id": str(tenant.pk),
        "tenant_slug": "acme",
        "name": "Sales",
        "persona": "",
        "welcome_msg": "",
        "status": "active",
        "allowed_origins": [],
        "cite_sources": True,
        "active_channels": [],
        "lead_capture_enabled": False,
        "lead_notification_email": "",
        "plan": "enterprise",
        "store_transcripts": False,
        "transcript_retention_days": 30,
        "created_at": created_at,
    }
    assert datetime.fromisoformat(created_at) == agent.created_at
    assert created_at.endswith("Z")


def test_every_field_is_taken(admin_api: APIClient):
    body = {
        "name": "Sales",
        "persona": "Dry, but kind.",
        "welcome_msg": "¡Hola!",
        "status": "inactive",
        "allowed_origins": ["https://shop.example"],
        "cite_sources": False,
        "lead_capture_enabled": True,
        "lead_notification_email": "sales@shop.example",
        "store_transcripts": True,
        "transcript_retention_days": 90,
    }

    answer = create(admin_api, **body)

    assert answer.status_code == 201
    assert answer.json() | body == answer.json()


def test_null_is_the_default_and_what_clients_do_not_set_is_ignored(
    admin_api: APIClient, tenant: Tenant
):
    plain = create(admin_api, name="Plain").json()
    nulls = dict.fromkeys(set(plain) - {"name"})
    others = {"plan": "free", "active_channels": ["web"], "is_scoped": True, "mood": "good"}

    answer = create(admin_api, name="Sales", **nulls | others)

    assert answer.status_code == 201
    differ = {"id", "name", "created_at"}
    assert {key: answer.json()[key] for key in set(plain) - differ} == {
        key: plain[key] for key in set(plain) - differ
    }
    assert not Agent.objects.for_tenant(tenant).filter(is_scoped=True).exists()


def test_texts_lose_the_spaces_around_them(admin_api: APIClient):
    assert create(admin_api, name="  Sales ").json()["name"] == "Sales"


@pytest.mark.parametrize("body", [{}, {"name": None}, {"name": ""}, {"name": "  "}], ids=str)
def test_without_a_name_it_is_missing(admin_api: APIClient, body: dict[str, Any]):
    answer = create(admin_api, **body)

    assert answer.status_code == 400
    assert answer.json() == {"error": {"code": "MISSING_FIELDS", "message": "Missing: name."}}


@pytest.mark.parametrize("text", ["{", "[]", '"Sales"'])
def test_a_body_that_is_no_json_object(admin_api: APIClient, text: str):
    answer = admin_api.generic("POST", PATH, text, content_type="application/json")

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "INVALID_REQUEST_BODY"


@pytest.mark.parametrize(("field", "value", "told"), WRONG)
def test_a_wrong_value_is_named(
    admin_api: APIClient, tenant: Tenant, field: str, value: Any, told: str
):
    answer = create(admin_api, **{"name": "Sales", field: value})

    assert answer.status_code == 400
    assert answer.json() == {"error": {"code": code_of(field), "message": f"{field}: {told}"}}
    assert not Agent.objects.for_tenant(tenant).exists()


def test_a_wrong_setting_beside_a_wrong_text_is_a_wrong_setting(admin_api: APIClient):
    answer = create(admin_api, name="n" * 201, status="asleep")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_AGENT_CONFIG")


@pytest.mark.parametrize(
    "email", [{}, {"lead_notification_email": None}, {"lead_notification_email": " "}], ids=str
)
def test_leads_need_an_address_to_tell(admin_api: APIClient, tenant: Tenant, email: dict[str, Any]):
    answer = create(admin_api, name="Sales", lead_capture_enabled=True, **email)

    assert (answer.status_code, answer.json()) == (400, NEEDS_EMAIL)
    assert not Agent.objects.for_tenant(tenant).exists()


@pytest.mark.parametrize("name", ["Atención", "ATENCIÓN", " atención "])
def test_a_name_is_taken_in_capitals_or_not(admin_api: APIClient, tenant: Tenant, name: str):
    make_agent(tenant, name="Atención")

    answer = create(admin_api, name=name)

    assert (answer.status_code, answer.json()) == (409, NAME_TAKEN)
    assert Agent.objects.for_tenant(tenant).count() == 1


def test_another_tenant_may_have_the_same_name(admin_api: APIClient, other_tenant: Tenant):
    make_agent(other_tenant, name="Sales")

    assert create(admin_api, name="Sales").status_code == 201


def test_of_fifty_at_once_with_one_name_one_wins(committed_tenant: Tenant):
    headers = bearer(make_user(committed_tenant), committed_tenant)

    def create_once() -> int:
        return int(APIClient().post(PATH, {"name": "Sales"}, "json", headers=headers).status_code)

    assert sorted(in_parallel(create_once)) == [201] + [409] * 49
    assert Agent.objects.for_tenant(committed_tenant).count() == 1


def test_a_workspace_has_so_many_agents(
    admin_api: APIClient,
    tenant: Tenant,
    other_tenant: Tenant,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("agents.services.MAX_AGENTS", 1)
    make_agent(other_tenant)

    assert create(admin_api, name="Sales").status_code == 201
    answer = create(admin_api, name="Support")

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "CONFLICT")
    assert answer.json()["error"]["message"].startswith("A workspace can have at most")
    assert Agent.objects.for_tenant(tenant).count() == 1


def test_of_many_at_once_no_more_are_made(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("agents.services.MAX_AGENTS", 3)
    headers = bearer(make_user(committed_tenant), committed_tenant)

    def create_another() -> int:
        body = {"name": uuid.uuid4().hex}
        return int(APIClient().post(PATH, body, "json", headers=headers).status_code)

    assert sorted(in_parallel(create_another)) == [201] * 3 + [409] * 47
    assert Agent.objects.for_tenant(committed_tenant).count() == 3
