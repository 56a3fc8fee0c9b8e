"""Rows from before reasons were values: their texts become reasons with the code "text". In
batches; the text stays beside it, so that the way back has nothing to do."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from config.database.old_reasons import rewrite_rows, to_reason


def make_reasons(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    def fill(row: Any) -> None:
        row.error = to_reason(row.error_message)

    model = apps.get_model("channels", "ChannelConnection")
    rows = model._base_manager.using(schema_editor.connection.alias)
    untold = rows.filter(error__isnull=True).exclude(error_message="")
    rewrite_rows(untold, ["error", "error_message"], fill)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("channels", "0002_reasons"),
    ]

    operations = [
        migrations.RunPython(make_reasons, migrations.RunPython.noop),
    ]
