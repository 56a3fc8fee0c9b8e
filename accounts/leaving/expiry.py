"""Deletes expired rows in every tenant: it keeps tables small, and old addresses out of them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.sessions.models import Session as BackOfficeSession
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q

from accounts import activity, idempotency
from accounts.models import (
    ActivityEntry,
    ApiToken,
    IdempotentRequest,
    Membership,
    OneTimeCode,
    OutgoingMail,
    PersonExport,
    Program,
    ProgramAccess,
    ProgramCode,
    Session,
    Signup,
    StaffAccess,
    StaffSession,
    User,
    WorkspaceExport,
)

# Each answers the same before and after: an ended one is as good as none.
KEPT_AFTER_END = timedelta(days=1)
# Where and with what a person has signed in: another place is told to them by mail.
SESSIONS_KEPT = timedelta(days=90)
MAILS_KEPT = timedelta(days=30)  # for the question whether one was sent
API_TOKENS_KEPT = timedelta(days=90)  # their owners see what they had, and when it was last used
# A program that nobody let in. One that asks for its sign-in again has to register again.
PROGRAMS_KEPT = timedelta(days=30)
EXPORT_FAILURES_KEPT = timedelta(days=7)
ROWS_AT_ONCE = 1000


def delete_expired(now: datetime) -> int:
    """Deletes expired rows; returns how many. Safe to stop anywhere, and to run beside another."""
    return sum(delete_in_batches(rows) for rows in list_expired(now))


def list_expired(now: datetime) -> Iterator[models.QuerySet[Any]]:
    before = now - SESSIONS_KEPT
    yield Session.all_tenants.filter(Q(expires_at__lt=before) | Q(revoked_at__lt=before))
    yield StaffSession.objects.filter(last_seen_at__lt=before)
    before = now - KEPT_AFTER_END
    yield BackOfficeSession.objects.filter(expire_date__lt=before)
    yield OneTimeCode.objects.filter(expires_at__lt=before)
    yield Signup.objects.filter(expires_at__lt=before)
    yield ProgramCode.all_tenants.filter(expires_at__lt=before)
    yield list_strangers().filter(created_at__lt=before)
    before = now - MAILS_KEPT
    yield OutgoingMail.all_tenants.filter(Q(sent_at__lt=before) | Q(failed_at__lt=before))
    before = now - API_TOKENS_KEPT
    yield ApiToken.all_tenants.filter(Q(expires_at__lt=before) | Q(revoked_at__lt=before))
    yield ProgramAccess.all_tenants.filter(Q(expires_at__lt=before) | Q(revoked_at__lt=before))
    yield list_unused_programs().filter(created_at__lt=now - PROGRAMS_KEPT)
    yield IdempotentRequest.all_tenants.filter(created_at__lt=now - idempotency.KEPT)
    failed_before = now - EXPORT_FAILURES_KEPT
    yield PersonExport.objects.filter(
        Q(expires_at__lt=now) | Q(expires_at=None, finished_at__lt=failed_before)
    )
    before = now - activity.KEPT
    yield ActivityEntry.all_tenants.filter(created_at__lt=before)
    yield StaffAccess.all_tenants.filter(ends_at__lt=before)


def list_expired_exports(now: datetime) -> models.QuerySet[WorkspaceExport]:
    """Returns the exports that have ended. Their archives go with them (`exporting.py`)."""
    failed_before = now - EXPORT_FAILURES_KEPT
    return WorkspaceExport.all_tenants.filter(
        Q(expires_at__lt=now) | Q(expires_at=None, finished_at__lt=failed_before)
    )


def list_strangers() -> models.QuerySet[User]:
    """The people known only because somebody invited the address and took it back; they have never
    signed in."""
    return User.objects.filter(
        ~Exists(Membership.all_tenants.filter(user=OuterRef("pk"))),
        password__startswith=UNUSABLE_PASSWORD_PREFIX,
        last_login=None,
        is_staff=False,
        is_superuser=False,
    )


def list_unused_programs() -> models.QuerySet[Program]:
    """The programs that nobody lets in, or has let in for long."""
    return Program.objects.filter(
        ~Exists(ProgramAccess.all_tenants.filter(program=OuterRef("pk"))),
        ~Exists(ProgramCode.all_tenants.filter(program=OuterRef("pk"))),
    )


def delete_in_batches(rows: models.QuerySet[Any]) -> int:
    total = 0
    while True:
        count = delete_batch(rows)
        total += count
        if count < ROWS_AT_ONCE:
            return total


@transaction.atomic
def delete_batch(rows: models.QuerySet[Any]) -> int:
    """Deletes a batch of rows, and returns how many. They are locked first: a row that a request is
    renewing just now is skipped, or is not due any more."""
    locked = rows.order_by().select_for_update(skip_locked=True)
    keys = list(locked.values_list("pk", flat=True)[:ROWS_AT_ONCE])
    rows.filter(pk__in=keys).delete()
    return len(keys)
