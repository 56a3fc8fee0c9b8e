"""What the migrations of our apps are written with, beside Django's own operations."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.models import CreateModel
from django.db.migrations.operations.special import RunSQL
from django.db.migrations.state import ProjectState

# --- Models ---------------------------------------------------------------------------------------

OF_TENANTS = {"base_manager_name": "all_tenants", "default_manager_name": "all_tenants"}
ALL_TENANTS = [("all_tenants", models.Manager[Any]())]


def uuid_key() -> Any:
    return models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)


def tenant_key() -> Any:
    return models.ForeignKey("accounts.tenant", on_delete=models.CASCADE, related_name="+")


def walled_key(to: str) -> Any:
    """A foreign key that only a wall makes the database keep, without an index of its own."""
    return models.ForeignKey(
        to, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )


class CreateModels(Operation):
    """Many models at once, as each one's CreateModel makes it.

    After each operation Django builds anew every model class that is related to what changed: here
    all of them, which took longer than everything else that a migration does. This has them built
    once, when the first table is made. Indexes and constraints, which Django leaves for the end of
    a migration, are made too: walls build on them.
    """

    def __init__(self, *models: CreateModel) -> None:
        self.models = models

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return self.__class__.__name__, [*self.models], {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.is_delayed = True
        state.clear_delayed_apps_cache()
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)
        for statement in schema_editor.deferred_sql:
            schema_editor.execute(statement, None)
        schema_editor.deferred_sql.clear()

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for model in reversed(self.models):
            model.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create models {', '.join(model.name for model in self.models)}"


# --- What Django cannot declare -------------------------------------------------------------------


def build_wall(
    table: str, column: str, target: str, on_delete: str = "CASCADE", *, name: str = ""
) -> RunSQL:
    """A composite foreign key, which Django cannot declare: no row of `table` points to a row of
    another tenant in `target`, whatever the code does.

    `on_delete` happens inside PostgreSQL. Where it is empty, a row of `target` cannot be deleted
    while another one points to it.
    """
    name = name or f"{table}_{column}_same_tenant"
    return RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name}"
        f" FOREIGN KEY (tenant_id, {column}) REFERENCES {target} (tenant_id, id)"
        + (f" ON DELETE {on_delete}" if on_delete else ""),
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )
