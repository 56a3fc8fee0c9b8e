"""Source → Document → Chunk, and what is searched: narrow rows of vectors and of term weights,
apart from the text.

The composite foreign keys (tenant_id, …) that keep a row from pointing into another tenant are made
in the migrations. docs/architecture.md tells why the tables are cut this way.
"""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F
from pgvector.django import HalfVectorField, SparseVectorField

from accounts.models import ScheduleFrequency, Tenant
from accounts.tenancy import TenantManager, TenantModel, TenantQuerySet
from config.export import Exported
from config.security.sealing import SealedField
from sources.language import TERM_DIMENSIONS
from sources.reading.passages import ChunkLevel

NAME_MAX_CHARS = 200
LOCATION_MAX_CHARS = 2000  # a URL is the longest
ENTRY_QUESTION_MAX_CHARS = 400  # it is the heading of its answer, and headings have at most 500
ENTRY_ANSWER_MAX_CHARS = 4000
NEVER = 2**31 - 1  # no source comes to this generation
NOTHING = models.Value({}, models.JSONField())  # the database's own default of JSON columns


# Kinds of sources (sources/connectors/registry.py) that are counted as documents, not connectors.
FILE, AUDIO = UPLOADED_TYPES = ("file", "audio")
PROVIDER_UPLOAD = "upload"


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

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    provider = models.CharField(
        max_length=20, help_text="a kind of sources/connectors/ or channels/surfaces/"
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
    reason = models.CharField(
        max_length=500, blank=True, help_text="why it is not connected, and what to do"
    )
    # Whoever renews the credentials now: one at a time, for a refresh token may be good once.
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


class SyncStatus(models.TextChoices):
    PENDING = "pending"
    SYNCING = "syncing"
    SYNCED = "synced"
    ERROR = "error"
    REAUTH_REQUIRED = "reauth_required"


FAILING = (SyncStatus.ERROR, SyncStatus.REAUTH_REQUIRED)


class Lane(models.TextChoices):
    """Where a run waits for a worker (sources/syncing/lanes.py)."""

    UPLOADS = "uploads"  # somebody waits for its end
    BACKGROUND = "background"


class SourceQuerySet(TenantQuerySet["Source"]):
    def uploads(self) -> SourceQuerySet:
        """What counts against the plan's documents."""
        return self.filter(source_type__in=UPLOADED_TYPES)

    def connectors(self) -> SourceQuerySet:
        """What counts against the plan's connectors: not what failed and never indexed anything."""
        return self.exclude(source_type__in=UPLOADED_TYPES).exclude(
            sync_status=SyncStatus.ERROR, last_synced_at=None
        )

    def failing(self) -> SourceQuerySet:
        """What goes on only when somebody does something."""
        return self.filter(sync_status__in=FAILING)

    def without_sync_state(self) -> SourceQuerySet:
        """For lists: what a sync keeps for the next one may be megabytes, and costs a query each
        where it is asked for all the same."""
        return self.defer("sync_cursor", "known_failures")

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
    # Whoever has it now: null while the run waits in its lane. Past the lease, it has died.
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
    last_synced_at = models.DateTimeField(null=True, blank=True)
    error_message = models.TextField(blank=True)
    error_code = models.CharField(
        max_length=40, blank=True, editable=False, help_text="of the ServiceError that ended a run"
    )
    chunks_count = models.PositiveIntegerField(default=0)
    generation = models.IntegerField(default=0, db_default=0, editable=False)
    # What is older answers no more: where a sync replaced everything, nothing need be marked.
    first_generation = models.IntegerField(default=0, db_default=0, editable=False)
    # Up to this one, what was removed is deleted and SourceTerm is summed up.
    cleared_generation = models.IntegerField(default=0, db_default=0, editable=False)

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
        """How the history names where documents come from."""
        return PROVIDER_UPLOAD if self.source_type in UPLOADED_TYPES else self.source_type


class LaneTurn(TenantModel):
    """When a tenant last had its turn in a lane: of those who wait, the others come first."""

    lane = models.CharField(max_length=12, choices=Lane)
    taken_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "lane"], name="sources_laneturn_lane")
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id}: {self.lane}"


class Generations(TenantModel):
    """Rows that a source has in versions: they answer from `generation` on, until `removed_in`."""

    generation = models.IntegerField(default=0, db_default=0, editable=False)
    removed_in = models.IntegerField(default=NEVER, db_default=NEVER, editable=False)

    class Meta(TenantModel.Meta):
        abstract = True


class DocumentQuerySet(TenantQuerySet["Document"]):
    def live(self) -> DocumentQuerySet:
        """Those that answer: not what a sync has staged, nor what waits to be deleted."""
        return self.filter(
            generation__range=(F("source__first_generation"), F("source__generation")),
            removed_in__gt=F("source__generation"),
        )


class DocumentManager(TenantManager["Document"]):
    def for_tenant(self, tenant: Tenant) -> DocumentQuerySet:
        """In all versions: what answers is `.live()`."""
        return DocumentQuerySet(self.model, using=self._db).scoped(tenant)


class Document(Generations):
    """One file, web page, drive file, note or record of a source, in one version."""

    exported = Exported(
        "documents", ("id", "source_id", "title", "external_id", "content_type", "synced_at")
    )

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
    place = models.TextField(
        blank=True,
        db_default="",
        help_text='as people read it: "Handbook / Rates.pdf"; "": its external_id says it',
    )
    link = models.TextField(blank=True, db_default="", help_text="where people open it")
    position = models.PositiveIntegerField(default=0, help_text="order within the source, from 0")
    outcome = models.TextField(blank=True, help_text='what was left out: "12 of 40 pages had text"')
    chunks_count = models.PositiveIntegerField(default=0)
    synced_at = models.DateTimeField()

    objects: ClassVar[DocumentManager] = DocumentManager()

    class Meta(Generations.Meta):
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="sources_document_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "source", "external_id", "generation"],
                name="sources_document_version",
            ),
        ]

    def __str__(self) -> str:
        return self.title


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


