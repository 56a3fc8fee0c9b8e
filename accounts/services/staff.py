"""Use cases of our staff in the back office: getting in, and looking after people."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth import authenticate
from django.db import models, transaction
from django.utils import timezone

from accounts.activity import record
from accounts.errors import InvalidCredentials, InvalidOtp
from accounts.models import (
    Action,
    ApiToken,
    OutgoingMail,
    ProgramAccess,
    Session,
    Tenant,
    User,
)
from accounts.services.members import remove_member
from accounts.services.signing_in.passwords import replace_password
from accounts.services.signing_in.sessions import revoke_sessions_of
from accounts.services.signing_in.two_factor import prove
from accounts.signing_in.guessing import Secret, guarded
from config.database.acting import over_all_tenants

# What a tenant is told of when one of these ends.
ENDINGS: dict[type[models.Model], Action] = {
    Session: Action.SESSION_ENDED,
    ApiToken: Action.API_TOKEN_REVOKED,
    ProgramAccess: Action.PROGRAM_REVOKED,
}


def log_staff_in(email: str, password: str, code: str, *, address: str) -> User:
    """Checks both factors of our staff, with the counters of POST /auth/login and /auth/2fa/verify.

    Raises InvalidCredentials, also for people who are not staff; InvalidOtp, also without a code
    where one is needed; TooManyRequests.
    """
    with guarded(Secret.PASSWORD, account=email, address=address):
        user = authenticate(username=email, password=password)
        if not isinstance(user, User) or not user.is_staff:
            raise InvalidCredentials
    check_second_factor(user, code, address=address)
    return user


def check_second_factor(user: User, code: str, *, address: str) -> None:
    """Checks the second factor, if the person has one. Raises InvalidOtp, TooManyRequests."""
    if not code.strip() and user.has_second_factor():  # nobody guessed
        raise InvalidOtp("Two-factor is on for this account: enter a code as well.")
    prove(user, code, address=address)


@over_all_tenants()
@transaction.atomic
def set_password(user: User, password: str | None) -> None:
    """Sets the password and ends the person's sessions. None: no password lets them in."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if password is not None:
        replace_password(user, password)
    else:
        user.set_unusable_password()
        user.save(update_fields=["password"])
        revoke_sessions_of(user)


@over_all_tenants()
def lock_tenants_of(user: User) -> None:
    """Locks the person's tenants before a change that may affect memberships: all others lock a
    tenant before its people, and in the other order two would wait for each other."""
    tenants = Tenant.objects.filter(pk__in=user.memberships.values("tenant_id")).order_by("pk")
    list(tenants.select_for_update(no_key=True))


@over_all_tenants()
@transaction.atomic
def delete_person(user: User) -> None:
    """Removes the person from all tenants, then deletes them. Raises CannotRemoveLastAdmin."""
    lock_tenants_of(user)
    for membership in user.memberships.select_related("tenant").order_by("tenant_id"):
        remove_member(membership.tenant, user.pk)
    User.objects.filter(pk=user.pk).delete()


def revoke_api_tokens(tokens: models.QuerySet[ApiToken]) -> int:
    """Revokes the tokens, and returns how many were not revoked yet. The next request that brings
    one is refused."""
    return tokens.filter(revoked_at=None).update(revoked_at=timezone.now())


def revoke_accesses(accesses: models.QuerySet[ProgramAccess]) -> int:
    """Revokes accesses of programs, whose next requests are refused, and returns how many were not
    revoked yet."""
    return accesses.filter(revoked_at=None).update(revoked_at=timezone.now())


def record_endings(rows: Iterable[Any]) -> None:
    """Records the end of those of the `rows` that are still open, in the activity of their tenants.
    To be called before they are ended."""
    for row in rows:
        action = ENDINGS.get(type(row))
        if action is not None and row.revoked_at is None:
            record(row.tenant, action, row.membership if isinstance(row, Session) else row)


def send_mails_now(mails: models.QuerySet[OutgoingMail]) -> int:
    """Makes the mails due; returns how many still wait: beat sends them within half a minute."""
    waiting = mails.filter(sent_at=None, failed_at=None).exclude(encrypted_context=b"")
    return waiting.update(next_attempt_at=timezone.now())
