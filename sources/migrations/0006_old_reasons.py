"""Rows from before reasons were values: their texts become reasons with the code "text".

Not in one transaction: rows are rewritten in batches, and an interrupted migration is run again.
"""

from collections.abc import Callable
from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from config.database.old_reasons import rewrite_rows, to_reason, to_text

Change = Callable[[object], object]


def make_reasons(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    rewrite_all(apps, schema_editor, to_reason)
    for name, text in (("Source", "error_message"), ("Connection", "reason")):
        rows = rows_of(apps, schema_editor, name).filter(error__isnull=True).exclude(**{text: ""})

        def fill(row: Any, text: str = text) -> None:
            row.error = to_reason(getattr(row, text))

        rewrite_rows(rows, ["error", text], fill)


def make_texts(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    rewrite_all(apps, schema_editor, to_text)


def rewrite_all(apps: Apps, schema_editor: BaseDatabaseSchemaEditor, change: Change) -> None:
    def change_warnings(row: Any) -> None:
        row.warnings = list(map(change, row.warnings))

    def change_failures(row: Any) -> None:
        row.known_failures = {
            name: {**failure, "reason": change(failure["reason"])}
            for name, failure in row.known_failures.items()
        }

    def change_details(row: Any) -> None:
        row.details = details_with(row.details, change)

    documents = rows_of(apps, schema_editor, "Document").exclude(warnings=[])
    rewrite_rows(documents, ["warnings"], change_warnings)
    sources = rows_of(apps, schema_editor, "Source").exclude(known_failures={})
    rewrite_rows(sources, ["known_failures"], change_failures)
    rewrite_rows(rows_of(apps, schema_editor, "SyncEvent"), ["details"], change_details)


def details_with(details: dict[str, Any], change: Change) -> dict[str, Any]:
    """Return the details of a sync with each reason in them changed."""
    told: dict[str, Any] = {
        name: change(details[name]) for name in ("message", "cut") if name in details
    }
    if "warnings" in details:
        told["warnings"] = list(map(change, details["warnings"]))
    if "outcomes" in details:
        told["outcomes"] = [
            {**item, "reason": change(item.get("reason", ""))} for item in details["outcomes"]
        ]
    return {**details, **told}


def rows_of(apps: Apps, schema_editor: BaseDatabaseSchemaEditor, name: str) -> Any:
    model = apps.get_model("sources", name)
    return model._base_manager.using(schema_editor.connection.alias)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("sources", "0005_reasons"),
    ]

    operations = [
        migrations.RunPython(make_reasons, make_texts),
    ]
