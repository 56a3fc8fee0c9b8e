"""What an answer is chosen by is kept; and vectors have a place for the language of their text."""

import django.db.models.deletion
from django.db import migrations, models

TABLE = "sources_chunkreading"
WALL = f"{TABLE}_source_id_same_tenant"


class Migration(migrations.Migration):
    dependencies = [("sources", "0006_embedding_spaces")]

    operations = [
        migrations.AddField(
            "chunkembedding",
            "language",
            models.CharField(
                default="",
                max_length=2,
                help_text="the chunk's: cosines of two languages have scales of their own",
            ),
            preserve_default=False,
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
                (
                    "source",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="sources.source",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="accounts.tenant",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
            },
            managers=[("all_tenants", models.Manager())],
        ),
        migrations.RunSQL(
            f"""
            ALTER TABLE {TABLE} ALTER COLUMN content SET STORAGE EXTERNAL;
            ALTER TABLE {TABLE} ADD CONSTRAINT {WALL} FOREIGN KEY (tenant_id, source_id)
                REFERENCES sources_source (tenant_id, id) ON DELETE CASCADE;
            """,
            f"ALTER TABLE {TABLE} DROP CONSTRAINT {WALL}",
        ),
    ]
