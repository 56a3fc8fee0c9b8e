"""Source → Document → Chunk, and what is searched. Begin reading at sources.py.

The composite foreign keys (tenant_id, …) that keep a row from pointing into another tenant are made
in the migrations. docs/architecture.md tells why the tables are cut this way.
"""

from sources.models.chunks import (
    LOCATION_MAX_CHARS,
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    EmbeddingSpace,
    SourceTerm,
    TermPostings,
    VectorSigns,
)
from sources.models.connections import (
    Connection,
    ConnectionState,
)
from sources.models.documents import (
    NEVER,
    Document,
    DocumentQuerySet,
)
from sources.models.entries import (
    ENTRY_ANSWER_MAX_CHARS,
    ENTRY_QUESTION_MAX_CHARS,
    Entry,
)
from sources.models.sources import (
    AUDIO,
    FAILING,
    FILE,
    NAME_MAX_CHARS,
    NOTHING,
    POSTED_AT_LEAST,
    PROVIDER_UPLOAD,
    UPLOADED_TYPES,
    Lane,
    Source,
    SourceQuerySet,
    SyncStatus,
)
from sources.models.syncs import (
    LaneTurn,
    Schedule,
    SyncEvent,
)

__all__ = [
    "AUDIO",
    "Chunk",
    "ChunkEmbedding",
    "ChunkReading",
    "ChunkTerms",
    "Connection",
    "ConnectionState",
    "Document",
    "DocumentQuerySet",
    "ENTRY_ANSWER_MAX_CHARS",
    "ENTRY_QUESTION_MAX_CHARS",
    "EmbeddingSpace",
    "Entry",
    "FAILING",
    "FILE",
    "LOCATION_MAX_CHARS",
    "Lane",
    "LaneTurn",
    "NAME_MAX_CHARS",
    "NEVER",
    "NOTHING",
    "POSTED_AT_LEAST",
    "PROVIDER_UPLOAD",
    "Schedule",
    "Source",
    "SourceQuerySet",
    "SourceTerm",
    "SyncEvent",
    "SyncStatus",
    "TermPostings",
    "VectorSigns",
    "UPLOADED_TYPES",
]
