"""GET /agents and GET /agents/{id}."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.models import Tenant
from agents.tests.factories import make_agent

NOT_FOUND = {"error": {"code": "AGENT_NOT_FOUND", "message": "There is no such agent."}}


def test_without_agents_the_list_is_empty(admin_api: APIClient):
    assert admin_api.get("/agents").json() == []


def test_all_are_listed_oldest_first_as_each_is_shown(admin_api: APIClient, tenant: Tenant):
    agents = [
        make_agent(tenant, name="Sales", active_channels=["web"], persona="Dry."),
        make_agent(tenant, name="Support", status="inactive"),
    ]

    listed = admin_api.get("/agents")

    assert listed.status_code == 200
    assert [agent["name"] for agent in listed.json()] == ["Sales", "Support"]
    assert listed.json() == [admin_api.get(f"/agents/{agent.pk}").json() for agent in agents]
    assert listed.json()[0]["active_channels"] == ["web"]


def test_other_tenants_agents_are_not_there(admin_api: APIClient, other_tenant: Tenant):
    agent = make_agent(other_tenant)

    assert admin_api.get("/agents").json() == []
    for agent_id in (agent.pk, uuid.uuid4(), "no-id"):
        answer = admin_api.get(f"/agents/{agent_id}")
        assert (answer.status_code, answer.json()) == (404, NOT_FOUND)


@pytest.mark.parametrize("number", [2, 20])
def test_a_list_costs_one_query(admin_api: APIClient, tenant: Tenant, number: int):
    for _ in range(number):
        make_agent(tenant)

    with CaptureQueriesContext(connection) as queries:
        assert len(admin_api.get("/agents").json()) == number

    assert len([q for q in queries if '"agents_agent"' in q["sql"]]) == 1
    assert len(queries) == 2  # whose token it is, and the agents
