"""The demo company's agent for its website."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import OutgoingMail, Tenant
from agents.models import MAX_ORIGINS, Agent
from agents.services import create_agent, delete_agent, update_agent
from channels.models import ChannelConnection
from channels.services import disconnect_channel
from channels.tests.visitor import Visitor
from demo.loading import EMAIL, Demo
from demo.site import find_demo_agent, make_demo_site
from query.leads.turns import REMARKS
from query.models import Lead

ORIGINS = ["https://demo.example", "http://localhost:8000", "http://127.0.0.1:8000"]


@pytest.fixture
def data_dir(tenant: Tenant, tmp_path: Path) -> Path:
    """Where the demo company is loaded, and has no agent yet."""
    (tmp_path / "demo_loaded").write_text(f"{tenant.pk}\n")
    return tmp_path


def make(data_dir: Path, *, base_url: str = "https://demo.example", port: int = 8000) -> None:
    make_demo_site(data_dir, base_url=base_url, port=port)


def agents_of(tenant: Tenant) -> list[Agent]:
    return list(Agent.objects.for_tenant(tenant))


def test_the_demo_company_gets_an_agent_that_its_own_pages_may_ask(
    tenant: Tenant, data_dir: Path
) -> None:
    make(data_dir)
    [agent] = agents_of(tenant)
    assert (agent.name, agent.status) == ("Marusía", "active")
    assert agent.welcome_msg.startswith("¡Hola! Soy Marusía")
    assert agent.allowed_origins == ORIGINS
    assert agent.active_channels == ["web"]
    connection = ChannelConnection.objects.for_tenant(tenant).get()
    assert (connection.agent_id, connection.channel_type) == (agent.pk, "web")
    assert find_demo_agent(data_dir) == agent


def test_only_its_owner_may_read_what_is_kept(data_dir: Path) -> None:
    make(data_dir)
    kept = data_dir / "demo_site.json"
    assert sorted(json.loads(kept.read_text())) == [
        "agent_id",
        "origins",
        "takes_leads",
    ]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_second_start_makes_no_other(tenant: Tenant, data_dir: Path) -> None:
    make(data_dir)
    make(data_dir)
    [agent] = agents_of(tenant)
    assert agent.allowed_origins == ORIGINS


def test_what_people_change_stays(tenant: Tenant, data_dir: Path) -> None:
    make(data_dir)
    [agent] = agents_of(tenant)
    update_agent(tenant, agent.pk, name="Uxía", allowed_origins=["https://marusia.example"])
    disconnect_channel(tenant, agent.pk, "web")
    make(data_dir)
    [agent] = agents_of(tenant)
    assert (agent.name, agent.allowed_origins, agent.active_channels) == (
        "Uxía",
        ["https://marusia.example"],
        [],
    )


def test_it_takes_leads_for_the_demos_admin(tenant: Tenant, data_dir: Path) -> None:
    make(data_dir)
    [agent] = agents_of(tenant)
    assert (agent.lead_capture_enabled, agent.lead_notification_email) == (True, EMAIL)


def test_one_that_was_told_to_take_none_takes_none(tenant: Tenant, data_dir: Path) -> None:
    make(data_dir)
    [agent] = agents_of(tenant)
    update_agent(tenant, agent.pk, lead_capture_enabled=False)
    make(data_dir)
    [agent] = agents_of(tenant)
    assert not agent.lead_capture_enabled


def test_leads_go_to_whom_people_have_said(tenant: Tenant, data_dir: Path) -> None:
    theirs = create_agent(tenant, name="Marusía", lead_notification_email="sales@acme.example")
    make(data_dir)
    theirs.refresh_from_db()
    assert (theirs.lead_capture_enabled, theirs.lead_notification_email) == (
        True,
        "sales@acme.example",
    )


def test_somebody_who_wants_to_buy_leaves_their_address_in_its_widget(
    tenant: Tenant, data_dir: Path
) -> None:
    make(data_dir)
    [agent] = agents_of(tenant)
    visitor = Visitor(agent, origin="http://localhost:8000")

    first = visitor.ask("quiero comprar 20 kilos al mes para mi bar").json()["answer"]
    second = visitor.ask("soy Ana, ana@bar.es").json()["answer"]

    assert first.endswith(REMARKS["es"]["ask"].format(company=tenant.name))
    assert second == REMARKS["es"]["thank_by_name"].format(company=tenant.name, name="Ana")
    lead = Lead.objects.for_tenant(tenant).get()
    assert (lead.intent_text, lead.name, lead.email, lead.channel) == (
        "quiero comprar 20 kilos al mes para mi bar",
        "Ana",
        "ana@bar.es",
        "web",
    )
    assert OutgoingMail.objects.for_tenant(tenant).get(template="lead").recipient == EMAIL


def test_a_deleted_agent_stays_deleted(tenant: Tenant, data_dir: Path) -> None:
    make(data_dir)
    delete_agent(tenant, agents_of(tenant)[0].pk)
    make(data_dir, port=8123)
    assert agents_of(tenant) == []
    assert find_demo_agent(data_dir) is None


def test_an_installation_that_moved_to_another_port_may_ask_from_there(
    tenant: Tenant, data_dir: Path
) -> None:
    make(data_dir)
    make(data_dir, base_url="http://127.0.0.1:8123", port=8123)
    [agent] = agents_of(tenant)
    assert agent.allowed_origins == [*ORIGINS, "http://127.0.0.1:8123", "http://localhost:8123"]


def test_the_oldest_origins_give_way_when_there_are_too_many(
    tenant: Tenant, data_dir: Path
) -> None:
    make(data_dir)
    [agent] = agents_of(tenant)
    many = [f"https://{number}.example" for number in range(MAX_ORIGINS)]
    update_agent(tenant, agent.pk, allowed_origins=many)
    make(data_dir, base_url="http://127.0.0.1:8123", port=8123)
    [agent] = agents_of(tenant)
    assert agent.allowed_origins == [*many[2:], "http://127.0.0.1:8123", "http://localhost:8123"]


def test_a_base_address_with_a_path_has_an_origin_too(tenant: Tenant, data_dir: Path) -> None:
    make(data_dir, base_url="https://Demo.example/agents")
    [agent] = agents_of(tenant)
    assert agent.allowed_origins == ORIGINS


def test_another_data_dir_on_the_same_database_uses_the_same_agent(
    tenant: Tenant, data_dir: Path, tmp_path: Path
) -> None:
    make(data_dir)
    other = tmp_path / "other"
    other.mkdir()
    (other / "demo_loaded").write_text(str(tenant.pk))
    make(other, port=8123)
    [agent] = agents_of(tenant)
    assert find_demo_agent(other) == agent
    assert agent.allowed_origins == [*ORIGINS, "http://localhost:8123", "http://127.0.0.1:8123"]


def test_an_agent_that_people_gave_the_name_in_capitals_is_taken(
    tenant: Tenant, data_dir: Path
) -> None:
    """There can be no second one of the name, and bin/up must not end with that."""
    theirs = create_agent(tenant, name="MARUSÍA")
    make(data_dir)
    assert [agent.pk for agent in agents_of(tenant)] == [theirs.pk]
    assert find_demo_agent(data_dir) == theirs


def test_another_tenants_agent_of_that_name_is_left_alone(
    other_tenant: Tenant, data_dir: Path
) -> None:
    theirs = create_agent(other_tenant, name="Marusía")
    make(data_dir)
    theirs.refresh_from_db()
    assert (theirs.allowed_origins, theirs.active_channels) == ([], [])


@pytest.mark.django_db
def test_nothing_is_made_where_no_demo_is_loaded(tmp_path: Path) -> None:
    make(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert not Agent.all_tenants.exists()


def test_nothing_is_made_for_a_demo_tenant_that_was_deleted(tenant: Tenant, data_dir: Path) -> None:
    tenant.delete()
    make(data_dir)
    assert not (data_dir / "demo_site.json").exists()


def test_load_demo_makes_it(
    tenant: Tenant, data_dir: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = data_dir
    monkeypatch.setattr(
        "demo.management.commands.load_demo.load_demo", lambda folder, report: Demo()
    )
    call_command("load_demo")
    assert [agent.name for agent in agents_of(tenant)] == ["Marusía"]
