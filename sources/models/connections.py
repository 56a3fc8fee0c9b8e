"""Accounts at other services, and how they are."""

from __future__ import annotations

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models.tenancy import TenantModel
from config.database.reasons import ReasonField
from config.security.personal import COMPANYS_OWN
from config.security.sealing import SealedField


class ConnectionState(models.TextChoices):
    CONNECTED = "connected"
    REAUTH_REQUIRED = "reauth_required"
    REVOKED = "revoked"


class Connection(TenantModel):
    """An account at somebody else's service, and what opens it. Sources and channels point to it.

        (none) ── the service accepts the credentials ──> connected
        connected ── it refuses them, or no key of ours opens them: reason ──> reauth_required
        connected, reauth_required ── its owner took the right away: reason ──> revoked
        any ── it accepts new ones ──> connected

    Two rows may be of one account: each is a right that was given, with credentials of its own.
    The credentials are read with sources.connections.open_credentials alone.
    """

    personal = COMPANYS_OWN

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    provider = models.CharField(
        max_length=20, help_text="a kind of connectors/ or channels/surfaces/"
    )
    account = models.CharField(
        max_length=200, blank=True, help_text="whose it is, to be shown: never a secret"
    )
    encrypted_credentials = SealedField(  # a JSON object
        bound_to=("tenant_id", "provider", "id"), key_column="key_id"
    )
    key_id = models.CharField(max_length=16, help_text="of the key that encrypts the credentials")
    account_id = models.CharField(
        max_length=200,
        blank=True,
        db_default="",
        help_text="what the service itself calls the account, for good",
    )
    scopes = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="null: they do not expire")
    state = models.CharField(
        max_length=20, choices=ConnectionState, default=ConnectionState.CONNECTED
    )
    error = ReasonField(help_text="why it is not connected, and what to do")
    reason = models.CharField(max_length=500, blank=True, help_text="`error` in English")
    # The worker that renews the credentials: one at a time, for a refresh token may be good once.
    refresh_worker_id = models.UUIDField(null=True, blank=True, editable=False)
    refresh_lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        ordering = ["provider", "account"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="sources_connection_tenant_id"),
            models.CheckConstraint(
                condition=models.Q(state__in=ConnectionState.values),
                name="sources_connection_state",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider}: {self.account}"
