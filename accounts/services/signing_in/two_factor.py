"""Two-factor login: switching it on and off, and the second step of a login."""

import logging
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.activity import record, record_of_account
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
    WrongOtp,
)
from accounts.models import Action, Membership, RecoveryCode, Tenant, TwoFactor, User
from accounts.services.mails import queue_mail
from accounts.services.members import lock_roles
from accounts.services.signing_in.sessions import Login, find_membership, has_been_at, start_session
from accounts.signing_in.authentication import Caller
from accounts.signing_in.guessing import Secret, guarded, refuse_for
from accounts.signing_in.second_factor import (
    make_otpauth_uri,
    make_recovery_codes,
    make_secret,
    open_secret,
    seal_secret,
    take_app_code,
    take_code,
)
from accounts.signing_in.tokens import read_challenge
from accounts.signing_in.wrong_codes import (
    list_wrong_codes,
    note_right_code,
    note_wrong_code,
    seconds_to_wait,
)
from config.database.acting import over_all_tenants

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Setup:
    """The secret for an authenticator app; the URI is the secret with names, for a QR code."""

    secret: str
    otpauth_uri: str


@transaction.atomic
def set_up(user: User) -> Setup:
    """Makes a secret that is still to be confirmed, in the place of an unconfirmed one. Raises
    TwoFactorIsOn."""
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
    """Returns the setup that no code has confirmed yet. Raises TwoFactorUnreadable."""
    two_factor = TwoFactor.objects.filter(user=user, confirmed_at=None).first()
    if two_factor is None:
        return None
    secret = open_secret(two_factor)
    return Setup(secret, make_otpauth_uri(user, secret))


def count_recovery_codes(user: User) -> int:
    """The number of recovery codes that are left."""
    return RecoveryCode.objects.filter(two_factor_id=user.pk, used_at=None).count()


@transaction.atomic
def confirm(user: User, code: str, *, tenant: Tenant | None, address: str) -> list[str]:
    """Switches two-factor on with a code of the app, mails that, and returns the recovery codes.

    Args:
        tenant: that the person is in, whose mails are in its language; None: nobody is mailed.

    Holds the row, so that of many at once one switches it on, and no other secret than the one that
    the code proves. Raises InvalidOtp, TwoFactorNotSetUp, TwoFactorIsOn, TwoFactorUnreadable,
    TooManyRequests.
    """
    two_factor = TwoFactor.objects.select_for_update().filter(user=user).first()
    if two_factor is None:
        raise TwoFactorNotSetUp
    if two_factor.confirmed_at is not None:
        raise TwoFactorIsOn
    with guarded(Secret.SECOND_FACTOR, account=user.email, address=address):
        take_app_code(two_factor, code)
    TwoFactor.objects.filter(pk=two_factor.pk).update(confirmed_at=timezone.now())
    record_of_account(user, Action.TWO_FACTOR_ON)
    if tenant is not None:
        mail_change(tenant, user, "two_factor_enabled")
    return make_recovery_codes(two_factor)


def disable(caller: Caller, *, password: str, code: str, address: str) -> None:
    """Switches two-factor off. Raises TwoFactorIsOff, NoPasswordSet, IncorrectPassword, InvalidOtp,
    TooManyRequests.

    The password is checked first: somebody who does not know it learns nothing about codes.
    """
    if not caller.user.has_second_factor():
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


def switch_off(caller: Caller, code: str, *, address: str) -> None:
    """Switches two-factor off with a code, and deletes the recovery codes. Of many calls at once,
    one succeeds."""
    with transaction.atomic():
        two_factor = lock_second_factor(caller.user)
        if two_factor is None:
            raise TwoFactorIsOff
        refusal = try_code(two_factor, code, address=address)
        if refusal is None:
            two_factor.delete()
            record_of_account(caller.user, Action.TWO_FACTOR_OFF)
            mail_change(caller.tenant, caller.user, "two_factor_disabled")
    if refusal is not None:
        raise refusal


