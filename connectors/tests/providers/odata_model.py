"""What an OData service describes itself with: entity sets, their properties, keys, and the XML of
`$metadata` (OData CSDL XML 4.0, docs.oasis-open.org/odata/odata/v4.0, read 2026-11-22)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import quoteattr

NAMESPACE = "Shop"


@dataclass(frozen=True)
class Property:
    """`label`: an annotation Common.Label, where there is one."""

    name: str
    type: str = "Edm.String"
    label: str = ""


@dataclass
class Change:
    number: int
    predicate: str
    is_removal: bool


@dataclass
class EntitySet:
    """`rows`: by key predicate, in their order. `tracks_changes`: gives delta links when asked.
    `versions`: what is counted up with each edit, for ETags."""

    name: str
    keys: tuple[str, ...]
    properties: tuple[Property, ...]
    label: str = ""
    tracks_changes: bool = False
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    def type_of(self, name: str) -> str | None:
        return next((each.type for each in self.properties if each.name == name), None)

    def predicate_of(self, row: Mapping[str, Any]) -> str:
        """Of a canonical URL (OData URL Conventions 4.0, 4.3.1): "(42)", "(Order='A',Line=1)"."""
        literals = [literal(row[name], self.type_of(name) or "") for name in self.keys]
        if len(literals) == 1:
            return f"({literals[0]})"
        named = [f"{name}={value}" for name, value in zip(self.keys, literals, strict=True)]
        return f"({','.join(named)})"


def literal(value: Any, edm_type: str) -> str:
    return "'" + str(value).replace("'", "''") + "'" if edm_type == "Edm.String" else str(value)


def write_metadata(sets: Sequence[EntitySet], *, with_sap_labels: bool) -> str:
    """`with_sap_labels`: names stand in an attribute `sap:label`, as SAP Gateway writes them."""
    types = "".join(write_type(each, with_sap_labels=with_sap_labels) for each in sets)
    container = "".join(
        f'<EntitySet Name={quoteattr(each.name)} EntityType="{NAMESPACE}.{each.name}Type"'
        f"{sap_label(each.label) if with_sap_labels else ''}/>"
        for each in sets
    )
    labels = "" if with_sap_labels else "".join(write_labels(each) for each in sets)
    return (
        '<?xml version="1.0" encoding="utf-8"?>'
        '<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" '
        'xmlns:sap="http://www.sap.com/Protocols/SAPData"><edmx:DataServices>'
        f'<Schema Namespace="{NAMESPACE}" xmlns="http://docs.oasis-open.org/odata/ns/edm">'
        f'{types}<EntityContainer Name="Container">{container}</EntityContainer>{labels}'
        "</Schema></edmx:DataServices></edmx:Edmx>"
    )


def write_type(entity_set: EntitySet, *, with_sap_labels: bool) -> str:
    keys = "".join(f'<PropertyRef Name="{name}"/>' for name in entity_set.keys)
    properties = "".join(
        f'<Property Name="{each.name}" Type="{each.type}"'
        f"{sap_label(each.label) if with_sap_labels else ''}/>"
        for each in entity_set.properties
    )
    return f'<EntityType Name="{entity_set.name}Type"><Key>{keys}</Key>{properties}</EntityType>'


def sap_label(label: str) -> str:
    return f" sap:label={quoteattr(label)}" if label else ""


def write_labels(entity_set: EntitySet) -> str:
    named = {f"{NAMESPACE}.{entity_set.name}Type": entity_set.label}
    for each in entity_set.properties:
        named[f"{NAMESPACE}.{entity_set.name}Type/{each.name}"] = each.label
    return "".join(
        f'<Annotations Target="{target}">'
        f'<Annotation Term="com.sap.vocabularies.Common.v1.Label" String={quoteattr(label)}/>'
        "</Annotations>"
        for target, label in named.items()
        if label
    )
