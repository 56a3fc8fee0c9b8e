"""What answers is counted already (`chunks_count`); what runs have staged is counted here. In a
transaction of its own: adding the column locks the table, which every question reads."""

from django.db import migrations

COUNT_STAGED = """
UPDATE sources_source source
SET reserved_count = staged.count
FROM (
    SELECT document.tenant_id, document.source_id, sum(document.chunks_count) AS count
    FROM sources_document document
    JOIN sources_source of
      ON of.tenant_id = document.tenant_id AND of.id = document.source_id
    WHERE document.generation = of.generation + 1
    GROUP BY document.tenant_id, document.source_id
) staged
WHERE source.tenant_id = staged.tenant_id AND source.id = staged.source_id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0003_reserved_passages"),
    ]

    operations = [
        migrations.RunSQL(COUNT_STAGED, migrations.RunSQL.noop),
    ]
