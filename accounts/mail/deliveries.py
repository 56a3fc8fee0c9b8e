"""Mails on their way: claiming one, handing it to the mail server, and what comes of that.

At least once: a worker that dies between the mail server's "OK" and our commit leaves a mail that
is sent again. The other order would lose it.
"""

import json
import logging
import time
from collections.abc import Collection
from datetime import timedelta

from django.db import models, transaction
from django.utils import timezone

from accounts.mail.messages import check_context
from accounts.mail.sending import (
    MailFailed,
    MailServerDown,
    RecipientRefused,
    send_mail,
)
from accounts.models import OutgoingMail, Tenant
from config.jobs.back_off import BackOff
from config.security.encryption import CannotDecrypt
from config.security.sealing import open_column, seal_column

logger = logging.getLogger(__name__)

ATTEMPTS_MAX = 30  # with the waits below: for a day
BACK_OFF = BackOff(first_seconds=30, longest_seconds=3600)
# How long a claimed mail is nobody else's: longer than the tasks that send may run.
LEASE = timedelta(seconds=240)
SENDING_SECONDS = 25  # of one round over what is due; beat begins the next
GAVE_UP = "Every attempt failed; the last worker died, or was killed."


def write_mail(
    tenant: Tenant, *, recipient: str, template: str, context: dict[str, str], language: str = ""
) -> OutgoingMail:
    """Queues a mail that is due at once, in the tenant's language unless `language` is given.
    Raises KeyError when the context lacks something."""
    check_context(template, context)
    mail = OutgoingMail(
        tenant=tenant,
        recipient=recipient,
        template=template,
        language=language or tenant.language,
    )
    content = json.dumps(context).encode()
    mail.encrypted_context = seal_column(mail, "encrypted_context", content)
    mail.save(force_insert=True)
    return mail


def send_due(mails: models.QuerySet[OutgoingMail]) -> int:
    """Sends those of `mails` that are due, the longest due first, and says how many went out.

    Stops early when the mail server is down: the rest keeps its attempts, and stays due.
    """
    stop_at = time.monotonic() + SENDING_SECONDS
    sent_count = 0
    while time.monotonic() < stop_at:
        mail = claim_mail(mails)
        if mail is None:
            break
        try:
            sent_count += try_to_send(mail)
        except MailServerDown:
            break
    return sent_count


@transaction.atomic
def claim_mail(mails: models.QuerySet[OutgoingMail]) -> OutgoingMail | None:
    """Claims a mail that is due, or returns None. When the lease ends the mail is due again, so
    that a worker's death only delays it."""
    now = timezone.now()
    mail = (
        mails.select_related("tenant")
        .select_for_update(of=("self",), skip_locked=True, no_key=True)
        .filter(next_attempt_at__lte=now)
        .order_by("next_attempt_at")
        .first()
    )
    if mail is None:
        return None
    mail.attempts += 1
    mail.next_attempt_at = now + LEASE
    mail.save(update_fields=["attempts", "next_attempt_at"])
    return mail


def try_to_send(mail: OutgoingMail) -> bool:
    """Tries once to send a claimed mail, outside any transaction. True if it was sent.

    Gives up at once on a mailbox that does not exist, and on content that no key of ours opens.
    Raises MailServerDown, after noting it.
    """
    if mail.attempts > ATTEMPTS_MAX:
        give_up(mail, GAVE_UP)
        return False
    try:
        send_mail(mail.recipient, mail.template, mail.language, read_context(mail))
    except (RecipientRefused, CannotDecrypt) as error:
        give_up(mail, describe_failure(error))
        return False
    except MailServerDown as error:
        note_failure(mail, describe_failure(error))
        raise
    except MailFailed as error:
        note_failure(mail, describe_failure(error))
        return False
    finish_mail(mail, sent_at=timezone.now(), failed_at=None, error_message="")
    return True


def read_context(mail: OutgoingMail) -> dict[str, str]:
    """Decrypts what the mail's template needs. Raises CannotDecrypt."""
    context: dict[str, str] = json.loads(open_column(mail, "encrypted_context"))
    return context


def describe_failure(error: Exception) -> str:
    return str(error) or type(error).__name__


def note_failure(mail: OutgoingMail, reason: str) -> None:
    logger.warning("mail %s not sent, attempt %d: %s", mail.pk, mail.attempts, reason)
    if mail.attempts >= ATTEMPTS_MAX:
        give_up(mail, reason)
        return
    claimed(mail).update(
        next_attempt_at=timezone.now() + BACK_OFF.wait_after(mail.attempts),
        error_message=reason[:500],
    )


def give_up(mail: OutgoingMail, reason: str) -> None:
    logger.error("mail %s given up, attempt %d: %s", mail.pk, mail.attempts, reason)
    finish_mail(mail, failed_at=timezone.now(), error_message=reason[:500])


def finish_mail(mail: OutgoingMail, **outcome: object) -> None:
    """Ends the mail with this outcome and erases its content: nobody needs the link or the code any
    more."""
    claimed(mail).update(next_attempt_at=None, encrypted_context=b"", **outcome)


def withdraw_mails(tenant: Tenant, *, recipient: str, templates: Collection[str]) -> None:
    """Withdraws the mails that still wait for this recipient, who no longer wants them."""
    waiting = OutgoingMail.objects.for_tenant(tenant).filter(next_attempt_at__isnull=False)
    waiting.filter(recipient__iexact=recipient, template__in=templates).update(
        next_attempt_at=None,
        encrypted_context=b"",
        failed_at=timezone.now(),
        error_message="The reader has stopped these mails.",
    )


def claimed(mail: OutgoingMail) -> models.QuerySet[OutgoingMail]:
    """The mail's row, or none once another worker has taken it over, after this worker's lease."""
    return OutgoingMail.objects.for_tenant(mail.tenant).filter(pk=mail.pk, attempts=mail.attempts)
