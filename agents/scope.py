"""The sources that an agent answers from, as they are now."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db.models import QuerySet, TextChoices

from accounts.models import Tenant
from agents.models import Agent, AgentSource
from sources.models import Source, SourceQuerySet


class ScopeKind(TextChoices):
    ALL = "all"
    CHOSEN = "chosen"


@dataclass(frozen=True)
class SourceScope:
    """An agent's scope. Kind ALL comes without `source_ids`. An agent of kind CHOSEN without any
    answers from nothing: its sources were deleted."""

    kind: ScopeKind
    source_ids: list[uuid.UUID]


def scope_of(tenant: Tenant, agent: Agent | None) -> list[uuid.UUID] | None:
    """The ids of the sources to search in; None: all of the tenant's. At most one query.

    Read at each question: a source that was deleted is out at once, and a scope of which nothing is
    left finds nothing.
    """
    if agent is None or not agent.is_scoped:
        return None
    return list_source_ids(tenant, agent)


def list_source_ids(tenant: Tenant, agent: Agent) -> list[uuid.UUID]:
    """The chosen sources' ids, in the sources' order, without deleted ones. One query."""
    return list(list_chosen(tenant, agent).values_list("id", flat=True))


def list_chosen(tenant: Tenant, agent: Agent) -> SourceQuerySet:
    """The sources that `list_source_ids` names."""
    return Source.objects.for_tenant(tenant).filter(pk__in=chosen_ids(tenant, agent))


def list_not_chosen(tenant: Tenant, agent: Agent) -> SourceQuerySet:
    """The tenant's sources that were not chosen."""
    return Source.objects.for_tenant(tenant).exclude(pk__in=chosen_ids(tenant, agent))


def chosen_ids(tenant: Tenant, agent: Agent) -> QuerySet[AgentSource, uuid.UUID]:
    links = AgentSource.objects.for_tenant(tenant).filter(agent=agent)
    return links.values_list("source_id", flat=True)
