"""Queries of the month through the query endpoints. The counting: accounts/tests/test_quotas.py."""

from datetime import date
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant, UsageCounter
from accounts.tests.factories import bearer, make_user
from config.tests.parallel import in_parallel
from query.answers import Answer
from query.models import Outcome

PATH = "/agent/query"
QUESTION = {"query": "How much does a guided visit cost?"}


@pytest.fixture(autouse=True)
def quick_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.plans.usage.this_month", lambda: date(2026, 11, 1))
    monkeypatch.setattr(
        "query.services.asking.answer_question",
        lambda asked: Answer("7 euros", (), "extractive", Outcome.ANSWERED),
    )


def set_plan(tenant: Tenant, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(tenant.plan, name, value)
    tenant.plan.save()


def ask(client: APIClient, **more: Any) -> Any:
    return client.post(PATH, QUESTION | more, "json")


def counted(tenant: Tenant) -> list[tuple[int, int]]:
    return list(UsageCounter.objects.for_tenant(tenant).values_list("used", "overage"))


def test_a_full_month_on_a_blocking_plan_is_402_in_the_legacy_format(
    tenant: Tenant, admin_api: APIClient
) -> None:
    set_plan(tenant, name="Free", max_queries_per_month=2, blocks_overage=True)
    assert [ask(admin_api).status_code for _ in range(2)] == [200, 200]

    answer = ask(admin_api)

    assert answer.status_code == 402
    assert answer.json() == {
        "error": "The Free plan answers 2 queries a month, and this month's are used up."
        " Wait until 2026-12-01 (UTC), or change the plan."
    }
    assert counted(tenant) == [(2, 0)]


def test_a_paid_plan_answers_on_and_records_it(tenant: Tenant, admin_api: APIClient) -> None:
    set_plan(tenant, max_queries_per_month=2, blocks_overage=False)

    assert [ask(admin_api).status_code for _ in range(3)] == [200] * 3
    assert counted(tenant) == [(3, 1)]


def test_another_limit_of_the_plan_holds_from_the_next_query(
    tenant: Tenant, admin_api: APIClient
) -> None:
    set_plan(tenant, max_queries_per_month=1, blocks_overage=True)
    assert [ask(admin_api).status_code for _ in range(2)] == [200, 402]

    set_plan(tenant, max_queries_per_month=2)

    assert [ask(admin_api).status_code for _ in range(2)] == [200, 402]


def test_what_is_not_answered_is_not_counted(
    tenant: Tenant, admin_api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*asked: Any) -> Answer:
        raise RuntimeError

    assert ask(admin_api, query="").status_code == 400
    assert ask(admin_api, agent_id="unknown").status_code == 404
    assert admin_api.post("/agents/unknown/query", QUESTION, "json").status_code == 404
    assert counted(tenant) == []

    monkeypatch.setattr("query.services.asking.answer_question", fail)
    assert ask(admin_api).status_code == 500
    assert counted(tenant) == [(0, 0)]


def test_of_fifty_in_parallel_exactly_those_are_answered_that_are_left(
    committed_tenant: Tenant,
) -> None:
    set_plan(committed_tenant, max_queries_per_month=30, blocks_overage=True)
    headers = bearer(make_user(committed_tenant), committed_tenant)

    def ask_once() -> int:
        return int(APIClient().post(PATH, QUESTION, "json", headers=headers).status_code)

    assert [ask_once() for _ in range(10)] == [200] * 10
    assert sorted(in_parallel(ask_once)) == [200] * 20 + [402] * 30
    assert counted(committed_tenant) == [(30, 0)]


def test_of_fifty_in_parallel_on_a_paid_plan_those_over_the_limit_are_recorded(
    committed_tenant: Tenant,
) -> None:
    set_plan(committed_tenant, max_queries_per_month=20, blocks_overage=False)
    headers = bearer(make_user(committed_tenant), committed_tenant)

    def ask_once() -> int:
        return int(APIClient().post(PATH, QUESTION, "json", headers=headers).status_code)

    assert in_parallel(ask_once) == [200] * 50
    assert counted(committed_tenant) == [(50, 30)]
