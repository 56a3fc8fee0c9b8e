"""How many questions of a day came to what."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Tenant
from agents.tests.factories import make_agent
from config.tests.parallel import in_parallel
from query.conversations import outcomes
from query.conversations.outcomes import count_outcome, day_of
from query.models import Outcome, OutcomeCount
from query.services.insights import DayOutcomes, daily_outcomes
from query.tests.factories import LIGHTHOUSE, ask, index_texts, make_count
from query.understanding.inquiries import Inquiry


def test_every_question_is_counted_also_where_nothing_is_kept(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)
    agent = make_agent(tenant)

    ask(tenant, "How much is a guided visit?", agent)
    ask(tenant, "How much is a guided visit?")
    ask(tenant, "Who painted the Mona Lisa?", agent)
    ask(tenant, "Hello there!", agent)

    counts = OutcomeCount.objects.for_tenant(tenant)
    assert set(counts.values_list("agent", "outcome", "count")) == {
        (agent.pk, Outcome.ANSWERED, 1),
        (None, Outcome.ANSWERED, 1),
        (agent.pk, Outcome.REDIRECTED, 1),
        (agent.pk, Outcome.SMALL_TALK, 1),
    }
    today = daily_outcomes(tenant)[-1]
    assert (today.answered, today.unsure, today.unanswered, today.total) == (2, 0, 1, 3)


def test_each_of_the_last_days_is_there_oldest_first(tenant: Tenant, other_tenant: Tenant) -> None:
    agent, today = make_agent(tenant), day_of(tenant, timezone.now())
    for outcome, count in zip(Outcome, (7, 6, 5, 4, 3, 2), strict=True):
        make_count(agent, day=today - timedelta(days=1), outcome=outcome, count=count)
    make_count(make_agent(tenant), day=today - timedelta(days=1), count=10)
    make_count(agent, day=today - timedelta(days=3), count=99)
    make_count(make_agent(other_tenant), day=today, count=1000)

    assert daily_outcomes(tenant, days=3) == [
        DayOutcomes(today - timedelta(days=2), 0, 0, 0),
        DayOutcomes(today - timedelta(days=1), answered=17, unsure=6 + 2, unanswered=5),
        DayOutcomes(today, 0, 0, 0),
    ]


def test_one_query_however_much_was_asked(tenant: Tenant, django_assert_num_queries) -> None:
    for _ in range(3):
        make_count(make_agent(tenant))

    with django_assert_num_queries(1):
        assert len(daily_outcomes(tenant)) == 14


@pytest.mark.parametrize(
    ("zone", "day"),
    [("", date(2026, 7, 2)), ("Atlantic/Canary", date(2026, 7, 1)), ("UTC", date(2026, 7, 1))],
)
def test_a_day_is_the_companys(tenant: Tenant, zone: str, day: date) -> None:
    tenant.time_zone = zone  # empty: the service's, Europe/Madrid

    assert day_of(tenant, datetime(2026, 7, 1, 22, 30, tzinfo=UTC)) == day


def test_many_at_a_time_are_all_counted(committed_tenant: Tenant) -> None:
    inquiry = Inquiry(committed_tenant, "How much?", make_agent(committed_tenant))

    in_parallel(lambda: count_outcome(inquiry, Outcome.ANSWERED))

    assert OutcomeCount.objects.for_tenant(committed_tenant).get().count == 50


def test_an_answer_is_given_though_it_cannot_be_counted(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(outcomes, "ADD_OUTCOME", "SELECT 1 / 0")
    index_texts(tenant, *LIGHTHOUSE)

    assert "7 euros" in ask(tenant, "How much is a guided visit?").text
    assert f"an answer of tenant {tenant.pk} was not counted: DataError" in caplog.text


def test_a_transaction_around_it_waits_for_the_disk_as_before(tenant: Tenant) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        count_outcome(Inquiry(tenant, "How much?"), Outcome.ANSWERED)
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == ("on",)


def test_an_agent_that_was_deleted_meanwhile_counts_for_nothing(tenant: Tenant) -> None:
    agent = make_agent(tenant)
    inquiry = Inquiry(tenant, "How much?", agent)
    type(agent).objects.for_tenant(tenant).filter(pk=agent.pk).delete()

    count_outcome(inquiry, Outcome.ANSWERED)

    assert OutcomeCount.objects.for_tenant(tenant).count() == 0
