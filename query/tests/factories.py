"""Indexed texts for the tests of questions: through the real embedder and index, without files."""

from django.db import transaction
from django.utils import timezone

from accounts.models import Tenant
from sources.ingestion.index import embed_documents, replace_documents
from sources.ingestion.passages import Passage, ReadDocument
from sources.models import ChunkLevel, Source, SyncStatus


def index_texts(
    tenant: Tenant,
    *texts: str,
    name: str = "notes.txt",
    section_title: str = "",
    level: ChunkLevel = ChunkLevel.PARAGRAPH,
) -> Source:
    """A synced source of one document with a passage a text."""
    source = Source.objects.for_tenant(tenant).create(
        name=name,
        source_type="file",
        sync_status=SyncStatus.SYNCED,
        last_synced_at=timezone.now(),
        chunks_count=len(texts),
    )
    passages = tuple(
        Passage(text, location=f"paragraph {number}", section_title=section_title, level=level)
        for number, text in enumerate(texts, start=1)
    )
    document = ReadDocument(name, name, "text/plain", "0" * 64, "", passages)
    with transaction.atomic():
        replace_documents(tenant, source.pk, embed_documents(tenant, source.pk, [document]))
    return source


LIGHTHOUSE = (
    "The lighthouse opens to visitors from Tuesday to Sunday, from 10:00 to 14:00.",
    "A guided visit costs 7 euros. Children under ten years of age come in for free.",
    "The keeper, Aldara Quintáns, has lived in the tower since 1998.",
)
FARO = (
    "El faro abre a las visitas de martes a domingo, de 10:00 a 14:00.",
    "La visita guiada cuesta 7 euros. Los menores de diez años entran gratis.",
    "La farera, Aldara Quintáns, vive en la torre desde 1998.",
)
