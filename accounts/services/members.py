"""The people of a tenant: their roles, and their leaving.

A tenant keeps an admin who can log in. Whatever takes one away holds the lock of the tenant's row,
so that the last two cannot remove each other at the same moment.
"""

import uuid
from collections.abc import Iterable

from django.db import models, transaction

from accounts.activity import by_person, record
from accounts.errors import (
    CannotRemoveLastAdmin,
    CannotRemoveSelf,
    InvalidRole,
    MembershipNotFound,
    UserNotFound,
)
from accounts.models import Action, Membership, OutgoingMail, Role, Tenant, TwoFactor, User
from config.errors import Forbidden

INVITATION_MAIL = "invitation"


def list_members(tenant: Tenant) -> models.QuerySet[Membership]:
    """The members and the invited, oldest first, each with its user. One query."""
    members = Membership.objects.for_tenant(tenant).select_related("user")
    return members.order_by("created_at", "id")


def list_factors(members: Iterable[Membership]) -> set[uuid.UUID]:
    """The people among the members who have a second factor. Skips the invited, since it would tell
    whether they have an account. One query."""
    joined = [member.user_id for member in members if member.activated_at is not None]
    enabled = TwoFactor.objects.filter(user__in=joined).exclude(confirmed_at=None)
    return set(enabled.values_list("user_id", flat=True))


@transaction.atomic
def change_role(
    tenant: Tenant, user_id: uuid.UUID | None, role: str, *, by: Membership | None = None
) -> Membership:
    """Changes the member's role, from their next request on.

    Args:
        by: the admin who asks; None: our staff does.
    Raises InvalidRole, Forbidden (`by` has ceased to be an admin), UserNotFound,
    CannotRemoveLastAdmin.
    """
    if role not in Role.values:
        raise InvalidRole
    lock_roles(tenant, by)
    membership = get_member(tenant, user_id)
    if role != Role.ADMIN:
        keep_an_admin(tenant, without=membership)
    Membership.objects.for_tenant(tenant).filter(pk=membership.pk).update(role=role)
    record(tenant, Action.ROLE_CHANGED, membership, before=membership.role, after=role)
    membership.role = role
    return membership


@transaction.atomic
def remove_member(
    tenant: Tenant, user_id: uuid.UUID | None, *, by: Membership | None = None
) -> None:
    """Takes the member's sessions and API tokens here along. An address that nobody came from is
    forgotten a day later (accounts/leaving/expiry.py).

    Args:
        by: the admin who asks; None: our staff does.
    Raises CannotRemoveSelf, Forbidden (`by` has ceased to be an admin), UserNotFound,
    CannotRemoveLastAdmin.
    """
    if by is not None and by.user_id == user_id:
        raise CannotRemoveSelf
    lock_roles(tenant, by)
    membership = lock_member(tenant, user_id)
    keep_an_admin(tenant, without=membership)
    record(tenant, Action.MEMBER_REMOVED, membership, role=membership.role)
    delete_membership(membership)


@transaction.atomic
def leave_tenant(tenant: Tenant, user: User) -> None:
    """Raises MembershipNotFound, CannotRemoveLastAdmin."""
    lock_roles(tenant)
    try:
        membership = lock_member(tenant, user.pk)
    except UserNotFound as error:
        raise MembershipNotFound from error
    keep_an_admin(tenant, without=membership)
    record(tenant, Action.MEMBER_LEFT, membership, by=by_person(user), role=membership.role)
    delete_membership(membership)


def lock_roles(tenant: Tenant, by: Membership | None = None) -> None:
    """Locks the roles of the tenant: until the transaction ends nobody else changes who may do
    what.

    Raises Forbidden when `by` was an admin at the start of the request, and is none now.
    """
    # One lock for all roles of a tenant: two admins who remove each other at once would else leave
    # it without one.
    Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
    admins = Membership.objects.for_tenant(tenant).active_admins()
    if by is not None and not admins.filter(pk=by.pk).exists():
        raise Forbidden


def get_member(tenant: Tenant, user_id: uuid.UUID | None) -> Membership:
    """Raises UserNotFound, for a person of another tenant too."""
    members = Membership.objects.for_tenant(tenant).select_related("user", "tenant")
    membership = members.filter(user_id=user_id).first() if user_id else None
    if membership is None:
        raise UserNotFound
    return membership


def lock_member(tenant: Tenant, user_id: uuid.UUID | None) -> Membership:
    """`get_member`, with the person's row locked before the membership is read again.

    Logins and invitations hold that lock too, so none of them happens behind a removal's back. It
    is the lock that deleting the person takes: getting a stronger one later may be a deadlock.
    """
    found = get_member(tenant, user_id)
    # By the id alone: a join is not looked up again after waiting, and would lock nobody.
    User.objects.select_for_update().filter(pk=found.user_id).first()
    return get_member(tenant, user_id)


def keep_an_admin(tenant: Tenant, *, without: Membership) -> None:
    """Raises CannotRemoveLastAdmin when nobody else is an admin who can log in."""
    admins = Membership.objects.for_tenant(tenant).active_admins().order_by()
    if list(admins.values_list("pk", flat=True)[:2]) == [without.pk]:
        raise CannotRemoveLastAdmin


def delete_membership(membership: Membership) -> None:
    """Deletes the membership, within the lock of the person's row. Takes the same work whether they
    have an account or not: otherwise the time would tell those who invite and remove people."""
    is_invited = membership.activated_at is None
    membership.delete()
    if is_invited:  # their link opens nothing now
        mails = OutgoingMail.objects.for_tenant(membership.tenant)
        mails.filter(recipient=membership.user.email, template=INVITATION_MAIL).delete()
