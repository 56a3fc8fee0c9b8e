"""Codes and second factors: they prove, beside a password, that somebody is who they say.

They belong to a person, or to an e-mail address that may become one; not to a tenant.
"""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.models.tenants import NAME_MAX_CHARS, SLUG_MAX_CHARS, Language
from config.security.personal import NOBODYS, Personal
from config.security.sealing import SealedField


class Purpose(models.TextChoices):
    """The only thing that a one-time code may be used for."""

    SIGNUP = "signup"
    RESET = "reset"
    LOGIN = "login"


class Signup(models.Model):
    """A workspace that somebody asked for, and has not yet proved their address for.

        pending ── the right code ──> (deleted; a Tenant and its first admin are made of it)
        pending ── expires_at passes ──> (deleted; the slug is free again)

    Nothing of it can log in. The ids are those that the tenant and the person will have; `user_id`
    is the same for all pending signups of an address, so that it does not tell whether the address
    has an account. A code belongs to one signup; with several passwords among the signups of an
    address, none becomes the person's.
    """

    personal = Personal(
        "signups", ("tenant_name", "slug", "created_at", "expires_at"), address="email"
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)  # of the tenant
    user_id = models.UUIDField(default=uuid.uuid4, editable=False)
    email = models.EmailField(max_length=254, db_index=True)
    password = models.CharField(max_length=128, editable=False, help_text="hashed")
    tenant_name = models.CharField(max_length=NAME_MAX_CHARS)
    slug = models.CharField(max_length=SLUG_MAX_CHARS, unique=True)
    language = models.CharField(max_length=2, choices=Language, default=Language.SPANISH)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.slug


class OneTimeCode(models.Model):
    """The latest code for an address and a purpose. A new one takes its row over.

        usable ── the right code ──> used (used_at)
        usable ── five wrong ones (tries_left 0), or expires_at passes ──> spent

    An address without an account has rows too, whose code nobody was sent: answers must not differ,
    nor the time that they take. `code_hash` is an HMAC with a key of the service: six digits are
    too few for a bare hash.
    """

    personal = Personal(
        "one_time_codes", ("purpose", "created_at", "expires_at", "used_at"), address="email"
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(max_length=254)
    purpose = models.CharField(max_length=10, choices=Purpose)
    signup = models.ForeignKey(Signup, on_delete=models.CASCADE, null=True, related_name="codes")
    code_hash = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    tries_left = models.PositiveSmallIntegerField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["email", "purpose", "signup"],
                name="accounts_onetimecode_unique",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(signup=None) | Q(purpose=Purpose.SIGNUP),
                name="accounts_onetimecode_signup",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.email}"


NOTHING_WRONG = models.Value([], models.JSONField())


class TwoFactor(models.Model):
    """A person's authenticator app (TOTP, RFC 6238).

        (none) ── setup ──> unconfirmed ── confirm with a code ──> on (confirmed_at)
        unconfirmed ── setup again: another secret ──> unconfirmed
        on ── disable with password and code ──> (deleted, with the recovery codes)

    `last_used_step` is the 30-second step of the last code that was taken: each is good once.
    """

    personal = Personal("two_factor", ("created_at", "confirmed_at"), of="user")

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="two_factor",
    )
    encrypted_secret = SealedField()
    created_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    last_used_step = models.BigIntegerField(default=0, editable=False)
    # Those of the last day (accounts/signing_in/wrong_codes.py), and when their owner was last
    # told of them.
    wrong_codes = models.JSONField(
        default=list, db_default=NOTHING_WRONG, blank=True, editable=False
    )
    guessing_told_at = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return "on" if self.confirmed_at else "not confirmed"


class RecoveryCode(models.Model):
    """A code for the day that the phone is lost. Each works once; kept as its HMAC."""

    personal = Personal("recovery_codes", ("used_at",), of="two_factor__user")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    two_factor = models.ForeignKey(
        TwoFactor, on_delete=models.CASCADE, related_name="recovery_codes"
    )
    code_hash = models.CharField(max_length=64, editable=False)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["two_factor", "code_hash"], name="accounts_recoverycode_unique"
            )
        ]

    def __str__(self) -> str:
        return "used" if self.used_at else "unused"


class CodeAlarm(models.Model):
    """Our staff's notice: so many one-time codes were wrong, over all accounts, that somebody must
    be trying them out. One an hour at most.
    """

    personal = NOBODYS  # networks of guessers; nobody knows whose

    hour = models.DateTimeField(primary_key=True, help_text="in which it began (UTC)")
    last_at = models.DateTimeField()
    wrong_codes = models.PositiveIntegerField(
        default=0, help_text="beyond those that are usual (CODE_ALARM)"
    )
    networks = ArrayField(
        models.CharField(max_length=50), default=list, help_text="from where: the first twenty"
    )

    class Meta:
        ordering = ["-hour"]

    def __str__(self) -> str:
        return f"{self.hour:%Y-%m-%d %H:%M}"
