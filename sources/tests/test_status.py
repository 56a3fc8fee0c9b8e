"""GET /ingest/sources/{id}/status."""

import uuid
from datetime import UTC, datetime

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from reasons import Reason
from sources.tests.factories import make_document, make_source


def url(source_id: object) -> str:
    return f"/ingest/sources/{source_id}/status"


def test_the_state_of_a_source(admin_api: APIClient, tenant: Tenant):
    source = make_source(
        tenant, chunks_count=7, last_synced_at=datetime(2025, 3, 1, 9, 30, tzinfo=UTC)
    )

    response = admin_api.get(url(source.pk))

    assert response.status_code == 200
    assert response.json() == {
        "source_id": str(source.pk),
        "sync_status": "synced",
        "last_synced_at": "2025-03-01T09:30:00.000000Z",
        "chunks_count": 7,
        "details": {"warnings": [], "warning_codes": []},
    }


def test_a_source_in_error_tells_its_cause(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant, sync_status="error", error_message="No access.")

    assert admin_api.get(url(source.pk)).json() == {
        "source_id": str(source.pk),
        "sync_status": "error",
        "last_synced_at": None,
        "chunks_count": 0,
        "error_message": "No access.",
        "error_code": "text",
        "details": {"warnings": [], "warning_codes": []},
    }


PROTECTED = Reason("protected").to_json()


def test_what_was_not_read_is_told_with_its_document(admin_api: APIClient, tenant: Tenant):
    source = make_source(
        tenant,
        source_type="cloud_drive_a",
        known_failures={"7f3": {"reason": PROTECTED, "title": "Shelf / b", "etag": ""}},
    )
    make_document(source, external_id="whole.pdf")
    make_document(source, external_id="prices.pdf", warnings=["Page 3 was not read: a picture."])
    make_document(source, external_id="old.pdf", removed_in=0, warnings=["Page 1 was not read."])

    assert admin_api.get(url(source.pk)).json()["details"] == {
        "warnings": [
            "prices.pdf: Page 3 was not read: a picture.",
            "Shelf / b: It is protected with a password. Remove the protection and upload it"
            " again.",
        ],
        "warning_codes": ["text", "protected"],
    }


@pytest.mark.parametrize(
    "source_id", [uuid.UUID(int=7), "not-an-id", "0", "%00", "..", "a" * 500, "ñ"]
)
def test_missing_malformed_and_foreign_ids_get_the_same_answer(
    admin_api: APIClient, other_tenant: Tenant, source_id: object
):
    foreign = admin_api.get(url(make_source(other_tenant).pk))
    response = admin_api.get(url(source_id))

    assert response.status_code == foreign.status_code == 404
    assert response.content == foreign.content
    assert response.json() == {
        "error": {"code": "SOURCE_NOT_FOUND", "message": "There is no such source."}
    }


def test_other_methods_are_not_allowed(admin_api: APIClient, tenant: Tenant):
    response = admin_api.post(url(make_source(tenant).pk))

    assert response.status_code == 405
    assert response.json()["error"]["code"] == "METHOD_NOT_ALLOWED"
