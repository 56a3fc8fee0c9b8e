"""Stopping the mails to an address, for the person who gets them: a link in each leads here."""

from __future__ import annotations

import uuid

from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.utils import timezone

from accounts.mail.deliveries import withdraw_mails
from accounts.models import Tenant
from config.database.acting import turn_to_tenant
from config.errors import NotFound
from query.models import MailRecipient, Notification
from query.notifications.recipients import SALT, is_member

STOPPABLE = ("lead", "mails_held")


def is_stopped(tenant: Tenant, address: str) -> bool:
    """Tells whether the reader has stopped the mails to this address. False for a member's address,
    whatever was stopped."""
    stopped = MailRecipient.objects.for_tenant(tenant).exclude(stopped_at=None)
    return stopped.filter(address=address.lower()).exists() and not is_member(tenant, address)


def find_recipient(token: str) -> MailRecipient:
    """The recipient with its tenant, for whom the request acts from then on. Raises NotFound."""
    try:
        ids = Signer(salt=SALT).unsign(token)
    except BadSignature:
        raise NotFound from None
    tenant_id = uuid.UUID(ids[:32])
    turn_to_tenant(tenant_id)
    tenant = Tenant.objects.filter(pk=tenant_id).first()
    if tenant is None:
        raise NotFound
    rows = MailRecipient.objects.for_tenant(tenant).select_related("tenant")
    recipient = rows.filter(pk=uuid.UUID(ids[32:])).first()
    if recipient is None:
        raise NotFound
    return recipient


@transaction.atomic
def stop_mails(recipient: MailRecipient) -> None:
    """Stops the mails to this recipient. A second call changes nothing."""
    tenant = recipient.tenant
    rows = MailRecipient.objects.for_tenant(tenant).filter(pk=recipient.pk, stopped_at=None)
    if rows.update(stopped_at=timezone.now(), held_since=None, held_count=0):
        withdraw_mails(tenant, recipient=recipient.address, templates=STOPPABLE)
        stopped = Notification.Kind.MAILS_STOPPED
        Notification.objects.for_tenant(tenant).create(kind=stopped)


def resume_mails(recipient: MailRecipient) -> None:
    MailRecipient.objects.for_tenant(recipient.tenant).filter(pk=recipient.pk).update(
        stopped_at=None
    )
