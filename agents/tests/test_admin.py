"""Agents in the back office. That all pages open: config/tests/test_admin.py."""

import pytest
from django.test import Client

from accounts.models import Tenant, User
from accounts.tests.factories import PASSWORD, sign_staff_in
from agents.tests.factories import make_agent
from sources.tests.factories import make_source


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    sign_staff_in(client, User.objects.create_superuser("staff@example.com", PASSWORD))
    return client


def test_scopes_are_counted(staff: Client, tenant: Tenant):
    sources = [make_source(tenant) for _ in range(3)]
    agents = [
        make_agent(tenant),
        make_agent(tenant, *sources),
        make_agent(tenant, is_scoped=True),
    ]

    listed = staff.get("/admin/agents/agent/").context["cl"]

    shown = {agent.pk: listed.model_admin.scope(agent) for agent in listed.queryset}
    assert [shown[agent.pk] for agent in agents] == ["all", "3", "0"]


def test_what_customers_have_an_agent_say_is_not_shown(staff: Client, tenant: Tenant):
    agent = make_agent(tenant, persona="Never mention Umbrella.", welcome_msg="Ahoy!")

    page = staff.get(f"/admin/agents/agent/{agent.pk}/change/").content.decode()

    assert agent.name in page
    assert "Umbrella" not in page
    assert "Ahoy" not in page


def test_nothing_is_changed_there(staff: Client, tenant: Tenant):
    agent = make_agent(tenant, name="Sales")

    assert (
        staff.post(f"/admin/agents/agent/{agent.pk}/change/", {"name": "Ours"}).status_code == 403
    )
    assert staff.post(f"/admin/agents/agent/{agent.pk}/delete/").status_code == 403
    agent.refresh_from_db()
    assert agent.name == "Sales"