class ChunkQuerySet(TenantQuerySet["Chunk"]):
    def live(self) -> ChunkQuerySet:
        """Those of the documents that answer."""
        return self.filter(
            document__generation__range=(F("source__first_generation"), F("source__generation")),
            document__removed_in__gt=F("source__generation"),
        )


class ChunkManager(TenantManager["Chunk"]):
    def for_tenant(self, tenant: Tenant) -> ChunkQuerySet:
        """In all versions: what answers is `.live()`."""
        return ChunkQuerySet(self.model, using=self._db).scoped(tenant)


class Chunk(ChunkRow):
    """A passage: what is shown and cited. What is searched is in ChunkEmbedding and ChunkTerms,
    what an answer is chosen by in ChunkReading. Its versions are its document's."""

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
    level = models.CharField(
        max_length=20, choices=[(level.value, level.name.capitalize()) for level in ChunkLevel]
    )
    language = models.CharField(max_length=2, help_text="ISO 639-1, guessed from the text")
    embedded_hash = models.BinaryField(
        max_length=32, default=b"", help_text="SHA-256 of all that a model may read of it"
    )

    objects: ClassVar[ChunkManager] = ChunkManager()

    class Meta(ChunkRow.Meta):
        ordering = ["document", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "document", "position"], name="sources_chunk_position"
            ),
        ]
        indexes = [
            # Whether a source has a passage already, batch by batch.
            models.Index(fields=["source", "embedded_hash"], name="sources_chunk_same_text"),
        ]

    def __str__(self) -> str:
        return f"{self.location}: {self.text[:60]}"


class EmbeddingSpace(models.Model):
    """The vectors of one embedding model. One space is active: its model reads questions, and every
    chunk has a vector in it. A second one is being built, or is what was left after a swap
    (sources/indexing/reembedding.py). Vectors of two spaces are never compared.
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


class ChunkEmbedding(ChunkRow, Generations):
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
    language = models.CharField(
        max_length=2, help_text="the chunk's: cosines of two languages have scales of their own"
    )
    embedding = HalfVectorField()

    class Meta(ChunkRow.Meta):
        pass


class ChunkReading(ChunkRow):
    """A chunk's sentences and the signs of its words' vectors (sources/embedding/close_reading.py),
    in a space. Fetched for the few chunks that answer a question, never scanned: out of line, and
    not compressed, for signs cannot be (migration 0007)."""

    pk = models.CompositePrimaryKey("tenant_id", "source_id", "space", "chunk_id")
    space = models.PositiveSmallIntegerField()
    chunk_id = models.BigIntegerField()
    content = models.BinaryField()

    class Meta(ChunkRow.Meta):
        pass


class ChunkTerms(ChunkRow, Generations):
    """A chunk's BM25 term weights without idf (sources/language/terms.py).

    The question's side brings the idf of its own tenant.
    """

    pk = models.CompositePrimaryKey("tenant_id", "source_id", "chunk_id")
    chunk_id = models.BigIntegerField()
    weights = SparseVectorField(dimensions=TERM_DIMENSIONS)

    class Meta(ChunkRow.Meta):
        pass


class SourceTermQuerySet(TenantQuerySet["SourceTerm"]):
    def live(self) -> SourceTermQuerySet:
        """What adds up to the frequencies of the documents that answer."""
        return self.filter(
            generation__range=(F("source__first_generation"), F("source__generation"))
        )


class SourceTermManager(TenantManager["SourceTerm"]):
    def for_tenant(self, tenant: Tenant) -> SourceTermQuerySet:
        """With what a sync has staged: what answers is `.live()`."""
        return SourceTermQuerySet(self.model, using=self._db).scoped(tenant)


class SourceTerm(ChunkRow):
    """In how many chunks of a source a term stands: the document frequencies of BM25, summed over
    the scope.

    A row of a generation is what that one changed, + or -; the sum from a source's first generation
    to the one that answers is true of it. Later they are summed up in the first.
    """

    pk = models.CompositePrimaryKey("tenant_id", "term", "source_id", "generation")
    term = models.IntegerField(help_text="number of a term: sources/language/terms.py")
    generation = models.IntegerField(default=0, db_default=0)
    chunks_count = models.IntegerField()

    objects: ClassVar[SourceTermManager] = SourceTermManager()

    class Meta(ChunkRow.Meta):
        indexes = [
            models.Index(
                fields=["tenant", "source", "generation"], name="sources_sourceterm_generation"
            )
        ]


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

    exported = Exported("schedules", ("source_id", "frequency", "enabled", "next_sync_at"))

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


class Entry(TenantModel):
    """A question that somebody of the company answered themselves. A tenant's entries are the text
    of one source (sources/services/entries.py)."""

    exported = Exported("entries", ("id", "question", "answer", "created_by", "created_at"))

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    question = models.CharField(max_length=ENTRY_QUESTION_MAX_CHARS)
    answer = models.TextField(max_length=ENTRY_ANSWER_MAX_CHARS)
    created_by = models.EmailField(max_length=254, help_text="outlives the person's membership")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="sources_entry_tenant_id")
        ]
        indexes = [
            models.Index(fields=["tenant", "-created_at", "-id"], name="sources_entry_recent")
        ]

    def __str__(self) -> str:
        return self.question[:60]
