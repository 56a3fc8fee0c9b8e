"""GET and PUT /tenants/me/company-profile."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import CompanyProfile, Tenant
from accounts.models.countries import COUNTRIES
from accounts.tests.factories import bearer, make_user
from config.tests.parallel import in_parallel

PATH = "/tenants/me/company-profile"
PROFILE = {
    "legal_name": "Acme Ibérica, S.L.",
    "tax_id": "B12345678",
    "address": "Calle Mayor 1, 2º B",
    "city": "Madrid",
    "postal_code": "28013",
    "country": "ES",
    "billing_email": "Facturas@acme.es",
}
NOT_FOUND = {
    "error": {
        "code": "COMPANY_PROFILE_NOT_FOUND",
        "message": "This workspace has no company profile yet.",
    }
}


def put(api: APIClient, **over: Any) -> Any:
    return api.put(PATH, PROFILE | over, "json")


def test_there_is_none_at_first(admin_api: APIClient) -> None:
    answer = admin_api.get(PATH)

    assert (answer.status_code, answer.json()) == (404, NOT_FOUND)


def test_what_is_put_is_answered_and_read_again(admin_api: APIClient) -> None:
    answer = put(admin_api)

    assert (answer.status_code, answer.json()) == (200, PROFILE)
    assert admin_api.get(PATH).json() == PROFILE


def test_a_second_put_replaces_the_first(admin_api: APIClient, tenant: Tenant) -> None:
    put(admin_api)

    other = {**PROFILE, "legal_name": "Acme México, S.A. de C.V.", "country": "MX"}
    assert put(admin_api, **other).json() == other

    assert CompanyProfile.objects.for_tenant(tenant).count() == 1
    assert admin_api.get(PATH).json() == other


def test_country_may_be_in_lower_case(admin_api: APIClient) -> None:
    assert put(admin_api, country="mx").json()["country"] == "MX"


def test_countries_are_the_assigned_codes() -> None:
    assert len(COUNTRIES) == 249
    assert {"ES", "MX", "AR", "US", "GB", "SS", "AX"} <= COUNTRIES
    assert not {"UK", "EU", "XK", "AN", "SU"} & COUNTRIES


def test_it_is_the_tenants_own(admin_api: APIClient, other_api: APIClient) -> None:
    put(admin_api)

    assert other_api.get(PATH).json() == NOT_FOUND
    put(other_api, legal_name="Umbrella Ltd")
    assert admin_api.get(PATH).json() == PROFILE


@pytest.mark.parametrize("field", PROFILE)
@pytest.mark.parametrize("missing", [None, "", "absent"])
def test_every_field_is_required(admin_api: APIClient, field: str, missing: str | None) -> None:
    body = {**PROFILE, field: missing}
    if missing == "absent":
        del body[field]

    answer = admin_api.put(PATH, body, "json")

    assert (answer.status_code, answer.json()) == (
        400,
        {"error": {"code": "MISSING_FIELDS", "message": f"Missing: {field}."}},
    )
    assert not CompanyProfile.all_tenants.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"legal_name": "a" * 201},
        {"tax_id": "1" * 41},
        {"address": "a" * 201},
        {"city": "a" * 101},
        {"postal_code": "1" * 21},
        {"postal_code": 28013},
        {"city": "Madrid\x00"},
        {"city": ["Madrid"]},
        {"country": "XX"},
        {"country": "ESP"},
        {"country": "España"},
        {"country": "E"},
        {"country": "ß"},
        {"country": "ſe"},
        {"country": "ES\n;"},
        {"country": 34},
        {"billing_email": "facturas"},
        {"billing_email": "a@b"},
        {"billing_email": "facturas@acme.es\r\nBcc: x@example.com"},
        {"billing_email": f"{'a' * 250}@b.es"},
        {"billing_email": True},
    ],
    ids=repr,
)
def test_bad_value(admin_api: APIClient, wrong: dict[str, Any]) -> None:
    answer = put(admin_api, **wrong)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert next(iter(wrong)) in answer.json()["error"]["message"]
    assert not CompanyProfile.all_tenants.exists()


def test_half_a_surrogate_pair_is_no_text(admin_api: APIClient) -> None:
    body = json.dumps({**PROFILE, "city": "\ud800"})

    answer = admin_api.put(PATH, body, content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


def test_parallel_first_puts_leave_one_whole_profile(committed_tenant: Tenant) -> None:
    headers = bearer(make_user(committed_tenant), committed_tenant)
    numbers = iter(range(50))

    def call() -> Any:
        number = next(numbers)
        body = {**PROFILE, "city": f"City {number}", "tax_id": str(number)}
        return APIClient(raise_request_exception=False).put(PATH, body, "json", headers=headers)

    assert {answer.status_code for answer in in_parallel(call)} == {200}
    saved = CompanyProfile.objects.for_tenant(committed_tenant).get()
    assert saved.city == f"City {saved.tax_id}"
