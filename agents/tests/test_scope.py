"""GET and PUT /agents/{id}/sources. What an agent then finds: query/tests/test_agent_queries.py."""

import uuid
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import bearer, make_user
from agents.errors import ScopeWouldBeEmpty
from agents.models import Agent, AgentSource
from agents.scope import scope_of
from agents.services import (
    add_to_scope,
    get_scope,
    list_agents_with_scope,
    remove_from_scope,
)
from agents.tests.factories import make_agent
from config.tests.parallel import in_parallel
from sources.errors import SourceNotFound
from sources.models import Source
from sources.tests.factories import make_source

ALL = {"source_ids": [], "scope": "all"}
NO_SOURCE = {"error": {"code": "SOURCE_NOT_FOUND", "message": "There is no such source."}}


@pytest.fixture
def sources(tenant: Tenant) -> list[Source]:
    """In their order."""
    return [make_source(tenant, position=position) for position in range(3)]


def path(agent: Agent) -> str:
    return f"/agents/{agent.pk}/sources"


def put(api: APIClient, agent: Agent, source_ids: Any) -> Any:
    return api.put(path(agent), {"source_ids": source_ids}, "json")


def ids(*sources: Source) -> dict[str, Any]:
    return {"source_ids": [str(source.pk) for source in sources], "scope": "chosen"}


def test_at_first_it_is_all(admin_api: APIClient, tenant: Tenant, sources: list[Source]):
    answer = admin_api.get(path(make_agent(tenant)))

    assert (answer.status_code, answer.json()) == (200, ALL)


def test_a_put_replaces_the_whole_set_in_the_sources_order(
    admin_api: APIClient, tenant: Tenant, sources: list[Source]
):
    first, second, third = sources
    agent, other = make_agent(tenant, first), make_agent(tenant, first)

    answer = put(admin_api, agent, [str(third.pk), str(second.pk), str(third.pk).upper()])

    assert (answer.status_code, answer.json()) == (200, ids(second, third))
    assert admin_api.get(path(agent)).json() == ids(second, third)
    assert admin_api.get(path(other)).json() == ids(first)


def test_an_empty_array_is_all_again(admin_api: APIClient, tenant: Tenant, sources: list[Source]):
    agent = make_agent(tenant, *sources)

    answer = put(admin_api, agent, [])

    assert (answer.status_code, answer.json()) == (200, ALL)
    agent.refresh_from_db()
    assert not agent.is_scoped
    assert not AgentSource.objects.for_tenant(tenant).exists()


@pytest.mark.parametrize("wrong", ["unknown", "foreign", "deleted", "malformed", "empty", "NUL"])
def test_a_source_that_is_not_there_changes_nothing(
    admin_api: APIClient,
    tenant: Tenant,
    other_tenant: Tenant,
    sources: list[Source],
    wrong: str,
):
    agent = make_agent(tenant, sources[0])
    wrong_id = {
        "unknown": str(uuid.uuid4()),
        "foreign": str(make_source(other_tenant).pk),
        "deleted": str(make_source(tenant, deleted_at=timezone.now()).pk),
        "malformed": "no-id",
        "empty": "",
        "NUL": "\0",
    }[wrong]

    answer = put(admin_api, agent, [str(sources[1].pk), wrong_id])

    assert (answer.status_code, answer.json()) == (404, NO_SOURCE)
    assert admin_api.get(path(agent)).json() == ids(sources[0])


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({}, "MISSING_FIELDS", "Missing: source_ids."),
        ({"source_ids": None}, "MISSING_FIELDS", "Missing: source_ids."),
        ({"source_ids": ""}, "MISSING_FIELDS", "Missing: source_ids."),
        ({"source_ids": "a"}, "VALIDATION_ERROR", "source_ids: Must be an array of strings."),
        ({"source_ids": {}}, "VALIDATION_ERROR", "source_ids: Must be an array of strings."),
        ({"source_ids": [7]}, "VALIDATION_ERROR", "source_ids: Must be an array of strings."),
        ({"source_ids": [None]}, "VALIDATION_ERROR", "source_ids: Must be an array of strings."),
        (
            {"source_ids": [], "scope": "none"},
            "VALIDATION_ERROR",
            "scope: Must be one of: all, chosen.",
        ),
        ([], "INVALID_REQUEST_BODY", "The body must be a JSON object."),
    ],
    ids=str,
)
def test_a_body_of_another_form(
    admin_api: APIClient,
    tenant: Tenant,
    sources: list[Source],
    body: Any,
    code: str,
    message: str,
):
    agent = make_agent(tenant, sources[0])

    answer = admin_api.put(path(agent), body, "json")

    assert answer.status_code == 400
    assert answer.json() == {"error": {"code": code, "message": message}}
    assert admin_api.get(path(agent)).json() == ids(sources[0])


def test_a_deleted_source_is_out_and_the_scope_stays_one(
    admin_api: APIClient, tenant: Tenant, sources: list[Source]
):
    agent = make_agent(tenant, *sources[:2])

    admin_api.delete(f"/ingest/sources/{sources[0].pk}")
    assert admin_api.get(path(agent)).json() == ids(sources[1])

    admin_api.delete(f"/ingest/sources/{sources[1].pk}")
    agent.refresh_from_db()
    assert agent.is_scoped
    assert admin_api.get(path(agent)).json() == ids()


