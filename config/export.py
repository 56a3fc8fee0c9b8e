"""The data that belongs into the archive of a workspace. A model declares it itself; nothing else
lists it.

class Lead(TenantModel):
    exported = Exported("leads", ("id", "name", "email", "status"))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import models


@dataclass(frozen=True)
class Exported:
    """
    Args:
        name: of its file in the archive, without ".jsonl".
        columns: what a line holds, also of the rows that it points to: "user__email". Only what is
            named here leaves the service, so no secret does by accident.
        original: the columns of a stored file and of its name, where a row has one.
    """

    name: str
    columns: tuple[str, ...]
    original: tuple[str, str] | None = None


def list_exported() -> Iterator[tuple[type[models.Model], Exported]]:
    """Yields the installed models that are exported, in their order, each with its rule."""
    for model in apps.get_models():
        rule = getattr(model, "exported", None)
        if isinstance(rule, Exported):
            yield model, rule
