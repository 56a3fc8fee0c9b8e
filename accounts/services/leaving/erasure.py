"""The end of somebody's account, asked for by themselves or through an operator."""

from __future__ import annotations

import functools

from django.db import models, transaction

from accounts.errors import (
    CannotRemoveLastAdmin,
    IncorrectPassword,
    NoPasswordSet,
    StaffStays,
)
from accounts.leaving.erasing import count_held
from accounts.leaving.receipts import add_counts, open_receipt
from accounts.models import AskedBy, ErasureKind, ErasureReceipt, Tenant, User
from accounts.services.members import keep_an_admin, leave_tenant
from accounts.services.staff import lock_tenants_of
from accounts.signing_in.guessing import Secret, guarded
from accounts.tasks import erase_people
from config.database.acting import over_all_tenants
from config.jobs.enqueueing import enqueue


def erase_own_account(user: User, password: str, *, address: str) -> None:
    """Begins to erase the person's own account: they are signed out everywhere when this returns; a
    worker does the rest.

    Raises NoPasswordSet, IncorrectPassword, TooManyRequests, and what `begin_erasure` does.
    """
    with guarded(Secret.PASSWORD, account=user.email, address=address):
        if not user.has_usable_password():
            raise NoPasswordSet
        if not user.check_password(password):
            raise IncorrectPassword
    begin_erasure(user, AskedBy.THEMSELF)


@over_all_tenants()
@transaction.atomic
def begin_erasure(user: User, asked_by: AskedBy) -> ErasureReceipt:
    """Removes the person from all workspaces, closes the account, and returns the receipt. Keeps
    what an earlier call has begun.

    Raises CannotRemoveLastAdmin, StaffStays.
    """
    # No workspace may lose its last admin meanwhile, so all of them are locked first.
    lock_tenants_of(user)
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_staff or user.is_superuser:
        raise StaffStays
    receipt = open_receipt(ErasureKind.PERSON, user.email, asked_by=asked_by, person_id=user.pk)
    if not receipt.erased:
        add_counts(receipt, count_held(user))
    for membership in user.memberships.select_related("tenant").order_by("tenant_id"):
        leave_tenant(membership.tenant, user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    transaction.on_commit(functools.partial(enqueue, erase_people))
    return receipt


def list_receipts(tenant: Tenant) -> models.QuerySet[ErasureReceipt]:
    """Return the receipts of the erasures in a workspace."""
    return ErasureReceipt.objects.filter(workspace_id=tenant.pk)


@over_all_tenants()
def list_kept_alive_by(user: User) -> list[Tenant]:
    """The workspaces whose only admin is this person, by name: they have to go, or get another
    admin."""
    alone = []
    for membership in user.memberships.select_related("tenant").order_by("tenant__name"):
        try:
            keep_an_admin(membership.tenant, without=membership)
        except CannotRemoveLastAdmin:
            alone.append(membership.tenant)
    return alone
