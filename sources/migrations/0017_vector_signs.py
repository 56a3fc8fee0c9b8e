"""The signs of a large source's vectors, packed: there are none yet, so the search goes on as it
did. Beat makes them of what is posted, source by source (sources/syncing/dispatch.py)."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.manager
import pgvector.django.vector
from django.db import migrations, models

import sources.models.chunks

TABLE = "sources_vectorsigns"
WALL = f"{TABLE}_source_id_same_tenant"


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0015_erasures_are_kept"),
        ("sources", "0016_postings"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="signs_space",
            field=models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
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
                    models.BigIntegerField(
                        help_text="of all languages' rows that were made with it"
                    ),
                ),
                ("vectors_count", models.PositiveIntegerField()),
                (
                    "chunk_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
                ("signs", sources.models.chunks.PackedField("bit varying")),
                ("mean", pgvector.django.vector.VectorField()),
                ("sample", sources.models.chunks.PackedField("halfvec")),
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
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(  # bits and ids that hardly repeat: pressing them saves nothing
            f"""
            ALTER TABLE {TABLE} ALTER COLUMN chunk_ids SET STORAGE EXTERNAL,
                ALTER COLUMN signs SET STORAGE EXTERNAL, ALTER COLUMN sample SET STORAGE EXTERNAL;
            ALTER TABLE {TABLE} ADD CONSTRAINT {WALL} FOREIGN KEY (tenant_id, source_id)
                REFERENCES sources_source (tenant_id, id) ON DELETE CASCADE;
            """,
            f"ALTER TABLE {TABLE} DROP CONSTRAINT {WALL}",
        ),
    ]