@over_all_tenants()
@transaction.atomic
def switch_off_for(user: User) -> None:
    """Switches two-factor off for somebody who lost the phone and the recovery codes, on behalf of
    our staff. They are told."""
    was_on = user.has_second_factor()
    TwoFactor.objects.filter(user=user).delete()
    membership = find_membership(user, "")
    if was_on:
        record_of_account(user, Action.TWO_FACTOR_OFF)
    if was_on and membership is not None:
        mail_change(membership.tenant, user, "two_factor_disabled")


@transaction.atomic
def require_two_factor(tenant: Tenant, *, is_required: bool, by: Membership) -> None:
    """Requires a second factor in the tenant, or stops requiring it, from people's next request on.
    API tokens go on as they are.

    Raises Forbidden when `by` has ceased to be an admin, TwoFactorIsOff when they have none
    themselves.
    """
    lock_roles(tenant, by)
    if is_required and not by.user.has_second_factor():
        raise TwoFactorIsOff
    changed = Tenant.objects.filter(pk=tenant.pk, requires_two_factor=not is_required)
    if changed.update(requires_two_factor=is_required):
        record(tenant, Action.TWO_FACTOR_REQUIRED if is_required else Action.TWO_FACTOR_OPTIONAL)


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
    """Returns the membership that a challenge is for, with its user and tenant. Raises
    ChallengeOver."""
    try:
        claims = read_challenge(challenge)
    except InvalidToken:
        raise ChallengeOver from None
    membership = (
        Membership.all_tenants.select_related("tenant", "user")
        .filter(pk=claims.membership_id, user__is_active=True)
        .first()
    )
    if membership is None or not is_password_of(membership.user, claims.password_fingerprint):
        raise ChallengeOver
    return membership


def is_password_of(user: User, fingerprint: str) -> bool:
    """True if the fingerprint is of the person's present password."""
    known = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(fingerprint, one) for one in known)


def prove(user: User, code: str, *, address: str) -> TwoFactor | None:
    """Takes a code; None when two-factor is off. Raises InvalidOtp, TooManyRequests."""
    with transaction.atomic():
        two_factor = lock_second_factor(user)
        refusal = try_code(two_factor, code, address=address) if two_factor else None
    if refusal is not None:  # raised out here: in there it would take the count back
        raise refusal
    return two_factor


def lock_second_factor(user: User) -> TwoFactor | None:
    """Locks the second factor until the transaction ends, so that many guesses at once come one
    after the other. None when it is off."""
    enabled = TwoFactor.objects.select_for_update(of=("self",)).select_related("user")
    return enabled.filter(user=user).exclude(confirmed_at=None).first()


def try_code(two_factor: TwoFactor, code: str, *, address: str) -> WrongOtp | None:
    """Takes the code of a row that is locked, or returns what to raise after the commit, which
    counts it. Raises TooManyRequests, and InvalidOtp for a code that was used."""
    user, now = two_factor.user, timezone.now()
    is_known = has_been_at(user, address)
    wrong = list_wrong_codes(two_factor, now)
    refuse_for(seconds_to_wait(wrong, now, is_at_known_place=is_known))
    try:
        with guarded(Secret.SECOND_FACTOR, account=user.email, address=address):
            take_code(two_factor, code)
    except WrongOtp as error:
        if note_wrong_code(two_factor, is_at_known_place=is_known):
            mail_guessing(user, address)
        return error
    note_right_code(two_factor, is_at_known_place=is_known)
    return None


@over_all_tenants()
def mail_guessing(user: User, address: str) -> None:
    """Warns the person by mail. Only somebody who knows the password can guess here."""
    logger.warning("the second factor of user %s is being guessed", user.pk)
    membership = find_membership(user, "")
    if membership is not None:
        queue_mail(
            membership.tenant,
            recipient=user.email,
            template="second_factor_guessed",
            context={"tenant_name": membership.tenant.name, "address": address},
            language=user.language,
        )
