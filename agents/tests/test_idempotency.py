"""POST /agents with an Idempotency-Key: what holds for every endpoint that takes one."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.errors import RequestInProgress
from accounts.idempotency import LEASE, claim_request
from accounts.leaving.expiry import delete_expired
from accounts.models import ActivityEntry, IdempotentRequest, Role, Tenant
from accounts.tests.factories import client_of
from agents.models import Agent
from agents.services import create_agent
from agents.tests.factories import make_agent
from config.tests.parallel import look_over_all_tenants

URL = "/agents"
KEY = "8e03978e-40d5-43e8-bc93-6894a57f9324"
SALES = {"name": "Sales", "persona": "Be brief.", "allowed_origins": ["https://shop.example"]}
WAIT_SECONDS = 120


def post(api: APIClient, body: Any = SALES, key: str = KEY, **headers: str) -> Any:
    return api.post(URL, body, format="json", headers={"Idempotency-Key": key, **headers})


def names(tenant: Tenant) -> list[str]:
    return list(Agent.objects.for_tenant(tenant).values_list("name", flat=True))


def error_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


# --- The same request -----------------------------------------------------------------------------


def test_a_repeat_gets_the_first_answer_byte_for_byte(admin_api: APIClient, tenant: Tenant) -> None:
    first, second = post(admin_api), post(admin_api)

    assert (first.status_code, second.status_code) == (201, 201)
    assert second.content == first.content
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    assert names(tenant) == ["Sales"]
    assert ActivityEntry.objects.for_tenant(tenant).filter(action="agent_created").count() == 1


def test_the_order_of_fields_is_no_difference(admin_api: APIClient, tenant: Tenant) -> None:
    post(admin_api)

    again = post(admin_api, dict(reversed(SALES.items())))

    assert again.headers["Idempotent-Replayed"] == "true"


def test_the_first_answer_stays_when_the_agent_has_changed_or_gone(
    admin_api: APIClient, tenant: Tenant
) -> None:
    first = post(admin_api)
    agent = f"{URL}/{first.json()['id']}"

    admin_api.put(agent, {"name": "Support"}, format="json")
    assert post(admin_api).content == first.content
    admin_api.delete(agent)
    assert post(admin_api).content == first.content
    assert names(tenant) == []


@pytest.mark.parametrize("has_died", [False, True], ids=["anew", "after a death"])
def test_ten_at_once_make_one(committed_tenant: Tenant, has_died: bool) -> None:
    api = client_of(committed_tenant)
    if has_died:
        claim_request(committed_tenant, "POST /agents", KEY, TEXT)
        let_the_lease_end(committed_tenant)
    start = Barrier(10)

    def create(_: int) -> Any:
        start.wait(WAIT_SECONDS)
        try:
            return post(api)
        finally:
            connection.close()

    with ThreadPoolExecutor(10, initializer=look_over_all_tenants) as threads:
        answers = list(threads.map(create, range(10)))

    assert names(committed_tenant) == ["Sales"]
    made = [answer for answer in answers if answer.status_code == 201]
    assert len({answer.content for answer in made}) == 1
    assert Counter("Idempotent-Replayed" in answer.headers for answer in made)[False] == 1
    refused = [answer for answer in answers if answer.status_code != 201]
    assert {error_of(answer) for answer in refused} <= {(409, "IDEMPOTENT_REQUEST_IN_PROGRESS")}
    assert {answer.headers["Retry-After"] for answer in refused} <= {"5"}
    assert post(api).content == made[0].content


def test_without_a_key_nothing_is_kept(admin_api: APIClient, tenant: Tenant) -> None:
    first = admin_api.post(URL, SALES, format="json")
    second = admin_api.post(URL, SALES, format="json")

    assert (first.status_code, error_of(second)) == (201, (409, "CONFLICT"))
    assert not IdempotentRequest.objects.for_tenant(tenant).exists()


def test_neither_key_nor_request_is_kept_as_it_was(admin_api: APIClient, tenant: Tenant) -> None:
    post(admin_api)

    row = IdempotentRequest.objects.for_tenant(tenant).get()
    assert KEY not in str(vars(row))
    assert len(row.key_hash) == len(row.fingerprint) == 64


# --- Another request ------------------------------------------------------------------------------


def test_a_key_of_another_body_is_refused(admin_api: APIClient, tenant: Tenant) -> None:
    post(admin_api)

    answer = post(admin_api, {**SALES, "name": "Support"})

    assert error_of(answer) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert names(tenant) == ["Sales"]


def test_a_key_is_of_one_endpoint(admin_api: APIClient, tenant: Tenant) -> None:
    post(admin_api)
    website = {"name": "Help", "source_type": "web", "source_url": "http://93.184.216.34/help"}

    answer = admin_api.post(
        "/ingest/sources", website, format="json", headers={"Idempotency-Key": KEY}
    )

    assert answer.status_code == 201
    assert "Idempotent-Replayed" not in answer.headers


def test_a_key_is_of_one_workspace(
    admin_api: APIClient, other_api: APIClient, tenant: Tenant, other_tenant: Tenant
) -> None:
    ours = post(admin_api)

    theirs = post(other_api, {"name": "Theirs"})

    assert theirs.status_code == 201
    assert (names(tenant), names(other_tenant)) == (["Sales"], ["Theirs"])
    assert ours.json()["id"] != theirs.json()["id"]


def test_a_colleague_gets_the_same_answer(admin_api: APIClient, tenant: Tenant) -> None:
    first = post(admin_api)

    assert post(client_of(tenant)).content == first.content


def test_who_may_not_ask_is_told_nothing(tenant: Tenant, admin_api: APIClient) -> None:
    post(admin_api)

    assert error_of(post(client_of(tenant, role=Role.MEMBER))) == (403, "FORBIDDEN")


# --- Errors ---------------------------------------------------------------------------------------


def test_an_error_frees_the_key(admin_api: APIClient, tenant: Tenant) -> None:
    taken = make_agent(tenant, name="Sales")
    assert error_of(post(admin_api)) == (409, "CONFLICT")
    assert not IdempotentRequest.objects.for_tenant(tenant).exists()
    taken.delete()

    answer = post(admin_api)

    assert answer.status_code == 201
    assert "Idempotent-Replayed" not in answer.headers


def test_a_failure_of_ours_frees_the_key(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("agents.services.record", lambda *args: 1 / 0)
        assert error_of(post(admin_api)) == (500, "INTERNAL_ERROR")
    assert names(tenant) == []

    assert post(admin_api).status_code == 201


def test_what_was_made_before_a_failure_is_the_answer(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies, or the database goes, after the commit and before the answer."""

    def lose(*args: Any, **kwargs: Any) -> None:
        create_agent(*args, **kwargs)
        raise ConnectionResetError

    with monkeypatch.context() as broken:
        broken.setattr("agents.services.create_agent", lose)
        assert error_of(post(admin_api)) == (500, "INTERNAL_ERROR")
    assert names(tenant) == ["Sales"]

    answer = post(admin_api)

    assert (answer.status_code, answer.headers["Idempotent-Replayed"]) == (201, "true")
    assert answer.json()["id"] == str(Agent.objects.for_tenant(tenant).get().pk)
    assert names(tenant) == ["Sales"]


