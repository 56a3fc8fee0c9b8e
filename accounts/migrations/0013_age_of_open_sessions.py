"""Sessions from before began where they were opened: those older than the longest age end now."""

from django.db import migrations

FILL = "UPDATE accounts_session SET signed_in_at = created_at"


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0012_staff_sessions_and_age"),
    ]

    operations = [
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
