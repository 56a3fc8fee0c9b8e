"""Writing down who did what, when and from where.

Who asks is said once, where a credential becomes a Caller, and services write down what they did in
the transaction that did it: so the API and the dashboard leave the same entry.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import models

from accounts.models import ActivityEntry, Membership, ProgramAccess, Tenant, User
from accounts.models.activity import (
    ACTOR_MAX_CHARS,
    BY_SERVICE,
    BY_STAFF,
    TARGET_MAX_CHARS,
    Action,
)
from config.database.acting import over_all_tenants
from config.security.current_client import NOBODY, current_client

# Two years, as the database counts them (a trigger): never less than it allows.
KEPT = timedelta(days=2 * 366)


@dataclass(frozen=True)
class Actor:
    """The name and person that an entry shows. `is_hidden`: the tenant does not see from where they
    come."""

    label: str
    person_id: uuid.UUID | None = None
    is_hidden: bool = False


STAFF = Actor(BY_STAFF, is_hidden=True)
SERVICE = Actor(BY_SERVICE)  # by itself, or by an operator's command
# Written down, and never decided by.
current_actor: ContextVar[Actor] = ContextVar("current_actor", default=SERVICE)


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """Makes `actor` the current actor inside the block, where another call may still replace it."""
    token = current_actor.set(actor)
    try:
        yield
    finally:
        current_actor.reset(token)


def by_person(user: User) -> Actor:
    return Actor(user.email, user.pk)


def by_api_token(name: str) -> Actor:
    """Returns the machine that uses a token. The entry of the token's making tells who made it."""
    return Actor(f"API token {name}"[:ACTOR_MAX_CHARS])


def by_program(access: ProgramAccess) -> Actor:
    """Returns the person who let the program in, named together with the program. `access` comes
    with its program and its person."""
    user = access.membership.user
    return Actor(f"{user.email} by {access.program.name}"[:ACTOR_MAX_CHARS], user.pk)


def record(
    tenant: Tenant,
    action: Action,
    target: models.Model | None = None,
    *,
    by: Actor | None = None,
    **details: Any,
) -> None:
    """Writes an entry, in the transaction of the action itself. One INSERT.

    Args:
        target: what it was done to, as it is now.
        by: the person who proves just now who they are; else the current actor.
        details: what the action alone does not say. Never a secret.
    """
    actor = by or current_actor.get()
    client = NOBODY if actor.is_hidden else current_client.get()
    ActivityEntry.objects.for_tenant(tenant).create(
        person_id=actor.person_id,
        actor=actor.label,
        action=action,
        target_kind=str(target._meta.model_name) if target else "",
        target_id=str(target.pk) if target else "",
        target_name=name_of(target)[:TARGET_MAX_CHARS] if target else "",
        details=details,
        address=client.address,
        user_agent=client.user_agent,
    )


def name_of(target: models.Model) -> str:
    """The name of the target in an entry: for a member the address, since a membership's own text
    is an id."""
    return target.user.email if isinstance(target, Membership) else str(target)


@over_all_tenants()
def record_of_account(user: User, action: Action) -> None:
    """Records a change of somebody's account in every workspace that they belong to: as done by
    themselves, unless our staff did it."""
    actor = current_actor.get()
    for membership in user.memberships.select_related("tenant").exclude(activated_at=None):
        record(
            membership.tenant, action, membership, by=actor if actor == STAFF else by_person(user)
        )
