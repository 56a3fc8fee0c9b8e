"""What is counted of a plan's month: exact under parallel requests, given back when it fails."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from accounts.models import Tenant, UsageCounter
from accounts.plans.usage import (
    counted_query,
    month_after,
    record_kept,
    start_of,
    this_month,
)
from accounts.services.tenants import has_asked
from config.errors import PlanLimitReached
from config.tests.parallel import in_parallel

OCTOBER, NOVEMBER = date(2026, 10, 1), date(2026, 11, 1)


@pytest.fixture(autouse=True)
def in_november(monkeypatch: pytest.MonkeyPatch) -> None:
    go_to(monkeypatch, NOVEMBER)


def go_to(monkeypatch: pytest.MonkeyPatch, month: date) -> None:
    monkeypatch.setattr("accounts.plans.usage.this_month", lambda: month)


def set_limit(tenant: Tenant, queries: int | None, *, blocks_overage: bool) -> None:
    tenant.plan.max_queries_per_month = queries
    tenant.plan.blocks_overage = blocks_overage
    tenant.plan.save()


def ask(tenant: Tenant) -> bool:
    """Whether the plan let it be answered."""
    try:
        with counted_query(tenant):
            return True
    except PlanLimitReached:
        return False


def fail(tenant: Tenant) -> None:
    with suppress(ZeroDivisionError), counted_query(tenant):
        raise ZeroDivisionError


def counts(tenant: Tenant, metric: str = "queries") -> list[tuple[date, int, int]]:
    rows = UsageCounter.objects.for_tenant(tenant).filter(metric=metric).order_by("period_start")
    return list(rows.values_list("period_start", "used", "overage"))


# --- Queries on plans that block ------------------------------------------------------------------


def test_the_last_query_of_a_month_is_answered_and_the_next_refused(tenant: Tenant) -> None:
    set_limit(tenant, 2, blocks_overage=True)

    assert [ask(tenant), ask(tenant), ask(tenant)] == [True, True, False]
    assert counts(tenant) == [(NOVEMBER, 2, 0)]


def test_a_refusal_says_the_limit_its_end_and_what_to_do(tenant: Tenant) -> None:
    set_limit(tenant, 0, blocks_overage=True)

    with pytest.raises(PlanLimitReached) as refused, counted_query(tenant):
        pass

    assert refused.value.message == (
        "The Enterprise plan answers 0 queries a month, and this month's are used up."
        " Wait until 2026-12-01 (UTC), or change the plan."
    )


def test_a_new_month_counts_from_nothing_and_keeps_the_old(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(tenant, 1, blocks_overage=True)
    go_to(monkeypatch, OCTOBER)
    assert [ask(tenant), ask(tenant)] == [True, False]
    go_to(monkeypatch, NOVEMBER)
    assert [ask(tenant), ask(tenant)] == [True, False]

    assert counts(tenant) == [(OCTOBER, 1, 0), (NOVEMBER, 1, 0)]


def test_tenants_are_counted_apart(tenant: Tenant, other_tenant: Tenant) -> None:
    ask(tenant)
    ask(tenant)
    ask(other_tenant)

    assert counts(tenant) == [(NOVEMBER, 2, 0)]
    assert counts(other_tenant) == [(NOVEMBER, 1, 0)]


def test_a_counter_costs_one_query_after_the_first(
    tenant: Tenant, django_assert_num_queries: Any
) -> None:
    ask(tenant)

    with django_assert_num_queries(1):
        ask(tenant)


def test_of_fifty_at_once_exactly_those_are_answered_that_are_left(
    committed_tenant: Tenant,
) -> None:
    set_limit(committed_tenant, 20, blocks_overage=True)

    answered = in_parallel(lambda: ask(committed_tenant))

    assert answered.count(True) == 20
    assert counts(committed_tenant) == [(NOVEMBER, 20, 0)]


# --- Queries on plans that bill -------------------------------------------------------------------


def test_what_is_over_the_limit_is_answered_and_recorded(tenant: Tenant) -> None:
    set_limit(tenant, 2, blocks_overage=False)

    assert [ask(tenant) for _ in range(5)] == [True] * 5
    assert counts(tenant) == [(NOVEMBER, 5, 3)]


def test_without_a_limit_nothing_is_over_it(tenant: Tenant) -> None:
    set_limit(tenant, None, blocks_overage=False)

    assert [ask(tenant) for _ in range(3)] == [True] * 3
    assert counts(tenant) == [(NOVEMBER, 3, 0)]


def test_fifty_at_once_are_all_counted_and_so_is_their_overage(committed_tenant: Tenant) -> None:
    set_limit(committed_tenant, 20, blocks_overage=False)

    assert in_parallel(lambda: ask(committed_tenant)) == [True] * 50
    assert counts(committed_tenant) == [(NOVEMBER, 50, 30)]


def test_answers_and_failures_at_once_bill_the_answers_alone(committed_tenant: Tenant) -> None:
    set_limit(committed_tenant, 20, blocks_overage=False)

    def one_of_each() -> None:
        ask(committed_tenant)
        fail(committed_tenant)

    in_parallel(one_of_each)

    assert counts(committed_tenant) == [(NOVEMBER, 50, 30)]


# --- Failures are given back ----------------------------------------------------------------------


@pytest.mark.parametrize("limit", [None, 0, 1, 2, 3])
def test_a_failed_answer_is_given_back_with_its_overage(tenant: Tenant, limit: int | None) -> None:
    set_limit(tenant, limit, blocks_overage=False)
    ask(tenant)
    before = counts(tenant)

    fail(tenant)

    assert counts(tenant) == before


def test_the_last_place_of_a_month_is_free_again_after_a_failure(tenant: Tenant) -> None:
    set_limit(tenant, 1, blocks_overage=True)
    fail(tenant)

    assert [ask(tenant), ask(tenant)] == [True, False]


def test_a_failure_is_given_back_to_the_month_that_it_was_counted_in(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_to(monkeypatch, OCTOBER)
    with suppress(ZeroDivisionError), counted_query(tenant):
        go_to(monkeypatch, NOVEMBER)
        ask(tenant)
        raise ZeroDivisionError

    assert counts(tenant) == [(OCTOBER, 0, 0), (NOVEMBER, 1, 0)]


def test_a_limit_that_changes_while_answering_leaves_no_overage_behind(tenant: Tenant) -> None:
    set_limit(tenant, 0, blocks_overage=False)
    with suppress(ZeroDivisionError), counted_query(tenant):
        set_limit(Tenant.objects.select_related("plan").get(pk=tenant.pk), 9, blocks_overage=False)
        raise ZeroDivisionError

    assert counts(tenant) == [(NOVEMBER, 0, 0)]


def test_a_refused_query_is_not_given_back(tenant: Tenant) -> None:
    set_limit(tenant, 1, blocks_overage=True)
    ask(tenant)

    assert not ask(tenant)
    assert counts(tenant) == [(NOVEMBER, 1, 0)]


# --- Documents and passages -----------------------------------------------------------------------

KEPT = [
    (UsageCounter.Metric.DOCUMENTS, "max_documents"),
    (UsageCounter.Metric.PASSAGES, "max_passages"),
]


@pytest.mark.parametrize(("metric", "limit"), KEPT)
def test_a_month_remembers_the_most_that_was_kept_and_the_most_over_the_limit(
    tenant: Tenant, metric: UsageCounter.Metric, limit: str
) -> None:
    setattr(tenant.plan, limit, 3)
    for kept in (2, 5, 4):
        record_kept(tenant, metric, kept)

    assert counts(tenant, metric) == [(NOVEMBER, 5, 2)]


@pytest.mark.parametrize(("metric", "limit"), KEPT)
def test_a_plan_that_blocks_or_has_no_limit_bills_nothing_that_is_kept(
    tenant: Tenant, metric: UsageCounter.Metric, limit: str
) -> None:
    setattr(tenant.plan, limit, None)
    record_kept(tenant, metric, 5)
    setattr(tenant.plan, limit, 3)
    tenant.plan.blocks_overage = True
    record_kept(tenant, metric, 6)

    assert counts(tenant, metric) == [(NOVEMBER, 6, 0)]


# --- Months ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "month"),
    [
        (datetime(2026, 10, 31, 23, 59, 59, 999999, UTC), OCTOBER),
        (datetime(2026, 11, 1, tzinfo=UTC), NOVEMBER),
        (datetime(2026, 11, 1, 0, 30, tzinfo=timezone(timedelta(hours=1))), OCTOBER),  # Madrid
        (datetime(2026, 10, 31, 20, tzinfo=timezone(timedelta(hours=-6))), NOVEMBER),
    ],
)
def test_months_are_of_utc(now: datetime, month: date, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.plans.usage.timezone.now", lambda: now)

    assert this_month() == month


@pytest.mark.parametrize(
    ("month", "following"),
    [
        (date(2026, 1, 1), date(2026, 2, 1)),
        (date(2026, 2, 1), date(2026, 3, 1)),
        (date(2026, 4, 1), date(2026, 5, 1)),
        (date(2026, 12, 1), date(2027, 1, 1)),
    ],
)
def test_month_after_a_month(month: date, following: date) -> None:
    assert month_after(month) == following


def test_a_month_starts_at_midnight_utc() -> None:
    assert start_of(NOVEMBER) == datetime(2026, 11, 1, tzinfo=UTC)


def test_a_question_was_asked_when_a_month_counts_one(tenant: Tenant, other_tenant: Tenant) -> None:
    metric = UsageCounter.Metric.QUERIES
    counters = UsageCounter.objects.for_tenant(tenant)
    counters.create(metric=metric, period_start=NOVEMBER)
    counters.create(metric=UsageCounter.Metric.DOCUMENTS, period_start=NOVEMBER, used=7)
    UsageCounter.objects.for_tenant(other_tenant).create(
        metric=metric, period_start=OCTOBER, used=7
    )
    assert not has_asked(tenant)

    counters.create(metric=metric, period_start=OCTOBER, used=1)

    assert has_asked(tenant)
