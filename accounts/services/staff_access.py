"""Our staff reads what customers wrote: of one tenant, for a reason, for an hour. The tenant reads
who did, why, and until when."""

import uuid

from django.db import models, transaction
from django.utils import timezone

from accounts.activity import STAFF, record
from accounts.models import Action, StaffAccess, Tenant, User
from accounts.models.staff import ACCESS_LIFETIME


@transaction.atomic
def open_staff_access(tenant: Tenant, user: User, *, reason: str) -> StaffAccess:
    """Opens the tenant to the person, and ends what they had opened of it before: one hour, one
    reason."""
    for running in list_running(user).filter(tenant=tenant):
        end_staff_access(user, running.pk)
    now = timezone.now()
    access = StaffAccess.objects.for_tenant(tenant).create(
        user=user, reason=reason, began_at=now, ends_at=now + ACCESS_LIFETIME
    )
    record(
        tenant,
        Action.STAFF_ACCESS_OPENED,
        by=STAFF,
        staff=user.email,
        reason=reason,
        until=access.ends_at.isoformat(),
    )
    return access


@transaction.atomic
def end_staff_access(user: User, access_id: uuid.UUID) -> bool:
    """Ends the access, and returns True if it was still running and the person's own."""
    access = list_running(user).filter(pk=access_id).first()
    if access is None:
        return False
    still_running = StaffAccess.objects.for_tenant(access.tenant).filter(
        pk=access.pk, ended_at=None
    )
    if not still_running.update(ended_at=timezone.now()):
        return False
    record(access.tenant, Action.STAFF_ACCESS_ENDED, by=STAFF, staff=user.email)
    return True


def list_running(user: User) -> models.QuerySet[StaffAccess]:
    """The accesses of the person that run now, the first to end first, each with its tenant."""
    running = StaffAccess.all_tenants.filter(user=user, ended_at=None, ends_at__gt=timezone.now())
    return running.select_related("tenant").order_by("ends_at")
