"""ETag, If-Match and If-None-Match of an agent (config/rest/preconditions.py)."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from accounts.models import Role, Tenant
from accounts.tests.factories import client_of
from agents.models import Agent
from agents.tests.factories import make_agent
from config.tests.parallel import look_over_all_tenants
from conftest import AsRole

STALE = '"00000000000000000000000000000000"'


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_agent(tenant, name="Sales")


def read(api: APIClient, agent: Agent, **headers: str) -> Any:
    return api.get(f"/agents/{agent.pk}", headers=headers)


def change(api: APIClient, agent: Agent, if_match: str | None, **changes: Any) -> Any:
    headers = {} if if_match is None else {"If-Match": if_match}
    return api.put(f"/agents/{agent.pk}", changes, format="json", headers=headers)


def delete(api: APIClient, agent: Agent, if_match: str) -> Any:
    return api.delete(f"/agents/{agent.pk}", headers={"If-Match": if_match})


def error_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


# --- The tag --------------------------------------------------------------------------------------


def test_it_is_strong_and_the_same_for_the_same_agent(admin_api: APIClient, agent: Agent) -> None:
    first, second = read(admin_api, agent), read(admin_api, agent)

    etag = first.headers["ETag"]
    assert etag == second.headers["ETag"]
    assert (etag[0], etag[-1], len(etag)) == ('"', '"', 34)


def test_who_makes_or_changes_an_agent_gets_the_tag_that_a_reader_gets(
    admin_api: APIClient, tenant: Tenant
) -> None:
    made = admin_api.post("/agents", {"name": "Sales"}, format="json")
    agent = Agent.objects.for_tenant(tenant).get()
    assert made.headers["ETag"] == read(admin_api, agent).headers["ETag"]

    changed = change(admin_api, agent, None, allowed_origins=["https://SHOP.example:443"])

    assert changed.headers["ETag"] == read(admin_api, agent).headers["ETag"]
    assert changed.headers["ETag"] != made.headers["ETag"]


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Support"},
        {"persona": "Be brief."},
        {"welcome_msg": "Hello!"},
        {"status": "inactive"},
        {"allowed_origins": ["https://shop.example"]},
        {"cite_sources": False},
        {"lead_notification_email": "ana@acme.example"},
        {"lead_notification_email": "ana@acme.example", "lead_capture_enabled": True},
        {"store_transcripts": True},
        {"transcript_retention_days": 7},
    ],
    ids=lambda changes: ",".join(changes),
)
def test_every_change_changes_it(
    admin_api: APIClient, agent: Agent, changes: dict[str, Any]
) -> None:
    before = read(admin_api, agent).headers["ETag"]

    assert change(admin_api, agent, before, **changes).headers["ETag"] != before
    assert error_of(change(admin_api, agent, before, name="Lost")) == (412, "PRECONDITION_FAILED")


def test_two_agents_never_share_one(admin_api: APIClient, tenant: Tenant, agent: Agent) -> None:
    other = make_agent(tenant, name="Sales 2")

    assert read(admin_api, agent).headers["ETag"] != read(admin_api, other).headers["ETag"]


# --- If-Match -------------------------------------------------------------------------------------


def test_a_change_of_what_was_read_is_made(admin_api: APIClient, agent: Agent) -> None:
    etag = read(admin_api, agent).headers["ETag"]

    assert change(admin_api, agent, etag, name="Support").json()["name"] == "Support"


@pytest.mark.parametrize("before", ['"x", {}', '{} , "x"', 'W/"x",{}', "*", ' "x" , *, {} '])
def test_one_of_several_will_do_and_a_star_always(
    admin_api: APIClient, agent: Agent, before: str
) -> None:
    etag = read(admin_api, agent).headers["ETag"]

    assert change(admin_api, agent, before.format(etag), name="Support").status_code == 200


@pytest.mark.parametrize("given", [STALE, "", "W/{}", "{}x", "x", '"*"', "'{}'", ",", '"', "ñ"])
def test_anything_else_changes_nothing(admin_api: APIClient, agent: Agent, given: str) -> None:
    etag = read(admin_api, agent).headers["ETag"]
    if_match = given.format(etag)

    changed = change(admin_api, agent, if_match, name="Support")
    deleted = delete(admin_api, agent, if_match)

    assert error_of(changed) == error_of(deleted) == (412, "PRECONDITION_FAILED")
    assert read(admin_api, agent).json()["name"] == "Sales"


def test_an_agent_that_was_read_is_deleted(
    admin_api: APIClient, tenant: Tenant, agent: Agent
) -> None:
    stale = read(admin_api, agent).headers["ETag"]
    current = change(admin_api, agent, stale, name="Support").headers["ETag"]

    assert delete(admin_api, agent, stale).status_code == 412
    assert delete(admin_api, agent, current).status_code == 204
    assert not Agent.objects.for_tenant(tenant).exists()


def test_without_the_header_a_change_is_made_as_ever(admin_api: APIClient, agent: Agent) -> None:
    assert change(admin_api, agent, None, name="Support").status_code == 200
    assert admin_api.delete(f"/agents/{agent.pk}").status_code == 204


def test_it_says_nothing_of_what_is_not_there_or_not_allowed(
    other_api: APIClient, as_role: AsRole, agent: Agent
) -> None:
    for if_match in ("*", STALE):
        assert error_of(change(other_api, agent, if_match)) == (404, "AGENT_NOT_FOUND")
        assert error_of(delete(other_api, agent, if_match)) == (404, "AGENT_NOT_FOUND")
        assert error_of(change(as_role(Role.MEMBER), agent, if_match)) == (403, "FORBIDDEN")


def test_of_two_who_read_the_same_one_changes_it(committed_tenant: Tenant) -> None:
    agent, api = make_agent(committed_tenant), client_of(committed_tenant)
    etag, start = read(api, agent).headers["ETag"], Barrier(2)

    def write(name: str) -> int:
        start.wait(20)
        try:
            return int(change(api, agent, etag, name=name).status_code)
        finally:
            connection.close()

    for attempt in range(10):
        names = [f"{attempt} of Ana", f"{attempt} of Bea"]
        with ThreadPoolExecutor(2, initializer=look_over_all_tenants) as threads:
            statuses = list(threads.map(write, names))

        assert sorted(statuses) == [200, 412]
        after = read(api, agent)
        assert after.json()["name"] == names[statuses.index(200)]
        etag = after.headers["ETag"]


# --- If-None-Match --------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["{}", "W/{}", '"x", {}', "*"])
def test_who_has_it_already_is_told_so(admin_api: APIClient, agent: Agent, given: str) -> None:
    etag = read(admin_api, agent).headers["ETag"]

    answer = read(admin_api, agent, **{"If-None-Match": given.format(etag)})

    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["ETag"] == etag
    assert "Content-Type" not in answer.headers


@pytest.mark.parametrize("given", [STALE, "", "x", '"*"', '"'])
def test_who_has_another_gets_it(admin_api: APIClient, agent: Agent, given: str) -> None:
    answer = read(admin_api, agent, **{"If-None-Match": given})

    assert (answer.status_code, answer.json()["name"]) == (200, "Sales")
