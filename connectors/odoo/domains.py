"""Filters for records, as Odoo's search domains in JSON, checked for their form before they are
sent. The notation: odoo.com/documentation/19.0/developer/reference/backend/orm.html (Search
domains), read 2026-11-22."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from config.errors import InvalidValue
from reasons import Reason
from sources.connectors.interface import UNSTORABLE

WRITTEN_MAX_CHARS = 2000
FIELD = re.compile(r"[a-z_]\w{0,62}(?:\.[a-z_]\w{0,62}){0,4}", re.ASCII)
OPERATORS = frozenset(
    {"=", "!=", ">", ">=", "<", "<=", "=?", "in", "not in", "like", "not like", "ilike"}
) | {"not ilike", "=like", "=ilike", "child_of", "parent_of"}
TAKES = {"&": 2, "|": 2, "!": 1}  # terms that follow
EXAMPLE = '[["sale_ok", "=", true]]'


def parse_domain(written: str) -> list[Any]:
    """[] for "", which finds everything. Raises InvalidValue, for the person who wrote it."""
    if not written.strip():
        return []
    if len(written) > WRITTEN_MAX_CHARS:
        raise InvalidValue(Reason("filter_too_long", limit=WRITTEN_MAX_CHARS))
    try:
        domain = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(Reason("filter_not_json_example", example=EXAMPLE)) from error
    if not isinstance(domain, list):
        raise InvalidValue(Reason("filter_not_list", example=EXAMPLE))
    check_terms(domain)
    return domain


def names_in(domain: Sequence[Any]) -> set[str]:
    """The names of the model's own fields: "categ_id" of "categ_id.name"."""
    return {term[0].split(".")[0] for term in domain if isinstance(term, list)}


def check_terms(domain: Sequence[object]) -> None:
    """Each operator has its terms: `missing` are those that those before still wait for. Terms
    side by side are joined by "and"."""
    missing = 0
    for term in domain:
        if isinstance(term, str) and term in TAKES:
            missing = max(missing - 1, 0) + TAKES[term]
        else:
            check_condition(term)
            missing = max(missing - 1, 0)
    if missing:
        raise InvalidValue(Reason("filter_ends_early"))


def check_condition(term: object) -> None:
    match term:
        case [str(field), str(sign), value] if FIELD.fullmatch(field) and sign in OPERATORS:
            if is_plain(value) or (isinstance(value, list) and all(map(is_plain, value))):
                return
    raise InvalidValue(Reason("filter_condition_wrong", example=EXAMPLE))


def is_plain(value: object) -> bool:
    """True if a condition may hold the value. Values that cannot be stored are refused: NaN, which
    Python reads in JSON, and half a character."""
    match value:
        case str():
            return UNSTORABLE.search(value) is None
        case float():
            return math.isfinite(value)
    return value is None or isinstance(value, int)
