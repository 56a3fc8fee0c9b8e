"""The tenant scope: closed until somebody says which tenant, and then only that tenant's rows.

What holds for the tables of all apps is in config/tests/test_tenant_walls.py.
"""

import copy
import pickle
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import IntegrityError
from django.db.models import QuerySet
from django.db.models.manager import BaseManager

from accounts.models import Membership, Role, Session, Tenant, User
from accounts.models.tenancy import TenantRequired, WrongTenant
from accounts.tests.factories import make_membership, make_session, make_user

QUERYSET_METHODS = sorted(BaseManager._get_queryset_methods(QuerySet))


@pytest.fixture
def person(db: None) -> User:
    return make_user()


# --- Without a tenant -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["all", "get_queryset", *QUERYSET_METHODS])
def test_every_manager_method_demands_a_tenant(name: str) -> None:
    with pytest.raises(TenantRequired, match=r"Membership\.objects\.for_tenant\(tenant\)"):
        getattr(Membership.objects, name)()


def test_the_methods_above_are_all_that_read_and_write() -> None:
    usual = {"filter", "exists", "count", "get", "aget", "none", "iterator", "raw", "union"}
    writing = {"create", "acreate", "get_or_create", "update_or_create", "update", "bulk_create"}

    assert usual | writing < set(QUERYSET_METHODS)


def test_manager_cannot_be_iterated() -> None:
    with pytest.raises(TypeError):
        list(Membership.objects)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "no_tenant",
    [None, "acme", uuid.uuid4(), Tenant(slug="unsaved"), User(email="somebody@example.com")],
    ids=["None", "slug", "id", "unsaved", "other model"],
)
def test_for_tenant_takes_nothing_but_a_saved_tenant(no_tenant: Any) -> None:
    with pytest.raises(TenantRequired):
        Membership.objects.for_tenant(no_tenant)


def test_for_tenant_refuses_a_deleted_tenant(tenant: Tenant) -> None:
    tenant.delete()

    with pytest.raises(TenantRequired):
        Membership.objects.for_tenant(tenant)


# --- Reading --------------------------------------------------------------------------------------


@pytest.fixture
def ours(tenant: Tenant, other_tenant: Tenant, person: User) -> Membership:
    """A membership of the same person in both tenants: the one of `tenant`."""
    make_membership(other_tenant, person)
    return make_membership(tenant, person)


def test_for_tenant_sees_its_own_rows_only(
    tenant: Tenant, other_tenant: Tenant, ours: Membership
) -> None:
    rows = Membership.objects.for_tenant(tenant)
    theirs = Membership.objects.for_tenant(other_tenant).get()

    assert list(rows) == [ours]
    assert (rows.count(), rows.exists(), rows.get()) == (1, True, ours)
    assert rows.filter(id=theirs.id).first() is None
    assert list(rows.in_bulk([ours.id, theirs.id])) == [ours.id]
    assert rows.exclude(id=ours.id).count() == 0


def test_lookup_by_another_tenant_finds_nothing(
    tenant: Tenant, other_tenant: Tenant, ours: Membership
) -> None:
    assert not Membership.objects.for_tenant(tenant).filter(tenant=other_tenant).exists()


def test_asynchronous_reads_are_scoped_too(
    tenant: Tenant, other_tenant: Tenant, ours: Membership
) -> None:
    async def read() -> list[Membership]:
        return [row async for row in Membership.objects.for_tenant(tenant)]

    assert async_to_sync(read)() == [ours]


def test_update_and_delete_reach_own_rows_only(
    tenant: Tenant, other_tenant: Tenant, ours: Membership
) -> None:
    rows = Membership.objects.for_tenant(tenant)

    assert rows.update(role=Role.VIEWER) == 1
    assert rows.delete()[0] == 1
    assert Membership.objects.for_tenant(other_tenant).get().role == Role.ADMIN


# --- Writing --------------------------------------------------------------------------------------


