"""Vectors stay in their row: out of line (TOAST), an exact scan costs 3 to 5 times more."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("sources", "0002_tenant_walls")]

    operations = [
        migrations.RunSQL(
            """
            ALTER TABLE sources_chunkembedding ALTER COLUMN embedding SET STORAGE PLAIN;
            ALTER TABLE sources_chunkterms ALTER COLUMN weights SET STORAGE MAIN;
            """,
            """
            ALTER TABLE sources_chunkembedding ALTER COLUMN embedding SET STORAGE EXTERNAL;
            ALTER TABLE sources_chunkterms ALTER COLUMN weights SET STORAGE EXTENDED;
            """,
        ),
    ]
