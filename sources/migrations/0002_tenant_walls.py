"""Composite foreign keys: no row can point into another tenant, whatever the code does.

They also cascade: deleting a source deletes its chunks inside PostgreSQL, without loading them.
"""

from django.db import migrations

# table, its column, the table it points to
WALLS = [
    ("sources_document", "source_id", "sources_source"),
    ("sources_syncevent", "source_id", "sources_source"),
    ("sources_chunk", "source_id", "sources_source"),
    ("sources_chunk", "document_id", "sources_document"),
    ("sources_chunkembedding", "source_id", "sources_source"),
    ("sources_chunkterms", "source_id", "sources_source"),
    ("sources_sourceterm", "source_id", "sources_source"),
]


def wall(table: str, column: str, target: str) -> migrations.RunSQL:
    name = f"{table}_{column}_same_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name}"
        f" FOREIGN KEY (tenant_id, {column}) REFERENCES {target} (tenant_id, id) ON DELETE CASCADE",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [("sources", "0001_initial")]

    operations = [wall(*row) for row in WALLS]