@pytest.mark.parametrize("fields", [("source_ids",), ("source_ids", "scope")])
def test_writing_back_what_was_read_opens_nothing(
    admin_api: APIClient, tenant: Tenant, sources: list[Source], fields: tuple[str, ...]
):
    """Its only source was deleted: the empty list that is read then does not mean all sources."""
    agent = make_agent(tenant, sources[0])
    admin_api.delete(f"/ingest/sources/{sources[0].pk}")
    read = admin_api.get(path(agent)).json()

    written = admin_api.put(path(agent), {name: read[name] for name in fields}, "json")

    assert (written.status_code, written.json()) == (200, ids())
    assert scope_of(tenant, Agent.objects.for_tenant(tenant).get(pk=agent.pk)) == []


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ({"source_ids": [], "scope": "all"}, ALL),
        ({"source_ids": [], "scope": "chosen"}, ids()),
        ({"source_ids": [], "scope": None}, ALL),
        ({"source_ids": []}, ALL),
    ],
    ids=str,
)
def test_an_empty_array_of_an_open_or_chosen_agent(
    admin_api: APIClient,
    tenant: Tenant,
    sources: list[Source],
    body: dict[str, Any],
    read: dict[str, Any],
):
    for agent in (make_agent(tenant), make_agent(tenant, sources[0])):
        assert admin_api.put(path(agent), body, "json").json() == read
        assert admin_api.get(path(agent)).json() == read


def test_an_agent_whose_sources_are_gone_is_opened_by_name(
    admin_api: APIClient, tenant: Tenant, sources: list[Source]
):
    agent = make_agent(tenant, sources[0])
    admin_api.delete(f"/ingest/sources/{sources[0].pk}")

    assert admin_api.put(path(agent), ALL, "json").json() == ALL


def test_named_sources_are_chosen_whatever_the_scope_says(
    admin_api: APIClient, tenant: Tenant, sources: list[Source]
):
    """Somebody added one to the body that they had read. The narrower reading counts."""
    agent = make_agent(tenant)

    answer = admin_api.put(path(agent), ids(sources[0]) | {"scope": "all"}, "json")

    assert answer.json() == ids(sources[0])


def test_of_many_at_once_one_whole_set_stays(committed_tenant: Tenant):
    first, second = (make_source(committed_tenant, position=n) for n in range(2))
    agent = make_agent(committed_tenant)
    headers = bearer(make_user(committed_tenant), committed_tenant)
    sets = [[first], [second], [first, second], [], [first]] * 10

    def choose() -> int:
        body = {"source_ids": [str(source.pk) for source in sets.pop()]}
        answer = APIClient().put(path(agent), body, "json", headers=headers)
        return int(answer.status_code)

    assert in_parallel(choose) == [200] * 50
    agent.refresh_from_db()
    links = AgentSource.objects.for_tenant(committed_tenant)
    assert links.exists() == agent.is_scoped
    assert links.count() == len(set(links.values_list("source_id", flat=True)))


# --- Some more, some less -------------------------------------------------------------------------


def test_adding_narrows_an_agent_of_all_sources_and_then_widens_it(tenant: Tenant) -> None:
    agent, first, second = make_agent(tenant), make_source(tenant), make_source(tenant)

    add_to_scope(tenant, agent.pk, [first.pk])
    add_to_scope(tenant, agent.pk, [second.pk, first.pk])

    assert set(get_scope(tenant, agent.pk).source_ids) == {first.pk, second.pk}
    agent.refresh_from_db()
    assert agent.is_scoped


def test_adding_nothing_changes_nothing(tenant: Tenant) -> None:
    agent = make_agent(tenant)

    add_to_scope(tenant, agent.pk, [])

    agent.refresh_from_db()
    assert not agent.is_scoped


def test_a_source_of_another_tenant_is_not_added(tenant: Tenant, other_tenant: Tenant) -> None:
    agent, own, others = make_agent(tenant), make_source(tenant), make_source(other_tenant)

    with pytest.raises(SourceNotFound):
        add_to_scope(tenant, agent.pk, [own.pk, others.pk])

    assert get_scope(tenant, agent.pk).source_ids == []


def test_the_last_source_cannot_be_taken_out(tenant: Tenant) -> None:
    """An empty scope would mean: all of them."""
    first, second = make_source(tenant), make_source(tenant)
    agent = make_agent(tenant, first, second)

    with pytest.raises(ScopeWouldBeEmpty):
        remove_from_scope(tenant, agent.pk, [first.pk, second.pk])
    remove_from_scope(tenant, agent.pk, [first.pk])

    assert get_scope(tenant, agent.pk).source_ids == [second.pk]


def test_a_list_tells_how_many_sources_are_left(tenant: Tenant) -> None:
    gone = make_source(tenant)
    make_agent(tenant)
    make_agent(tenant, make_source(tenant), gone)
    make_agent(tenant, gone)
    Source.objects.for_tenant(tenant).filter(pk=gone.pk).update(deleted_at=timezone.now())

    sizes = [
        (agent.is_scoped, vars(agent)["scope_size"]) for agent in list_agents_with_scope(tenant)
    ]

    assert sizes == [(False, None), (True, 1), (True, None)]
