"""POST /ingest/sources and …/upload with an Idempotency-Key. What holds for all endpoints is in
agents/tests/test_idempotency.py.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import IdempotentRequest, Tenant
from sources.models import Source, SyncEvent
from sources.originals.files import store_original
from sources.services import uploads
from sources.tests.conftest import files_below
from sources.tests.factories import text_file

SOURCES, UPLOAD = "/ingest/sources", "/ingest/sources/upload"
MINUTE = timedelta(minutes=1)
KEY = {"Idempotency-Key": "8e03978e-40d5-43e8-bc93-6894a57f9324"}
WEBSITE = {
    "name": "Help",
    "source_type": "web",
    "source_url": "http://93.184.216.34/help",  # nothing is asked there
}

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_worker")]


class ProcessKilled(Exception):
    """Stands for a `kill -9`; test_upload_live.py has a real one."""


def create(api: APIClient, body: Any = WEBSITE) -> Any:
    return api.post(SOURCES, body, format="json", headers=KEY)


def upload(api: APIClient, *lines: str, filename: str = "faq.txt", **fields: str) -> Any:
    file = text_file(*(lines or ("Returns are free.",)), filename=filename)
    return api.post(UPLOAD, {"file": file, **fields}, format="multipart", headers=KEY)


def error_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def is_replayed(response: Any) -> bool:
    return "Idempotent-Replayed" in response.headers


def source_of(tenant: Tenant) -> Source:
    """There is one."""
    return Source.objects.for_tenant(tenant).get()


@contextmanager
def killed_at(name: str) -> Iterator[None]:
    """The process dies where an upload would call that. Then its lease ends."""

    def die(*args: Any, **kwargs: Any) -> None:
        raise ProcessKilled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"sources.services.uploads.{name}", die)
        patch.setattr("accounts.idempotency.Claim.give_back", lambda claim: None)
        yield
    assert IdempotentRequest.all_tenants.update(lease_until=timezone.now() - MINUTE) == 1


# --- Without a file -------------------------------------------------------------------------------


def test_a_website_is_added_once(admin_api: APIClient, tenant: Tenant) -> None:
    first, second = create(admin_api), create(admin_api)

    assert (first.status_code, second.status_code) == (201, 201)
    assert second.content == first.content
    assert (is_replayed(first), is_replayed(second)) == (False, True)
    assert first.json()["source_id"] == str(source_of(tenant).pk)
    assert SyncEvent.objects.for_tenant(tenant).count() == 1


def test_a_refused_website_frees_the_key(admin_api: APIClient, tenant: Tenant) -> None:
    refused = create(admin_api, {**WEBSITE, "source_url": "http://127.0.0.1/"})

    assert refused.status_code == 400
    assert create(admin_api).status_code == 201
    assert source_of(tenant).name == "Help"


def test_a_repeat_is_no_second_connector_of_the_plan(admin_api: APIClient, tenant: Tenant) -> None:
    tenant.plan.max_connectors = 1
    tenant.plan.save()
    create(admin_api)

    assert is_replayed(create(admin_api))


# --- Files ----------------------------------------------------------------------------------------


def test_a_file_is_uploaded_once(admin_api: APIClient, tenant: Tenant, stored_files: Path) -> None:
    first, second = upload(admin_api), upload(admin_api)

    assert (first.status_code, second.status_code) == (201, 201)
    assert second.content == first.content
    assert is_replayed(second)
    assert first.json()["sync_status"] == "synced"
    assert files_below(stored_files) == [f"{tenant.pk}/{source_of(tenant).pk}/original"]


@pytest.mark.parametrize(
    "other",
    [{"filename": "prices.txt"}, {"name": "Prices"}],
    ids=["another file name", "another name"],
)
def test_another_form_is_another_request(
    admin_api: APIClient, tenant: Tenant, other: dict[str, str]
) -> None:
    upload(admin_api)

    assert error_of(upload(admin_api, **other)) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert source_of(tenant).name == "faq.txt"


def test_another_content_is_another_request(admin_api: APIClient, tenant: Tenant) -> None:
    upload(admin_api)

    answer = upload(admin_api, "Returns cost 5 euros.")

    assert error_of(answer) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert source_of(tenant).name == "faq.txt"


def test_a_file_at_fault_frees_the_key(admin_api: APIClient, tenant: Tenant) -> None:
    assert error_of(upload(admin_api, "  \n")) == (422, "FILE_PROCESSING_FAILED")
    assert not IdempotentRequest.objects.for_tenant(tenant).exists()

    assert upload(admin_api).status_code == 201


def test_a_repeat_is_no_second_document_of_the_plan(admin_api: APIClient, tenant: Tenant) -> None:
    tenant.plan.blocks_overage, tenant.plan.max_documents = True, 1
    tenant.plan.save()
    upload(admin_api)

    assert is_replayed(upload(admin_api))


# --- Processes that die ---------------------------------------------------------------------------


def test_killed_before_the_source_is_there_the_repeat_makes_it(
    admin_api: APIClient, tenant: Tenant
) -> None:
    with killed_at("save_upload"):
        upload(admin_api)
    assert not Source.objects.for_tenant(tenant).exists()

    answer = upload(admin_api)

    assert (answer.status_code, answer.json()["source_id"]) == (201, str(source_of(tenant).pk))
    assert not is_replayed(answer)


@pytest.mark.parametrize("moment", ["tell_lane", "wait_for_run", "settle_upload"])
def test_killed_after_the_source_is_there_the_repeat_answers_from_it(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, moment: str
) -> None:
    with killed_at(moment):
        upload(admin_api)
    made = source_of(tenant)

    first, second = upload(admin_api), upload(admin_api)

    assert first.json() == {
        "source_id": str(made.pk),
        "name": "faq.txt",
        "sync_status": "synced",
        "chunks_count": 1,
    }
    assert second.content == first.content
    assert (is_replayed(first), is_replayed(second)) == (False, True)
    assert source_of(tenant).pk == made.pk
    assert files_below(stored_files) == [f"{tenant.pk}/{made.pk}/original"]


def test_while_the_first_one_waits_a_repeat_is_told_to(
    admin_api: APIClient, tenant: Tenant
) -> None:
    with killed_at("wait_for_run"):
        upload(admin_api)
    IdempotentRequest.all_tenants.update(lease_until=timezone.now() + MINUTE)

    answer = upload(admin_api)

    assert error_of(answer) == (409, "IDEMPOTENT_REQUEST_IN_PROGRESS")
    assert answer.headers["Retry-After"] == "5"
    assert source_of(tenant).sync_status == "syncing"


def test_killed_with_a_file_at_fault_the_repeat_says_so(
    admin_api: APIClient, tenant: Tenant, stored_files: Path
) -> None:
    with killed_at("wait_for_run"):
        upload(admin_api, " \n")

    assert error_of(upload(admin_api, " \n")) == (422, "FILE_PROCESSING_FAILED")

    assert not Source.objects.for_tenant(tenant).exists()
    assert files_below(stored_files) == []
    assert upload(admin_api).status_code == 201


def test_killed_while_a_faulty_file_is_discarded_the_repeat_begins_anew(
    admin_api: APIClient, tenant: Tenant
) -> None:
    with killed_at("settle_upload"):
        upload(admin_api, " \n")
    uploads.discard_upload(source_of(tenant))

    assert error_of(upload(admin_api, " \n")) == (422, "FILE_PROCESSING_FAILED")

    assert not IdempotentRequest.objects.for_tenant(tenant).exists()


def test_a_source_that_was_deleted_meanwhile_is_not_made_again(
    admin_api: APIClient, tenant: Tenant
) -> None:
    with killed_at("settle_upload"):
        upload(admin_api)
    made = source_of(tenant)
    admin_api.delete(f"{SOURCES}/{made.pk}")

    answer = upload(admin_api)

    assert (answer.status_code, answer.json()["source_id"]) == (201, str(made.pk))
    assert not Source.objects.for_tenant(tenant).exists()


def test_a_failure_after_the_commit_leaves_the_key_to_a_repeat(
    admin_api: APIClient, tenant: Tenant
) -> None:
    """The database goes away while an upload waits: what it has made is not forgotten."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sources.services.uploads.wait_for_run", lambda *args: 1 / 0)
        assert error_of(upload(admin_api)) == (500, "INTERNAL_ERROR")
    made = source_of(tenant)

    answer = upload(admin_api)

    assert (answer.status_code, answer.json()["source_id"]) == (201, str(made.pk))
    assert source_of(tenant).pk == made.pk


def test_who_was_only_slow_makes_no_second_source(
    admin_api: APIClient, tenant: Tenant, stored_files: Path
) -> None:
    """It is taken for dead while it stores the file; then it wakes up."""
    answers: list[Any] = []

    def store_slowly(*args: Any) -> str:
        key = store_original(*args)
        if not answers:
            answers.append(None)
            IdempotentRequest.all_tenants.update(lease_until=timezone.now() - MINUTE)
            answers.append(upload(admin_api))
        return key

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sources.services.uploads.store_original", store_slowly)
        slow = upload(admin_api)

    assert error_of(slow) == (409, "IDEMPOTENT_REQUEST_IN_PROGRESS")
    assert answers[1].json()["source_id"] == str(source_of(tenant).pk)
    assert upload(admin_api).content == answers[1].content
    assert files_below(stored_files) == [f"{tenant.pk}/{source_of(tenant).pk}/original"]
