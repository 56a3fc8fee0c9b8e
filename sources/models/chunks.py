"""Passages, and what is searched of them: narrow rows of vectors and of term weights, apart from
the text."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F
from pgvector.django import HalfVectorField, SparseVectorField, VectorField

from accounts.models import Tenant
from accounts.models.tenancy import TenantManager, TenantModel, TenantQuerySet
from config.security.personal import COMPANYS_OWN, NOBODYS
from language import TERM_DIMENSIONS
from reading.passages import ChunkLevel
from sources.models.documents import Document, Generations
from sources.models.sources import Source

LOCATION_MAX_CHARS = 2000  # a URL is the longest


class ChunkRow(TenantModel):
    """A row of the tables that hold one or more rows a chunk.

    They are written by the thousand, so PostgreSQL alone keeps them true: one composite foreign key
    to the source (a wall), which also deletes them with it, and no index but those that are
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
        """The chunks of the documents that answer."""
        return self.filter(
            document__generation__range=(F("source__first_generation"), F("source__generation")),
            document__removed_in__gt=F("source__generation"),
        )


class ChunkManager(TenantManager["Chunk"]):
    def for_tenant(self, tenant: Tenant) -> ChunkQuerySet:
        """The tenant's chunks in all versions: `.live()` restricts them to those that answer."""
        return ChunkQuerySet(self.model, using=self._db).scoped(tenant)


class Chunk(ChunkRow):
    """A passage: what is shown and cited. What is searched is in ChunkEmbedding and ChunkTerms,
    what an answer is chosen by in ChunkReading. Its versions are its document's."""

    personal = COMPANYS_OWN

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

    personal = NOBODYS

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
    """A vector of a chunk (a long chunk has several windows), L2-normalised. Scanned exactly,
    tenant by tenant, in the active space.

    Narrow on purpose, stored inline: measured 5 to 10 times faster than vectors beside their text.
    `space` is an EmbeddingSpace's id, without a foreign key as in all rows that are written by the
    thousand; behind the source in the key, so that a source's rows of all spaces are deleted
    through it.
    """

    personal = NOBODYS

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
    not compressed, for signs cannot be."""

    pk = models.CompositePrimaryKey("tenant_id", "source_id", "space", "chunk_id")
    space = models.PositiveSmallIntegerField()
    chunk_id = models.BigIntegerField()
    content = models.BinaryField()

    class Meta(ChunkRow.Meta):
        pass


class ChunkTerms(ChunkRow, Generations):
    """A chunk's BM25 term weights without idf (language/terms.py).

    The question's side brings the idf of its own tenant.
    """

    pk = models.CompositePrimaryKey("tenant_id", "source_id", "chunk_id")
    chunk_id = models.BigIntegerField()
    weights = SparseVectorField(dimensions=TERM_DIMENSIONS)

    class Meta(ChunkRow.Meta):
        pass


class TermPostings(ChunkRow):
    """The chunks of a source that hold a term, and its weight in each: ChunkTerms the other way
    round, of some thousand chunks from `first_chunk` on.

    Derived from ChunkTerms, afterwards and for large sources alone (sources/indexing/postings.py,
    which says what a posting is). The lexical search reads the question's terms here, and
    ChunkTerms of what is not posted.
    """

    personal = NOBODYS

    pk = models.CompositePrimaryKey("tenant_id", "source_id", "term", "first_chunk")
    term = models.IntegerField()
    first_chunk = models.BigIntegerField()
    postings = ArrayField(models.BigIntegerField())

    class Meta(ChunkRow.Meta):
        pass


class PackedField(models.Field):  # type: ignore[type-arg]  # it has none at run time
    """An array that PostgreSQL alone makes and looks into, "{01,11}" as text."""

    def __init__(self, element: str, **options: Any) -> None:
        super().__init__(**options)
        self.element = element

    def deconstruct(self) -> Any:
        name, path, arguments, options = super().deconstruct()
        return name, path, [self.element, *arguments], options

    def db_type(self, connection: object) -> str:
        return f"{self.element}[]"


class VectorSigns(ChunkRow):
    """The signs of a source's vectors in a space, one bit a dimension, those of some thousand
    chunks of one language in a row: what the dense search of a large tenant looks through for
    those that it then compares exactly.

    Derived from ChunkEmbedding, afterwards and for large sources alone, in the active space
    (sources/indexing/postings.py). `chunk_ids` and `signs` have one place a vector, of which there
    are `vectors_count`; `mean` is that of the vectors, and `sample` some of them, for the spread of
    their cosines.
    """

    personal = NOBODYS

    pk = models.CompositePrimaryKey("tenant_id", "source_id", "space", "language", "first_chunk")
    space = models.PositiveSmallIntegerField()
    language = models.CharField(max_length=2)
    first_chunk = models.BigIntegerField()
    last_chunk = models.BigIntegerField(help_text="of all languages' rows that were made with it")
    vectors_count = models.PositiveIntegerField()
    chunk_ids = ArrayField(models.BigIntegerField())
    signs = PackedField("bit varying")
    mean = VectorField()
    sample = PackedField("halfvec")

    class Meta(ChunkRow.Meta):
        pass


class SourceTermQuerySet(TenantQuerySet["SourceTerm"]):
    def live(self) -> SourceTermQuerySet:
        """The rows that add up to the frequencies of the documents that answer."""
        return self.filter(
            generation__range=(F("source__first_generation"), F("source__generation"))
        )


class SourceTermManager(TenantManager["SourceTerm"]):
    def for_tenant(self, tenant: Tenant) -> SourceTermQuerySet:
        """The tenant's rows, also those that a sync has staged: `.live()` leaves these out."""
        return SourceTermQuerySet(self.model, using=self._db).scoped(tenant)


class SourceTerm(ChunkRow):
    """The number of chunks of a source in which a term stands: the document frequencies of BM25,
    summed over the scope.

    A row of a generation is what that one changed, + or -; the sum from a source's first generation
    to the one that answers is true of it. Later they are summed up in the first.
    """

    pk = models.CompositePrimaryKey("tenant_id", "term", "source_id", "generation")
    term = models.IntegerField(help_text="number of a term: language/terms.py")
    generation = models.IntegerField(default=0, db_default=0)
    chunks_count = models.IntegerField()

    objects: ClassVar[SourceTermManager] = SourceTermManager()

    class Meta(ChunkRow.Meta):
        indexes = [
            models.Index(
                fields=["tenant", "source", "generation"], name="sources_sourceterm_generation"
            )
        ]
