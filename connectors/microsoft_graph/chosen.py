"""The choices of the picker by the ids that it gave: "site/ID", "drive/ID" (a library of a site is
one too) and "folder/DRIVE/ITEM"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from config.errors import InvalidValue
from connectors.microsoft_graph.graph import (
    ABSENT,
    MicrosoftGraph,
    drive_path,
    item_path,
    site_path,
)
from connectors.microsoft_graph.items import NAME_MAX_CHARS, facet, id_of, name_of, text_of
from reasons import Reason
from sources.connectors.calling import CallRefused
from sources.connectors.interface import Failed
from sources.connectors.remote import place_of

PATH_MAX_CHARS = 2000
DRIVES_MAX = 200  # of one site
NOT_THERE = Reason("gone_or_forbidden")
PARTS = {"site": 1, "drive": 1, "folder": 2}


@dataclass(frozen=True)
class ChosenRoot:
    """A folder that is read with all that lies in it. `item_id`: "" for all of a drive. `place`:
    where it lies, as people read it; "": Graph has to be asked. `name`: what it was chosen as."""

    drive_id: str
    item_id: str
    place: str
    name: str = ""

    @property
    def key(self) -> str:
        return f"{self.drive_id}/{self.item_id}"

    def fails(self) -> Failed:
        return Failed(f"chosen/{self.key}", NOT_THERE, title=self.place or self.name)


def parse_choice(choice_id: str) -> tuple[str, list[str]]:
    """The kind of a choice, and the ids in it. Raises InvalidValue."""
    kind, *ids = choice_id.split("/")
    if len(ids) != PARTS.get(kind) or not all(id_of(each) for each in ids):
        raise InvalidValue(Reason("chosen_unknown"))
    return kind, ids


def list_roots(graph: MicrosoftGraph, chosen: Mapping[str, str]) -> Iterator[ChosenRoot | Failed]:
    """The roots of an entry of `Source.selection`. Raises as MicrosoftGraph."""
    kind, ids = parse_choice(chosen["id"])
    match kind:
        case "site":
            yield from list_libraries(graph, ids[0], chosen["name"])
        case "drive":
            yield ChosenRoot(ids[0], "", place_of([chosen["name"]]))
        case _:
            yield ChosenRoot(ids[0], ids[1], "", chosen["name"])


def list_libraries(graph: MicrosoftGraph, site_id: str, name: str) -> Iterator[ChosenRoot | Failed]:
    try:
        drives = graph.list_all(f"{site_path(site_id)}/drives", {}, at_most=DRIVES_MAX)
    except CallRefused as refused:
        if refused.status not in ABSENT:
            raise
        yield Failed(f"chosen/{site_id}", NOT_THERE, title=name)
        return
    for drive in map(facet, drives):
        if drive_id := id_of(drive.get("id")):
            library = text_of(drive.get("name"), NAME_MAX_CHARS)
            yield ChosenRoot(drive_id, "", place_of([name, library]))


def find_place(graph: MicrosoftGraph, root: ChosenRoot) -> str:
    """The root's place as people read it: "OneDrive / 2026 / Reports". Raises as MicrosoftGraph."""
    query = {"$select": "id,name,parentReference"}
    told = graph.get(item_path(root.drive_id, root.item_id), query)
    path = text_of(facet(told.get("parentReference")).get("path"), PATH_MAX_CHARS)
    above = unquote(path.partition("root:")[2]).split("/")
    drive = graph.get(drive_path(root.drive_id), {"$select": "id,name"})
    return place_of([name_of(drive), *above, name_of(told)])
