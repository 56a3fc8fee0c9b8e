"""What our staff does in the back office: getting in, and looking after people."""

from django.contrib.auth import authenticate
from django.db import models, transaction
from django.utils import timezone

from accounts.errors import InvalidCredentials, InvalidOtp
from accounts.guessing import Secret, guarded
from accounts.models import ApiToken, OutgoingMail, ProgramAccess, Tenant, User
from accounts.services.members import remove_member
from accounts.services.passwords import replace_password
from accounts.services.sessions import has_second_factor, revoke_sessions_of
from accounts.services.two_factor import prove
from config.database.acting import over_all_tenants


def log_staff_in(email: str, password: str, code: str, *, address: str) -> User:
    """With the counters of POST /auth/login and /auth/2fa/verify.

    Raises InvalidCredentials, also for people who are no staff; InvalidOtp, also without a code
    where one is needed; TooManyRequests.
    """
    with guarded(Secret.PASSWORD, account=email, address=address):
        user = authenticate(username=email, password=password)
        if not isinstance(user, User) or not user.is_staff:
            raise InvalidCredentials
    check_second_factor(user, code, address=address)
    return user


def check_second_factor(user: User, code: str, *, address: str) -> None:
    """Nothing to check when two-factor is off. Raises InvalidOtp, TooManyRequests."""
    if not code.strip() and has_second_factor(user):  # nobody guessed
        raise InvalidOtp("Two-factor is on for this account: give a code as well.")
    prove(user, code, address=address)


@over_all_tenants()
@transaction.atomic
def set_password(user: User, password: str | None) -> None:
    """Ends the person's sessions. None: no password lets in."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if password is not None:
        replace_password(user, password)
    else:
        user.set_unusable_password()
        user.save(update_fields=["password"])
        revoke_sessions_of(user)


@over_all_tenants()
def lock_tenants_of(user: User) -> None:
    """Before a change to the person that may change memberships too: everybody else locks a tenant
    before its people, and the other way round two would wait for each other.
    """
    tenants = Tenant.objects.filter(pk__in=user.memberships.values("tenant_id")).order_by("pk")
    list(tenants.select_for_update(no_key=True))


@over_all_tenants()
@transaction.atomic
def delete_person(user: User) -> None:
    """Out of all tenants, then for good. Raises CannotRemoveLastAdmin."""
    lock_tenants_of(user)
    for membership in user.memberships.select_related("tenant").order_by("tenant_id"):
        remove_member(membership.tenant, user.pk)
    User.objects.filter(pk=user.pk).delete()


def revoke_api_tokens(tokens: models.QuerySet[ApiToken]) -> int:
    """Says how many were not revoked yet. The next request that brings one is refused."""
    return tokens.filter(revoked_at=None).update(revoked_at=timezone.now())


def revoke_accesses(accesses: models.QuerySet[ProgramAccess]) -> int:
    """Of programs; says how many were not revoked yet. Their next requests are refused."""
    return accesses.filter(revoked_at=None).update(revoked_at=timezone.now())


def send_mails_now(mails: models.QuerySet[OutgoingMail]) -> int:
    """Says how many still wait: beat sends them within half a minute."""
    waiting = mails.filter(sent_at=None, failed_at=None).exclude(encrypted_context=b"")
    return waiting.update(next_attempt_at=timezone.now())
