"""Archives of what is held of people who sign in, which they ask for themselves."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from accounts.models.activity import ExportFailure, ExportState
from accounts.models.people import User
from config.security.personal import Personal

UNFINISHED = (ExportState.WAITING, ExportState.WORKING)


class PersonExport(models.Model):
    """An archive of everything held about a person in all tenants. It belongs to the person and not
    to a tenant, and requests have no right to the table except through maintenance.

        waiting ── a worker claims it, and none other is working ──> working
        working ── archive, expires_at ──> ready
        working ── its worker dies, the lease ends ──> working again, by another, from the start
        working ── it cannot be made, or was tried MAX_ATTEMPTS times: reason ──> failed

    The archive is kept here and not in the file storage: it is small, it goes with the account's
    row, and a worker that is killed leaves no file behind.
    """

    personal = Personal("exports_of_mine", ("created_at", "finished_at", "expires_at"), of="user")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="exports")
    state = models.CharField(max_length=10, choices=ExportState, default=ExportState.WAITING)
    created_at = models.DateTimeField(default=timezone.now)
    done_count = models.PositiveIntegerField(default=0)
    total_count = models.PositiveIntegerField(default=0, help_text="rows; 0: not counted")
    reason = models.CharField(max_length=20, blank=True, choices=ExportFailure)
    attempts = models.PositiveSmallIntegerField(default=0)
    worker_id = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    archive = models.BinaryField(default=b"")
    size_bytes = models.PositiveBigIntegerField(default=0)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(state__in=UNFINISHED),
                name="accounts_personexport_one",
            ),
            # One is made at a time, of all people's.
            models.UniqueConstraint(
                fields=["state"],
                condition=models.Q(state=ExportState.WORKING),
                name="accounts_personexport_turn",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=ExportState.values), name="accounts_personexport_state"
            ),
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=models.Q(state__in=UNFINISHED),
                name="accounts_personexport_due",
            )
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.created_at:%Y-%m-%d}"

    @property
    def is_under_way(self) -> bool:
        return self.state in UNFINISHED
