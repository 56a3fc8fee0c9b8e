"""A large source's chunks by term: nothing is posted yet, so the search goes on as it did. Beat
posts what is there, source by source (sources/syncing/dispatch.py)."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models
from django.db.models.expressions import CombinedExpression

TABLE = "sources_termpostings"
WALL = f"{TABLE}_source_id_same_tenant"


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0015_erasures_are_kept"),
        ("sources", "0015_outcomes_are_warnings"),
    ]

    operations = [
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
                (
                    "postings",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
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
                ("all_tenants", models.Manager()),
            ],
        ),
        migrations.AddField(
            model_name="source",
            name="ghosts_count",
            field=models.IntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="source",
            name="posted_count",
            field=models.IntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="source",
            name="posted_through",
            field=models.BigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name="source",
            index=models.Index(
                condition=models.Q(
                    (
                        "chunks_count__gte",
                        CombinedExpression(models.F("posted_count"), "+", models.Value(512)),
                    )
                ),
                fields=["id"],
                name="sources_source_unposted",
            ),
        ),
        migrations.RunSQL(  # numbers that hardly repeat: pressing them takes time and saves nothing
            f"""
            ALTER TABLE {TABLE} ALTER COLUMN postings SET STORAGE EXTERNAL;
            ALTER TABLE {TABLE} ADD CONSTRAINT {WALL} FOREIGN KEY (tenant_id, source_id)
                REFERENCES sources_source (tenant_id, id) ON DELETE CASCADE;
            """,
            f"ALTER TABLE {TABLE} DROP CONSTRAINT {WALL}",
        ),
    ]
