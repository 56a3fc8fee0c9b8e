"""Which rows a search domain of Odoo finds: the prefix notation of
odoo.com/documentation/18.0/developer/reference/backend/orm.html#search-domains, read 2026-11-22."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Test = Callable[[Row], bool]

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "in": lambda value, wanted: value in wanted,
    "not in": lambda value, wanted: value not in wanted,
    "like": lambda value, wanted: str(wanted) in str(value or ""),
    "ilike": lambda value, wanted: str(wanted).lower() in str(value or "").lower(),
}
JOINERS: dict[str, Callable[[Test, Test], Test]] = {
    "&": lambda first, second: lambda row: first(row) and second(row),
    "|": lambda first, second: lambda row: first(row) or second(row),
}


def compile_domain(domain: Sequence[Any], *, model: str, fields: Sequence[str]) -> Test:
    """Raises ValueError in Odoo's words."""
    terms: list[Test] = []
    for term in reversed(domain):
        if term == "!":
            inner = terms.pop()
            terms.append(lambda row, inner=inner: not inner(row))  # type: ignore[misc]
        elif isinstance(term, str):
            if term not in JOINERS or len(terms) < 2:
                raise ValueError(f"Domain {list(domain)} is malformed")
            terms.append(JOINERS[term](terms.pop(), terms.pop()))
        else:
            terms.append(compile_leaf(term, model=model, fields=fields))
    return lambda row: all(test(row) for test in terms)


def compile_leaf(leaf: Sequence[Any], *, model: str, fields: Sequence[str]) -> Test:
    if not isinstance(leaf, list) or len(leaf) != 3:
        raise ValueError(f"Invalid leaf {leaf}")
    name, sign, wanted = leaf
    if name not in fields:
        raise ValueError(f"Invalid field {model}.{name} in leaf {tuple(leaf)}")
    if sign not in OPERATORS:
        raise ValueError(f"Invalid operator {sign!r} in leaf {tuple(leaf)}")
    return lambda row: OPERATORS[sign](row.get(name, False), wanted)
