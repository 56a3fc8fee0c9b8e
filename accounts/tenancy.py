"""Tenant scope that fails closed.

`Model.objects.for_tenant(tenant)` is the only way into a tenant's rows; everything else on `objects` raises
TenantRequired. `Model.all_tenants` is for staff admin and maintenance: a test lists the files that may name it.
There is no ambient tenant: a thread, a stream or a task would not see it (docs/decisions/0002-tenant-scope.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Never, Self, TypeVar

from django.db import models

if TYPE_CHECKING:
    from accounts.models import Tenant

Row = TypeVar("Row", bound="TenantModel", covariant=True)


class TenantRequired(RuntimeError):
    """A query on a tenant's rows did not say which tenant. A programming error, never shown to a client."""


class WrongTenant(RuntimeError):
    """A row of one tenant was written through the scope of another. A programming error."""


class TenantQuerySet(models.QuerySet[Row]):
    """A queryset that remembers its tenant and writes only that tenant's rows.

    Made by `for_tenant`; without a tenant (related managers, `all_tenants`) it is an ordinary queryset.
    """

    _tenant: Tenant | None = None

    def _scoped(self, tenant: Tenant) -> Self:
        scoped = self.filter(tenant=tenant)
        scoped._tenant = tenant
        return scoped

    def _clone(self) -> Self:
        clone: Self = super()._clone()  # type: ignore[misc]  # Django's own hook, without a stub
        clone._tenant = self._tenant
        return clone

    def _own(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        if self._tenant is None:
            return kwargs
        given = kwargs.get("tenant_id", getattr(kwargs.get("tenant"), "pk", self._tenant.pk))
        if given != self._tenant.pk:
            raise WrongTenant(f"{self.model.__name__} of another tenant")
        return {**{key: value for key, value in kwargs.items() if key != "tenant_id"}, "tenant": self._tenant}

    def _check_rows(self, rows: Iterable[Any]) -> list[Any]:
        checked = list(rows)
        if self._tenant is not None and any(row.tenant_id != self._tenant.pk for row in checked):
            raise WrongTenant(f"{self.model.__name__} of another tenant")
        return checked

    def create(self, **kwargs: Any) -> Row:
        return super().create(**self._own(kwargs))

    def get_or_create(self, defaults: Any = None, **kwargs: Any) -> tuple[Row, bool]:
        # The lookup is filtered by tenant already; only a row that is made needs it.
        return super().get_or_create(defaults=self._own(dict(defaults or {})), **kwargs)

    def update_or_create(self, defaults: Any = None, create_defaults: Any = None, **kwargs: Any) -> tuple[Row, bool]:
        made = self._own(dict(create_defaults if create_defaults is not None else defaults or {}))
        self._refuse_moving(defaults or {})
        return super().update_or_create(defaults=defaults, create_defaults=made, **kwargs)

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> list[Row]:
        return super().bulk_create(self._check_rows(objs), *args, **kwargs)

    def bulk_update(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> int:
        return super().bulk_update(self._check_rows(objs), *args, **kwargs)

    def update(self, **kwargs: Any) -> int:
        self._refuse_moving(kwargs)
        return super().update(**kwargs)

    def _refuse_moving(self, kwargs: Any) -> None:
        if self._tenant is not None and {"tenant", "tenant_id"} & set(kwargs):
            raise WrongTenant(f"{self.model.__name__} cannot move to another tenant")


class TenantManager(models.Manager[Row]):
    """`objects` of every tenant model: nothing works on it but `for_tenant`."""

    queryset_class: type[TenantQuerySet[Any]] = TenantQuerySet

    def for_tenant(self, tenant: Tenant) -> TenantQuerySet[Row]:
        if getattr(getattr(tenant, "_meta", None), "label", None) != "accounts.Tenant" or tenant.pk is None:
            raise TenantRequired(f"{self.model.__name__}.objects.for_tenant() needs a saved Tenant")
        return self.queryset_class(self.model, using=self._db)._scoped(tenant)

    def get_queryset(self) -> Never:
        raise TenantRequired(f"say which tenant: {self.model.__name__}.objects.for_tenant(tenant)")


class TenantModel(models.Model):
    """A row that belongs to one tenant.

    A subclass with queryset methods of its own sets `objects` to a TenantManager whose `queryset_class` has them.
    """

    tenant = models.ForeignKey("accounts.Tenant", on_delete=models.CASCADE, related_name="+")

    all_tenants = models.Manager()  # first, so that Django's own machinery (admin, relations, validation) uses it
    objects = TenantManager()

    class Meta:
        abstract = True
        default_manager_name = "all_tenants"
        base_manager_name = "all_tenants"
