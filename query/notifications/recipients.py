"""Mails that tell somebody of what happened: how many an hour, and who wants none.

An address for leads is whatever a tenant has typed in. So each is told how to stop them, gets so
many an hour over all tenants and agents, and then one mail about the rest.
docs/decisions/0036-mails-to-strangers.md.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.core.signing import Signer
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import Membership, Role, Tenant
from accounts.services.mails import queue_mail
from accounts.signing_in.guessing import account_key
from config.security.rate_limits import Limit, LimitsUnavailable, take
from query.models import MailRecipient, Notification, NotificationSetting

logger = logging.getLogger(__name__)

HOUR = timedelta(hours=1)
NOTICES_TO_ONE = Limit("notices_to_one", 60, 3600)
# To addresses that do not belong to a member, who never asked for these mails. Leads are rarely
# more.
MAILS_TO_OUTSIDERS = Limit("mails_to_outsiders", 1000, 24 * 3600)
READING_ROLES = (Role.ADMIN, Role.MEMBER)  # of leads and sources, and so of what tells of them
SALT = "query.mail_recipients"
# A task has to end within its time limit. The others are due again the next time.
SUMMARIES_AT_ONCE = 200


def mail_notice(
    tenant: Tenant,
    address: str,
    *,
    template: str,
    context: dict[str, str],
    limit: Limit = NOTICES_TO_ONE,
) -> None:
    """Queues a mail in the caller's transaction, unless its reader has stopped such mails, or has
    had `limit` of them from any tenant: then it is counted for a summary (mail_summaries)."""
    recipient, _ = MailRecipient.objects.for_tenant(tenant).get_or_create(address=address.lower())
    is_outside = not is_member(tenant, recipient.address)
    if is_outside and recipient.stopped_at is not None:
        return
    if not may_mail(recipient, limit, is_outside=is_outside):
        hold(recipient)
        return
    stop_link = make_stop_link(recipient) if is_outside else ""
    queue_mail(
        tenant, recipient=address, template=template, context=context | {"stop_link": stop_link}
    )


def mail_members(
    tenant: Tenant,
    kind: Notification.Kind,
    *,
    template: str,
    context: dict[str, str],
    but: str = "",
    limit: Limit = NOTICES_TO_ONE,
) -> None:
    """Queues a mail to the members who want this kind, in the caller's transaction; not to the
    address `but`, which has it already. `limit`: as in mail_notice."""
    wanting = NotificationSetting.objects.for_tenant(tenant).filter(
        mailed_kinds__contains=[kind],
        membership__role__in=READING_ROLES,
        membership__user__is_active=True,
    )
    for address in wanting.values_list("membership__user__email", flat=True):
        if address != but.lower():
            mail_notice(tenant, address, template=template, context=context, limit=limit)


def is_member(tenant: Tenant, address: str) -> bool:
    """Tells whether the address is an active member's. An invitation that nobody has accepted does
    not count."""
    members = Membership.objects.for_tenant(tenant).exclude(activated_at=None)
    return members.filter(user__email=address, user__is_active=True).exists()


def may_mail(recipient: MailRecipient, limit: Limit, *, is_outside: bool) -> bool:
    """Tells whether the limits allow one more mail. True while Redis, which counts, does not
    answer: rather a mail too many than none."""
    try:
        if take(limit, account_key(recipient.address)):
            return False
        return not (is_outside and take(MAILS_TO_OUTSIDERS, str(recipient.tenant_id)))
    except LimitsUnavailable:
        return True


def hold(recipient: MailRecipient) -> None:
    """Counts a mail that is held back. The first one is told of in the dashboard, all of them in
    one mail."""
    rows = MailRecipient.objects.for_tenant(recipient.tenant).filter(pk=recipient.pk)
    if rows.filter(held_since=None).update(held_since=timezone.now(), held_count=1):
        logger.warning("recipient %s has had its mails of the hour", recipient.pk)
        held = Notification.Kind.MAILS_HELD
        Notification.objects.for_tenant(recipient.tenant).create(kind=held)
    else:
        rows.update(held_count=F("held_count") + 1)


def mail_summaries(now: datetime) -> None:
    """Mails summaries of what was held back for an hour. Safe beside another run."""
    due = MailRecipient.all_tenants.select_related("tenant").filter(held_since__lte=now - HOUR)
    for recipient in due.order_by("held_since")[:SUMMARIES_AT_ONCE]:
        mail_summary(recipient, now)


@transaction.atomic
def mail_summary(recipient: MailRecipient, now: datetime) -> None:
    tenant = recipient.tenant
    rows = MailRecipient.objects.for_tenant(tenant).select_for_update(no_key=True)
    held = rows.filter(pk=recipient.pk, held_since__lte=now - HOUR).first()
    if held is None:
        return
    count, held.held_since, held.held_count = held.held_count, None, 0
    held.save(update_fields=["held_since", "held_count"])
    is_outside = not is_member(tenant, held.address)
    if is_outside and held.stopped_at is not None:
        return
    context = {
        "tenant_name": tenant.name,
        "count": str(count),
        "link": f"{settings.BASE_URL}/dashboard/notifications",
        "stop_link": make_stop_link(held) if is_outside else "",
    }
    queue_mail(tenant, recipient=held.address, template="mails_held", context=context)


def make_stop_link(recipient: MailRecipient) -> str:
    """The link that stops the mails. It is good for as long as the row is there: a mail may be
    opened after years."""
    token = Signer(salt=SALT).sign(f"{recipient.tenant_id.hex}{recipient.pk.hex}")
    return f"{settings.BASE_URL}/stop-mails/{token}"
