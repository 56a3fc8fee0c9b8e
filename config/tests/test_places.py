"""Places of a tenant, counted in Redis."""

import uuid
from typing import cast

import pytest

from config.jobs.places import Places, take_place
from config.jobs.redis_client import client
from config.security.rate_limits import LimitsUnavailable
from config.serving.waiting import Kind, WaitingThreads

TWO = Places(Kind.SERVERS, "tests", 2, lease_seconds=30)
ONE = Places(Kind.SERVERS, "tests", 1, lease_seconds=30)


@pytest.fixture
def tenant_id() -> uuid.UUID:
    return uuid.uuid4()


def test_a_tenant_has_so_many_and_others_have_theirs(tenant_id: uuid.UUID) -> None:
    assert take_place(TWO, tenant_id)
    assert take_place(TWO, tenant_id)

    assert take_place(TWO, tenant_id) is None
    assert take_place(TWO, uuid.uuid4())


def test_whoever_leaves_makes_room(tenant_id: uuid.UUID) -> None:
    take_place(TWO, tenant_id)
    place = take_place(TWO, tenant_id)
    assert place is not None
    with pytest.raises(ValueError, match="whatever happens"), place:
        raise ValueError("whatever happens")

    assert take_place(TWO, tenant_id)


def let_leases_end(tenant_id: uuid.UUID) -> None:
    """As if the time had come: Redis' own clock cannot be set."""
    key = f"tenant:{tenant_id}:places:{ONE.name}"
    members = cast(list[bytes], client().zrange(key, 0, -1))
    client().zadd(key, dict.fromkeys(members, 0))


def test_a_place_of_a_process_that_died_comes_free(tenant_id: uuid.UUID) -> None:
    take_place(ONE, tenant_id)
    assert take_place(ONE, tenant_id) is None
    let_leases_end(tenant_id)

    assert take_place(ONE, tenant_id)


def test_one_that_is_renewed_does_not(tenant_id: uuid.UUID) -> None:
    place = take_place(ONE, tenant_id)
    assert place is not None
    let_leases_end(tenant_id)
    place.renew()

    assert take_place(ONE, tenant_id) is None


def test_one_that_was_lost_is_not_renewed(tenant_id: uuid.UUID) -> None:
    place = take_place(ONE, tenant_id)
    assert place is not None
    let_leases_end(tenant_id)
    taken_over = take_place(ONE, tenant_id)
    place.renew()

    assert taken_over is not None
    taken_over.__exit__(None, None, None)
    assert take_place(ONE, tenant_id)


def test_without_redis_the_caller_decides(tenant_id: uuid.UUID, settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"

    with pytest.raises(LimitsUnavailable):
        take_place(TWO, tenant_id)


def test_of_all_tenants_no_more_wait_than_the_threads_of_the_process_allow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("config.jobs.places.waiting_threads", WaitingThreads(1))
    place = take_place(TWO, uuid.uuid4())
    assert place is not None
    assert take_place(TWO, uuid.uuid4()) is None
    with place:
        pass

    assert take_place(TWO, uuid.uuid4())
