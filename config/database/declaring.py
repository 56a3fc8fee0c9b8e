"""Fields and operations that the migrations of our apps use, beside Django's own."""

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

    For each new model, Django rebuilds the classes of all that are related to it: here all there
    are, which took longer than everything else that a migration does. They stay instead, and learn
    which of the new ones point to them. Indexes and constraints, which Django leaves for the end of
    a migration, are made with the tables: walls build on them.
    """

    def __init__(self, *models: CreateModel) -> None:
        self.models = models

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return self.__class__.__name__, [*self.models], {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        built = state.__dict__.pop("apps", None)  # a cached property
        for model in self.models:
            model.state_forwards(app_label, state)
        if built is not None:
            built.render_multiple([state.models[app_label, one.name_lower] for one in self.models])
            state.__dict__["apps"] = built

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)
        schema_editor.execute(";\n".join(map(str, schema_editor.deferred_sql)), None)
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


def build_walls(*walls: tuple[str, str, str, str]) -> RunSQL:
    """Composite foreign keys, which Django cannot declare: no row of a table points to a row of
    another tenant, whatever the code does.

    Each is a table, its column, the table it points to, and what PostgreSQL does when that row
    goes. Where that is empty, the row cannot be deleted while another one points to it.
    """
    built, torn_down = [], []
    for table, column, target, on_delete in walls:
        name = f"{table}_{column}_same_tenant"
        built.append(
            f"ALTER TABLE {table} ADD CONSTRAINT {name}"
            f" FOREIGN KEY (tenant_id, {column}) REFERENCES {target} (tenant_id, id)"
            + (f" ON DELETE {on_delete}" if on_delete else "")
        )
        torn_down.append(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    return RunSQL(";\n".join(built), ";\n".join(torn_down))