DERIVED = {
    "filter": lambda rows: rows.filter(role=Role.ADMIN),
    "exclude": lambda rows: rows.exclude(role=Role.VIEWER),
    "order_by": lambda rows: rows.order_by("-created_at"),
    "select_related": lambda rows: rows.select_related("user"),
    "select_for_update": lambda rows: rows.select_for_update(),
    "annotate and distinct": lambda rows: rows.annotate().distinct(),
    "all and none": lambda rows: rows.all().none(),
    "or": lambda rows: rows | rows.all(),
    "and": lambda rows: rows & rows.all(),
    "union": lambda rows: rows.union(rows.all()),
    "copy": copy.deepcopy,
}


@pytest.mark.parametrize("derive", DERIVED.values(), ids=DERIVED.keys())
def test_derived_querysets_remember_the_tenant(
    derive: Any, tenant: Tenant, other_tenant: Tenant, person: User
) -> None:
    rows = derive(Membership.objects.for_tenant(tenant))

    assert rows.create(user=person, role=Role.ADMIN).tenant == tenant
    with pytest.raises(WrongTenant):
        rows.create(user=person, role=Role.ADMIN, tenant=other_tenant)


def test_pickled_queryset_remembers_the_tenant(tenant: Tenant, other_tenant: Tenant) -> None:
    rows = pickle.loads(pickle.dumps(Membership.objects.for_tenant(tenant)))  # noqa: S301 - ours

    with pytest.raises(WrongTenant):
        rows.create(role=Role.ADMIN, tenant=other_tenant)


