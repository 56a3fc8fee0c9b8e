"""Home: the first steps of an empty workspace, and how a full one is doing."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Role, Tenant, UsageCounter
from accounts.plans.usage import this_month
from accounts.tests.factories import make_tenant
from agents.tests.factories import make_agent
from channels.tests.factories import make_connection
from dashboard.start.drawing import draw_freshness, draw_meter, draw_questions
from dashboard.tests.factories import pages_of
from query.services.insights import DayOutcomes
from query.tests.factories import make_lead
from sources.models import SyncStatus
from sources.services.freshness import Freshness
from sources.services.usage import Quota
from sources.tests.factories import make_source

HOME = "/dashboard/"
NOW = timezone.now()
STEPS = "Three steps to your first answer"

pytestmark = pytest.mark.django_db


def text_of(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def ask(tenant: Tenant, count: int = 1) -> None:
    UsageCounter.objects.for_tenant(tenant).create(
        metric=UsageCounter.Metric.QUERIES, period_start=this_month(), used=count
    )


def test_an_empty_workspace_leads_through_three_steps(pages: Client) -> None:
    page = text_of(pages.get(HOME))

    assert STEPS in page
    assert "Done" not in page
    assert 'href="/dashboard/sources/add"' in page
    assert page.count('class="button small" href="/dashboard/agents/new"') == 2


def test_the_steps_lead_straight_to_the_first_agent(pages: Client, tenant: Tenant) -> None:
    agent = make_agent(tenant)

    page = text_of(pages.get(HOME))

    assert f'href="/dashboard/agents/{agent.pk}/playground"' in page
    assert f'href="/dashboard/agents/{agent.pk}/channels"' in page


def test_a_step_that_was_done_stays_done(pages: Client, tenant: Tenant) -> None:
    make_source(tenant, last_synced_at=NOW, deleted_at=NOW)
    assert text_of(pages.get(HOME)).count("Done") == 1

    ask(tenant)
    assert text_of(pages.get(HOME)).count("Done") == 2

    make_connection(make_agent(tenant), "web")
    assert STEPS not in text_of(pages.get(HOME))


def test_a_page_that_may_ask_an_agent_is_the_last_step_too(pages: Client, tenant: Tenant) -> None:
    make_agent(tenant, allowed_origins=["https://acme.example"])

    assert text_of(pages.get(HOME)).count("Done") == 1


def test_what_others_do_is_not_a_members_step(tenant: Tenant) -> None:
    page = text_of(pages_of(tenant, role=Role.MEMBER).get(HOME))

    assert page.count("An admin does this.") == 3
    assert 'href="/dashboard/sources/add"' not in page


def test_usage_stands_against_the_plan(db: None) -> None:
    tenant = make_tenant(plan="starter")
    make_source(tenant, last_synced_at=NOW, chunks_count=1234)
    ask(tenant, 4321)

    page = text_of(pages_of(tenant).get(HOME))

    assert "4,321" in page
    assert "of 5,000" in page
    assert "Nearly used up." in page
    assert "1,234" in page
    assert "of 200,000" in page


def test_usage_is_for_admins(tenant: Tenant) -> None:
    make_source(tenant, last_synced_at=NOW)

    assert "Questions this month" in text_of(pages_of(tenant).get(HOME))
    assert "Questions this month" not in text_of(pages_of(tenant, role=Role.MEMBER).get(HOME))


def test_what_failed_leads_to_its_source(pages: Client, tenant: Tenant) -> None:
    for number in range(6):
        make_source(
            tenant,
            position=number,
            sync_status=SyncStatus.ERROR,
            error_message="It does not answer.",
            last_synced_at=NOW,
        )
    page = text_of(pages.get(HOME))

    assert page.count("It does not answer.") == 5
    assert "/dashboard/sources?state=failing" in page


@pytest.mark.parametrize("role", [Role.VIEWER, Role.API_USER])
def test_viewers_see_neither_leads_nor_sources(tenant: Tenant, role: Role) -> None:
    make_source(tenant, name="Secret plans", sync_status=SyncStatus.ERROR, last_synced_at=NOW)
    make_lead(make_agent(tenant), name="Ana Ruiz")

    page = text_of(pages_of(tenant, role=role).get(HOME))

    assert "Ana Ruiz" not in page
    assert "Secret plans" not in page
    assert "Ask an agent" in page


def test_the_latest_five_leads(pages: Client, tenant: Tenant) -> None:
    make_source(tenant, last_synced_at=NOW)
    agent = make_agent(tenant)
    leads = [
        make_lead(agent, session_id=f"s{number}", name=f"Person {number}.") for number in range(6)
    ]

    page = text_of(pages.get(HOME))

    assert "Person 5." in page
    assert "Person 0." not in page
    assert f"/dashboard/leads/{leads[5].pk}" in page


def test_questions_are_drawn_and_written(
    pages: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_source(tenant, last_synced_at=NOW)
    today = date(2026, 11, 22)
    days = [DayOutcomes(today - timedelta(days=ago), ago, 1, 0) for ago in range(13, -1, -1)]
    monkeypatch.setattr(
        "dashboard.start.views.daily_outcomes", lambda tenant, days_count=14, **_: days
    )

    page = text_of(pages.get(HOME))

    assert "Questions in the last 14 days" in page
    assert page.count('<rect class="unsure"') == 14
    assert page.count('<rect class="answered"') == 13
    assert "105 questions in total." in page
    assert page.count('<th scope="row">') == 14


def test_home_costs_few_queries(tenant: Tenant, pages: Client) -> None:
    for _ in range(7):
        make_source(tenant, sync_status=SyncStatus.ERROR, last_synced_at=NOW)
    agent = make_agent(tenant)
    for number in range(6):
        make_lead(agent, session_id=f"s{number}")

    with CaptureQueriesContext(connection) as queries:
        pages.get(HOME)

    assert len(queries) <= 17


# --- Shapes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quota", "width", "tone"),
    [
        (Quota(0, 100), 0, ""),
        (Quota(79, 100), 79, ""),
        (Quota(80, 100), 80, "warn"),
        (Quota(100, 100), 100, "bad"),
        (Quota(500, 100, 400), 100, "bad"),
        (Quota(7, None), 0, ""),
        (Quota(0, 0), 0, ""),
    ],
)
def test_a_meter(quota: Quota, width: int, tone: str) -> None:
    meter = draw_meter("Documents", quota)  # type: ignore[arg-type]  # a text will do

    assert (meter.width, meter.tone) == (width, tone)


def test_bars_are_stacked_from_the_bottom() -> None:
    chart = draw_questions([DayOutcomes(NOW.date(), 30, 20, 10), DayOutcomes(NOW.date(), 0, 0, 0)])

    assert (chart.highest, chart.width, chart.total) == (60, 80, 60)
    assert [(piece.kind, piece.y, piece.height) for piece in chart.bars[0].pieces] == [
        ("answered", 60, 60),
        ("unsure", 20, 40),
        ("unanswered", 0, 20),
    ]
    assert chart.bars[1].pieces == []


def test_no_days_are_no_chart() -> None:
    assert draw_questions([]).bars == []


def test_a_strip_is_shared_by_count() -> None:
    counts = {Freshness.FRESH: 3, Freshness.DUE: 1, Freshness.STALE: 0, Freshness.NEVER: 0}

    assert [(share.x, share.width) for share in draw_freshness(counts)] == [
        (0, 450),
        (450, 150),
        (600, 0),
        (600, 0),
    ]
