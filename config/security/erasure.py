"""Rows that go when a session is erased. A model declares it itself; nothing else lists them.

class Conversation(TenantModel):
    erased_with_session = ErasedWithSession("conversations", by="session_id")

class Message(TenantModel):
    erased_with_session = ErasedWithSession("messages", by="conversation")
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import models


@dataclass(frozen=True)
class ErasedWithSession:
    """
    Args:
        counted_as: how `bin/manage erase` names them.
        by: the column that holds the session's id, or the foreign key to the row that does.
    """

    counted_as: str
    by: str


@dataclass(frozen=True)
class SessionRows:
    """A model whose column `by` holds the session's id, and those that point to its rows, each with
    the name of its foreign key."""

    model: type[models.Model]
    by: str
    dependents: tuple[tuple[type[models.Model], str], ...]


def list_session_rows() -> Iterator[SessionRows]:
    """Yields the installed models with rows of a session, in their order."""
    declared = {
        model: model.erased_with_session
        for model in apps.get_models()
        if hasattr(model, "erased_with_session")
    }
    for model, rule in declared.items():
        if not model._meta.get_field(rule.by).is_relation:
            dependents = tuple(
                (other, its.by)
                for other, its in declared.items()
                if other._meta.get_field(its.by).related_model is model
            )
            yield SessionRows(model, rule.by, dependents)


def counted_as(model: type[models.Model]) -> str:
    rule: ErasedWithSession = model.erased_with_session  # type: ignore[attr-defined]  # declared
    return rule.counted_as
