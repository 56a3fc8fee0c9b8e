"""The entity sets and properties that an OData service offers, and the chosen ones of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

MODIFIED = re.compile(r"(system)?(last)?(modified|changed?|updated?)(at|on|date|datetime)?")
MODIFIED_TYPES = ("Edm.DateTimeOffset", "Edm.Date")
TITLES = ("displayname", "title", "name", "subject", "question")  # the first that is there
UNREADABLE_TYPES = ("Edm.Binary", "Edm.Stream", "Edm.Geo")  # beginnings
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")


@dataclass(frozen=True)
class EntityProperty:
    """`type` as the metadata names it: "Edm.String", "Collection(Shop.Price)"."""

    name: str
    type: str
    label: str = ""

    @property
    def shown_name(self) -> str:
        return self.label or readable(self.name)

    @property
    def is_list_of_objects(self) -> bool:
        return self.type.startswith("Collection(") and not self.type.startswith("Collection(Edm.")

    @property
    def plain_name(self) -> str:
        """The name for comparison: "last_modified_at" and "lastModifiedAt" are one."""
        return self.name.replace("_", "").lower()


@dataclass(frozen=True)
class EntitySet:
    """`properties`: those that can be read as text, or of them those that were chosen."""

    name: str
    label: str
    keys: tuple[EntityProperty, ...]
    properties: tuple[EntityProperty, ...]

    @property
    def shown_name(self) -> str:
        return self.label or readable(self.name)

    @property
    def title(self) -> EntityProperty | None:
        """The property by which people know a record."""
        texts = [each for each in self.properties if each.type == "Edm.String"]
        for name in TITLES:
            for each in texts:
                if each.plain_name == name:
                    return each
        endings = ("name", "title", "description")
        named = (each for end in endings for each in texts if each.plain_name.endswith(end))
        return next(named, None)


@dataclass(frozen=True)
class ChosenSet:
    """An entity set as it is read. `title`: the property by which people know a record, and
    `modified`: the time of its last change, whether they were chosen or not; None if the service
    has none."""

    entity_set: EntitySet
    title: EntityProperty | None
    modified: EntityProperty | None

    @property
    def asked_names(self) -> tuple[str, ...]:
        """The properties to ask for, each once: keys, chosen ones, title and date of change."""
        beside = (self.title, self.modified)
        asked = (*self.entity_set.keys, *self.entity_set.properties, *filter(None, beside))
        return tuple(dict.fromkeys(each.name for each in asked))


def parse_sets(described: Iterable[str]) -> dict[str, EntitySet]:
    """The entity sets by name; `described`: the fact `sets` of the reader of descriptions."""
    sets: dict[str, EntitySet] = {}
    for text in described:
        found = json.loads(text)
        properties = {each[0]: EntityProperty(*each) for each in found["properties"]}
        sets[found["name"]] = EntitySet(
            found["name"],
            found["label"],
            tuple(properties[name] for name in found["keys"] if name in properties),
            tuple(each for each in properties.values() if is_readable(each)),
        )
    return {name: each for name, each in sets.items() if each.keys}


def is_readable(property_: EntityProperty) -> bool:
    return not property_.type.removeprefix("Collection(").startswith(UNREADABLE_TYPES)


def choose(entity_set: EntitySet, names: frozenset[str]) -> ChosenSet:
    """The set with the properties `names`. Without names, with all but lists of objects: an item of
    SAP Business One has twenty, and people who want its prices choose them."""
    dated = (
        each
        for each in entity_set.properties
        if each.type in MODIFIED_TYPES and MODIFIED.fullmatch(each.plain_name)
    )
    kept = tuple(
        each
        for each in entity_set.properties
        if (each.name in names if names else not each.is_list_of_objects)
    )
    return ChosenSet(replace(entity_set, properties=kept), entity_set.title, next(dated, None))


def chosen_names(selection: Mapping[str, object]) -> dict[str, frozenset[str]]:
    """The chosen properties by entity set; an empty set: all. An id of the picker is "Products" or
    "Products/price"."""
    listed = selection.get("chosen")
    ids = [str(each["id"]) for each in listed] if isinstance(listed, list) else []
    whole = {id_ for id_ in ids if "/" not in id_}
    names: dict[str, set[str]] = {}
    for id_ in ids:
        name, _, property_name = id_.partition("/")
        names.setdefault(name, set()).update({property_name} - {""})
    return {name: frozenset() if name in whole else frozenset(own) for name, own in names.items()}


def readable(name: str) -> str:
    """ "unitPrice" as "Unit price", "ItemCategoryCode" as "Item category code"."""
    words = [word if word.isupper() else word.lower() for word in WORD.findall(name)]
    text = " ".join(words)
    return text[:1].upper() + text[1:] if text else name
