"""Requests that a client may send again: what was answered to the first."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models.tenancy import TenantModel
from config.security.personal import Personal


class IdempotentRequest(TenantModel):
    """A request that its client named with an Idempotency-Key (accounts/idempotency.py).

        claimed ── answered ──> answered (status, answer): every repeat gets this answer again
           │ └── failed ──> (deleted: a repeat is a new request)
           └── its process died: the lease ends ──> claimed by a repeat, which looks at resource_id

    The key is kept as its SHA-256 and the request as an HMAC: its body may hold a password.
    """

    personal = Personal(named_in=("answer",))

    id = models.BigAutoField(primary_key=True)
    endpoint = models.CharField(max_length=100, help_text="method and route")
    key_hash = models.CharField(max_length=64, editable=False)
    fingerprint = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now)
    holder_id = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    # Written in the transaction that makes it, so that a worker that takes over knows whether it
    # was done.
    resource_id = models.UUIDField(null=True, blank=True, help_text="what it has made so far")
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    # Not jsonb, which would put the fields in another order.
    answer = models.TextField(blank=True, editable=False, help_text="JSON, as it was sent")

    class Meta(TenantModel.Meta):
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "endpoint", "key_hash"], name="accounts_idempotentrequest_key"
            ),
            models.CheckConstraint(
                condition=Q(status=None) | ~Q(answer=""), name="accounts_idempotentrequest_answer"
            ),
        ]
        indexes = [models.Index(fields=["created_at"], name="accounts_idempotentrequest_age")]

    def __str__(self) -> str:
        return f"{self.endpoint} {self.created_at:%Y-%m-%d %H:%M}"
