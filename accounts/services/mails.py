"""Mails that must arrive, although the mail server is away now."""

import functools
import logging
from typing import Any

from django.db import transaction
from kombu.exceptions import OperationalError as BrokerError

from accounts.deliveries import write_mail
from accounts.models import OutgoingMail, Tenant
from accounts.tasks import deliver_mail

logger = logging.getLogger(__name__)

# A request waits no longer for a broker that is away.
BROKER_OPTIONS = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5, "max_retries": 0}


def queue_mail(
    tenant: Tenant, *, recipient: str, template: str, context: dict[str, str]
) -> OutgoingMail:
    """Writes it in the caller's transaction, in the tenant's language; a worker sends it after the
    commit. Raises KeyError when the context lacks what the template shows.
    """
    mail = write_mail(tenant, recipient=recipient, template=template, context=context)
    transaction.on_commit(functools.partial(enqueue_mail, str(mail.pk), str(tenant.pk)))
    return mail


def enqueue_mail(mail_id: str, tenant_id: str) -> None:
    """Without a broker, beat finds the mail within half a minute of its return: so this never
    fails what the mail tells of. `delay_on_commit` would, and on a connection that may hang.
    """
    try:
        with deliver_mail.app.connection_for_write(transport_options=BROKER_OPTIONS) as connection:
            options: dict[str, Any] = {"connection": connection, "retry": False}
            deliver_mail.apply_async((mail_id, tenant_id), **options)
    except BrokerError as error:
        logger.warning("mail %s waits for beat: %s", mail_id, error)
