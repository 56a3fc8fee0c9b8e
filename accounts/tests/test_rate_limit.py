"""So many requests a minute for a tenant, all its people, tokens and endpoints together."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import ApiToken, Role, Tenant
from accounts.tests.factories import bearer, client_of, make_api_token, make_user
from config.security import rate_limits
from config.security.rate_limits import Outage, limiter
from config.tests.parallel import in_parallel


def limit_to(tenant: Tenant, amount: int) -> None:
    tenant.plan.max_requests_per_minute = amount
    tenant.plan.save()


@pytest.fixture
def three_a_minute(tenant: Tenant) -> None:
    limit_to(tenant, 3)


def statuses(client: APIClient, path: str, times: int) -> list[int]:
    return [client.get(path).status_code for _ in range(times)]


@pytest.mark.usefixtures("three_a_minute")
def test_one_request_too_many_is_told_when_to_come_back(admin_api: APIClient) -> None:
    assert statuses(admin_api, "/auth/me", 3) == [200, 200, 200]

    answer = admin_api.get("/auth/me")

    wait = int(answer.headers["Retry-After"])
    assert answer.status_code == 429
    assert 50 <= wait <= 60
    assert answer.json() == {
        "error": {
            "code": "TOO_MANY_REQUESTS",
            "message": f"The Enterprise plan allows 3 requests a minute. Try again in {wait} s.",
        }
    }


@pytest.mark.usefixtures("three_a_minute")
@pytest.mark.parametrize("path", ["/agent/query", "/agents/x/query"])
def test_query_endpoints_answer_it_in_the_legacy_format(admin_api: APIClient, path: str) -> None:
    statuses(admin_api, "/auth/me", 3)

    answer = admin_api.post(path, {"query": "What?"}, "json")

    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert answer.json()["error"].startswith("The Enterprise plan allows 3 requests a minute.")


@pytest.mark.usefixtures("three_a_minute")
def test_people_machines_and_endpoints_of_a_tenant_count_together(tenant: Tenant) -> None:
    ana = make_user(tenant)
    machine = {"Authorization": f"Bearer {make_api_token(ana, tenant)}"}
    answers = [
        APIClient().get("/auth/me", headers=bearer(ana, tenant)),
        client_of(tenant, role=Role.VIEWER).get("/auth/me"),
        APIClient().get("/auth/me", headers=machine),
        client_of(tenant).get("/ingest/sources"),
        APIClient().get("/auth/me", headers=machine),
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]


@pytest.mark.usefixtures("three_a_minute")
def test_other_tenants_of_the_same_plan_are_not_affected(
    tenant: Tenant, admin_api: APIClient, other_api: APIClient
) -> None:
    assert statuses(admin_api, "/auth/me", 4)[-1] == 429
    assert statuses(other_api, "/auth/me", 3) == [200, 200, 200]


@pytest.mark.usefixtures("three_a_minute")
def test_what_is_refused_or_not_found_counts_too(tenant: Tenant) -> None:
    viewer = client_of(tenant, role=Role.VIEWER)

    assert statuses(viewer, "/ingest/sources", 2) == [403, 403]
    assert viewer.put("/auth/me").status_code == 405
    assert viewer.get("/auth/me").status_code == 429


@pytest.mark.usefixtures("three_a_minute")
def test_over_the_limit_nothing_is_done(admin_api: APIClient) -> None:
    statuses(admin_api, "/auth/me", 3)

    answer = admin_api.post("/tenants/me/api-tokens", {"name": "Shop"}, "json")

    assert answer.status_code == 429
    assert not ApiToken.all_tenants.exists()


@pytest.mark.usefixtures("three_a_minute")
def test_health_and_what_needs_no_token_do_not_count(admin_api: APIClient) -> None:
    for _ in range(5):
        assert admin_api.get("/healthz").status_code == 200
        assert admin_api.post("/auth/refresh", {}, "json").status_code == 400
        assert APIClient().get("/auth/me").status_code == 401

    assert statuses(admin_api, "/auth/me", 3) == [200, 200, 200]


@pytest.mark.usefixtures("three_a_minute")
def test_another_limit_of_the_plan_holds_from_the_next_request(
    tenant: Tenant, admin_api: APIClient
) -> None:
    assert statuses(admin_api, "/auth/me", 4) == [200, 200, 200, 429]
    limit_to(tenant, 5)
    assert admin_api.get("/auth/me").status_code == 200
    limit_to(tenant, 0)
    assert admin_api.get("/auth/me").status_code == 429


def test_of_fifty_parallel_requests_exactly_so_many_pass(committed_tenant: Tenant) -> None:
    limit_to(committed_tenant, 20)
    headers = bearer(make_user(committed_tenant), committed_tenant)

    answered = in_parallel(lambda: APIClient().get("/auth/me", headers=headers).status_code)

    assert sorted(answered) == [200] * 20 + [429] * 30


# --- Without Redis --------------------------------------------------------------------------------


@pytest.fixture
def silent_redis(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """It takes connections and never answers; once closed, it is away."""
    monkeypatch.setattr(rate_limits, "OUTAGE_SECONDS", 60.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.REDIS_URL = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        limiter.cache_clear()
        monkeypatch.setattr(rate_limits, "outage", Outage())
        yield server
    limiter.cache_clear()


@pytest.mark.usefixtures("three_a_minute")
def test_without_redis_requests_pass(admin_api: APIClient, silent_redis: socket.socket) -> None:
    silent_redis.close()

    assert statuses(admin_api, "/auth/me", 5) == [200] * 5


@pytest.mark.usefixtures("three_a_minute")
def test_a_redis_that_hangs_is_waited_for_once(
    admin_api: APIClient, silent_redis: socket.socket
) -> None:
    assert statuses(admin_api, "/auth/me", 10) == [200] * 10

    silent_redis.setblocking(False)
    silent_redis.accept()[0].close()
    with pytest.raises(BlockingIOError):
        silent_redis.accept()
