"""What people do with sources, agents and channels is in the log of their workspace."""

from accounts.models import ScheduleFrequency, Tenant
from accounts.services.activity import list_activity
from agents.services import (
    add_to_scope,
    create_agent,
    delete_agent,
    remove_from_scope,
    replace_scope,
    update_agent,
)
from channels.services import connect_channel, disconnect_channel
from sources.models import Source
from sources.services.editing import delete_source, rename_source, reorder_sources
from sources.services.ordering import Step, move_source
from sources.services.scheduling import set_schedule
from sources.services.syncing import start_sync


def test_sources(tenant: Tenant) -> None:
    source = Source.objects.for_tenant(tenant).create(
        name="Shop", source_type="web", source_url="https://shop.example/"
    )
    rename_source(tenant, source.pk, name="Store")
    set_schedule(tenant, source.pk, frequency=ScheduleFrequency.DAILY)
    reorder_sources(tenant, {source.pk: 4})
    other = Source.objects.for_tenant(tenant).create(name="Other", source_type="file", position=5)
    move_source(tenant, other.pk, step=Step.UP)
    move_source(tenant, other.pk, step=Step.TOP)  # where it is already
    start_sync(tenant, source.pk)
    delete_source(tenant, source.pk)

    entries = list(reversed(list_activity(tenant)))
    assert [(entry.action, entry.target_name) for entry in entries] == [
        ("source_renamed", "Store"),
        ("schedule_changed", "Store"),
        ("sources_reordered", ""),
        ("sources_reordered", ""),
        ("source_synced_by_hand", "Store"),
        ("source_deleted", "Store"),
    ]


def test_agents_and_their_channels(tenant: Tenant) -> None:
    agent = create_agent(tenant, name="Sales")
    update_agent(tenant, agent.pk, name="Sales", persona="You sell.", cite_sources=True)
    replace_scope(tenant, agent.pk, [])
    connect_channel(tenant, agent.pk, "web", {})
    disconnect_channel(tenant, agent.pk, "web")
    disconnect_channel(tenant, agent.pk, "web")  # it was not there
    delete_agent(tenant, agent.pk)

    entries = list(reversed(list_activity(tenant)))
    assert [(entry.action, entry.target_name, entry.details) for entry in entries] == [
        ("agent_created", "Sales", {}),
        ("agent_changed", "Sales", {"fields": ["persona"]}),
        ("scope_changed", "Sales", {"sources": 0}),
        ("channel_connected", "Sales", {"channel": "web"}),
        ("channel_disconnected", "Sales", {"channel": "web"}),
        ("agent_deleted", "Sales", {}),
    ]


def test_each_change_of_what_an_agent_answers_from(tenant: Tenant) -> None:
    agent = create_agent(tenant, name="Sales")
    first, second = (
        Source.objects.for_tenant(tenant).create(name=name, source_type="file", position=place)
        for place, name in enumerate(("a.pdf", "b.pdf"))
    )
    add_to_scope(tenant, agent.pk, [first.pk, second.pk])
    add_to_scope(tenant, agent.pk, [])  # nothing was chosen
    remove_from_scope(tenant, agent.pk, [second.pk])
    remove_from_scope(tenant, agent.pk, [second.pk])  # it was not there

    entries = list(reversed(list_activity(tenant)))
    assert [(entry.action, entry.details) for entry in entries] == [
        ("agent_created", {}),
        ("scope_changed", {"sources": 2}),
        ("scope_changed", {"sources": 1}),
    ]
