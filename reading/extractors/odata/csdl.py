"""`$metadata` of an OData service: its entity sets, their keys and properties, and what people call
them.

No blocks; fact `sets`: each a JSON object with `name`, `label`, `keys` (names) and `properties`, of
which each is [name, type, label]. Labels are "" where there are none. OData CSDL XML 4.0
(docs.oasis-open.org/odata/odata/v4.0); labels as in SAP's vocabulary Common
(sap.github.io/odata-vocabularies) and SAP Gateway's attribute; all read 2026-11-22.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.interface import Extraction
from reading.extractors.prose import clean
from reasons import Reason

SETS_MAX = 5_000
PROPERTIES_MAX = 1_000  # of one entity set; those beyond are left out
NAME_MAX_CHARS = 128  # the specification's own limit
LABEL_MAX_CHARS = 100
BASE_TYPES_MAX = 20  # above one another; a circle has no end
SAP_LABEL = "{http://www.sap.com/Protocols/SAPData}label"
LABEL_TERMS = ("Common.Label", "com.sap.vocabularies.Common.v1.Label")
NO_METADATA = Reason("odata_not_metadata")
DOCTYPE = Reason("odata_with_doctype")
OLD_VERSION = Reason("odata_too_old")


@dataclass
class ServiceModel:
    """All named parts of the document. Names of types have their namespace, not its alias."""

    types: dict[str, etree._Element] = field(default_factory=dict)
    container: str = ""  # of the entity sets: a service has one
    sets: dict[str, str] = field(default_factory=dict)  # entity set: its type
    # By what they are of: "Space.Type", "Space.Type/Property" or "Space.Container/Set".
    labels: dict[str, str] = field(default_factory=dict)
    namespaces: dict[str, str] = field(default_factory=dict)  # by alias

    def resolve(self, name: str) -> str:
        space, dot, rest = name.rpartition(".")
        return f"{self.namespaces.get(space, space)}{dot}{rest}"


def extract(data: bytes) -> Extraction:
    description = describe(parse(data))
    sets = [
        write_set(description, name, type_name)
        for name, type_name in list(description.sets.items())[:SETS_MAX]
    ]
    return Extraction(blocks=(), facts={"sets": [each for each in sets if each]})


def parse(data: bytes) -> etree._Element:
    """The root. Raises UnreadableFile."""
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableFile(NO_METADATA) from error
    if root.getroottree().docinfo.internalDTD is not None:  # where entity bombs are declared
        raise UnreadableFile(DOCTYPE)
    if local_name(root) != "Edmx":
        raise UnreadableFile(NO_METADATA)
    if not root.get("Version", "").startswith("4."):
        raise UnreadableFile(OLD_VERSION)
    return root


def describe(root: etree._Element) -> ServiceModel:
    schemas = [each for each in root.iter() if local_name(each) == "Schema"]
    found = ServiceModel(
        namespaces={each.get("Alias", ""): each.get("Namespace", "") for each in schemas}
    )
    for schema in schemas:
        space = schema.get("Namespace", "")
        for child in schema:
            match local_name(child):
                case "EntityType":
                    found.types[f"{space}.{child.get('Name', '')}"] = child
                case "EntityContainer":
                    found.container = f"{space}.{child.get('Name', '')}"
                    for each in children(child, "EntitySet"):
                        name = each.get("Name", "")
                        found.sets[name] = found.resolve(each.get("EntityType", ""))
                        note_label(found, f"{found.container}/{name}", each)
                case "Annotations":
                    target, slash, member = child.get("Target", "").partition("/")
                    note_label(found, found.resolve(target) + slash + member, child)
    return found


def note_label(found: ServiceModel, target: str, element: etree._Element) -> None:
    label = label_of(element)
    if label:
        found.labels.setdefault(target, label)


def write_set(found: ServiceModel, name: str, type_name: str) -> str:
    """JSON; "" for a set that cannot be read: without a key, or of a type that is not described."""
    keys: list[str] = []
    properties: dict[str, tuple[str, str]] = {}
    label = found.labels.get(f"{found.container}/{name}", "")
    for owner, element in lineage(found, type_name):
        label = label or found.labels.get(owner, "") or label_of(element)
        for key in children(element, "Key"):
            keys += [each.get("Name", "") for each in children(key, "PropertyRef")]
        for each in children(element, "Property"):
            own = each.get("Name", "")
            own_label = found.labels.get(f"{owner}/{own}", "") or label_of(each)
            properties.setdefault(own, (each.get("Type", ""), own_label))
    named = [name, *keys, *properties]
    if not keys or any(key not in properties for key in keys) or not all(map(is_name, named)):
        return ""
    listed = [[own, *details] for own, details in list(properties.items())[:PROPERTIES_MAX]]
    return json.dumps({"name": name, "label": label, "keys": keys, "properties": listed})


def lineage(found: ServiceModel, type_name: str) -> Iterator[tuple[str, etree._Element]]:
    """The type and those that it derives from, with their names."""
    for _ in range(BASE_TYPES_MAX):
        element = found.types.get(type_name)
        if element is None:
            return
        yield type_name, element
        type_name = found.resolve(element.get("BaseType", ""))


def label_of(element: etree._Element) -> str:
    written = element.get(SAP_LABEL, "")
    for each in children(element, "Annotation"):
        if not written and each.get("Term") in LABEL_TERMS:
            written = each.get("String") or "".join(
                text.text or "" for text in children(each, "String")
            )
    return clean(written)[:LABEL_MAX_CHARS]


def is_name(name: str) -> bool:
    """A simple identifier (CSDL 4.0, 17.2): what goes into addresses as it is."""
    return name.isidentifier() and len(name) <= NAME_MAX_CHARS


def children(element: etree._Element, name: str) -> Iterator[etree._Element]:
    return (each for each in element if local_name(each) == name)


def local_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]
