"""How old is too old (docs/specification.md, Freshness badge), against a schedule or without."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Tenant
from sources.models import Source
from sources.services.freshness import Freshness, count_freshness, freshness_of, list_frequencies
from sources.tests.factories import make_schedule, make_source

NOW = timezone.now()
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SECOND = timedelta(seconds=1)

CASES = [
    ("manual", None, Freshness.NEVER),
    ("manual", 7 * DAY - SECOND, Freshness.FRESH),
    ("manual", 7 * DAY, Freshness.DUE),
    ("manual", 30 * DAY, Freshness.DUE),
    ("manual", 30 * DAY + SECOND, Freshness.STALE),
    ("1h", HOUR, Freshness.FRESH),
    ("1h", 2 * HOUR, Freshness.DUE),
    ("1h", 5 * HOUR, Freshness.STALE),
    ("24h", 29 * HOUR, Freshness.FRESH),
    ("24h", 31 * HOUR, Freshness.DUE),
    ("24h", 5 * DAY, Freshness.STALE),
    ("weekly", 7 * DAY + SECOND, Freshness.DUE),  # no greener than without a schedule
    ("weekly", 29 * DAY, Freshness.STALE),
    ("weekly", None, Freshness.NEVER),
]


@pytest.mark.parametrize(("frequency", "age", "expected"), CASES)
def test_an_age_against_a_schedule(frequency: str, age: timedelta | None, expected: Freshness):
    synced_at = None if age is None else NOW - age

    assert freshness_of(synced_at, frequency=frequency, now=NOW) == expected


def make_case(tenant: Tenant, frequency: str, age: timedelta | None) -> Source:
    source = make_source(tenant, last_synced_at=None if age is None else NOW - age)
    if frequency != "manual":
        make_schedule(source, frequency=frequency)
    return source


@pytest.mark.parametrize(("frequency", "age", "expected"), CASES)
def test_the_database_counts_by_the_same_rule(
    tenant: Tenant, frequency: str, age: timedelta | None, expected: Freshness
):
    make_case(tenant, frequency, age)

    counts = count_freshness(tenant, NOW)

    assert counts == {**dict.fromkeys(Freshness, 0), expected: 1}


def test_a_schedule_that_was_stopped_promises_nothing(tenant: Tenant):
    source = make_source(tenant, last_synced_at=NOW - 2 * DAY)
    make_schedule(source, frequency="1h", enabled=False, next_sync_at=None)

    assert count_freshness(tenant, NOW)[Freshness.FRESH] == 1
    assert list_frequencies(tenant, [source.pk]) == {}


def test_others_and_deleted_ones_do_not_count(
    tenant: Tenant, other_tenant: Tenant, django_assert_num_queries
):
    make_case(other_tenant, "1h", DAY)
    make_source(tenant, last_synced_at=NOW, deleted_at=NOW)

    with django_assert_num_queries(1):
        assert sum(count_freshness(tenant, NOW).values()) == 0


def test_frequencies_are_those_of_the_tenant(tenant: Tenant, other_tenant: Tenant):
    mine, theirs = make_case(tenant, "6h", DAY), make_case(other_tenant, "1h", DAY)

    assert list_frequencies(tenant, [mine.pk, theirs.pk]) == {mine.pk: "6h"}
