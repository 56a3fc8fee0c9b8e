"""No two classes of one app share a name: whoever reads it knows which one is meant."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest
from django.conf import settings

APPS = sorted(
    {path.parent.name for path in settings.BASE_DIR.glob("*/apps.py")}
    | {"config", "connectors", "language", "reading", "reasons"}
)
DJANGOS = frozenset({"Command", "EmailBackend"})  # it looks for these by their names
SHARED = {"reading": {"Reading", "Row"}, "sources": {"OnProgress"}}  # found, and to be renamed


def classes_of(app: str) -> dict[str, list[Path]]:
    """The files that define each class of an app, tests and migrations aside."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in (settings.BASE_DIR / app).rglob("*.py"):
        if {"tests", "migrations"}.isdisjoint(path.parts):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(path)
    return found


@pytest.mark.parametrize("app", APPS)
def test_no_two_classes_of_an_app_share_a_name(app: str) -> None:
    classes = classes_of(app)
    assert classes
    shared = {name: paths for name, paths in classes.items() if len(paths) > 1}
    assert shared.keys() - DJANGOS - SHARED.get(app, set()) == set()
