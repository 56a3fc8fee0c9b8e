"""The role in which we speak to the database, and the tenant whose rows it sees.

PostgreSQL shows the rows of a tenant's tables only to statements that act for that tenant
(config/database/policies.py). Entry points set it: a request once it knows its caller, a task for
the tenant that it is about. Code that has to look over all tenants says so where it does.

Both stand in a context variable. A new thread does not have it and acts as nobody: its queries find
nothing (`contextvars.copy_context().run` hands it on). Nothing of it stays on a connection: see
config/database/base.py.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import _GeneratorContextManager


class DatabaseRole(StrEnum):
    """Roles of PostgreSQL, without a login of their own."""

    SERVING = "knowledge_serving"  # requests and tasks: one tenant's rows, or no tenant's
    STAFF = "knowledge_staff"  # the back office
    MAINTENANCE = "knowledge_maintenance"  # beat, commands, and who looks up whose a token is


@dataclass(frozen=True)
class Acting:
    """The role, and the tenant if any, for which statements run. `role` None: the login itself,
    which owns the tables.

    Raises TypeError for a tenant's id that is not a UUID: it becomes part of a statement.
    """

    role: DatabaseRole | None
    tenant_id: uuid.UUID | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.tenant_id, uuid.UUID | None):
            raise TypeError(f"a tenant's id is a UUID, not {self.tenant_id!r}")

    @functools.cached_property
    def preamble(self) -> str:
        """SQL that holds to the end of the transaction in which it stands."""
        if self.role is None:
            return "SET LOCAL ROLE NONE; SET LOCAL knowledge.migrating = 'on'; "
        tenant = self.tenant_id or ""
        return f"SET LOCAL ROLE {self.role}; SET LOCAL knowledge.tenant = '{tenant}'; "


NOBODY = Acting(DatabaseRole.SERVING)
_acting: ContextVar[Acting] = ContextVar("acting", default=NOBODY)


def current_acting() -> Acting:
    return _acting.get()


@contextmanager
def acting(acting: Acting) -> Iterator[None]:
    """Runs its block as `acting`; also a decorator, but not of generators. A queryset must be
    evaluated inside, or it runs as somebody else."""
    token = _acting.set(acting)
    try:
        yield
    finally:
        _acting.reset(token)


def as_nobody() -> _GeneratorContextManager[None]:
    return acting(NOBODY)


def as_tenant(tenant_id: uuid.UUID) -> _GeneratorContextManager[None]:
    return acting(Acting(DatabaseRole.SERVING, tenant_id))


def over_all_tenants() -> _GeneratorContextManager[None]:
    """Acts for all tenants: for code that does not know yet whose rows it looks for, or that looks
    after everybody's. A test lists the files that may use it."""
    return acting(Acting(DatabaseRole.MAINTENANCE))


def as_staff() -> _GeneratorContextManager[None]:
    return acting(Acting(DatabaseRole.STAFF))


def as_migrations() -> _GeneratorContextManager[None]:
    """Acts as the owner of the tables: for migrations alone, and for code that makes databases."""
    return acting(Acting(None))


def turn_to_tenant(tenant_id: uuid.UUID) -> None:
    """Acts for the tenant until the surrounding `with` ends: a request has learned whose it is."""
    _acting.set(Acting(DatabaseRole.SERVING, tenant_id))