WRITES = {
    "create": lambda rows, **wrong: rows.create(role=Role.ADMIN, **wrong),
    "acreate": lambda rows, **wrong: async_to_sync(rows.acreate)(role=Role.ADMIN, **wrong),
    "get_or_create": lambda rows, **wrong: rows.get_or_create(role=Role.ADMIN, **wrong),
    "get_or_create, defaults": lambda rows, **wrong: rows.get_or_create(wrong, role=Role.ADMIN),
    "update_or_create": lambda rows, **wrong: rows.update_or_create(role=Role.ADMIN, **wrong),
    "update_or_create, defaults": lambda rows, **wrong: rows.update_or_create(
        wrong, role=Role.ADMIN
    ),
    "update_or_create, create_defaults": lambda rows, **wrong: rows.update_or_create(
        {}, wrong, role=Role.ADMIN
    ),
    "update": lambda rows, **wrong: rows.update(**wrong),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
@pytest.mark.parametrize("is_there", [True, False], ids=["row there", "no row"])
def test_writes_refuse_another_tenant(
    write: Any, is_there: bool, tenant: Tenant, other_tenant: Tenant, person: User
) -> None:
    if is_there:
        make_membership(tenant, person)
    rows = Membership.objects.for_tenant(tenant).filter(user=person)

    for wrong in ({"tenant": other_tenant}, {"tenant_id": other_tenant.id}):
        with pytest.raises(WrongTenant):
            write(rows, **wrong)
    assert Membership.all_tenants.count() == is_there


def test_writes_accept_the_own_tenant_named_in_either_way(tenant: Tenant, person: User) -> None:
    rows = Membership.objects.for_tenant(tenant)

    made = rows.create(user=person, role=Role.ADMIN, tenant_id=tenant.id)
    assert rows.get_or_create(user=person, tenant=tenant) == (made, False)
    assert rows.update(role=Role.VIEWER, tenant=tenant) == 1


def test_get_or_create_and_update_or_create_fill_the_tenant_in(
    tenant: Tenant, person: User
) -> None:
    rows = Membership.objects.for_tenant(tenant)

    made, is_new = rows.get_or_create(user=person, defaults={"role": Role.ADMIN})
    same, is_new_again = rows.update_or_create(user=person, defaults={"role": Role.VIEWER})

    assert (made.tenant, is_new) == (tenant, True)
    assert (same.pk, same.role, is_new_again) == (made.pk, Role.VIEWER, False)


def test_get_or_create_does_not_find_another_tenants_row(
    tenant: Tenant, other_tenant: Tenant, person: User
) -> None:
    theirs = make_membership(other_tenant, person)

    made, is_new = Membership.objects.for_tenant(tenant).get_or_create(
        user=person, defaults={"role": Role.ADMIN}
    )

    assert is_new
    assert made != theirs


@pytest.mark.parametrize("owner", ["other", "unset"])
def test_bulk_create_refuses_rows_of_another_tenant_and_of_none(
    owner: str, tenant: Tenant, other_tenant: Tenant, person: User
) -> None:
    row = Membership(user=person, role=Role.ADMIN)
    if owner == "other":
        row.tenant = other_tenant

    with pytest.raises(WrongTenant):
        Membership.objects.for_tenant(tenant).bulk_create(iter([row]))
    assert not Membership.all_tenants.exists()


def test_bulk_create_writes_own_rows_from_an_iterator(tenant: Tenant, person: User) -> None:
    rows = iter([Membership(tenant=tenant, user=person, role=Role.ADMIN)])

    assert len(Membership.objects.for_tenant(tenant).bulk_create(rows)) == 1
    assert Membership.objects.for_tenant(tenant).get().user == person


def test_bulk_update_refuses_rows_of_another_tenant(
    tenant: Tenant, other_tenant: Tenant, ours: Membership
) -> None:
    theirs = Membership.objects.for_tenant(other_tenant).get()
    theirs.role = Role.VIEWER

    with pytest.raises(WrongTenant):
        Membership.objects.for_tenant(tenant).bulk_update([ours, theirs], ["role"])
    theirs.refresh_from_db()
    assert theirs.role == Role.ADMIN


def test_bulk_update_with_a_forged_tenant_changes_nothing(
    tenant: Tenant, other_tenant: Tenant, ours: Membership
) -> None:
    theirs = Membership.objects.for_tenant(other_tenant).get()
    theirs.tenant, theirs.role = tenant, Role.VIEWER

    assert Membership.objects.for_tenant(tenant).bulk_update([theirs], ["role"]) == 0


# --- Combining ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "combine",
    [lambda a, b: a | b, lambda a, b: a ^ b, lambda a, b: a.union(b)],
    ids=["or", "xor", "union"],
)
def test_rows_of_two_scopes_cannot_be_put_together(
    combine: Any, tenant: Tenant, other_tenant: Tenant
) -> None:
    rows = Membership.objects.for_tenant(tenant)

    for others in (Membership.objects.for_tenant(other_tenant), Membership.all_tenants.all()):
        with pytest.raises(WrongTenant):
            combine(rows, others)


def test_intersection_with_another_scope_holds_own_rows_only(
    tenant: Tenant, other_tenant: Tenant, ours: Membership
) -> None:
    rows, every = Membership.objects.for_tenant(tenant), Membership.all_tenants.all()

    assert list(rows & every) == list(rows.intersection(every)) == [ours]
    assert list(rows.difference(Membership.objects.for_tenant(other_tenant))) == [ours]
    assert not (rows & Membership.objects.for_tenant(other_tenant)).exists()


# --- The database's own wall ----------------------------------------------------------------------


def test_session_of_another_tenants_membership_is_refused_by_the_database(
    tenant: Tenant, other_tenant: Tenant, person: User
) -> None:
    theirs = make_membership(other_tenant, person)

    with pytest.raises(IntegrityError, match="accounts_session_membership_same_tenant"):
        Session.objects.for_tenant(tenant).create(
            membership=theirs, expires_at=datetime(2030, 1, 1, tzinfo=UTC)
        )


def test_removed_membership_takes_its_sessions_along(tenant: Tenant) -> None:
    user = make_user(tenant)
    session = make_session(user, tenant)

    Membership.objects.for_tenant(tenant).get(user=user).delete()

    assert not Session.all_tenants.filter(id=session.id).exists()
