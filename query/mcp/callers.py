"""The caller of a program: on whose behalf it calls, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.models import Role, Scope, Tenant

ANY_ROLE = frozenset(Role)
# The roles that the API lets read sources (sources/api/views.py).
READERS = frozenset({Role.ADMIN, Role.MEMBER})


@dataclass(frozen=True)
class McpCaller:
    """`key`: names the credential, for what is bound to it (sessions, conversations). Never a
    secret, and never shown. `scopes`: all of them where no program was let in."""

    tenant: Tenant
    role: Role
    key: str
    scopes: frozenset[Scope] = frozenset(Scope)

    @property
    def may_read_sources(self) -> bool:
        return self.role in READERS and Scope.SOURCES in self.scopes
