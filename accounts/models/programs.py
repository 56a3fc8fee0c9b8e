"""Programs that people let into their workspaces: clients of our OAuth authorization server."""

import uuid

from django.db import models
from django.utils import timezone

from accounts.models.people import Membership
from accounts.models.tenancy import TenantModel
from accounts.models.tenants import NAME_MAX_CHARS
from config.export import Exported
from config.security.personal import NOBODYS, Personal

URI_MAX_CHARS = 500


class AuthMethod(models.TextChoices):
    """How a program proves at the token endpoint who it is (RFC 7591, section 2)."""

    NONE = "none"  # on somebody's own machine, where nothing stays secret: PKCE alone
    BASIC = "client_secret_basic"
    POST = "client_secret_post"


class Scope(models.TextChoices):
    """The permissions of a program, never more than those of the person who let it in."""

    ASK = "ask"  # ask, search, list agents
    SOURCES = "sources"  # list sources, read their passages


class Program(models.Model):
    """A program that registered itself (RFC 7591), or that publishes what it is at the address that
    is its client_id: of no tenant, and of no worth by itself.

        registered ── nobody permits it for some days ──> (deleted)
        registered ── somebody permits it ──> used (last_used_at)
        used ── its last ProgramAccess is deleted ──> (deleted, once it is old)

    Whatever it says of itself is its own claim: it may call itself as it likes.
    """

    personal = NOBODYS

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    client_id = models.CharField(max_length=URI_MAX_CHARS, unique=True, editable=False)
    name = models.CharField(max_length=NAME_MAX_CHARS, help_text="as it calls itself")
    redirect_uris = models.JSONField(default=list)
    client_uri = models.CharField(max_length=URI_MAX_CHARS, blank=True, help_text="never fetched")
    auth_method = models.CharField(max_length=20, choices=AuthMethod, default=AuthMethod.NONE)
    secret_hash = models.CharField(max_length=64, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now)
    published_at = models.DateTimeField(
        null=True, blank=True, help_text="when its own description was read; none: it registered"
    )
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="when it last got tokens")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(auth_method__in=AuthMethod.values),
                name="accounts_program_auth_method",
            ),
            models.CheckConstraint(
                condition=models.Q(auth_method=AuthMethod.NONE, secret_hash="")
                | (~models.Q(auth_method=AuthMethod.NONE) & ~models.Q(secret_hash="")),
                name="accounts_program_secret",
            ),
        ]
        indexes = [models.Index(fields=["created_at"], name="accounts_program_age")]

    def __str__(self) -> str:
        return self.name


class ProgramCode(TenantModel):
    """An authorization code: that a person has just permitted a program, which now fetches tokens.

        waiting ── exchanged within a minute ──> used (used_at); a ProgramAccess with its id
        waiting ── expires_at passes, or the person's password changes ──> (deleted)
        used ── comes a second time: it is in two hands ──> its ProgramAccess is revoked

    Bound to the program, the redirect URI, the resource and the PKCE challenge of one request.
    Kept as the SHA-256 of 256 random bits.
    """

    personal = Personal(of="membership__user")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+")
    program = models.ForeignKey(Program, on_delete=models.CASCADE, related_name="codes")
    code_hash = models.CharField(max_length=64, editable=False)
    redirect_uri = models.CharField(max_length=URI_MAX_CHARS)
    scope = models.CharField(max_length=100, help_text="words of Scope")
    resource = models.CharField(max_length=URI_MAX_CHARS)
    code_challenge = models.CharField(max_length=128, editable=False, help_text="of method S256")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["code_hash"], name="accounts_programcode_hash"),
            models.Index(fields=["expires_at"], name="accounts_programcode_expires"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class ProgramAccess(TenantModel):
    """A person's permission for a program in one workspace: the family of tokens that descend from
    it.

        open ── refresh: the next refresh token replaces the last, expires_at moves on ──> open
        open ── revoked by its person, an admin, the program or staff ──> revoked (revoked_at)
        open ── a replaced refresh token or a used code comes again ──> revoked
        open ── its person's password changes, or they permit the program again ──> revoked
        open ── expires_at passes ──> expired

    Each request looks it up, so revoking acts at once. It goes with the membership it stands on.
    """

    exported = Exported(
        "programs",
        ("program__name", "membership__user__email", "scope", "created_at", "expires_at")
        + ("last_used_at", "revoked_at"),
    )

    personal = Personal(
        "programs",
        ("tenant__slug", "program__name", "scope", "created_at", "expires_at", "last_used_at")
        + ("revoked_at",),
        of="membership__user",
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="programs")
    program = models.ForeignKey(Program, on_delete=models.CASCADE, related_name="accesses")
    scope = models.CharField(max_length=100, help_text="words of Scope")
    resource = models.CharField(max_length=URI_MAX_CHARS)
    # The only refresh token that is still good
    refresh_jti = models.UUIDField(default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="to the minute")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["expires_at"], name="accounts_programaccess_expires")]

    def __str__(self) -> str:
        return self.program.name

    @property
    def scopes(self) -> frozenset[Scope]:
        return frozenset(map(Scope, self.scope.split()))
