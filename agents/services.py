"""Use cases of agents."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection
from typing import Any, TypedDict, Unpack

from django.db import IntegrityError, transaction
from django.db.models import Count, OuterRef, Subquery, Value
from django.db.models.functions import Lower

from accounts.activity import record
from accounts.models import Action, Tenant
from accounts.models.tenancy import TenantQuerySet
from agents.errors import (
    AgentLimitReached,
    AgentNameTaken,
    AgentNotFound,
    InvalidAgentConfig,
    ScopeWouldBeEmpty,
)
from agents.models import NAME_MAX_CHARS, Agent, AgentSource
from agents.origins import normalize_origins
from agents.scope import ScopeKind, SourceScope, list_chosen, list_source_ids
from config.database.limits import DELETION_SECONDS, allowing_statements
from sources.errors import SourceNotFound
from sources.models import Source

# Nobody empties these by accident (docs/specification.md, Agents, rule 2).
KEPT_WHEN_EMPTY = ("name", "persona", "welcome_msg")
# By somebody who saw what stood there
EMPTIED_ON_PURPOSE = (
    "persona",
    "welcome_msg",
    "contact_phone",
    "contact_whatsapp",
    "contact_email",
    "contact_hours",
)
MAX_AGENTS = 500  # of a tenant


class AgentSettings(TypedDict, total=False):
    """The settings that a client may give beside the name. None counts as not given."""

    persona: str | None
    welcome_msg: str | None
    status: str | None
    allowed_origins: list[str] | None
    cite_sources: bool | None
    lead_capture_enabled: bool | None
    lead_notification_email: str | None
    contact_phone: str | None
    contact_whatsapp: str | None
    contact_email: str | None
    contact_hours: str | None
    store_transcripts: bool | None
    transcript_retention_days: int | None


# --- Agents ---------------------------------------------------------------------------------------


def list_agents(tenant: Tenant) -> TenantQuerySet[Agent]:
    """Oldest first, each with its tenant. One query."""
    return Agent.objects.for_tenant(tenant).select_related("tenant")


def list_agents_with_scope(tenant: Tenant) -> TenantQuerySet[Agent]:
    """`list_agents`, each with `scope_size`: how many sources it may answer from, when it has a
    scope (`is_scoped`); None: none of them is left. One query."""
    links = AgentSource.objects.for_tenant(tenant).filter(agent=OuterRef("pk"))
    live = links.filter(source__deleted_at=None).order_by().values("agent")
    return list_agents(tenant).annotate(
        scope_size=Subquery(live.annotate(n=Count("pk")).values("n"))
    )


def get_agent(tenant: Tenant, agent_id: uuid.UUID | None) -> Agent:
    """Returns the tenant's agent. Raises AgentNotFound, also for None and another tenant's id."""
    return found(list_agents(tenant).filter(pk=agent_id).first() if agent_id else None)


def find_agent(tenant: Tenant, id_or_name: str) -> Agent:
    """Returns the agent that a program names by its id, or by its name in upper or lower case.
    Raises AgentNotFound."""
    return found(pick_agent(list_agents(tenant), id_or_name))


def pick_agent(agents: TenantQuerySet[Agent], id_or_name: str) -> Agent | None:
    """Picks one of the `agents`. Compares names as the unique constraint does: `iexact` would take
    ſ for s, and one agent for another."""
    try:
        return agents.filter(pk=uuid.UUID(id_or_name)).first()
    except ValueError:
        lowered = agents.alias(lowered=Lower("name"))
        return lowered.filter(lowered=Lower(Value(id_or_name))).first()


@transaction.atomic
def create_agent(
    tenant: Tenant,
    *,
    name: str,
    when_made: Callable[[Agent], None] | None = None,
    **settings: Unpack[AgentSettings],
) -> Agent:
    """Makes an agent, with defaults for settings that are not given.

    `when_made` is called in the transaction: what it writes, and what it raises, holds for both.

    Raises InvalidAgentConfig, AgentNameTaken, AgentLimitReached.
    """
    agent = Agent(tenant=tenant)
    apply_settings(agent, {"name": name, **settings})
    # Locked: of many at once each sees what the one before has made.
    Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
    if list_agents(tenant).count() >= MAX_AGENTS:
        raise AgentLimitReached(
            f"A workspace can have at most {MAX_AGENTS} agents: delete one first."
        )
    save_agent(agent, force_insert=True)
    record(tenant, Action.AGENT_CREATED, agent)
    if when_made is not None:
        when_made(agent)
    return agent


def create_first_agent(tenant: Tenant, *, lead_email: str) -> Agent:
    """Makes the agent that a new workspace begins with, named after the company. It keeps
    conversations for the default time and collects leads: what customers ask on the first day is
    what the owner learns most from.

    Raises what `create_agent` does.
    """
    return create_agent(
        tenant,
        name=tenant.name[:NAME_MAX_CHARS],
        lead_capture_enabled=True,
        lead_notification_email=lead_email,
        store_transcripts=True,
    )


@transaction.atomic
def update_agent(
    tenant: Tenant,
    agent_id: uuid.UUID | None,
    *,
    name: str | None = None,
    empties: Collection[str] = (),
    when_locked: Callable[[Agent], None] | None = None,
    **settings: Unpack[AgentSettings],
) -> Agent:
    """Changes the settings that are given, all of them or none.

    Args:
        empties: which of EMPTIED_ON_PURPOSE are to be empty.
        when_locked: gets the agent as it is, which nobody else changes meanwhile. What it raises
            leaves it so.

    Raises AgentNotFound, InvalidAgentConfig, AgentNameTaken.
    """
    agent = lock_agent(tenant, agent_id)
    if when_locked is not None:
        when_locked(agent)
    before = vars(agent).copy()
    emptied = [name for name in EMPTIED_ON_PURPOSE if name in empties]
    for text in emptied:
        setattr(agent, text, "")
    given = [*apply_settings(agent, {"name": name, **settings}), *emptied]
    save_agent(agent, update_fields=given)
    changed = [name for name in given if before[name] != getattr(agent, name)]
    record(tenant, Action.AGENT_CHANGED, agent, fields=changed)
    return agent


@allowing_statements(DELETION_SECONDS)
@transaction.atomic
def delete_agent(
    tenant: Tenant,
    agent_id: uuid.UUID | None,
    *,
    when_locked: Callable[[Agent], None] | None = None,
) -> None:
    """Deletes the agent with its scope and its conversations. Its leads stay, without an agent.

    `when_locked` as in `update_agent`. Raises AgentNotFound.
    """
    agent = lock_agent(tenant, agent_id)
    if when_locked is not None:
        when_locked(agent)
    record(tenant, Action.AGENT_DELETED, agent)
    agent.delete()


def apply_settings(agent: Agent, settings: dict[str, Any]) -> list[str]:
    """Sets the given fields and returns their names. Raises InvalidAgentConfig."""
    given = {
        name: value
        for name, value in settings.items()
        if value is not None and not (value == "" and name in KEPT_WHEN_EMPTY)
    }
    if "allowed_origins" in given:
        given["allowed_origins"] = normalize_origins(given["allowed_origins"])
    for name, value in given.items():
        setattr(agent, name, value)
    if agent.lead_capture_enabled and not agent.lead_notification_email:
        raise InvalidAgentConfig(
            "lead_notification_email: While lead_capture_enabled is true, a valid e-mail address"
            " is needed."
        )
    return list(given)


def save_agent(agent: Agent, **how: Any) -> None:
    """Raises AgentNameTaken, also when somebody else is a moment faster."""
    try:
        with transaction.atomic():
            agent.save(**how)
    except IntegrityError as error:
        raise AgentNameTaken from error


def lock_agent(tenant: Tenant, agent_id: uuid.UUID | None) -> Agent:
    """Returns the agent as `get_agent` does, locked to the end of the transaction."""
    locked = list_agents(tenant).select_for_update(of=("self",), no_key=True)
    return found(locked.filter(pk=agent_id).first() if agent_id else None)


def found(agent: Agent | None) -> Agent:
    if agent is None:
        raise AgentNotFound
    return agent


# --- Their scope ----------------------------------------------------------------------------------


def get_scope(tenant: Tenant, agent_id: uuid.UUID | None) -> SourceScope:
    """Returns the agent's scope, its ids in the sources' order. Raises AgentNotFound."""
    agent = get_agent(tenant, agent_id)
    kind = ScopeKind.CHOSEN if agent.is_scoped else ScopeKind.ALL
    return SourceScope(kind, list_source_ids(tenant, agent))


@transaction.atomic
def replace_scope(
    tenant: Tenant,
    agent_id: uuid.UUID | None,
    source_ids: Collection[uuid.UUID | None],
    kind: ScopeKind | None = None,
) -> SourceScope:
    """Replaces the whole scope, and returns it as `get_scope` does.

    Without ids it is all sources, as the specification has it, unless `kind` is CHOSEN. Nor does
    it open an agent whose chosen sources were all deleted, unless `kind` is ALL: a client that
    writes back the empty list that it has read means to change nothing.

    Raises AgentNotFound, SourceNotFound (one of them is not there: then nothing has changed).
    """
    agent = lock_agent(tenant, agent_id)
    chosen = find_sources(tenant, source_ids)
    is_closed = agent.is_scoped and not list_chosen(tenant, agent).exists()
    stays_closed = is_closed and kind is None
    agent.is_scoped = bool(chosen) or kind == ScopeKind.CHOSEN or stays_closed
    links = AgentSource.objects.for_tenant(tenant)
    links.filter(agent=agent).delete()
    links.bulk_create(AgentSource(tenant=tenant, agent=agent, source_id=key) for key in chosen)
    agent.save(update_fields=["is_scoped"])
    record(tenant, Action.SCOPE_CHANGED, agent, sources=len(chosen))
    return SourceScope(ScopeKind.CHOSEN if agent.is_scoped else ScopeKind.ALL, chosen)


@transaction.atomic
def add_to_scope(
    tenant: Tenant, agent_id: uuid.UUID | None, source_ids: Collection[uuid.UUID | None]
) -> None:
    """Adds the sources to the agent's scope. An agent that answered from all sources answers from
    these alone.

    Raises AgentNotFound, SourceNotFound (one of them is not there: then nothing has changed).
    """
    agent = lock_agent(tenant, agent_id)
    chosen = find_sources(tenant, source_ids)
    if not chosen:
        return
    links = [AgentSource(tenant=tenant, agent=agent, source_id=key) for key in chosen]
    AgentSource.objects.for_tenant(tenant).bulk_create(links, ignore_conflicts=True)
    agent.is_scoped = True
    agent.save(update_fields=["is_scoped"])
    record_scope(tenant, agent)


@transaction.atomic
def remove_from_scope(
    tenant: Tenant, agent_id: uuid.UUID | None, source_ids: Collection[uuid.UUID]
) -> None:
    """Removes the sources from the agent's scope, and ignores those outside it. Raises
    AgentNotFound, ScopeWouldBeEmpty."""
    agent = lock_agent(tenant, agent_id)
    links = AgentSource.objects.for_tenant(tenant).filter(agent=agent)
    removed, _ = links.filter(source__in=source_ids).delete()
    if removed and not list_chosen(tenant, agent).exists():
        raise ScopeWouldBeEmpty
    if removed:
        record_scope(tenant, agent)


def record_scope(tenant: Tenant, agent: Agent) -> None:
    """Records how many sources the agent may answer from now."""
    record(tenant, Action.SCOPE_CHANGED, agent, sources=list_chosen(tenant, agent).count())


def widen_scopes(tenant: Tenant, agent_ids: Collection[uuid.UUID], source_id: uuid.UUID) -> None:
    """Adds a source of the tenant to those of these agents that have a scope. Two queries."""
    scoped = Agent.objects.for_tenant(tenant).filter(pk__in=agent_ids, is_scoped=True)
    AgentSource.objects.for_tenant(tenant).bulk_create(
        [
            AgentSource(tenant=tenant, agent_id=agent_id, source_id=source_id)
            for agent_id in scoped.values_list("pk", flat=True)
        ],
        ignore_conflicts=True,
    )


def find_sources(tenant: Tenant, source_ids: Collection[uuid.UUID | None]) -> list[uuid.UUID]:
    """The ids of the sources, each once, in the sources' order. Raises SourceNotFound."""
    wanted = {source_id for source_id in source_ids if source_id is not None}
    sources = Source.objects.for_tenant(tenant).filter(pk__in=wanted)
    known = list(sources.values_list("pk", flat=True))
    if None in source_ids or len(known) != len(wanted):
        raise SourceNotFound
    return known
