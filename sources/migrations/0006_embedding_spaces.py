"""A vector says which model's it is. Those that are there are EMBEDDING_MODEL's: nothing else could
make them until now. Where it was not set, the default of that time made them."""

from typing import Any

from django.db import migrations, models
from django.utils import timezone

from config.environment import read_str

DEFAULT_BEFORE = "all-MiniLM-L6-v2"
KEY = 'tenant_id, source_id, space, chunk_id, "window"'
KEY_BEFORE = 'tenant_id, source_id, chunk_id, "window"'


def change_key(columns: str) -> str:
    return (
        "ALTER TABLE sources_chunkembedding DROP CONSTRAINT sources_chunkembedding_pkey,"
        f" ADD CONSTRAINT sources_chunkembedding_pkey PRIMARY KEY ({columns})"
    )


def name_the_first_space(apps: Any, schema_editor: Any) -> None:
    """An empty database gets its first space at first use."""
    vector = (
        apps.get_model("sources", "ChunkEmbedding").all_tenants.values_list("embedding").first()
    )
    if vector is not None:
        apps.get_model("sources", "EmbeddingSpace").objects.create(
            id=1,
            model=read_str("EMBEDDING_MODEL", DEFAULT_BEFORE),
            dimension=len(vector[0]),
            is_active=True,
            activated_at=timezone.now(),
        )


class Migration(migrations.Migration):
    dependencies = [("sources", "0005_schedule_tenant_wall")]

    operations = [
        migrations.CreateModel(
            name="EmbeddingSpace",
            fields=[
                ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                (
                    "model",
                    models.TextField(help_text="as EMBEDDING_MODEL named it", unique=True),
                ),
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
        migrations.AddField(
            "chunkembedding",
            "space",
            models.PositiveSmallIntegerField(default=1),
            preserve_default=False,
        ),
        # Django cannot change a composite primary key.
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(change_key(KEY), change_key(KEY_BEFORE))],
            state_operations=[
                migrations.AlterField(
                    "chunkembedding",
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
                )
            ],
        ),
        migrations.AlterField(
            "chunk",
            "embedded_hash",
            models.BinaryField(
                default=b"", help_text="SHA-256 of all that a model may read of it", max_length=32
            ),
        ),
        migrations.RunPython(name_the_first_space, migrations.RunPython.noop),
    ]
