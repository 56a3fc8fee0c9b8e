"""Source → Document → Chunk, and what is searched: narrow rows of vectors and of term weights,
apart from the text.

The composite foreign keys (tenant_id, …) that keep a row from pointing into another tenant are made
in the migrations. docs/architecture.md tells why the tables are cut this way.
"""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from pgvector.django import HalfVectorField, SparseVectorField

from accounts.models import ScheduleFrequency, Tenant
from accounts.tenancy import TenantManager, TenantModel, TenantQuerySet
from sources.language import TERM_DIMENSIONS

NAME_MAX_CHARS = 200
LOCATION_MAX_CHARS = 2000  # a URL is the longest


class SourceType(models.TextChoices):
    FILE = "file"
    CLOUD_DRIVE_A = "cloud_drive_a"
    CLOUD_DRIVE_B = "cloud_drive_b"
    NOTES_APP = "notes_app"
    WEB = "web"
    MESSENGER_B = "messenger_b"
    ERP_A = "erp_a"
    ERP_B = "erp_b"
    API = "api"
    AUDIO = "audio"


UPLOADED_TYPES = (SourceType.FILE, SourceType.AUDIO)


class SyncStatus(models.TextChoices):
    PENDING = "pending"
    SYNCING = "syncing"
    SYNCED = "synced"
    ERROR = "error"
    REAUTH_REQUIRED = "reauth_required"


class SourceQuerySet(TenantQuerySet["Source"]):
    def uploads(self) -> SourceQuerySet:
        """What counts against the plan's documents."""
        return self.filter(source_type__in=UPLOADED_TYPES)

    def connectors(self) -> SourceQuerySet:
        """What counts against the plan's connectors: not what failed and never indexed anything."""
        return self.exclude(source_type__in=UPLOADED_TYPES).exclude(
            sync_status=SyncStatus.ERROR, last_synced_at=None
        )

    def held_by(self, run_id: uuid.UUID) -> SourceQuerySet:
        """The source whose sync lock this run holds: the run id is a fencing token."""
        return self.filter(sync_run_id=run_id)


class SourceManager(TenantManager["Source"]):
    def for_tenant(self, tenant: Tenant) -> SourceQuerySet:
        """Without deleted ones."""
        return self.with_deleted(tenant).filter(deleted_at=None)

    def with_deleted(self, tenant: Tenant) -> SourceQuerySet:
        """For the download of originals, which outlive their source."""
        return SourceQuerySet(self.model, using=self._db).scoped(tenant)


class Source(TenantModel):
    """Where content comes from: an uploaded file, a web site, a connector.

    (upload) ──────────────> syncing ── all chunks replaced in one transaction ──> synced
    (other) ──> pending ──────^  │                                                   │
                                 └── failed: error_message, the old chunks stay ──> error
                                   account has expired: the old chunks stay ──> reauth_required
    syncing again from any state; `sync_run_id` names the run that holds the lock, and only that
    run may commit (sources/runs.py). A deleted source keeps its row and its original file, and
    nothing else.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=NAME_MAX_CHARS)
    source_type = models.CharField(max_length=20, choices=SourceType)
    source_url = models.TextField(blank=True)
    position = models.IntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    # What makes two web sources the same (connectors/web/urls.py); "" for other types.
    normalized_url = models.TextField(blank=True, editable=False)

    sync_status = models.CharField(max_length=20, choices=SyncStatus, default=SyncStatus.PENDING)
    sync_run_id = models.UUIDField(null=True, blank=True, editable=False)
    sync_started_at = models.DateTimeField(null=True, blank=True, editable=False)
    # Whoever has it now: null while the run waits in its queue. Past the lease, it has died.
    sync_worker_id = models.UUIDField(null=True, blank=True, editable=False)
    sync_lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    sync_attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    sync_progress = models.JSONField(default=dict, blank=True, editable=False)
    last_synced_at = models.DateTimeField(null=True, blank=True)
    error_message = models.TextField(blank=True)
    chunks_count = models.PositiveIntegerField(default=0)

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
                fields=["tenant", "normalized_url"],
                condition=models.Q(deleted_at=None) & ~models.Q(normalized_url=""),
                name="sources_source_normalized_url",
            ),
            models.CheckConstraint(
                condition=models.Q(source_type__in=SourceType.values), name="sources_source_type"
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
        ]

    def __str__(self) -> str:
        return self.name


class Document(TenantModel):
    """One file, web page, drive file, note or record of a source."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="documents")
    title = models.CharField(max_length=500)
    external_id = models.TextField(help_text="its name at its origin: file name, URL, record id")
    content_type = models.CharField(max_length=120)
    content_hash = models.CharField(
        max_length=64, help_text="SHA-256 of its bytes; of a web page, of its text"
    )
    etag = models.TextField(
        blank=True, help_text="as the origin gave it, to ask whether it changed"
    )
    last_modified = models.TextField(blank=True, help_text="likewise")
    position = models.PositiveIntegerField(default=0, help_text="order within the source, from 0")
    outcome = models.TextField(blank=True, help_text='what was left out: "12 of 40 pages had text"')
    chunks_count = models.PositiveIntegerField(default=0)
    synced_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="sources_document_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "source", "external_id"], name="sources_document_external_id"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class ChunkLevel(models.TextChoices):
    """How the text was cut; chosen by MIME type, never configured."""

    PARAGRAPH = "paragraph"
    SECTION = "section"
    ROW = "row"


