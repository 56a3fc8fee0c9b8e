"""The model of a source, with the state of its sync."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F, Sum
from django.db.models.functions import Coalesce, Greatest

from accounts.models import Tenant
from accounts.models.tenancy import TenantManager, TenantModel, TenantQuerySet
from config.database.reasons import ReasonField, ReasonsField
from config.export import Exported
from config.security.personal import COMPANYS_OWN
from sources.models.connections import Connection

NAME_MAX_CHARS = 200
# Chunks of a source: fewer are scanned as quickly, and most of their terms would take a row each.
POSTED_AT_LEAST = 512
# The database's own defaults of JSON columns
NOTHING = models.Value({}, models.JSONField())
EMPTY = models.Value([], models.JSONField())

# Kinds of sources (sources/connectors/registry.py) that are counted as documents, not connectors.
FILE, AUDIO = UPLOADED_TYPES = ("file", "audio")
PROVIDER_UPLOAD = "upload"


class SyncStatus(models.TextChoices):
    PENDING = "pending"
    SYNCING = "syncing"
    SYNCED = "synced"
    ERROR = "error"
    REAUTH_REQUIRED = "reauth_required"


FAILING = (SyncStatus.ERROR, SyncStatus.REAUTH_REQUIRED)


class Lane(models.TextChoices):
    """The lane in which a run waits for a worker (sources/syncing/lanes.py)."""

    UPLOADS = "uploads"  # somebody waits for its end
    BACKGROUND = "background"


class SourceQuerySet(TenantQuerySet["Source"]):
    def uploads(self) -> SourceQuerySet:
        """The sources that count against the plan's documents."""
        return self.filter(source_type__in=UPLOADED_TYPES)

    def connectors(self) -> SourceQuerySet:
        """The sources that count against the plan's connectors: all but those that failed and never
        indexed anything."""
        return self.exclude(source_type__in=UPLOADED_TYPES).exclude(
            sync_status=SyncStatus.ERROR, last_synced_at=None
        )

    def sum_passages(self) -> int:
        """The number of passages that count against the plan (sources/syncing/plan_passages.py)."""
        held = Greatest("chunks_count", "reserved_count")
        summed: int = self.aggregate(held=Coalesce(Sum(held), 0))["held"]
        return summed

    def failing(self) -> SourceQuerySet:
        """The sources that go on only when somebody does something."""
        return self.filter(sync_status__in=FAILING)

    def without_sync_state(self) -> SourceQuerySet:
        """Leaves out, for lists, the columns that a sync keeps for the next one: they may be
        megabytes. A row whose column is read all the same costs a query."""
        return self.defer("sync_cursor", "known_failures")

    def held_by(self, run_id: uuid.UUID) -> SourceQuerySet:
        """The source whose sync lock this run holds: the run id is a fencing token."""
        return self.filter(sync_run_id=run_id)


class SourceManager(TenantManager["Source"]):
    def for_tenant(self, tenant: Tenant) -> SourceQuerySet:
        """The tenant's sources without deleted ones."""
        return self.with_deleted(tenant).filter(deleted_at=None)

    def with_deleted(self, tenant: Tenant) -> SourceQuerySet:
        """The tenant's sources with deleted ones, for the download of originals, which outlive
        their source."""
        return SourceQuerySet(self.model, using=self._db).scoped(tenant)


