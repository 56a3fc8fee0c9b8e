"""GET and PATCH /tenants/me."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Role, Tenant
from conftest import AsRole

FORBIDDEN = {"error": {"code": "FORBIDDEN", "message": "Your role does not allow this."}}


def profile_of(tenant: Tenant, **over: Any) -> dict[str, Any]:
    fields = {"tenant_id": str(tenant.id), "slug": "acme", "name": "Acme", "plan": "enterprise"}
    return fields | over


@pytest.mark.parametrize("role", Role)
def test_every_role_reads_it(tenant: Tenant, as_role: AsRole, role: Role) -> None:
    answer = as_role(role).get("/tenants/me")

    assert (answer.status_code, answer.json()) == (200, profile_of(tenant))


def test_an_admin_renames_the_workspace(tenant: Tenant, admin_api: APIClient) -> None:
    answer = admin_api.patch("/tenants/me", {"name": "  Acmé & Söhne 株式会社 "}, "json")

    renamed = profile_of(tenant, name="Acmé & Söhne 株式会社")
    assert (answer.status_code, answer.json()) == (200, renamed)
    assert admin_api.get("/tenants/me").json() == renamed


def test_slug_and_plan_are_not_the_admins_to_change(tenant: Tenant, admin_api: APIClient) -> None:
    change = {"name": "New", "slug": "new", "plan": "free", "tenant_id": "x"}

    answer = admin_api.patch("/tenants/me", change, "json")

    assert (answer.status_code, answer.json()) == (200, profile_of(tenant, name="New"))


def test_the_other_tenant_keeps_its_name(admin_api: APIClient, other_tenant: Tenant) -> None:
    admin_api.patch("/tenants/me", {"name": "New"}, "json")

    other_tenant.refresh_from_db()
    assert other_tenant.name == "Umbrella"


@pytest.mark.parametrize("method", ["get", "patch"])
def test_without_a_token_nobody_is_let_in(api: APIClient, method: str) -> None:
    answer = getattr(api, method)("/tenants/me")

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "MISSING_FIELDS"),
        ({"name": None}, "MISSING_FIELDS"),
        ({"name": ""}, "MISSING_FIELDS"),
        ({"name": "   "}, "MISSING_FIELDS"),
        ({"name": 5}, "VALIDATION_ERROR"),
        ({"name": "a" * 201}, "VALIDATION_ERROR"),
        ({"name": "a\x00"}, "VALIDATION_ERROR"),
        ({"name": "a\ud800"}, "VALIDATION_ERROR"),
        (["name"], "INVALID_REQUEST_BODY"),
    ],
)
def test_bad_input(admin_api: APIClient, body: Any, code: str) -> None:
    answer = admin_api.patch("/tenants/me", json.dumps(body), content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_longest_name(admin_api: APIClient) -> None:
    assert admin_api.patch("/tenants/me", {"name": "ñ" * 200}, "json").json()["name"] == "ñ" * 200
