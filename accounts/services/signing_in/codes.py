"""One-time codes by mail, and logging in with one."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.errors import InvalidOtpPurpose, TwoFactorRequired, WrongOtp
from accounts.models import Language, Purpose, User
from accounts.services.signing_in.sessions import Challenge, Login, admit, find_membership
from accounts.services.signing_in.signup import complete_signup, find_pending_signup, mail_signup
from accounts.signing_in.codes import mail_code, mail_nobody, make_code, use_code
from accounts.signing_in.guessing import Secret, count_sent_code, guarded
from config.database.acting import over_all_tenants
from config.database.pool import release_connection


def send_code(email: str, purpose: str, *, address: str) -> None:
    """Mails a code, if there is somebody to mail it to; does and takes as much if there is not.

    Args:
        address: config.security.client_address.
    Raises InvalidOtpPurpose, TooManyRequests, TwoFactorRequired, OtpSendFailed.
    """
    if purpose not in Purpose.values:
        raise InvalidOtpPurpose
    email = User.objects.normalize_email(email)
    count_sent_code(email, purpose, address=address)
    with no_sooner_than(settings.UNIFORM_ANSWER_SECONDS):
        if purpose == Purpose.SIGNUP:
            send_signup_code(email)
        else:
            send_account_code(email, Purpose(purpose))


@contextmanager
def no_sooner_than(seconds: float) -> Iterator[None]:
    """Ends no sooner than this, however the body ends. Not to be used in a transaction."""
    end = time.monotonic() + seconds
    try:
        yield
    finally:
        # The wait is long. A connection that waits with it would be missing elsewhere.
        release_connection()
        time.sleep(max(0.0, end - time.monotonic()))


def send_signup_code(email: str) -> None:
    signup = find_pending_signup(email)
    try:
        code = make_code(email, Purpose.SIGNUP, signup)
    except IntegrityError:  # completed this very moment
        signup, code = None, ""
    if signup is None:
        release_connection()
        mail_nobody()
    else:
        mail_signup(signup, code)


@over_all_tenants()
def send_account_code(email: str, purpose: Purpose) -> None:
    user = User.objects.filter(email=email, is_active=True).first()
    person = user or User(email=email)  # nobody's id: the same queries, which find nothing
    if purpose == Purpose.LOGIN and person.has_second_factor():
        raise TwoFactorRequired
    language = language_of(person)
    code = make_code(email, purpose)
    release_connection()
    if user is None:
        mail_nobody()
    else:
        mail_code(user.email, purpose, code, language=language)


def language_of(person: User) -> str:
    """The language that the person has chosen, or their workspace's. Reads the workspace in any
    case, so that an address without an account takes as much work."""
    membership = find_membership(person, "")
    if person.language:
        return person.language
    return membership.tenant.language if membership else Language.SPANISH


@over_all_tenants()
def verify_code(email: str, code: str, purpose: str, *, address: str) -> Login | Challenge:
    """Logs in by a code of purpose login; makes a workspace by one of purpose signup.

    Raises InvalidOtpPurpose, InvalidOtp, TooManyRequests; for login TwoFactorRequired and
    NoWorkspaceAccess, for signup SlugAlreadyInUse and EmailAlreadyRegistered: the code stays good.
    """
    if purpose not in (Purpose.SIGNUP, Purpose.LOGIN):
        raise InvalidOtpPurpose
    email = User.objects.normalize_email(email)
    redeem = redeem_login if purpose == Purpose.LOGIN else redeem_signup
    with guarded(Secret.CODE, account=email, address=address):
        with transaction.atomic():
            result = redeem(email, code)
        if result is None:  # raised out here: in there it would give the try back
            raise WrongOtp
    return result


def redeem_signup(email: str, code: str) -> Login | Challenge | None:
    proof = use_code(email, Purpose.SIGNUP, code)
    if proof is None or proof.signup_id is None:  # without a signup it was mailed to nobody
        return None
    return complete_signup(proof.signup_id)


def redeem_login(email: str, code: str) -> Login | Challenge | None:
    if use_code(email, Purpose.LOGIN, code) is None:
        return None
    user = lock_active_user(email)
    if user is None:
        return None
    if user.has_second_factor():  # switched on since the code was sent
        raise TwoFactorRequired
    return admit(user)


def lock_active_user(email: str) -> User | None:
    return User.objects.select_for_update(no_key=True).filter(email=email, is_active=True).first()
