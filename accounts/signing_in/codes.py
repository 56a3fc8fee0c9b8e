"""One-time codes: six digits, mailed to an address, that prove it for one purpose."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from accounts.errors import InvalidOtp, OtpSendFailed
from accounts.mail.sending import MailFailed, check_mail_server, send_mail
from accounts.models import OneTimeCode, Purpose, Signup
from config.security.encryption import is_keyed_hash, keyed_hash

logger = logging.getLogger(__name__)

CODE_DIGITS = 6
HASH_PURPOSE = "one_time_code"


def make_code(email: str, purpose: Purpose, signup: Signup | None = None) -> str:
    """Returns a fresh code in the place of the last one. One query, whether there was one or not.

    Raises IntegrityError, in a transaction at its end, when the signup is gone.
    """
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    now = timezone.now()
    row = OneTimeCode(
        email=email,
        purpose=purpose,
        signup=signup,
        created_at=now,
        expires_at=now + settings.ONE_TIME_CODE_LIFETIME,
        tries_left=settings.ONE_TIME_CODE_TRIES,
    )
    row.code_hash = keyed_hash(bind_code(row, code), purpose=HASH_PURPOSE)
    OneTimeCode.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["email", "purpose", "signup"],
        update_fields=["code_hash", "created_at", "expires_at", "tries_left", "used_at"],
    )
    return code


def use_code(email: str, purpose: Purpose, code: str) -> OneTimeCode | None:
    """Uses up the code and returns it. If it is wrong, counts a try against every code that it
    might have been, and returns None.

    To be called in the transaction of what the code is for, so that both happen or neither. A None
    must be committed as well. A second request with the same code waits here for that transaction.

    Raises InvalidOtp for the right code that was used already, which does not count as a guess.
    """
    # Many guesses at once come one after the other, so that each takes a try.
    rows = OneTimeCode.objects.select_for_update().filter(
        email=email, purpose=purpose, tries_left__gt=0, expires_at__gt=timezone.now()
    )
    known = list(rows.order_by("id"))  # one order for all who lock them
    right = [
        row
        for row in known
        if is_keyed_hash(row.code_hash, bind_code(row, code), purpose=HASH_PURPOSE)
    ]
    if not right:
        guessed_at = [row.pk for row in known if row.used_at is None]
        OneTimeCode.objects.filter(pk__in=guessed_at).update(tries_left=F("tries_left") - 1)
        return None
    if right[0].used_at is not None:
        raise InvalidOtp
    OneTimeCode.objects.filter(pk=right[0].pk).update(used_at=timezone.now())
    return right[0]


def bind_code(row: OneTimeCode, code: str) -> str:
    """The text to hash: it binds the digits to a purpose, a sign-up and an address."""
    return f"{row.purpose}:{row.signup_id or ''}:{row.email}:{code}"


def mail_code(recipient: str, purpose: Purpose, code: str, *, language: str, **more: str) -> None:
    """Mails the code.

    Args:
        more: what the template of the purpose says besides.
    Raises OtpSendFailed.
    """
    minutes = str(int(settings.ONE_TIME_CODE_LIFETIME.total_seconds() // 60))
    context = {"code": code, "minutes": minutes} | more
    with mail_failures_told():
        send_mail(recipient, f"{purpose}_code", language, context)


def mail_nobody() -> None:
    """Does what mail_code does, except for the mail: for an address that must not get one."""
    with mail_failures_told():
        check_mail_server()


@contextmanager
def mail_failures_told() -> Iterator[None]:
    try:
        yield
    except MailFailed as error:
        logger.warning("A one-time code could not be mailed: %s", error)
        # The server's own words may quote the address, and the log shows what an error comes from.
        raise OtpSendFailed from None
