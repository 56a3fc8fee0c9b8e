"""The composite foreign key of schedules: see 0002."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("sources", "0004_sync_lifecycle")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE sources_schedule ADD CONSTRAINT sources_schedule_source_id_same_tenant"
            " FOREIGN KEY (tenant_id, source_id) REFERENCES sources_source (tenant_id, id)"
            " ON DELETE CASCADE",
            "ALTER TABLE sources_schedule DROP CONSTRAINT sources_schedule_source_id_same_tenant",
        )
    ]