class Source(TenantModel):
    """The origin of content: an uploaded file, a web site, a connector.

    (upload) ──────────────> syncing ── the next generation answers ────────────> synced
    (other) ──> pending ──────^  │                                                   │
                                 └── failed: error_message, the old chunks stay ──> error
                                   account has expired: the old chunks stay ──> reauth_required
    syncing again from any state; `sync_run_id` names the run that holds the lock, and only that
    run may write (sources/syncing/runs.py). A deleted source keeps its row and its original
    file, and nothing else.

    `generation` is the version that answers: of documents and of what is searched, readers see the
    rows with `first_generation <= row.generation <= generation < row.removed_in` (`live()`). A run
    writes under the next one, batch by batch, and ends by adding one to this number.
    """

    exported = Exported(
        "sources",
        ("id", "name", "source_type", "source_url", "position", "created_at", "last_synced_at")
        + ("sync_status", "error_message", "original_name", "content_type", "size_bytes"),
        original=("original_file", "original_name"),
    )

    personal = COMPANYS_OWN

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=NAME_MAX_CHARS)
    source_type = models.CharField(max_length=20)
    source_url = models.TextField(blank=True)
    connection = models.ForeignKey(
        Connection, on_delete=models.RESTRICT, null=True, blank=True, related_name="+"
    )
    selection = models.JSONField(
        default=dict,
        db_default=NOTHING,
        blank=True,
        help_text="what is read of the account, as its connector says",
    )
    position = models.IntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    # What makes two sources of a type the same, as its connector says; "": nothing does.
    normalized_url = models.TextField(blank=True, editable=False)

    sync_status = models.CharField(max_length=20, choices=SyncStatus, default=SyncStatus.PENDING)
    sync_run_id = models.UUIDField(null=True, blank=True, editable=False)
    # Of the lock: renewed with every batch that was written, so that it is stale (and may be
    # overwritten) half an hour after the run came no further, not half an hour after its start.
    sync_started_at = models.DateTimeField(null=True, blank=True, editable=False)
    # Where a run waits for a worker, and from when on one may have it.
    sync_lane = models.CharField(
        max_length=12, choices=Lane, default=Lane.BACKGROUND, editable=False
    )
    sync_due_at = models.DateTimeField(null=True, blank=True, editable=False)
    # The worker that has the run: null while it waits in its lane. Past the lease, it has died.
    sync_worker_id = models.UUIDField(null=True, blank=True, editable=False)
    sync_lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    # Since the run last came further; and how many batches it has written in all.
    sync_attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    sync_batches = models.IntegerField(default=0, db_default=0, editable=False)
    sync_progress = models.JSONField(default=dict, blank=True, editable=False)
    # For the next sync: where the origin's feed of changes stood, and which documents it need not
    # fetch again, for they cannot be read.
    sync_cursor = models.JSONField(default=dict, db_default=NOTHING, blank=True, editable=False)
    known_failures = models.JSONField(default=dict, db_default=NOTHING, blank=True, editable=False)
    warnings = ReasonsField(
        default=list,
        db_default=EMPTY,
        blank=True,
        editable=False,
        help_text="what its last complete sync left out, beside what its documents tell",
    )
    # The next sync may remove most of what is known: somebody has changed what is read, or the
    # last sync would have lost it and changed nothing.
    may_lose = models.BooleanField(default=False, db_default=False, editable=False)
    last_synced_at = models.DateTimeField(null=True, blank=True)
    error = ReasonField(help_text="why its last run failed")
    error_message = models.TextField(blank=True, help_text="`error` in English")
    error_code = models.CharField(
        max_length=40, blank=True, editable=False, help_text="of the ServiceError that ended a run"
    )
    chunks_count = models.PositiveIntegerField(default=0)
    # Of the plan's passages, by a run that works on it or has left what it staged.
    reserved_count = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    generation = models.IntegerField(default=0, db_default=0, editable=False)
    # What is older answers no more: where a sync replaced everything, nothing need be marked.
    first_generation = models.IntegerField(default=0, db_default=0, editable=False)
    # Up to this one, what was removed is deleted and SourceTerm is summed up.
    cleared_generation = models.IntegerField(default=0, db_default=0, editable=False)
    # Chunks up to this one are in TermPostings: how many of those that are there, and how many that
    # are gone since (sources/indexing/postings.py).
    posted_through = models.BigIntegerField(default=0, db_default=0, editable=False)
    posted_count = models.IntegerField(default=0, db_default=0, editable=False)
    ghosts_count = models.IntegerField(default=0, db_default=0, editable=False)
    # The space in which they are in VectorSigns too; 0: in none yet.
    signs_space = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)

    # The stored original of an upload. The name is the client's and never a path.
    original_file = models.FileField(max_length=200, blank=True, upload_to="unused")
    original_name = models.CharField(max_length=255, blank=True)
    content_type = models.CharField(max_length=120, blank=True)
    size_bytes = models.PositiveBigIntegerField(default=0)

    objects: ClassVar[SourceManager] = SourceManager()

    class Meta(TenantModel.Meta):
        ordering = ["position", "created_at"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="sources_source_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "source_type", "normalized_url"],
                condition=models.Q(deleted_at=None) & ~models.Q(normalized_url=""),
                name="sources_source_identity",
            ),
            models.CheckConstraint(
                condition=models.Q(sync_status__in=SyncStatus.values), name="sources_source_status"
            ),
        ]

        indexes = [
            # What the reaper looks for, over all tenants: the few that are syncing.
            models.Index(
                fields=["sync_lease_until"],
                condition=models.Q(sync_run_id__isnull=False),
                name="sources_source_lease",
            ),
            # What beat deletes the rest of, likewise.
            models.Index(
                fields=["id"],
                condition=models.Q(cleared_generation__lt=F("generation")),
                name="sources_source_leftovers",
            ),
            # What beat posts the chunks of, likewise.
            models.Index(
                fields=["id"],
                condition=models.Q(chunks_count__gte=F("posted_count") + POSTED_AT_LEAST),
                name="sources_source_unposted",
            ),
            # What waits and what runs in a lane: likewise few.
            models.Index(
                fields=["sync_lane", "tenant", "sync_due_at"],
                condition=models.Q(sync_run_id__isnull=False),
                name="sources_source_lane",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def provider(self) -> str:
        """The name by which the history tells where documents come from."""
        return PROVIDER_UPLOAD if self.source_type in UPLOADED_TYPES else self.source_type
