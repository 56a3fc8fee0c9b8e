"""Every page of the dashboard × each role × {own, another tenant's, missing} target.

A section writes its rows in dashboard/tests/rows_<section>.py; a page without one fails.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import Role, Tenant

EVERYBODY = frozenset(Role)
READERS = frozenset({Role.ADMIN, Role.MEMBER})
ADMINS = frozenset({Role.ADMIN})

Target = Callable[[Tenant], Mapping[str, Any]]


def no_target(tenant: Tenant) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class PageRow:
    """A page, or an action.

    Attributes:
        route: as the table of addresses writes it: "dashboard/leads/<uuid:lead_id>".
        roles: whom it answers; all others get 403.
        query: what follows the address, as it is when the address is written.
        target: makes what the address names in a tenant, and says the address's parameters.
        body: the form that is posted; a function of the tenant where it names rows of it.
        is_public: needs nobody to be signed in.
    """

    method: str
    route: str
    roles: frozenset[Role] = ADMINS
    target: Target = no_target
    body: Mapping[str, Any] | Callable[[Tenant], Mapping[str, Any]] | None = None
    is_public: bool = False
    query: Callable[[], Mapping[str, str]] = dict

    def __str__(self) -> str:
        return f"{self.method} /{self.route}"

    def form(self, tenant: Tenant) -> Mapping[str, Any]:
        if callable(self.body):
            return self.body(tenant)
        return self.body or {}
