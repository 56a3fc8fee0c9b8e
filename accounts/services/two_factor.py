"""Two-factor login: switching it on and off, and the second step of a login."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.activity import record_of_account
from accounts.authentication import Caller
from accounts.errors import (
    ChallengeOver,
    IncorrectPassword,
    InvalidCredentials,
    InvalidToken,
    NoPasswordSet,
    NoWorkspaceAccess,
    TwoFactorIsOff,
    TwoFactorIsOn,
    TwoFactorNotSetUp,
)
from accounts.guessing import Secret, guarded
from accounts.models import Action, Membership, RecoveryCode, Tenant, TwoFactor, User
from accounts.second_factor import (
    make_otpauth_uri,
    make_recovery_codes,
    make_secret,
    open_secret,
    seal_secret,
    take_app_code,
    take_code,
)
from accounts.services.mails import queue_mail
from accounts.services.sessions import Login, find_membership, has_second_factor, start_session
from accounts.tokens import read_challenge
from config.database.acting import over_all_tenants


@dataclass(frozen=True)
class Setup:
    """What an authenticator app needs; the URI is the secret with names, for a QR code."""

    secret: str
    otpauth_uri: str


@transaction.atomic
def set_up(user: User) -> Setup:
    """A secret to be confirmed, in the place of one that was not. Raises TwoFactorIsOn."""
    secret = make_secret()
    sealed = seal_secret(user, secret)
    TwoFactor.objects.get_or_create(user=user, defaults={"encrypted_secret": sealed})
    changed = TwoFactor.objects.filter(user=user, confirmed_at=None).update(
        encrypted_secret=sealed, created_at=timezone.now(), last_used_step=0
    )
    if not changed:
        raise TwoFactorIsOn
    return Setup(secret, make_otpauth_uri(user, secret))


def find_setup(user: User) -> Setup | None:
    """What `set_up` said and no code has confirmed yet. Raises TwoFactorUnreadable."""
    two_factor = TwoFactor.objects.filter(user=user, confirmed_at=None).first()
    if two_factor is None:
        return None
    secret = open_secret(two_factor)
    return Setup(secret, make_otpauth_uri(user, secret))


def count_recovery_codes(user: User) -> int:
    """How many are left."""
    return RecoveryCode.objects.filter(two_factor_id=user.pk, used_at=None).count()


@transaction.atomic
def confirm(caller: Caller, code: str, *, address: str) -> list[str]:
    """Switches it on with a code of the app, mails that, and says the recovery codes.

    Holds the row, so that of many at once one switches it on, and no other secret than the one that
    the code proves. Raises InvalidOtp, TwoFactorNotSetUp, TwoFactorIsOn, TwoFactorUnreadable,
    TooManyRequests.
    """
    two_factor = TwoFactor.objects.select_for_update().filter(user=caller.user).first()
    if two_factor is None:
        raise TwoFactorNotSetUp
    if two_factor.confirmed_at is not None:
        raise TwoFactorIsOn
    with guarded(Secret.SECOND_FACTOR, account=caller.user.email, address=address):
        take_app_code(two_factor, code)
    TwoFactor.objects.filter(pk=two_factor.pk).update(confirmed_at=timezone.now())
    record_of_account(caller.user, Action.TWO_FACTOR_ON)
    mail_change(caller.tenant, caller.user, "two_factor_enabled")
    return make_recovery_codes(two_factor)


def disable(caller: Caller, *, password: str, code: str, address: str) -> None:
    """Raises TwoFactorIsOff, NoPasswordSet, IncorrectPassword, InvalidOtp, TooManyRequests.

    The password is looked at first: whoever does not know it learns nothing about codes.
    """
    if not has_second_factor(caller.user):
        raise TwoFactorIsOff
    check_password(caller.user, password, address=address)
    switch_off(caller, code, address=address)


def check_password(user: User, password: str, *, address: str) -> None:
    """Raises NoPasswordSet, IncorrectPassword, TooManyRequests."""
    if not user.has_usable_password():
        raise NoPasswordSet
    with guarded(Secret.PASSWORD, account=user.email, address=address):
        if not user.check_password(password):
            raise IncorrectPassword


@transaction.atomic
def switch_off(caller: Caller, code: str, *, address: str) -> None:
    """Of many at once one switches it off. Deletes the recovery codes too."""
    two_factor = prove(caller.user, code, address=address)
    if two_factor is None:
        raise TwoFactorIsOff
    two_factor.delete()
    record_of_account(caller.user, Action.TWO_FACTOR_OFF)
    mail_change(caller.tenant, caller.user, "two_factor_disabled")


@over_all_tenants()
@transaction.atomic
def switch_off_for(user: User) -> None:
    """By our staff, for somebody who lost the phone and the recovery codes. They are told."""
    was_on = has_second_factor(user)
    TwoFactor.objects.filter(user=user).delete()
    membership = find_membership(user, "")
    if was_on:
        record_of_account(user, Action.TWO_FACTOR_OFF)
    if was_on and membership is not None:
        mail_change(membership.tenant, user, "two_factor_disabled")


def mail_change(tenant: Tenant, user: User, template: str) -> None:
    queue_mail(
        tenant,
        recipient=user.email,
        template=template,
        context={"tenant_name": tenant.name},
        language=user.language,
    )


@over_all_tenants()
def verify_challenge(challenge: str, code: str, *, address: str) -> Login:
    """The second step of a login.

    Raises InvalidOtp, TooManyRequests; ChallengeOver when it is forged or has expired, or the
    password, the membership or two-factor itself changed since.
    """
    membership = find_challenged(challenge)
    if prove(membership.user, code, address=address) is None:
        raise ChallengeOver
    try:
        return start_session(membership)
    except (InvalidCredentials, NoWorkspaceAccess):
        raise ChallengeOver from None


def find_challenged(challenge: str) -> Membership:
    """With its user and tenant. Raises ChallengeOver."""
    try:
        claims = read_challenge(challenge)
    except InvalidToken:
        raise ChallengeOver from None
    membership = (
        Membership.all_tenants.select_related("tenant", "user")
        .filter(pk=claims.membership_id, user__is_active=True)
        .first()
    )
    if membership is None or not constant_time_compare(
        claims.password_fingerprint, membership.user.get_session_auth_hash()
    ):
        raise ChallengeOver
    return membership


@transaction.atomic
def prove(user: User, code: str, *, address: str) -> TwoFactor | None:
    """Takes a code; None when two-factor is off. Raises InvalidOtp, TooManyRequests.

    The row is locked first: who guesses many at once guesses one after the other, and no more than
    the limit.
    """
    enabled = TwoFactor.objects.select_for_update().filter(user=user).exclude(confirmed_at=None)
    two_factor = enabled.first()
    if two_factor is not None:
        with guarded(Secret.SECOND_FACTOR, account=user.email, address=address):
            take_code(two_factor, code)
    return two_factor
