"""DELETE /agents/{id}. What becomes of its leads: query/tests/test_agent_queries.py."""

from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import bearer, make_user
from agents.models import AgentSource
from agents.tests.factories import make_agent
from agents.tests.test_list import NOT_FOUND
from config.tests.parallel import in_parallel
from sources.models import Source
from sources.tests.factories import make_source


def test_it_is_gone_with_its_scope_and_the_sources_stay(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    agent, other = make_agent(tenant, source), make_agent(tenant, source)

    answer = admin_api.delete(f"/agents/{agent.pk}")

    assert (answer.status_code, answer.content) == (204, b"")
    assert admin_api.get(f"/agents/{agent.pk}").json() == NOT_FOUND
    assert [link.agent_id for link in AgentSource.objects.for_tenant(tenant)] == [other.pk]
    assert Source.objects.for_tenant(tenant).get() == source


def test_its_name_is_free_again(admin_api: APIClient, tenant: Tenant):
    agent = make_agent(tenant, name="Sales")
    admin_api.delete(f"/agents/{agent.pk}")

    assert admin_api.post("/agents", {"name": "Sales"}, "json").status_code == 201


def test_of_many_at_once_one_deletes_it(committed_tenant: Tenant):
    agent = make_agent(committed_tenant, make_source(committed_tenant))
    headers = bearer(make_user(committed_tenant), committed_tenant)

    def delete() -> int:
        return int(APIClient().delete(f"/agents/{agent.pk}", headers=headers).status_code)

    assert sorted(in_parallel(delete, 25)) == [204] + [404] * 24
