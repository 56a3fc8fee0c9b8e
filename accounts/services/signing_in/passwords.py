"""Setting another password: by a code, or by the present one."""

from django.db import transaction

from accounts.activity import record_of_account
from accounts.errors import IncorrectPassword, NoPasswordSet, WrongOtp
from accounts.models import Action, Purpose, User
from accounts.services.mails import queue_mail
from accounts.services.signing_in.codes import lock_active_user
from accounts.services.signing_in.sessions import find_membership, revoke_sessions_of
from accounts.services.tenants import check_password_strength
from accounts.signing_in.codes import use_code
from accounts.signing_in.guessing import Secret, forget_failures, guarded
from config.database.acting import over_all_tenants


@over_all_tenants()
def reset_password(email: str, code: str, new_password: str, *, address: str) -> None:
    """Replaces the password by a code of purpose reset. All sessions of the person end; two-factor
    stays on.

    A person who locked themselves out by wrong passwords can log in again.

    Args:
        address: config.security.client_address.
    Raises WeakPassword, before the code is looked at; InvalidOtp, TooManyRequests.
    """
    email = User.objects.normalize_email(email)
    check_password_strength(new_password, User(email=email))
    with guarded(Secret.CODE, account=email, address=address):
        with transaction.atomic():
            is_done = redeem_reset(email, code, new_password)
        if not is_done:  # raised out here: in there it would give the try back
            raise WrongOtp
    forget_failures(Secret.PASSWORD, account=email, address=address)


def redeem_reset(email: str, code: str, new_password: str) -> bool:
    if use_code(email, Purpose.RESET, code) is None:
        return False
    user = lock_active_user(email)
    if user is None:
        return False
    replace_password(user, new_password)
    return True


def change_password(user: User, current: str, new: str, *, address: str) -> None:
    """Changes the password, and ends all sessions of the person, the caller's too.

    Of several at once with the same present password, one succeeds.
    Raises NoPasswordSet, IncorrectPassword, WeakPassword, TooManyRequests.
    """
    with guarded(Secret.PASSWORD, account=user.email, address=address), transaction.atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if not user.has_usable_password():
            raise NoPasswordSet
        if not user.check_password(current):
            raise IncorrectPassword
        check_password_strength(new, user)
        replace_password(user, new)


@over_all_tenants()
def replace_password(user: User, password: str) -> None:
    """Replaces the password of a person whose row is locked, ends their sessions, and tells them by
    mail."""
    user.set_password(password)
    user.save(update_fields=["password"])
    revoke_sessions_of(user)
    record_of_account(user, Action.PASSWORD_CHANGED)
    membership = find_membership(user, "")
    if membership is not None:
        queue_mail(
            membership.tenant,
            recipient=user.email,
            template="password_changed",
            context={"tenant_name": membership.tenant.name},
            language=user.language,
        )
