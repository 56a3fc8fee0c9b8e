"""Documents and what is searched have versions: a sync writes the next one beside the one that
answers (docs/decisions/0021-generations.md).

What is there is generation 0 and stays it. New columns cost neither a rewrite nor a scan: their
defaults are constants, and they have no CHECK. The new key of sources_sourceterm and the index of
sources_chunk are built while nobody writes: seconds for a million passages; questions wait for the
key alone.
"""

from django.db import migrations, models
from django.db.models import F

NEVER = 2**31 - 1
KEY = "tenant_id, term, source_id, generation"
KEY_BEFORE = "tenant_id, term, source_id"

# Backwards: the versions before know one generation of each source, the one that answers.
KEEP_WHAT_ANSWERS = """
DELETE FROM sources_chunkreading r USING sources_chunk c, sources_document d, sources_source s
    WHERE c.id = r.chunk_id AND d.id = c.document_id AND s.id = d.source_id
    AND NOT (d.generation BETWEEN s.first_generation AND s.generation
             AND d.removed_in > s.generation);
DELETE FROM sources_chunkembedding e USING sources_source s
    WHERE s.id = e.source_id
    AND NOT (e.generation BETWEEN s.first_generation AND s.generation
             AND e.removed_in > s.generation);
DELETE FROM sources_chunkterms t USING sources_source s
    WHERE s.id = t.source_id
    AND NOT (t.generation BETWEEN s.first_generation AND s.generation
             AND t.removed_in > s.generation);
DELETE FROM sources_document d USING sources_source s
    WHERE s.id = d.source_id
    AND NOT (d.generation BETWEEN s.first_generation AND s.generation
             AND d.removed_in > s.generation);
CREATE TEMPORARY TABLE kept_terms ON COMMIT DROP AS
    SELECT t.tenant_id, t.term, t.source_id, sum(t.chunks_count) AS chunks_count
    FROM sources_sourceterm t JOIN sources_source s ON s.id = t.source_id
    WHERE t.generation BETWEEN s.first_generation AND s.generation
    GROUP BY t.tenant_id, t.term, t.source_id HAVING sum(t.chunks_count) > 0;
DELETE FROM sources_sourceterm;
INSERT INTO sources_sourceterm (tenant_id, term, source_id, chunks_count, generation)
    SELECT tenant_id, term, source_id, chunks_count, 0 FROM kept_terms;
DROP TABLE kept_terms;
SET CONSTRAINTS ALL IMMEDIATE;
"""


def change_key(columns: str) -> str:
    return (
        "ALTER TABLE sources_sourceterm DROP CONSTRAINT sources_sourceterm_pkey,"
        f" ADD CONSTRAINT sources_sourceterm_pkey PRIMARY KEY ({columns})"
    )


def generation() -> "models.IntegerField[int, int]":
    return models.IntegerField(db_default=0, default=0, editable=False)


def removed_in() -> "models.IntegerField[int, int]":
    return models.IntegerField(db_default=NEVER, default=NEVER, editable=False)


class Migration(migrations.Migration):
    dependencies = [("sources", "0008_languages_of_vectors")]

    operations = [
        migrations.AddField("source", "generation", generation()),
        migrations.AddField("source", "first_generation", generation()),
        migrations.AddField("source", "cleared_generation", generation()),
        migrations.AddField("source", "sync_batches", generation()),
        migrations.AddIndex(
            "source",
            models.Index(
                fields=["id"],
                condition=models.Q(cleared_generation__lt=F("generation")),
                name="sources_source_leftovers",
            ),
        ),
        migrations.AddField("document", "generation", generation()),
        migrations.AddField("document", "removed_in", removed_in()),
        migrations.RemoveConstraint("document", "sources_document_external_id"),
        migrations.AddConstraint(
            "document",
            models.UniqueConstraint(
                fields=["tenant", "source", "external_id", "generation"],
                name="sources_document_version",
            ),
        ),
        migrations.AddIndex(
            "chunk",
            models.Index(fields=["source", "embedded_hash"], name="sources_chunk_same_text"),
        ),
        migrations.AddField("chunkembedding", "generation", generation()),
        migrations.AddField("chunkembedding", "removed_in", removed_in()),
        migrations.AddField("chunkterms", "generation", generation()),
        migrations.AddField("chunkterms", "removed_in", removed_in()),
        migrations.AddField(
            "sourceterm", "generation", models.IntegerField(db_default=0, default=0)
        ),
        migrations.AlterField("sourceterm", "chunks_count", models.IntegerField()),
        # Django cannot change a composite primary key.
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(change_key(KEY), change_key(KEY_BEFORE))],
            state_operations=[
                migrations.AlterField(
                    "sourceterm",
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
                )
            ],
        ),
        migrations.RemoveIndex("sourceterm", "sources_sourceterm_source"),
        migrations.AddIndex(
            "sourceterm",
            models.Index(
                fields=["tenant", "source", "generation"], name="sources_sourceterm_generation"
            ),
        ),
        migrations.RunSQL(migrations.RunSQL.noop, KEEP_WHAT_ANSWERS),
    ]
