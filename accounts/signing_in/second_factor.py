"""The second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes.

Taking a code is one conditional UPDATE on the code's own row: of many requests with the same one,
one gets it.
"""

import secrets
import time

import pyotp
from django.utils import timezone
from pyotp.exceptions import OTPVerificationError

from accounts.errors import InvalidOtp, TwoFactorUnreadable, WrongOtp
from accounts.models import RecoveryCode, TwoFactor, User
from config.security.encryption import CannotDecrypt, keyed_hashes
from config.security.sealing import open_column, seal_column

ISSUER = "Knowledge Agents"
# RFC 6238, section 5.2: a code of the step before or after is taken, as clocks differ.
WINDOW_STEPS = 1

RECOVERY_CODES = 10
# Crockford's base 32, without i, l, o, u: 10 of them are 50 random bits.
RECOVERY_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
RECOVERY_CODE_CHARS = 10
MISREAD = str.maketrans("ilo", "110")

WRONG_CODE = (
    "The code is wrong or has already been used. Enter the code that the app shows now, or"
    " an unused recovery code."
)


def make_secret() -> str:
    """Returns 160 random bits in base 32, as RFC 4226 recommends."""
    return pyotp.random_base32()


def seal_secret(user: User, secret: str) -> bytes:
    return seal_column(TwoFactor(user=user), "encrypted_secret", secret.encode())


def make_otpauth_uri(user: User, secret: str) -> str:
    """The content of the QR code (github.com/google/google-authenticator/wiki/Key-Uri-Format)."""
    return pyotp.TOTP(secret).provisioning_uri(name=user.email, issuer_name=ISSUER)


def take_code(two_factor: TwoFactor, code: str) -> None:
    """Uses up a code of the app, or a recovery code; spaces, dashes and case do not matter.

    Raises WrongOtp, or InvalidOtp for one that was used.
    """
    if len(normalize(code)) < RECOVERY_CODE_CHARS:
        take_app_code(two_factor, code)
    else:
        take_recovery_code(two_factor, code)


def normalize(code: str) -> str:
    """Removes the spaces, dashes and capitals with which people type a code."""
    return "".join(code.split()).replace("-", "").lower()


def take_app_code(two_factor: TwoFactor, code: str) -> None:
    """Takes the app's code, and marks it and those of earlier steps as used.

    Raises WrongOtp; InvalidOtp for codes that are used, which do not count as guesses.

    A row that was set up again meanwhile has another secret, so it is not changed.
    """
    step = find_step(two_factor, normalize(code))
    changed = TwoFactor.objects.filter(
        pk=two_factor.pk,
        encrypted_secret=two_factor.encrypted_secret,
        last_used_step__lt=step,
    ).update(last_used_step=step)
    if not changed:
        raise InvalidOtp(WRONG_CODE)


def find_step(two_factor: TwoFactor, code: str) -> int:
    """Returns the 30-second step that the code is of; compares in constant time.

    Raises WrongOtp, TwoFactorUnreadable.
    """
    secret = open_secret(two_factor)
    try:
        return pyotp.TOTP(secret).verify_and_get_timecode(
            code, for_time=time.time(), valid_window=WINDOW_STEPS
        )
    except OTPVerificationError:
        raise WrongOtp(WRONG_CODE) from None


def open_secret(two_factor: TwoFactor) -> str:
    """Raises TwoFactorUnreadable."""
    try:
        return open_column(two_factor, "encrypted_secret").decode()
    except CannotDecrypt as error:
        raise TwoFactorUnreadable from error


def take_recovery_code(two_factor: TwoFactor, code: str) -> None:
    """Uses up a recovery code. Raises WrongOtp; InvalidOtp for one that was used, which is not a
    guess."""
    rows = RecoveryCode.objects.filter(
        two_factor_id=two_factor.pk, code_hash__in=recovery_code_hashes(two_factor, code)
    )
    if not rows.filter(used_at=None).update(used_at=timezone.now()):
        raise InvalidOtp(WRONG_CODE) if rows.exists() else WrongOtp(WRONG_CODE)


def make_recovery_codes(two_factor: TwoFactor) -> list[str]:
    """Writes ten new codes and returns them: they cannot be read again."""
    codes = [make_recovery_code() for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(
        RecoveryCode(two_factor=two_factor, code_hash=recovery_code_hashes(two_factor, code)[0])
        for code in codes
    )
    return codes


def make_recovery_code() -> str:
    chars = "".join(secrets.choice(RECOVERY_ALPHABET) for _ in range(RECOVERY_CODE_CHARS))
    return f"{chars[:5]}-{chars[5:]}"


def recovery_code_hashes(two_factor: TwoFactor, code: str) -> list[str]:
    """Hashes of the typed code, letters that look like a digit read as that digit. The first is the
    one that is stored."""
    text = normalize(code).translate(MISREAD)
    return keyed_hashes(text, purpose=f"accounts.RecoveryCode:{two_factor.pk}")
