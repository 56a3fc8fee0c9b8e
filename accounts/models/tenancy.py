"""Limits queries to one tenant, and fails closed.

`Model.objects.for_tenant(tenant)` is the only way into a tenant's rows; everything else on
`objects` raises TenantRequired. `Model.all_tenants` is for staff admin and maintenance: a test
lists the files that may name it. The tenant is always named: a thread, a stream or a task would not
see an ambient one (docs/decisions/0002-tenant-scope.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Never, Self, TypeVar

from django.db import models

from accounts.models.tenants import Tenant

Row = TypeVar("Row", bound="TenantModel", covariant=True)
Fields = Mapping[str, Any]


class TenantRequired(RuntimeError):
    """A query on a tenant's rows did not say which tenant. A programming error, never shown."""


class WrongTenant(RuntimeError):
    """A row of one tenant was written through the scope of another. A programming error."""


def is_saved_tenant(value: object) -> bool:
    return isinstance(value, Tenant) and not value._state.adding and value.pk is not None


class TenantQuerySet(models.QuerySet[Row]):
    """A queryset that remembers its tenant, and writes and combines only that tenant's rows.

    Made by `for_tenant`; without a tenant (related managers, `all_tenants`) it is an ordinary one.
    """

    _tenant: Tenant | None = None

    def scoped(self, tenant: Tenant) -> Self:
        """Returns the tenant's rows, for managers. Raises TenantRequired when `tenant` is not a
        saved Tenant."""
        if not is_saved_tenant(tenant):
            raise TenantRequired(f"{self.model.__name__} needs a saved Tenant, not {tenant!r}")
        rows = self.filter(tenant=tenant)
        rows._tenant = tenant
        return rows

    def create(self, **fields: Any) -> Row:
        self._check_fields(fields)
        if self._tenant is not None:
            fields = {**fields, "tenant": self._tenant}
            fields.pop("tenant_id", None)
        return super().create(**fields)

    # Django's get_or_create and update_or_create make their row by create() above.

    def get_or_create(self, defaults: Fields | None = None, **lookup: Any) -> tuple[Row, bool]:
        self._check_fields(lookup, defaults)
        return super().get_or_create(defaults, **lookup)

    def update_or_create(
        self,
        defaults: Fields | None = None,
        create_defaults: Fields | None = None,
        **lookup: Any,
    ) -> tuple[Row, bool]:
        self._check_fields(lookup, defaults, create_defaults)
        return super().update_or_create(defaults, create_defaults, **lookup)

    def update(self, **fields: Any) -> int:
        self._check_fields(fields)
        return super().update(**fields)

    def bulk_create(  # as Django's own, which every caller may use in full
        self,
        objs: Iterable[Row],
        batch_size: int | None = None,
        ignore_conflicts: bool = False,
        update_conflicts: bool = False,
        update_fields: Collection[str] | None = None,
        unique_fields: Collection[str] | None = None,
    ) -> list[Row]:
        return super().bulk_create(
            self._checked(objs),
            batch_size=batch_size,
            ignore_conflicts=ignore_conflicts,
            update_conflicts=update_conflicts,
            update_fields=update_fields,
            unique_fields=unique_fields,
        )

    def bulk_update(
        self, objs: Iterable[Row], fields: Iterable[str], batch_size: int | None = None
    ) -> int:
        return super().bulk_update(self._checked(objs), fields, batch_size=batch_size)

    def union(self, *others: models.QuerySet[Any, Any], all: bool = False) -> Self:
        self._check_scopes(*others)
        return super().union(*others, all=all)

    def __or__(self, other: models.QuerySet[Any, Any]) -> Self:
        self._check_scopes(other)
        return super().__or__(other)

    def __xor__(self, other: models.QuerySet[Any, Any]) -> Self:
        self._check_scopes(other)
        return super().__xor__(other)

    # Intersections and differences need no check: they only ever take rows away.

    def _clone(self) -> Self:
        clone: Self = super()._clone()  # type: ignore[misc]  # Django's own hook, not in the stubs
        clone._tenant = self._tenant
        return clone

    def _check_fields(self, *given: Fields | None) -> None:
        if self._tenant is None:
            return
        for fields in filter(None, given):
            owner = fields.get("tenant", self._tenant)
            if self._tenant.pk not in (owner, getattr(owner, "pk", None)):
                raise WrongTenant(f"{self.model.__name__} of another tenant")
            if fields.get("tenant_id", self._tenant.pk) != self._tenant.pk:
                raise WrongTenant(f"{self.model.__name__} of another tenant")

    def _checked(self, rows: Iterable[Row]) -> list[Row]:
        checked = list(rows)
        if self._tenant is not None and any(row.tenant_id != self._tenant.pk for row in checked):
            raise WrongTenant(f"{self.model.__name__} of another tenant, or of none")
        return checked

    def _check_scopes(self, *others: models.QuerySet[Any, Any]) -> None:
        if any(getattr(other, "_tenant", None) != self._tenant for other in others):
            raise WrongTenant(f"{self.model.__name__} rows of different scopes together")


class TenantManager(models.Manager[Row]):
    """`objects` of every tenant model: nothing works on it but `for_tenant`.

    A model with a queryset of its own overrides `for_tenant` (SourceManager in
    sources/models/sources.py).
    """

    def for_tenant(self, tenant: Tenant) -> TenantQuerySet[Row]:
        return TenantQuerySet(self.model, using=self._db).scoped(tenant)

    def get_queryset(self) -> Never:
        name = self.model.__name__
        raise TenantRequired(f"say which tenant: {name}.objects.for_tenant(tenant)")


class TenantModel(models.Model):
    """A row that belongs to one tenant. See TenantManager for querysets of one's own."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")

    # First, so that Django's own machinery (admin, relations, validation) uses it.
    all_tenants = models.Manager()
    objects = TenantManager()

    class Meta:
        abstract = True
        default_manager_name = "all_tenants"
        base_manager_name = "all_tenants"
