"""PATCH /ingest/sources/{id}."""

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from sources.models import Source, SyncEvent
from sources.tests.factories import make_source

pytestmark = pytest.mark.django_db


def rename(client: APIClient, source: Source, body: object):
    return client.patch(f"/ingest/sources/{source.pk}", body, format="json")


def test_a_source_gets_its_new_name(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant, name="Tarifas", chunks_count=4)

    response = rename(admin_api, source, {"name": "Tarifas 2025"})

    assert response.status_code == 200
    assert response.json() == {"source_id": str(source.pk), "name": "Tarifas 2025"}
    changed = Source.objects.for_tenant(tenant).get()
    assert (changed.name, changed.chunks_count) == ("Tarifas 2025", 4)


def test_history_tells_the_old_name_and_the_new(admin_api: APIClient, tenant: Tenant):
    rename(admin_api, make_source(tenant, name="Tarifas"), {"name": "Precios"})

    event = SyncEvent.objects.for_tenant(tenant).get()
    assert event.action == "source_renamed"
    assert event.details == {"provider": "upload", "from": "Tarifas", "to": "Precios"}


def test_names_need_not_be_unique(admin_api: APIClient, tenant: Tenant):
    make_source(tenant, name="Tarifas")

    assert rename(admin_api, make_source(tenant), {"name": "Tarifas"}).status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "MISSING_FIELDS"),
        ({"name": None}, "MISSING_FIELDS"),
        ({"name": ""}, "MISSING_FIELDS"),
        ({"name": "   "}, "MISSING_FIELDS"),
        ({"name": "n" * 201}, "VALIDATION_ERROR"),
        ({"name": "a\0b"}, "VALIDATION_ERROR"),
        ({"name": 7}, "VALIDATION_ERROR"),
        ({"name": ["Tarifas"]}, "VALIDATION_ERROR"),
        (["Tarifas"], "INVALID_REQUEST_BODY"),
    ],
)
def test_a_name_is_a_text_of_1_to_200_characters(
    admin_api: APIClient, tenant: Tenant, body: object, code: str
):
    source = make_source(tenant, name="Tarifas")

    response = rename(admin_api, source, body)

    assert (response.status_code, response.json()["error"]["code"]) == (400, code)
    assert Source.objects.for_tenant(tenant).get().name == "Tarifas"
    assert not SyncEvent.objects.for_tenant(tenant).exists()


def test_two_hundred_characters_are_a_name(admin_api: APIClient, tenant: Tenant):
    assert rename(admin_api, make_source(tenant), {"name": "ñ" * 200}).json()["name"] == "ñ" * 200


def test_unknown_fields_are_ignored(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant, position=3)

    assert rename(admin_api, source, {"name": "A", "position": 9}).status_code == 200
    assert Source.objects.for_tenant(tenant).get().position == 3
