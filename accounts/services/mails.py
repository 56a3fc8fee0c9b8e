"""Mails that must arrive, although the mail server is away now."""

import functools

from django.conf import settings
from django.db import transaction

from accounts.mail.deliveries import write_mail
from accounts.models import Membership, OutgoingMail, Tenant
from accounts.tasks import deliver_mail
from config.jobs.enqueueing import enqueue


def queue_mail(
    tenant: Tenant, *, recipient: str, template: str, context: dict[str, str], language: str = ""
) -> OutgoingMail:
    """Writes the mail in the caller's transaction; a worker sends it after the commit.

    Args:
        language: that the recipient has chosen; "": the tenant's.
    Raises KeyError when the context lacks what the template shows.
    """
    mail = write_mail(
        tenant,
        recipient=recipient,
        template=template,
        context=context,
        language=language,
    )
    transaction.on_commit(functools.partial(enqueue_mail, str(mail.pk), str(tenant.pk)))
    return mail


def mail_admins(tenant: Tenant, template: str, context: dict[str, str]) -> None:
    """Mails each admin, with the page that exports and ends the workspace as the mail's `link`."""
    known = {
        "tenant_name": tenant.name,
        "link": f"{settings.BASE_URL}/dashboard/workspace/leaving",
    }
    admins = Membership.objects.for_tenant(tenant).active_admins().select_related("user")
    for admin in admins.order_by("created_at"):
        queue_mail(tenant, recipient=admin.user.email, template=template, context=known | context)


def enqueue_mail(mail_id: str, tenant_id: str) -> None:
    """Starts sending the mail. Never fails: without a broker, beat finds the mail within half a
    minute of the broker's return."""
    enqueue(deliver_mail, mail_id, tenant_id)
