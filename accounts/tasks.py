"""Background tasks of accounts. Safe to run twice: only the worker that has claimed a mail sends
it."""

import logging
import uuid

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from accounts.leaving import erasing, expiry, exporting, person_exports
from accounts.leaving.receipts import PeopleAreLeft, keep_error, let_receipt_go, take_receipt
from accounts.mail.deliveries import LEASE, send_due
from accounts.models import (
    ErasureKind,
    ErasureReceipt,
    ExportState,
    OutgoingMail,
    Tenant,
    WorkspaceExport,
)
from accounts.signing_in.staff_notices import tell_staff_of_sign_ins
from config.database.acting import as_tenant, over_all_tenants
from config.jobs.enqueueing import enqueue

logger = logging.getLogger(__name__)

# The mail server has EMAIL_TIMEOUT for each of about ten answers. Less than the lease.
SENDING_MAX_SECONDS = int(LEASE.total_seconds()) - 60


@shared_task(
    ignore_result=True,
    expires=LEASE.total_seconds(),  # beat has sent it by then
    soft_time_limit=SENDING_MAX_SECONDS,
    time_limit=SENDING_MAX_SECONDS + 30,
)
def deliver_mail(mail_id: str, tenant_id: str) -> None:
    """Tries to send the mail once, right after the commit. Beat makes the other attempts."""
    with as_tenant(uuid.UUID(tenant_id)):
        tenant = Tenant.objects.filter(pk=tenant_id).first()
        if tenant is not None:
            send_due(OutgoingMail.objects.for_tenant(tenant).filter(pk=mail_id))


@shared_task(
    ignore_result=True,
    expires=30,
    soft_time_limit=SENDING_MAX_SECONDS,
    time_limit=SENDING_MAX_SECONDS + 30,
)
def send_due_mails() -> None:
    """Sends mails that are due. Started by beat (CELERY_BEAT_SCHEDULE); the rest is due the next
    time."""
    with over_all_tenants():
        send_due(OutgoingMail.all_tenants.all())
        tell_staff_of_sign_ins()


@shared_task(ignore_result=True, expires=3600, soft_time_limit=1800, time_limit=1830)
def delete_expired() -> None:
    """Deletes expired rows. Started by beat (CELERY_BEAT_SCHEDULE)."""
    with over_all_tenants():
        expiry.delete_expired(timezone.now())
        exporting.delete_exports(expiry.list_expired_exports(timezone.now()))


@shared_task(ignore_result=True, expires=3600, soft_time_limit=3400, time_limit=3430)
def build_export(export_id: str, tenant_id: str) -> None:
    with as_tenant(uuid.UUID(tenant_id)):
        tenant = Tenant.objects.filter(pk=tenant_id).first()
        if tenant is not None:
            exporting.make_export(tenant, uuid.UUID(export_id))


@shared_task(ignore_result=True, expires=3600, soft_time_limit=1700, time_limit=1730)
def build_person_export() -> None:
    """Makes the export of the person who has waited longest, then starts the task again for the
    next."""
    with over_all_tenants():
        was_taken = person_exports.make_next_export()
    if was_taken:
        enqueue(build_person_export)


@shared_task(ignore_result=True, expires=30)
def tend_exports() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE): those whose task was lost, or whose worker died."""
    waiting = WorkspaceExport.all_tenants.filter(
        exporting.LEASE.is_free(timezone.now()),
        state__in=[ExportState.WAITING, ExportState.WORKING],
    )
    with over_all_tenants():
        found = list(waiting.values_list("pk", "tenant_id"))
        is_person_waiting = person_exports.list_due(timezone.now()).exists()
    if is_person_waiting:
        enqueue(build_person_export, expires_seconds=60)
    for export_id, tenant_id in found:
        enqueue(build_export, str(export_id), str(tenant_id), expires_seconds=60)


@shared_task(ignore_result=True, expires=3600, soft_time_limit=3300, time_limit=3330)
@over_all_tenants()
def erase_people() -> None:
    """Erases the people who asked for it. Started when somebody asks, and by beat for those whose
    task was lost or whose worker died.

    Raises PeopleAreLeft once it has been at all of them."""
    receipts = list(ErasureReceipt.objects.filter(kind=ErasureKind.PERSON, finished_at=None))
    left = 0
    for receipt in receipts:
        if not take_receipt(receipt):
            continue  # another worker is at it
        try:
            erasing.erase_person(receipt)
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001 - it is kept, and must not stop the others
            reason = keep_error(receipt, error)
            logger.error("person %s is not erased yet: %s", receipt.subject, reason)
            left += 1
        finally:
            let_receipt_go(receipt)
    if left:
        raise PeopleAreLeft(f"{left} of {len(receipts)} people are not erased yet.")
