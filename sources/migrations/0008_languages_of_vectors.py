"""Vectors know the language of their text.

Source by source, each in a transaction of its own: nothing is locked for long, and a run that was
killed goes on. Apart from the migration that adds the column, which could not be run twice.
"""

from typing import Any

from django.db import migrations

NAME_LANGUAGES = """
UPDATE sources_chunkembedding vector SET language = chunk.language
FROM sources_chunk chunk
WHERE vector.tenant_id = %s AND vector.source_id = %s AND vector.language = ''
  AND chunk.id = vector.chunk_id AND chunk.tenant_id = vector.tenant_id
"""


def name_languages(apps: Any, schema_editor: Any) -> None:
    sources = apps.get_model("sources", "Source").all_tenants.values_list("tenant_id", "pk")
    with schema_editor.connection.cursor() as cursor:
        for tenant_id, source_id in sources.iterator():
            cursor.execute(NAME_LANGUAGES, [tenant_id, source_id])


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("sources", "0007_close_readings")]

    operations = [migrations.RunPython(name_languages, migrations.RunPython.noop)]
