"""Receipts of erasures: of whose data, when and how much, without any of the data."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from config.security.personal import NOBODYS


class ErasureKind(models.TextChoices):
    PERSON = "person"  # who signs in
    VISITOR = "visitor"  # who asked an agent, found by an e-mail address or phone number
    SESSION = "session"
    TENANT = "tenant"


class AskedBy(models.TextChoices):
    THEMSELF = "themself"
    ADMIN = "admin"
    OPERATOR = "operator"


NOTHING_SAID = models.Value({}, models.JSONField())


class ErasureReceipt(models.Model):
    """That something was erased, and what remains of it for how long. Of no tenant: it outlives
    the one that it tells of, whose id is `workspace_id`.

        open ── a worker takes it: worker_id, lease_until ──> open, and no other worker's
        open ── all is gone, a search over the tables finds nothing ──> closed (finished_at)
        open ── the process dies, or something is left (last_error) ──> open: run again, it goes on

    The database keeps it (a trigger): what is closed is not changed, and none is deleted.
    """

    personal = NOBODYS

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=10, choices=ErasureKind)
    subject = models.CharField(max_length=40, help_text="a keyed hash: an entry's pseudonym")
    workspace_id = models.UUIDField(null=True, blank=True, help_text="of the Tenant, also a former")
    person_id = models.UUIDField(null=True, blank=True, help_text="of the User, likewise")
    asked_by = models.CharField(max_length=10, choices=AskedBy)
    begun_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    erased = models.JSONField(default=dict, help_text="how many rows of each kind")
    # Of the search that closed it; what is left of their own keeps it open.
    searched_columns = models.PositiveSmallIntegerField(default=0)
    said_by_others = models.JSONField(
        default=dict,
        db_default=NOTHING_SAID,
        help_text="how many rows of each column others wrote the person's address into",
    )
    last_error = models.CharField(
        max_length=500, blank=True, db_default="", help_text="what kept it open the last time"
    )
    worker_id = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    backups_until = models.DateField(null=True, blank=True)
    logs_until = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["-begun_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject", "workspace_id"],
                condition=models.Q(finished_at=None),
                name="accounts_erasurereceipt_open",
                nulls_distinct=False,
            )
        ]
        indexes = [
            models.Index(fields=["workspace_id", "-begun_at"], name="accounts_erasurereceipt_of")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
