"""The end of a workspace: asked for by an admin, with a waiting time in which any admin can cancel.

    (none) ── an admin types slug and password: deletion_asked_at ──> asked ── cancelled ──> (none)
    asked ── DELETION_WAIT is over: deletion_begun_at ──> begun ── every step done ──> (no row)

The deletion itself is query/conversations/erasure.py: erase_tenant.
"""

from __future__ import annotations

from datetime import datetime

from django.db import models, transaction
from django.utils import timezone

from accounts.activity import record
from accounts.errors import DeletionBegun, WrongWorkspaceName
from accounts.models import Action, Membership, Tenant
from accounts.models.tenants import DELETION_WAIT
from accounts.services.mails import mail_admins
from accounts.services.members import lock_roles
from accounts.services.signing_in.two_factor import check_password
from config.database.acting import over_all_tenants

DELETION_MAIL = "workspace_deletion"


def ask_deletion(tenant: Tenant, *, slug: str, by: Membership, password: str, address: str) -> None:
    """Asks for the workspace's deletion, and tells all admins by mail. A second request changes
    nothing.

    Args:
        by: with its `user`, who has just given their password again.
        address: config.security.client_address.
    Raises WrongWorkspaceName, NoPasswordSet, IncorrectPassword, TooManyRequests, Forbidden (`by`
    has ceased to be an admin).
    """
    if slug.strip().lower() != tenant.slug:
        raise WrongWorkspaceName
    check_password(by.user, password, address=address)
    with transaction.atomic():
        lock_roles(tenant, by)
        now = timezone.now()
        if not row_of(tenant).filter(deletion_asked_at=None).update(deletion_asked_at=now):
            return
        tenant.deletion_asked_at = now
        record(tenant, Action.DELETION_ASKED)
        deleted_on = f"{tenant.deleted_from:%Y-%m-%d %H:%M} UTC"
        mail_admins(tenant, DELETION_MAIL, {"asked_by": by.user.email, "deleted_on": deleted_on})


@transaction.atomic
def cancel_deletion(tenant: Tenant) -> None:
    """Cancels the deletion, if one was asked for. Raises DeletionBegun."""
    asked = row_of(tenant).exclude(deletion_asked_at=None)
    if asked.filter(deletion_begun_at=None).update(deletion_asked_at=None):
        tenant.deletion_asked_at = None
        record(tenant, Action.DELETION_CANCELLED)
    elif asked.exists():
        raise DeletionBegun


@over_all_tenants()
def begin_due_deletions(now: datetime) -> models.QuerySet[Tenant]:
    """Begins the deletions that are due, which nobody can cancel from now on, and returns all that
    have begun, including those that a killed worker left."""
    Tenant.objects.filter(
        deletion_asked_at__lte=now - DELETION_WAIT, deletion_begun_at=None
    ).update(deletion_begun_at=now)
    return Tenant.objects.exclude(deletion_begun_at=None).order_by("deletion_begun_at")


def row_of(tenant: Tenant) -> models.QuerySet[Tenant]:
    return Tenant.objects.filter(pk=tenant.pk)