class ChunkRow(TenantModel):
    """A row of the tables that hold one or more rows a chunk.

    They are written by the thousand, so PostgreSQL alone keeps them true: one composite foreign key
    to the source (migration 0002), which also deletes them with it, and no index but those that are
    searched.
    """

    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )
    source = models.ForeignKey(
        Source, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )

    class Meta(TenantModel.Meta):
        abstract = True


class Chunk(ChunkRow):
    """A passage: what is shown and cited. What is searched is in ChunkEmbedding and ChunkTerms."""

    id = models.BigAutoField(primary_key=True)
    document = models.ForeignKey(
        Document, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False
    )
    position = models.PositiveIntegerField(help_text="order within the document, from 0")
    text = models.TextField()
    location = models.CharField(
        max_length=LOCATION_MAX_CHARS,
        help_text='true locator: "page 3", "sheet Prices, row 12", a web page\'s URL',
    )
    section_title = models.CharField(max_length=500, blank=True)
    level = models.CharField(max_length=20, choices=ChunkLevel)
    language = models.CharField(max_length=2, help_text="ISO 639-1, guessed from the text")
    embedded_hash = models.BinaryField(
        max_length=32, default=b"", help_text="SHA-256 of all that a model may read of it"
    )

    class Meta(ChunkRow.Meta):
        ordering = ["document", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "document", "position"], name="sources_chunk_position"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.location}: {self.text[:60]}"


class EmbeddingSpace(models.Model):
    """The vectors of one embedding model. One space is active: its model reads questions, and every
    chunk has a vector in it. A second one is being built, or is what was left after a swap
    (sources/reembedding.py). Vectors of two spaces are never compared.
    """

    id = models.PositiveSmallIntegerField(primary_key=True)
    model = models.TextField(unique=True, help_text="as EMBEDDING_MODEL named it")
    dimension = models.PositiveIntegerField()
    is_active = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["is_active"],
                condition=models.Q(is_active=True),
                name="sources_embeddingspace_one_active",
            )
        ]

    def __str__(self) -> str:
        return self.model


class ChunkEmbedding(ChunkRow):
    """One vector of a chunk (a long chunk has several windows), L2-normalised. Scanned exactly,
    tenant by tenant, in the active space.

    Narrow on purpose, stored inline (migration 0003): measured 5 to 10 times faster than vectors
    beside their text. `space` is an EmbeddingSpace's id, without a foreign key as in all rows that
    are written by the thousand; behind the source in the key, so that a source's rows of all spaces
    are deleted through it.
    """

    pk = models.CompositePrimaryKey("tenant_id", "source_id", "space", "chunk_id", "window")
    space = models.PositiveSmallIntegerField()
    chunk_id = models.BigIntegerField()
    window = models.PositiveSmallIntegerField()
    embedding = HalfVectorField()

    class Meta(ChunkRow.Meta):
        pass


class ChunkTerms(ChunkRow):
    """A chunk's BM25 term weights without idf (sources/language/terms.py).

    The question's side brings the idf of its own tenant.
    """

    pk = models.CompositePrimaryKey("tenant_id", "source_id", "chunk_id")
    chunk_id = models.BigIntegerField()
    weights = SparseVectorField(dimensions=TERM_DIMENSIONS)

    class Meta(ChunkRow.Meta):
        pass


class SourceTerm(ChunkRow):
    """In how many chunks of a source a term stands: the document frequencies of BM25, summed over
    the scope."""

    pk = models.CompositePrimaryKey("tenant_id", "term", "source_id")
    term = models.IntegerField(help_text="number of a term: sources/language/terms.py")
    chunks_count = models.PositiveIntegerField()

    class Meta(ChunkRow.Meta):
        indexes = [models.Index(fields=["tenant", "source"], name="sources_sourceterm_source")]


class SyncEvent(TenantModel):
    """History of a source. An action of a sync carries its counts and timings in `details`."""

    class Action(models.TextChoices):
        SOURCE_CREATED = "source_created"
        SYNC_STARTED = "sync_started"
        SYNC_COMPLETED = "sync_completed"
        SYNC_FAILED = "sync_failed"
        SYNC_SUPERSEDED = "sync_superseded"
        REAUTH_REQUIRED = "reauth_required"
        SOURCE_RENAMED = "source_renamed"
        SOURCE_DELETED = "source_deleted"
        SCHEDULE_STOPPED = "schedule_stopped"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="events")
    action = models.CharField(max_length=30, choices=Action)
    details = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["tenant", "source", "-created_at"], name="sources_syncevent_recent"
            )
        ]

    def __str__(self) -> str:
        return self.action


class Schedule(TenantModel):
    """When a source is synced by itself. A source has one, or none: then it is synced by hand."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="schedules")
    frequency = models.CharField(max_length=10, choices=ScheduleFrequency)
    enabled = models.BooleanField(default=False, help_text="never for manual")
    next_sync_at = models.DateTimeField(null=True, blank=True, help_text="null: not scheduled")

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "source"], name="sources_schedule_source"),
            models.CheckConstraint(
                condition=models.Q(frequency__in=ScheduleFrequency.values),
                name="sources_schedule_frequency",
            ),
            models.CheckConstraint(
                condition=models.Q(enabled=False, next_sync_at=None)
                | models.Q(enabled=True, next_sync_at__isnull=False),
                name="sources_schedule_enabled_has_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_sync_at"],
                condition=models.Q(enabled=True),
                name="sources_schedule_due",
            )
        ]

    def __str__(self) -> str:
        return f"{self.source_id}: {self.frequency}"
