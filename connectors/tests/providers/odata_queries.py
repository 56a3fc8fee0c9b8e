"""How the OData stand-in understands a request: who asks, what is preferred, what is filtered."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from connectors.tests.providers.odata_model import EntitySet
from sources.tests.providers.server import Call, Reply, json_reply

COMPARISON = re.compile(r"(\w+) (eq|gt|ge|lt|le) (.+)")
COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: bool(a == b),
    "gt": lambda a, b: bool(a > b),
    "ge": lambda a, b: bool(a >= b),
    "lt": lambda a, b: bool(a < b),
    "le": lambda a, b: bool(a <= b),
}


class Refusal(Exception):
    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        self.reply = error_reply(status, code, message, **headers)


def error_reply(status: int, code: str, message: str, **headers: str) -> Reply:
    """OData JSON Format 4.0, 19."""
    return json_reply({"error": {"code": code, "message": message}}, status, **headers)


def basic_of(call: Call) -> tuple[str | None, str | None]:
    kind, _, encoded = call.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return None, None
    name, _, password = base64.b64decode(encoded).decode().partition(":")
    return unquote(name), unquote(password)


def preferences(call: Call) -> dict[str, str]:
    """RFC 7240. A preference that is not known is ignored."""
    given = (each.strip().partition("=") for each in call.headers.get("prefer", "").split(","))
    return {name.strip(): value.strip() for name, _, value in given if name}


def fits(row: Mapping[str, Any], entity_set: EntitySet, condition: str) -> bool:
    if not condition:
        return True
    found = COMPARISON.fullmatch(condition)
    if found is None or entity_set.type_of(found[1]) is None:
        raise Refusal(400, "BadRequest", f"This $filter is not understood: {condition}")
    name, operator, written = found.groups()
    is_text = entity_set.type_of(name) == "Edm.String"
    if is_text != (written[0] == written[-1] == "'"):
        raise Refusal(400, "BadRequest", f"Incompatible types in $filter: {condition}")
    value = written[1:-1].replace("''", "'") if is_text else written
    return row.get(name) is not None and COMPARE[operator](str(row[name]), value)


def sortable(value: Any) -> tuple[bool, Any]:
    return value is not None, 0 if value is None else value
