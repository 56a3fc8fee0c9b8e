"""Sources, their documents and what is searched of them, as of version 0.1: what the
migrations before it made step by step (docs/decisions/0069-squashed-migrations.md).

The walls also cascade: deleting a source deletes its chunks inside PostgreSQL, without loading
them.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.expressions import CombinedExpression
from pgvector.django import HalfVectorField, SparseVectorField, VectorExtension, VectorField

from config.database.declaring import (
    ALL_TENANTS,
    OF_TENANTS,
    CreateModels,
    build_walls,
    tenant_key,
    uuid_key,
    walled_key,
)
from sources.models.chunks import PackedField

MODELS = [
    migrations.CreateModel(
        name="Connection",
        fields=[
            ("id", uuid_key()),
            (
                "provider",
                models.CharField(
                    help_text="a kind of connectors/ or channels/surfaces/", max_length=20
                ),
            ),
            (
                "account",
                models.CharField(
                    blank=True, help_text="whose it is, to be shown: never a secret", max_length=200
                ),
            ),
            ("encrypted_credentials", models.BinaryField()),
            (
                "key_id",
                models.CharField(
                    help_text="of the key that encrypts the credentials", max_length=16
                ),
            ),
            (
                "scopes",
                ArrayField(
                    base_field=models.CharField(max_length=200), blank=True, default=list, size=None
                ),
            ),
            (
                "expires_at",
                models.DateTimeField(blank=True, help_text="null: they do not expire", null=True),
            ),
            (
                "state",
                models.CharField(
                    choices=[
                        ("connected", "Connected"),
                        ("reauth_required", "Reauth Required"),
                        ("revoked", "Revoked"),
                    ],
                    default="connected",
                    max_length=20,
                ),
            ),
            (
                "reason",
                models.CharField(
                    blank=True, help_text="why it is not connected, and what to do", max_length=500
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("updated_at", models.DateTimeField(auto_now=True)),
            ("tenant", tenant_key()),
            (
                "account_id",
                models.CharField(
                    blank=True,
                    db_default="",
                    help_text="what the service itself calls the account, for good",
                    max_length=200,
                ),
            ),
            ("refresh_lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
            ("refresh_worker_id", models.UUIDField(blank=True, editable=False, null=True)),
        ],
        options={
            "ordering": ["provider", "account"],
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "id"), name="sources_connection_tenant_id"
                ),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ["connected", "reauth_required", "revoked"])),
                    name="sources_connection_state",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Source",
        fields=[
            ("id", uuid_key()),
            ("name", models.CharField(max_length=200)),
            ("source_type", models.CharField(max_length=20)),
            ("source_url", models.TextField(blank=True)),
            ("position", models.IntegerField(default=0)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "sync_status",
                models.CharField(
                    choices=[
                        ("pending", "Pending"),
                        ("syncing", "Syncing"),
                        ("synced", "Synced"),
                        ("error", "Error"),
                        ("reauth_required", "Reauth Required"),
                    ],
                    default="pending",
                    max_length=20,
                ),
            ),
            ("sync_run_id", models.UUIDField(blank=True, editable=False, null=True)),
            ("sync_started_at", models.DateTimeField(blank=True, editable=False, null=True)),
            ("last_synced_at", models.DateTimeField(blank=True, null=True)),
            ("error_message", models.TextField(blank=True)),
            ("chunks_count", models.PositiveIntegerField(default=0)),
            ("original_file", models.FileField(blank=True, max_length=200, upload_to="unused")),
            ("original_name", models.CharField(blank=True, max_length=255)),
            ("content_type", models.CharField(blank=True, max_length=120)),
            ("size_bytes", models.PositiveBigIntegerField(default=0)),
            ("tenant", tenant_key()),
            ("deleted_at", models.DateTimeField(blank=True, editable=False, null=True)),
            ("normalized_url", models.TextField(blank=True, editable=False)),
            ("sync_attempts", models.PositiveSmallIntegerField(default=0, editable=False)),
            ("sync_lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
            ("sync_progress", models.JSONField(blank=True, default=dict, editable=False)),
            ("sync_worker_id", models.UUIDField(blank=True, editable=False, null=True)),
            ("generation", models.IntegerField(db_default=0, default=0, editable=False)),
            ("first_generation", models.IntegerField(db_default=0, default=0, editable=False)),
            ("cleared_generation", models.IntegerField(db_default=0, default=0, editable=False)),
            ("sync_batches", models.IntegerField(db_default=0, default=0, editable=False)),
            (
                "error_code",
                models.CharField(
                    blank=True,
                    editable=False,
                    help_text="of the ServiceError that ended a run",
                    max_length=40,
                ),
            ),
            (
                "sync_lane",
                models.CharField(
                    choices=[("uploads", "Uploads"), ("background", "Background")],
                    default="background",
                    editable=False,
                    max_length=12,
                ),
            ),
            ("sync_due_at", models.DateTimeField(blank=True, editable=False, null=True)),
            (
                "connection",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.RESTRICT,
                    related_name="+",
                    to="sources.connection",
                ),
            ),
            (
                "known_failures",
                models.JSONField(
                    blank=True,
                    db_default=models.Value({}, models.JSONField()),
                    default=dict,
                    editable=False,
                ),
            ),
            (
                "selection",
                models.JSONField(
                    blank=True,
                    db_default=models.Value({}, models.JSONField()),
                    default=dict,
                    help_text="what is read of the account, as its connector says",
                ),
            ),
            (
                "sync_cursor",
                models.JSONField(
                    blank=True,
                    db_default=models.Value({}, models.JSONField()),
                    default=dict,
                    editable=False,
                ),
            ),
            ("ghosts_count", models.IntegerField(db_default=0, default=0, editable=False)),
            ("posted_count", models.IntegerField(db_default=0, default=0, editable=False)),
            ("posted_through", models.BigIntegerField(db_default=0, default=0, editable=False)),
            (
                "signs_space",
                models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
            ),
        ],
        options={
            "ordering": ["position", "created_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("sync_run_id__isnull", False)),
                    fields=["sync_lease_until"],
                    name="sources_source_lease",
                ),
                models.Index(
                    condition=models.Q(("cleared_generation__lt", models.F("generation"))),
                    fields=["id"],
                    name="sources_source_leftovers",
                ),
                models.Index(
                    condition=models.Q(("sync_run_id__isnull", False)),
                    fields=["sync_lane", "tenant", "sync_due_at"],
                    name="sources_source_lane",
                ),
                models.Index(
                    condition=models.Q(
                        (
                            "chunks_count__gte",
                            CombinedExpression(models.F("posted_count"), "+", models.Value(512)),
                        )
                    ),
                    fields=["id"],
                    name="sources_source_unposted",
                ),
            ],
            "constraints": [
                models.UniqueConstraint(fields=("tenant", "id"), name="sources_source_tenant_id"),
                models.CheckConstraint(
                    condition=models.Q(
                        (
                            "sync_status__in",
                            ["pending", "syncing", "synced", "error", "reauth_required"],
                        )
                    ),
                    name="sources_source_status",
                ),
                models.UniqueConstraint(
                    condition=models.Q(
                        ("deleted_at", None), models.Q(("normalized_url", ""), _negated=True)
                    ),
                    fields=("tenant", "source_type", "normalized_url"),
                    name="sources_source_identity",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Document",
        fields=[
            ("id", uuid_key()),
            ("title", models.CharField(max_length=500)),
            (
                "external_id",
                models.TextField(help_text="its name at its origin: file name, URL, record id"),
            ),
            ("content_type", models.CharField(max_length=120)),
            (
                "content_hash",
                models.CharField(
                    help_text="SHA-256 of its bytes; of a web page, of its text", max_length=64
                ),
            ),
            ("chunks_count", models.PositiveIntegerField(default=0)),
            ("synced_at", models.DateTimeField()),
            ("tenant", tenant_key()),
            (
                "source",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="documents", to="sources.source"
                ),
            ),
            (
                "etag",
                models.TextField(
                    blank=True, help_text="as the origin gave it, to ask whether it changed"
                ),
            ),
            ("last_modified", models.TextField(blank=True, help_text="likewise")),
            (
                "position",
                models.PositiveIntegerField(default=0, help_text="order within the source, from 0"),
            ),
            ("generation", models.IntegerField(db_default=0, default=0, editable=False)),
            (
                "removed_in",
                models.IntegerField(db_default=2147483647, default=2147483647, editable=False),
            ),
            ("link", models.TextField(blank=True, db_default="", help_text="where people open it")),
            (
                "place",
                models.TextField(
                    blank=True,
                    db_default="",
                    help_text='as people read it: "Handbook / Rates.pdf"; "": its external_id '
                    "says it",
                ),
            ),
            (
                "coverage",
                models.JSONField(blank=True, default=dict, help_text="counts of words and pages"),
            ),
            (
                "warnings",
                models.JSONField(
                    blank=True,
                    default=list,
                    help_text="what of it was not read and why: a sentence each",
                ),
            ),
        ],
        options={
            "ordering": ["title"],
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(fields=("tenant", "id"), name="sources_document_tenant_id"),
                models.UniqueConstraint(
                    fields=("tenant", "source", "external_id", "generation"),
                    name="sources_document_version",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="ChunkTerms",
        fields=[
            (
                "pk",
                models.CompositePrimaryKey(
                    "tenant_id",
                    "source_id",
                    "chunk_id",
                    blank=True,
                    editable=False,
                    primary_key=True,
                    serialize=False,
                ),
            ),
            ("chunk_id", models.BigIntegerField()),
            ("weights", SparseVectorField(dimensions=1000000000)),
            ("tenant", walled_key("accounts.tenant")),
            ("source", walled_key("sources.source")),
            ("generation", models.IntegerField(db_default=0, default=0, editable=False)),
            (
                "removed_in",
                models.IntegerField(db_default=2147483647, default=2147483647, editable=False),
            ),
        ],
        options={
            **OF_TENANTS,
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="ChunkEmbedding",
        fields=[
            (
                "pk",
                models.CompositePrimaryKey(
                    "tenant_id",
                    "source_id",
                    "space",
                    "chunk_id",
                    "window",
                    blank=True,
                    editable=False,
                    primary_key=True,
                    serialize=False,
                ),
            ),
            ("chunk_id", models.BigIntegerField()),
            ("window", models.PositiveSmallIntegerField()),
            ("embedding", HalfVectorField()),
            ("tenant", walled_key("accounts.tenant")),
            ("source", walled_key("sources.source")),
            ("space", models.PositiveSmallIntegerField()),
            (
                "language",
                models.CharField(
                    help_text="the chunk's: cosines of two languages have scales of their own",
                    max_length=2,
                ),
            ),
            ("generation", models.IntegerField(db_default=0, default=0, editable=False)),
            (
                "removed_in",
                models.IntegerField(db_default=2147483647, default=2147483647, editable=False),
            ),
        ],
        options={
            **OF_TENANTS,
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Chunk",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            (
                "position",
                models.PositiveIntegerField(help_text="order within the document, from 0"),
            ),
            ("text", models.TextField()),
            (
                "location",
                models.CharField(
                    help_text='true locator: "page 3", "sheet Prices, row 12", a web page\'s URL',
                    max_length=2000,
                ),
            ),
            ("section_title", models.CharField(blank=True, max_length=500)),
            (
                "level",
                models.CharField(
                    choices=[("paragraph", "Paragraph"), ("section", "Section"), ("row", "Row")],
                    max_length=20,
                ),
            ),
            (
                "language",
                models.CharField(help_text="ISO 639-1, guessed from the text", max_length=2),
            ),
            ("tenant", walled_key("accounts.tenant")),
            (
                "document",
                models.ForeignKey(
                    db_constraint=False,
                    on_delete=models.DO_NOTHING,
                    related_name="+",
                    to="sources.document",
                ),
            ),
            ("source", walled_key("sources.source")),
            (
                "embedded_hash",
                models.BinaryField(
                    default=b"",
                    help_text="SHA-256 of all that a model may read of it",
                    max_length=32,
                ),
            ),
        ],
        options={
            "ordering": ["document", "position"],
            **OF_TENANTS,
            "indexes": [
                models.Index(fields=["source", "embedded_hash"], name="sources_chunk_same_text")
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "document", "position"), name="sources_chunk_position"
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="SourceTerm",
        fields=[
            (
                "pk",
                models.CompositePrimaryKey(
                    "tenant_id",
                    "term",
                    "source_id",
                    "generation",
                    blank=True,
                    editable=False,
                    primary_key=True,
                    serialize=False,
                ),
            ),
            ("term", models.IntegerField(help_text="number of a term: language/terms.py")),
            ("chunks_count", models.IntegerField()),
            ("source", walled_key("sources.source")),
            ("tenant", walled_key("accounts.tenant")),
            ("generation", models.IntegerField(db_default=0, default=0)),
        ],
        options={
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    fields=["tenant", "source", "generation"], name="sources_sourceterm_generation"
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="SyncEvent",
        fields=[
            ("id", uuid_key()),
            (
                "action",
                models.CharField(
                    choices=[
                        ("source_created", "Source Created"),
                        ("sync_started", "Sync Started"),
                        ("sync_completed", "Sync Completed"),
                        ("sync_failed", "Sync Failed"),
                        ("sync_superseded", "Sync Superseded"),
                        ("reauth_required", "Reauth Required"),
                        ("source_renamed", "Source Renamed"),
                        ("source_deleted", "Source Deleted"),
                        ("schedule_stopped", "Schedule Stopped"),
                    ],
                    max_length=30,
                ),
            ),
            ("details", models.JSONField(default=dict)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "source",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="events", to="sources.source"
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    fields=["tenant", "source", "-created_at"], name="sources_syncevent_recent"
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Schedule",
        fields=[
            ("id", uuid_key()),
            (
                "frequency",
                models.CharField(
                    choices=[
                        ("manual", "Manual"),
                        ("1h", "Hourly"),
                        ("6h", "Every Six Hours"),
                        ("24h", "Daily"),
                        ("weekly", "Weekly"),
                    ],
                    max_length=10,
                ),
            ),
            ("enabled", models.BooleanField(default=False, help_text="never for manual")),
            (
                "next_sync_at",
                models.DateTimeField(blank=True, help_text="null: not scheduled", null=True),
            ),
            (
                "source",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="schedules", to="sources.source"
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("enabled", True)),
                    fields=["next_sync_at"],
                    name="sources_schedule_due",
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "source"), name="sources_schedule_source"
                ),
                models.CheckConstraint(
                    condition=models.Q(("frequency__in", ["manual", "1h", "6h", "24h", "weekly"])),
                    name="sources_schedule_frequency",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("enabled", False), ("next_sync_at", None)),
                        models.Q(("enabled", True), ("next_sync_at__isnull", False)),
                        _connector="OR",
                    ),
                    name="sources_schedule_enabled_has_time",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="EmbeddingSpace",
        fields=[
            ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
            ("model", models.TextField(help_text="as EMBEDDING_MODEL named it", unique=True)),
            ("dimension", models.PositiveIntegerField()),
            ("is_active", models.BooleanField(default=False)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("activated_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("is_active", True)),
                    fields=("is_active",),
                    name="sources_embeddingspace_one_active",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="ChunkReading",
        fields=[
            (
                "pk",
                models.CompositePrimaryKey(
                    "tenant_id",
                    "source_id",
                    "space",
                    "chunk_id",
                    blank=True,
                    editable=False,
                    primary_key=True,
                    serialize=False,
                ),
            ),
            ("space", models.PositiveSmallIntegerField()),
            ("chunk_id", models.BigIntegerField()),
            ("content", models.BinaryField()),
            ("source", walled_key("sources.source")),
            ("tenant", walled_key("accounts.tenant")),
        ],
        options={
            **OF_TENANTS,
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="LaneTurn",
        fields=[
            (
                "id",
                models.BigAutoField(
                    auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                ),
            ),
            (
                "lane",
                models.CharField(
                    choices=[("uploads", "Uploads"), ("background", "Background")], max_length=12
                ),
            ),
            ("taken_at", models.DateTimeField()),
            ("tenant", tenant_key()),
        ],
        options={
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(fields=("tenant", "lane"), name="sources_laneturn_lane")
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Entry",
        fields=[
            ("id", uuid_key()),
            ("question", models.CharField(max_length=400)),
            ("answer", models.TextField(max_length=4000)),
            (
                "created_by",
                models.EmailField(help_text="outlives the person's membership", max_length=254),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("updated_at", models.DateTimeField(auto_now=True)),
            ("tenant", tenant_key()),
        ],
        options={
            "verbose_name_plural": "entries",
            "ordering": ["-created_at", "-id"],
            **OF_TENANTS,
            "indexes": [
                models.Index(fields=["tenant", "-created_at", "-id"], name="sources_entry_recent")
            ],
            "constraints": [
                models.UniqueConstraint(fields=("tenant", "id"), name="sources_entry_tenant_id")
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="TermPostings",
        fields=[
            (
                "pk",
                models.CompositePrimaryKey(
                    "tenant_id",
                    "source_id",
                    "term",
                    "first_chunk",
                    blank=True,
                    editable=False,
                    primary_key=True,
                    serialize=False,
                ),
            ),
            ("term", models.IntegerField()),
            ("first_chunk", models.BigIntegerField()),
            ("postings", ArrayField(base_field=models.BigIntegerField(), size=None)),
            ("source", walled_key("sources.source")),
            ("tenant", walled_key("accounts.tenant")),
        ],
        options={
            **OF_TENANTS,
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="VectorSigns",
        fields=[
            (
                "pk",
                models.CompositePrimaryKey(
                    "tenant_id",
                    "source_id",
                    "space",
                    "language",
                    "first_chunk",
                    blank=True,
                    editable=False,
                    primary_key=True,
                    serialize=False,
                ),
            ),
            ("space", models.PositiveSmallIntegerField()),
            ("language", models.CharField(max_length=2)),
            ("first_chunk", models.BigIntegerField()),
            (
                "last_chunk",
                models.BigIntegerField(help_text="of all languages' rows that were made with it"),
            ),
            ("vectors_count", models.PositiveIntegerField()),
            ("chunk_ids", ArrayField(base_field=models.BigIntegerField(), size=None)),
            ("signs", PackedField("bit varying")),
            ("mean", VectorField()),
            ("sample", PackedField("halfvec")),
            ("source", walled_key("sources.source")),
            ("tenant", walled_key("accounts.tenant")),
        ],
        options={
            **OF_TENANTS,
        },
        managers=ALL_TENANTS,
    ),
]

# table, its column, the table it points to, what happens when that row goes
WALLS = [
    ("sources_document", "source_id", "sources_source", "CASCADE"),
    ("sources_syncevent", "source_id", "sources_source", "CASCADE"),
    ("sources_chunk", "source_id", "sources_source", "CASCADE"),
    ("sources_chunk", "document_id", "sources_document", "CASCADE"),
    ("sources_chunkembedding", "source_id", "sources_source", "CASCADE"),
    ("sources_chunkterms", "source_id", "sources_source", "CASCADE"),
    ("sources_sourceterm", "source_id", "sources_source", "CASCADE"),
    ("sources_schedule", "source_id", "sources_source", "CASCADE"),
    ("sources_chunkreading", "source_id", "sources_source", "CASCADE"),
    ("sources_termpostings", "source_id", "sources_source", "CASCADE"),
    ("sources_vectorsigns", "source_id", "sources_source", "CASCADE"),
    ("sources_source", "connection_id", "sources_connection", ""),
]
# Vectors stay in their row: out of line (TOAST), an exact scan costs 3 to 5 times more. Numbers
# that hardly repeat are not compressed: it takes time and saves nothing.
STORE = """
ALTER TABLE sources_chunkembedding ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE sources_chunkterms ALTER COLUMN weights SET STORAGE MAIN;
ALTER TABLE sources_chunkreading ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE sources_termpostings ALTER COLUMN postings SET STORAGE EXTERNAL;
ALTER TABLE sources_vectorsigns
    ALTER COLUMN chunk_ids SET STORAGE EXTERNAL,
    ALTER COLUMN signs SET STORAGE EXTERNAL,
    ALTER COLUMN sample SET STORAGE EXTERNAL;
"""


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("sources", "0001_initial"),
        ("sources", "0002_tenant_walls"),
        ("sources", "0003_inline_vectors"),
        ("sources", "0004_sync_lifecycle"),
        ("sources", "0005_schedule_tenant_wall"),
        ("sources", "0006_embedding_spaces"),
        ("sources", "0007_close_readings"),
        ("sources", "0008_languages_of_vectors"),
        ("sources", "0009_generations"),
        ("sources", "0010_lanes"),
        ("sources", "0011_connections"),
        ("sources", "0012_entries"),
        ("sources", "0013_connectors"),
        ("sources", "0014_what_was_read"),
        ("sources", "0015_outcomes_are_warnings"),
        ("sources", "0016_postings"),
        ("sources", "0017_vector_signs"),
    ]
    dependencies = [
        ("accounts", "0001_version_0_1"),
    ]

    operations = [
        VectorExtension(),
        CreateModels(*MODELS),
        build_walls(*WALLS),
        migrations.RunSQL(STORE, migrations.RunSQL.noop),
    ]
