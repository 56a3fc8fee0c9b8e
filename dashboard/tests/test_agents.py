"""Agents in the dashboard: the list, the settings, the sources they answer from."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Role, Tenant
from agents.models import Agent
from agents.services import get_scope
from agents.tests.factories import make_agent
from dashboard.tests.factories import pages_of
from sources.models import Source

SETTINGS = {
    "name": "Marina",
    "status": "active",
    "welcome_msg": "Hello!",
    "persona": "Be brief.",
    "cite_sources": "on",
    "allowed_origins": "https://www.shop.example\n https://shop.example \n\n",
    "lead_capture_enabled": "on",
    "lead_notification_email": "sales@example.com",
    "store_transcripts": "on",
    "transcript_retention_days": "90",
}
TOO_MANY = "\n".join(f"https://{number}.example" for number in range(51))
HOSTILE = "<script>alert(1)</script>"


def address(agent: Agent, page: str = "") -> str:
    return f"/dashboard/agents/{agent.pk}{page}"


def make_sources(tenant: Tenant, *names: str) -> list[Source]:
    sources = Source.objects.for_tenant(tenant)
    return [
        sources.create(name=name, source_type="file", position=at) for at, name in enumerate(names)
    ]


def count_queries(pages: Client, path: str) -> int:
    pages.get(path)  # a session writes its first visit down
    with CaptureQueriesContext(connection) as queries:
        assert pages.get(path).status_code == 200
    return len(queries)


# --- The list -------------------------------------------------------------------------------------


def test_the_list_tells_state_channels_and_scope(tenant: Tenant, pages: Client) -> None:
    first, second = make_sources(tenant, "a.pdf", "b.pdf")
    make_agent(tenant, name="Sales", active_channels=["messenger_a", "web"])
    make_agent(tenant, first, second, name="Support", status="inactive")

    page = pages.get("/dashboard/agents").content.decode()

    for words in ("Sales", "Telegram, Website", "all sources", "Support", "Paused", "2 sources"):
        assert words in page


def test_a_workspace_without_agents_is_led_to_the_first(pages: Client) -> None:
    assert b"/dashboard/agents/new" in pages.get("/dashboard/agents").content


def test_whoever_may_not_make_one_is_not_asked_to(tenant: Tenant) -> None:
    page = pages_of(tenant, role=Role.VIEWER).get("/dashboard/agents")

    assert b"/dashboard/agents/new" not in page.content


def test_the_list_costs_the_same_for_any_number_of_agents(tenant: Tenant, pages: Client) -> None:
    make_agent(tenant)
    few = count_queries(pages, "/dashboard/agents")
    for _ in range(20):
        make_agent(tenant, *make_sources(tenant, "a.pdf"))

    assert count_queries(pages, "/dashboard/agents") == few
    assert few <= 15


@pytest.mark.parametrize("page", ["", "/settings", "/sources", "/channels", "/playground"])
def test_what_is_written_in_an_agent_never_runs(tenant: Tenant, pages: Client, page: str) -> None:
    agent = make_agent(tenant, name=HOSTILE, persona=HOSTILE, welcome_msg=HOSTILE)
    make_sources(tenant, HOSTILE)

    shown = pages.get(address(agent, page)).content.decode()

    assert "<script>alert" not in shown
    assert "alert(1)" in shown


# --- Making one -----------------------------------------------------------------------------------


def test_a_new_agent_has_its_page(tenant: Tenant, pages: Client) -> None:
    answer = pages.post("/dashboard/agents/new", {"name": "Marina", "welcome_msg": "Hi"})

    agent = Agent.objects.for_tenant(tenant).get()
    assert (answer.status_code, answer["Location"]) == (302, address(agent))
    assert (agent.name, agent.welcome_msg, agent.persona) == ("Marina", "Hi", "")


def test_a_name_that_is_taken_is_told_at_its_field_and_what_was_typed_stays(
    tenant: Tenant, pages: Client
) -> None:
    make_agent(tenant, name="Marina")

    answer = pages.post("/dashboard/agents/new", {"name": "MARINA", "persona": "Be brief."})

    assert answer.status_code == 400
    assert "name" in answer.context["form"].errors
    assert b"Be brief." in answer.content
    assert Agent.objects.for_tenant(tenant).count() == 1


def test_one_too_many_is_told(
    tenant: Tenant, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.services.MAX_AGENTS", 1)
    make_agent(tenant)

    answer = pages.post("/dashboard/agents/new", {"name": "Marina"})

    assert answer.status_code == 400
    assert b"A workspace can have at most 500 agents. Delete one first." in answer.content


# --- Settings -------------------------------------------------------------------------------------


def test_settings_are_saved_as_they_were_written(tenant: Tenant, pages: Client) -> None:
    agent = make_agent(tenant)

    answer = pages.post(address(agent, "/settings"), SETTINGS)

    assert (answer.status_code, answer["Location"]) == (302, address(agent, "/settings"))
    agent.refresh_from_db()
    assert (agent.name, agent.welcome_msg, agent.persona) == ("Marina", "Hello!", "Be brief.")
    assert agent.allowed_origins == ["https://www.shop.example", "https://shop.example"]
    assert (agent.lead_capture_enabled, agent.lead_notification_email) == (
        True,
        "sales@example.com",
    )
    assert (agent.store_transcripts, agent.transcript_retention_days) == (True, 90)


@pytest.mark.parametrize(
    "typed", ["https://Shop.example/", " shop.example ", "https://shop.example", "SHOP.EXAMPLE/"]
)
def test_a_website_is_allowed_as_people_copy_its_address(
    tenant: Tenant, pages: Client, typed: str
) -> None:
    agent = make_agent(tenant)

    pages.post(address(agent, "/settings"), SETTINGS | {"allowed_origins": typed})

    agent.refresh_from_db()
    assert agent.allowed_origins == ["https://shop.example"]


def test_a_refused_form_lists_its_faults_above_with_links_to_their_fields(
    tenant: Tenant, pages: Client
) -> None:
    wrong = SETTINGS | {"name": "", "status": "asleep"}

    page = pages.post(address(make_agent(tenant), "/settings"), wrong).content.decode()

    faults = page.partition('class="message error faults"')[2].partition("</div>")[0]
    assert 'href="#id_name"' in faults
    assert 'href="#id_status"' in faults
    assert faults.count("<li>") == 2


def test_a_box_that_is_not_ticked_turns_it_off_and_an_emptied_text_is_empty(
    tenant: Tenant, pages: Client
) -> None:
    agent = make_agent(tenant, welcome_msg="Hello!", persona="Be brief.", cite_sources=True)
    emptied = {"name": "Marina", "status": "inactive", "transcript_retention_days": "7"}

    pages.post(address(agent, "/settings"), emptied)

    agent.refresh_from_db()
    assert (agent.welcome_msg, agent.persona) == ("", "")
    assert (agent.cite_sources, agent.status, agent.allowed_origins) == (False, "inactive", [])


@pytest.mark.parametrize(
    ("over", "field", "words"),
    [
        ({"name": ""}, "name", "required"),
        ({"allowed_origins": "https://shop.example/path"}, "allowed_origins", "shop.example/path"),
        ({"allowed_origins": TOO_MANY}, "allowed_origins", "Enter at most 50"),
        ({"lead_notification_email": ""}, "lead_notification_email", "should receive them"),
        ({"lead_notification_email": "no address"}, "lead_notification_email", "valid email"),
        ({"transcript_retention_days": "8"}, "transcript_retention_days", "valid choice"),
        ({"status": "asleep"}, "status", "valid choice"),
        ({"persona": "x" * 4001}, "persona", "4000"),
        ({"welcome_msg": "a\0b"}, "welcome_msg", "Null"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_at_its_field_and_nothing_changes(
    tenant: Tenant, pages: Client, over: dict[str, Any], field: str, words: str
) -> None:
    agent = make_agent(tenant, name="Before")

    answer = pages.post(address(agent, "/settings"), SETTINGS | over)

    assert answer.status_code == 400
    errors = answer.context["form"].errors
    assert list(errors) == [field]
    assert words in errors[field][0]
    assert "Be brief." in answer.content.decode() or field == "persona"
    agent.refresh_from_db()
    assert agent.name == "Before"


# --- Deleting -------------------------------------------------------------------------------------


def test_an_agent_is_deleted_when_its_name_is_typed(tenant: Tenant, pages: Client) -> None:
    agent = make_agent(tenant, name="Marina")

    answer = pages.post(address(agent, "/delete"), {"name": "Marina"})

    assert (answer.status_code, answer["Location"]) == (302, "/dashboard/agents")
    assert list(Agent.objects.for_tenant(tenant)) == []


def test_another_name_deletes_nothing(tenant: Tenant, pages: Client) -> None:
    agent = make_agent(tenant, name="Marina")

    answer = pages.post(address(agent, "/delete"), {"name": "marina"}, follow=True)

    assert b"Nothing was deleted" in answer.content
    assert list(Agent.objects.for_tenant(tenant)) == [agent]


# --- Its sources ----------------------------------------------------------------------------------


def test_choosing_sources_narrows_the_scope_to_them(tenant: Tenant, pages: Client) -> None:
    first, _, third = make_sources(tenant, "a.pdf", "b.pdf", "c.pdf")
    agent = make_agent(tenant)

    pages.post(address(agent, "/sources/add"), {"source_ids": [str(first.pk)]})
    pages.post(address(agent, "/sources/add"), {"source_ids": [str(third.pk), str(first.pk)]})

    assert get_scope(tenant, agent.pk).source_ids == [first.pk, third.pk]
    agent.refresh_from_db()
    assert agent.is_scoped


def test_sources_are_taken_out_again_but_never_the_last_one(tenant: Tenant, pages: Client) -> None:
    first, second = make_sources(tenant, "a.pdf", "b.pdf")
    agent = make_agent(tenant, first, second)

    pages.post(address(agent, "/sources/remove"), {"source_ids": [str(first.pk)]})
    answer = pages.post(address(agent, "/sources/remove"), {"source_ids": [str(second.pk)]})

    assert answer.status_code == 409
    assert b"Select at least one source" in answer.content
    assert get_scope(tenant, agent.pk).source_ids == [second.pk]


def test_an_agent_can_answer_from_all_sources_again(tenant: Tenant, pages: Client) -> None:
    agent = make_agent(tenant, *make_sources(tenant, "a.pdf"))

    pages.post(address(agent, "/sources/all"))

    agent.refresh_from_db()
    assert (agent.is_scoped, get_scope(tenant, agent.pk).source_ids) == (False, [])


@pytest.mark.parametrize("given", ["not an id", "other tenant's"])
def test_a_source_of_nobody_or_of_another_tenant_cannot_be_chosen(
    tenant: Tenant, other_tenant: Tenant, pages: Client, given: str
) -> None:
    agent = make_agent(tenant)
    source_id = given if given == "not an id" else str(make_sources(other_tenant, "a")[0].pk)

    answer = pages.post(address(agent, "/sources/add"), {"source_ids": [source_id]})

    assert answer.status_code == 404
    assert get_scope(tenant, agent.pk).source_ids == []


def test_searching_finds_by_part_of_the_name_and_not_what_is_chosen(
    tenant: Tenant, pages: Client
) -> None:
    first, _, third = make_sources(tenant, "Prices 2025.pdf", "hours.txt", "prices 2026.pdf")
    agent = make_agent(tenant, first)

    part = pages.get(
        address(agent, "/sources?q=PRICES"), headers={"HX-Request": "true", "HX-Target": "found"}
    )

    assert part.context["found"] == [third]
    assert b"<html" not in part.content


def test_a_long_scope_is_paged_and_costs_few_queries(tenant: Tenant, pages: Client) -> None:
    agent = make_agent(tenant, *make_sources(tenant, *(f"{n:03}.pdf" for n in range(60))))

    page = pages.get(address(agent, "/sources"))

    assert len(page.context["page"].object_list) == 50
    assert b"059.pdf" in pages.get(address(agent, "/sources?page=2")).content
    assert count_queries(pages, address(agent, "/sources")) <= 15


def test_a_member_sees_the_scope_and_changes_nothing(tenant: Tenant) -> None:
    agent = make_agent(tenant, *make_sources(tenant, "a.pdf"))

    page = pages_of(tenant, role=Role.MEMBER).get(address(agent, "/sources")).content

    assert b"a.pdf" in page
    assert b"source_ids" not in page