@pytest.mark.parametrize("key", ["", "k" * 256, "two words", "ñ", "tab\t", "\x7f"])
def test_a_key_is_visible_ascii(admin_api: APIClient, tenant: Tenant, key: str) -> None:
    assert error_of(post(admin_api, key=key)) == (400, "VALIDATION_ERROR")
    assert names(tenant) == []


@pytest.mark.parametrize("key", ["k", "k" * 255, '"quoted"'])
def test_any_other_key_will_do(admin_api: APIClient, key: str) -> None:
    assert post(admin_api, key=key).status_code == 201
    assert post(admin_api, key=key).headers["Idempotent-Replayed"] == "true"


# --- Whose turn it is -----------------------------------------------------------------------------


def test_while_somebody_is_at_it_a_repeat_waits(admin_api: APIClient, tenant: Tenant) -> None:
    claim_request(tenant, "POST /agents", KEY, TEXT)

    answer = post(admin_api)

    assert error_of(answer) == (409, "IDEMPOTENT_REQUEST_IN_PROGRESS")
    assert answer.headers["Retry-After"] == "5"
    assert names(tenant) == []


def test_a_claim_whose_process_died_is_taken_over(admin_api: APIClient, tenant: Tenant) -> None:
    dead = claim_request(tenant, "POST /agents", KEY, TEXT)
    let_the_lease_end(tenant)

    assert post(admin_api).status_code == 201

    with pytest.raises(RequestInProgress):  # it was only slow: it makes nothing any more
        dead.note_made(dead.row.tenant_id)
    dead.give_back()
    assert post(admin_api).headers["Idempotent-Replayed"] == "true"
    assert names(tenant) == ["Sales"]


def let_the_lease_end(tenant: Tenant) -> None:
    rows = IdempotentRequest.objects.for_tenant(tenant)
    rows.update(lease_until=timezone.now() - timedelta(seconds=1))


TEXT = '{"allowed_origins": ["https://shop.example"], "name": "Sales", "persona": "Be brief."}'


def test_a_lease_is_longer_than_the_longest_step() -> None:
    assert LEASE.lifetime == timedelta(seconds=60)


def test_after_a_day_a_key_is_forgotten(admin_api: APIClient, tenant: Tenant) -> None:
    now = timezone.now()
    post(admin_api)
    rows = IdempotentRequest.objects.for_tenant(tenant)
    rows.update(created_at=now - timedelta(hours=24))
    assert delete_expired(now) == 0
    assert delete_expired(now + timedelta(seconds=1)) == 1

    assert error_of(post(admin_api)) == (409, "CONFLICT")  # a new request, and the name is taken
