"""People, their roles in tenants, and their logged-in sessions."""

import uuid
from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.models.tenancy import TenantManager, TenantModel, TenantQuerySet
from accounts.models.tenants import NAME_MAX_CHARS, Language, Tenant
from config.export import Exported
from config.security.current_client import USER_AGENT_MAX_CHARS
from config.security.encryption import keyed_hash
from config.security.personal import Personal


class Role(models.TextChoices):
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"
    API_USER = "api_user"


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """Returns the address in lower case: people do not remember how they wrote theirs."""
        return (email or "").strip().lower()

    @classmethod
    def id_for(cls, email: str) -> uuid.UUID:
        """The id of the next account of a normalized address, the same for everybody who makes it
        and each time: so an id in an answer does not tell whether there is an account."""
        return uuid.UUID(keyed_hash(email, purpose="user_id")[:32], version=4)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=self.normalize_email(username))


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by e-mail address. `is_staff` is our own staff (Django admin)."""

    personal = Personal(
        "account",
        ("id", "email", "language", "created_at", "last_login", "is_active", "is_staff"),
        of="pk",
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(max_length=254, unique=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    language = models.CharField(
        max_length=2, choices=Language, blank=True, help_text="of pages; empty: the browser's"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    class Meta:
        ordering = ["email"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(email=Lower("email")), name="accounts_user_email_lower"
            )
        ]

    def __str__(self) -> str:
        return self.email

    def clean(self) -> None:
        super().clean()
        self.email = User.objects.normalize_email(self.email)

    def has_second_factor(self) -> bool:
        """Return True if a code has confirmed the person's second factor. One query."""
        # Its model stands above this one, so it is found by its way back.
        return User.objects.filter(pk=self.pk, two_factor__confirmed_at__isnull=False).exists()


class MembershipQuerySet(TenantQuerySet["Membership"]):
    def active_admins(self) -> Self:
        """The admins who can look after the tenant now: not the invited and the disabled."""
        return self.filter(role=Role.ADMIN, user__is_active=True).exclude(activated_at=None)


class MembershipManager(TenantManager["Membership"]):
    def for_tenant(self, tenant: Tenant) -> MembershipQuerySet:
        return MembershipQuerySet(self.model, using=self._db).scoped(tenant)


class Membership(TenantModel):
    """A person's role in a tenant.

        invited ── the activation link, or any login to this tenant ──> active (activated_at)
        invited ── invitation_expires_at passes: can be invited again ──> invited
        invited, active ── removed by an admin, or left ──> (deleted, with sessions and tokens)

    The link's token is kept as its SHA-256 only: it has 256 random bits.
    """

    exported = Exported("members", ("user__email", "role", "created_at", "activated_at"))

    class Status(models.TextChoices):
        INVITED = "invited"
        ACTIVE = "active"

    personal = Personal(
        "memberships", ("tenant__slug", "role", "created_at", "activated_at"), of="user"
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True, blank=True, default=timezone.now)
    invitation_hash = models.CharField(max_length=64, blank=True, editable=False)
    invitation_expires_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[MembershipManager] = MembershipManager()

    class Meta(TenantModel.Meta):
        ordering = ["tenant", "created_at"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "user"], name="accounts_membership_unique"),
            models.UniqueConstraint(fields=["tenant", "id"], name="accounts_membership_tenant_id"),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="accounts_membership_role"
            ),
        ]
        indexes = [
            models.Index(
                fields=["invitation_hash"],
                name="accounts_membership_invitation",
                condition=~models.Q(invitation_hash=""),
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role}"

    @property
    def status(self) -> Status:
        return self.Status.INVITED if self.activated_at is None else self.Status.ACTIVE


class Session(TenantModel):
    """A login of one person in one tenant: the family of refresh tokens that descend from it.

        active ── refresh: the next refresh token replaces the last ──> active
        active ── logout, reuse of a replaced refresh token, staff ──> revoked (revoked_at)
        active ── expires_at passes, or SESSION_MAX_LIFETIME after signed_in_at ──> expired

    Access tokens and the dashboard's cookie carry the session's id, and every request looks it up,
    so revocation acts at once. In the dashboard `expires_at` moves on with each visit.
    A membership that is removed takes its sessions with it.
    """

    personal = Personal(
        "sessions",
        ("tenant__slug", "created_at", "last_seen_at", "expires_at", "revoked_at")
        + ("address", "user_agent"),
        of="membership__user",
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="sessions")
    # The only refresh token that is still good
    refresh_jti = models.UUIDField(default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    # Before created_at where its person came from another of their workspaces.
    signed_in_at = models.DateTimeField(
        default=timezone.now, help_text="when its person proved who they are"
    )
    last_refreshed_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    # What its owner recognizes it by; empty where it began before this was kept.
    user_agent = models.CharField(max_length=USER_AGENT_MAX_CHARS, blank=True)
    address = models.CharField(max_length=50, blank=True, help_text="where it began, or last was")
    last_seen_at = models.DateTimeField(null=True, blank=True, help_text="to a few minutes")

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["expires_at"], name="accounts_session_expires")]

    def __str__(self) -> str:
        return str(self.id)

    @classmethod
    def open_now(cls) -> models.Q:
        now = timezone.now()
        oldest = now - settings.SESSION_MAX_LIFETIME
        return models.Q(revoked_at=None, expires_at__gt=now, signed_in_at__gt=oldest)

    @property
    def is_open(self) -> bool:
        """True if the session is open. The same condition as `open_now` asks of the database."""
        now = timezone.now()
        is_too_old = self.signed_in_at <= now - settings.SESSION_MAX_LIFETIME
        return self.revoked_at is None and self.expires_at > now and not is_too_old

    def next_expiry(self) -> datetime:
        """The time at which the session ends if it is not used from now on."""
        unused_until = timezone.now() + settings.REFRESH_TOKEN_LIFETIME
        return min(unused_until, self.signed_in_at + settings.SESSION_MAX_LIFETIME)


class ApiToken(TenantModel):
    """A token for machines: a JWT that acts as `api_user` in one tenant, shown once.

        active ── expires_at passes ──> expired
        active ── revoked ──> revoked (revoked_at)

    It stands on the membership of the person who made it: when they are removed or disabled, the
    tokens that they have seen end with them. Kept as the SHA-256 of the whole JWT.
    """

    exported = Exported(
        "api_tokens",
        ("name", "membership__user__email", "created_at", "expires_at", "last_used_at")
        + ("revoked_at",),
    )

    personal = Personal(
        "api_tokens",
        ("tenant__slug", "name", "created_at", "expires_at", "last_used_at", "revoked_at"),
        of="membership__user",
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=NAME_MAX_CHARS)
    token_hash = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="to the minute")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name
