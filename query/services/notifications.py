"""A member's notifications: which there are, which they have read, which are mailed to them.

The tenant's people share the notifications, and each has read their own: a row for each one that
was read alone, and one moment up to which all are.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import Membership, Tenant
from accounts.models.tenancy import TenantQuerySet
from config.errors import InvalidValue, NotFound
from query.models import Notification, NotificationRead, NotificationSetting

COUNTED_MAX = 100  # of the unread: more are "99+"


def list_notifications(tenant: Tenant) -> TenantQuerySet[Notification]:
    """The tenant's notifications, newest first, each with its lead, source and agent."""
    rows = Notification.objects.for_tenant(tenant).select_related("lead", "source", "agent")
    return rows.order_by("-created_at", "-id")


def get_notification(tenant: Tenant, notification_id: uuid.UUID) -> Notification:
    """Raises NotFound."""
    found = list_notifications(tenant).filter(pk=notification_id).first()
    if found is None:
        raise NotFound("This notification no longer exists.")
    return found


def count_unread(tenant: Tenant, membership: Membership) -> int:
    """The number of unread notifications, at most COUNTED_MAX. Two queries."""
    return unread_by(tenant, membership)[:COUNTED_MAX].count()


def unread_ids(
    tenant: Tenant, membership: Membership, shown: Sequence[Notification]
) -> set[uuid.UUID]:
    """The ids of the `shown` notifications that are unread. Two queries."""
    mine = unread_by(tenant, membership).filter(pk__in=[one.pk for one in shown])
    return set(mine.values_list("pk", flat=True))


def unread_by(tenant: Tenant, membership: Membership) -> TenantQuerySet[Notification]:
    """The member's unread notifications, unordered: a count of the newest hundred need not sort.
    One query, for the moment up to which they have read everything."""
    reads = NotificationRead.objects.for_tenant(tenant).filter(
        membership=membership, notification=OuterRef("pk")
    )
    rows = Notification.objects.for_tenant(tenant).order_by()
    return rows.filter(~Exists(reads), created_at__gt=read_until(tenant, membership))


def read_until(tenant: Tenant, membership: Membership) -> datetime:
    """The moment up to which the member has read everything; at first when they joined, for what
    was there before is not news to them."""
    setting = NotificationSetting.objects.for_tenant(tenant).filter(membership=membership)
    moment = setting.values_list("read_until", flat=True).first()
    return moment or membership.created_at


@transaction.atomic
def mark_read(tenant: Tenant, membership: Membership, notification: Notification) -> None:
    NotificationRead.objects.for_tenant(tenant).bulk_create(
        [NotificationRead(tenant=tenant, membership=membership, notification=notification)],
        ignore_conflicts=True,
    )
    rows = Notification.objects.for_tenant(tenant).filter(pk=notification.pk, read_at=None)
    rows.update(read_at=timezone.now())


def mark_subject_read(tenant: Tenant, membership: Membership, **subject: object) -> None:
    """Marks the unread notifications about a `lead`, `source` or `agent` as read: the member has
    opened it by another way. One query where there are none."""
    for notification in unread_by(tenant, membership).filter(**subject):
        mark_read(tenant, membership, notification)


@transaction.atomic
def mark_all_read(tenant: Tenant, membership: Membership) -> None:
    """Marks all present notifications as read; one that comes while this runs stays unread."""
    now = timezone.now()
    NotificationSetting.objects.for_tenant(tenant).update_or_create(
        membership=membership, defaults={"read_until": now}
    )
    NotificationRead.objects.for_tenant(tenant).filter(
        membership=membership, notification__created_at__lte=now
    ).delete()
    rows = Notification.objects.for_tenant(tenant).filter(read_at=None, created_at__lte=now)
    rows.update(read_at=now)


# --- By mail --------------------------------------------------------------------------------------


def get_mailed_kinds(tenant: Tenant, membership: Membership) -> list[str]:
    settings = NotificationSetting.objects.for_tenant(tenant)
    found = settings.filter(membership=membership).values_list("mailed_kinds", flat=True).first()
    return found or []


def set_mailed_kinds(tenant: Tenant, membership: Membership, kinds: Collection[str]) -> None:
    """Raises InvalidValue."""
    if unknown := set(kinds) - set(Notification.Kind.values):
        raise InvalidValue(f"There is no notification of the kind {min(unknown)!r}.")
    NotificationSetting.objects.for_tenant(tenant).update_or_create(
        membership=membership, defaults={"mailed_kinds": sorted(kinds)}
    )
