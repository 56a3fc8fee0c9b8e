"""A database of the version before: its vectors learn the language of their text."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection, transaction

from accounts.models import Tenant
from config.database.acting import as_migrations
from sources.indexing.index import embed_documents
from sources.models import ChunkEmbedding, ChunkReading
from sources.reading.passages import ChunkLevel, Passage, ReadDocument
from sources.tests.factories import PARAGRAPHS, make_source
from sources.tests.indexing import replace_documents
from sources.tests.migrating import migrate_back, upgrade

pytestmark = pytest.mark.slow

BEFORE, AFTER = "0006_embedding_spaces", "0008_languages_of_vectors"
ENGLISH, SPANISH = PARAGRAPHS


def index(tenant: Tenant, *texts: str) -> None:
    source = make_source(tenant)
    passages = tuple(
        Passage(text, location="", section_title="", level=ChunkLevel.PARAGRAPH) for text in texts
    )
    document = ReadDocument("d", "d", "text/plain", "0" * 64, passages)
    with transaction.atomic():
        replace_documents(tenant, source.pk, embed_documents(tenant, source.pk, [document]))


def languages(tenant: Tenant) -> list[str]:
    rows = ChunkEmbedding.objects.for_tenant(tenant).order_by("chunk_id")
    return list(rows.values_list("language", flat=True))


def columns(table: str) -> set[str]:
    with connection.cursor() as cursor:
        return {
            column.name for column in connection.introspection.get_table_description(cursor, table)
        }


def test_vectors_that_are_there_get_the_language_of_their_chunk(tenant, other_tenant):
    index(tenant, ENGLISH, SPANISH)
    index(other_tenant, SPANISH)

    migrate_back(BEFORE)
    assert "language" not in columns("sources_chunkembedding")
    assert ChunkReading._meta.db_table not in connection.introspection.table_names()
    upgrade()

    assert (languages(tenant), languages(other_tenant)) == (["en", "es"], ["es"])
    assert ChunkReading.objects.for_tenant(tenant).count() == 0


def test_a_run_that_was_killed_goes_on(tenant):
    index(tenant, ENGLISH, SPANISH)
    rows = ChunkEmbedding.objects.for_tenant(tenant)
    rows.filter(chunk_id=rows.order_by("chunk_id").values("chunk_id")[:1]).update(language="")
    assert languages(tenant) == ["", "es"]

    migration = import_module(f"sources.migrations.{AFTER}")
    with as_migrations(), connection.schema_editor() as editor:
        migration.name_languages(apps, editor)

    assert languages(tenant) == ["en", "es"]


@pytest.mark.django_db
def test_an_empty_database_is_migrated_both_ways():
    migrate_back(BEFORE)
    upgrade()

    assert "language" in columns("sources_chunkembedding")
