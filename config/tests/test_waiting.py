"""Threads of a web process that wait: half of them together, and each kind some of its own."""

import uuid

import pytest

from config.serving.waiting import Kind, WaitingThreads, waiting_threads

ALLOWED = 12  # of 24


@pytest.fixture
def threads() -> WaitingThreads:
    return WaitingThreads(ALLOWED)


def fill(threads: WaitingThreads, kind: Kind) -> int:
    """How many of ever new tenants may wait."""
    number = 0
    while threads.begin(kind, uuid.uuid4()):
        number += 1
    return number


@pytest.mark.parametrize(
    ("kind", "most"), [(Kind.MODEL, 6), (Kind.UPLOADS, 4), (Kind.SERVERS, 4), (Kind.READERS, 4)]
)
def test_a_kind_leaves_the_others_what_is_theirs(threads: WaitingThreads, kind: Kind, most: int):
    assert fill(threads, kind) == most


@pytest.mark.parametrize("first", Kind)
def test_all_kinds_together_have_no_more_than_is_allowed(threads: WaitingThreads, first: Kind):
    kinds = [first, *(kind for kind in Kind if kind != first)]

    assert sum(fill(threads, kind) for kind in kinds) == ALLOWED
    assert [fill(threads, kind) for kind in Kind] == [0, 0, 0, 0]


def test_four_tenants_cannot_hold_all_threads(threads: WaitingThreads):
    """Each may have 6 uploads, 3 checks and 3 accounts wait (config.jobs.places)."""
    tenants = [uuid.uuid4() for _ in range(4)]

    held = [
        threads.begin(kind, tenant)
        for tenant in tenants
        for kind, number in ((Kind.UPLOADS, 6), (Kind.SERVERS, 6))
        for _ in range(number)
    ]

    assert sum(held) == 6  # 4 of one kind, and what is the other's own
    assert fill(threads, Kind.MODEL) == 4


def test_of_a_kind_a_tenant_has_half(threads: WaitingThreads):
    tenant = uuid.uuid4()

    assert [threads.begin(Kind.UPLOADS, tenant) for _ in range(3)] == [True, True, False]
    assert threads.begin(Kind.UPLOADS, uuid.uuid4())


def test_whoever_has_waited_makes_room():
    tenant, threads = uuid.uuid4(), WaitingThreads(1)
    assert threads.begin(Kind.UPLOADS, tenant)
    assert not threads.begin(Kind.MODEL, tenant)
    threads.end(Kind.UPLOADS, tenant)

    assert threads.begin(Kind.MODEL, tenant)


def test_outside_the_web_server_nobody_is_counted():
    assert waiting_threads.allowed is None
    assert all(WaitingThreads().begin(Kind.MODEL, uuid.uuid4()) for _ in range(100))
