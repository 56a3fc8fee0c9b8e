"""Writes what pydantic found wrong, in a line that is short whatever a client sent."""

from __future__ import annotations

from pydantic import ValidationError

PROBLEMS_TOLD = 5
PARTS_TOLD = 4
NAME_MAX_CHARS = 60


def tell_problems(error: ValidationError, *, of: str) -> str:
    """The first problems in one line. `of`: the name to use when a problem is not in a field."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    told = [f"{name_place(one['loc']) or of}: {one['msg']}" for one in found[:PROBLEMS_TOLD]]
    return f"{'; '.join(told)}."


def name_place(place: tuple[int | str, ...]) -> str:
    """The path of a field, cut short: a client chooses the names, and how deep they are."""
    return ".".join(str(part)[:NAME_MAX_CHARS] for part in place[:PARTS_TOLD])
