"""External ids of records: a record's address below the service, "Products(42)" or
"Lines(Order='A',Line=1)" (OData URL Conventions 4.0, 4.3.1, docs.oasis-open.org/odata, read
2026-11-22)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from connectors.odata.metadata import EntityProperty, EntitySet

VALUE_MAX_CHARS = 200
WRITTEN_MAX_CHARS = 2000
BARE = re.compile(r"[\w.:+-]+", re.ASCII)  # numbers, dates, GUIDs
PART = re.compile(r"(?:^|(?<=,))(?:(\w+)=)?((?:[\w.]*'(?:[^']|'')*+')|[^',=]+)(?:,|$)")


def external_id_of(entity_set: EntitySet, record: Mapping[str, object]) -> str | None:
    """The external id; None for a record without its key."""
    literals = {key.name: literal(key, record.get(key.name)) for key in entity_set.keys}
    if any(value is None for value in literals.values()):
        return None
    return f"{entity_set.name}({predicate(entity_set, literals)})"


def meant_by(entity_set: EntitySet, written: object) -> str | None:
    """The external id of a record as a service refers to it: by an address, absolute or not, or by
    the value of the key alone, as Business Central does. None if it is neither."""
    if not isinstance(written, str) or len(written) > WRITTEN_MAX_CHARS:
        return None
    _, found, inside = unquote(written).rpartition(f"{entity_set.name}(")
    if not found:
        record = {entity_set.keys[0].name: written}
        return external_id_of(entity_set, record) if len(entity_set.keys) == 1 else None
    parts = PART.findall(inside.removesuffix(")"))
    names = [key.name for key in entity_set.keys]
    if len(parts) == len(names) == 1:
        parts = [(names[0], parts[0][1])]
    literals = dict(parts)
    if sorted(literals) != sorted(names):
        return None
    for key in entity_set.keys:
        literals[key.name] = folded(key, literals[key.name])
    return f"{entity_set.name}({predicate(entity_set, literals)})"


def predicate(entity_set: EntitySet, literals: Mapping[str, str | None]) -> str:
    if len(entity_set.keys) == 1:
        return str(literals[entity_set.keys[0].name])
    return ",".join(f"{key.name}={literals[key.name]}" for key in entity_set.keys)


def literal(key: EntityProperty, value: object) -> str | None:
    """The value as an address holds it; None where it cannot be the value of a key."""
    if isinstance(value, bool):
        value = str(value).lower()
    if not isinstance(value, str) or not 0 < len(value) <= VALUE_MAX_CHARS:
        return None
    if key.type.startswith("Edm.") and key.type != "Edm.String":
        return folded(key, value) if BARE.fullmatch(value) else None
    if not value.isprintable():
        return None
    type_name = "" if key.type == "Edm.String" else key.type  # of an enumeration
    return f"{type_name}'" + value.replace("'", "''") + "'"


def folded(key: EntityProperty, value: str) -> str:
    """GUIDs are the same in upper and in lower case."""
    return value.lower() if key.type == "Edm.Guid" else value


def path_of(external_id: str) -> str:
    """The external id, encoded for an address."""
    return quote(external_id, safe="(),'=:")
