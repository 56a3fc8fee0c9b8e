"""The choices that an account offers: its drives, SharePoint's sites and their libraries, folders;
and the amount of content in each."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from connectors.microsoft_graph.chosen import ChosenRoot, list_roots, parse_choice
from connectors.microsoft_graph.graph import (
    ITEM_PROPERTIES,
    MicrosoftGraph,
    item_path,
    site_path,
)
from connectors.microsoft_graph.items import (
    NAME_MAX_CHARS,
    facet,
    id_of,
    name_of,
    read_item,
    text_of,
)
from sources.connectors.calling import CallRefused
from sources.connectors.interface import Choice, Extent

CHOICES_MAX = 500  # at one level
COUNTING_SECONDS = 8.0
DRIVES = {"$select": "id,name"}
SITES = {"search": "*", "$select": "id,name,displayName"}


def list_choices(graph: MicrosoftGraph, inside: str) -> list[Choice]:
    """Raises as MicrosoftGraph, and InvalidValue for an id that is not ours."""
    if not inside:
        return [*list_own_drives(graph), *list_sites(graph)]
    kind, ids = parse_choice(inside)
    match kind:
        case "site":
            return list_drives(graph, f"{site_path(ids[0])}/drives")
        case "drive":
            return list_folders(graph, ids[0], "")
        case _:
            return list_folders(graph, ids[0], ids[1])


def list_own_drives(graph: MicrosoftGraph) -> list[Choice]:
    """Empty for an account without OneDrive, which may still read sites."""
    try:
        return list_drives(graph, "/me/drives")
    except CallRefused:
        return []


def list_sites(graph: MicrosoftGraph) -> list[Choice]:
    """The sites that the account may read (learn.microsoft.com/graph/api/site-search, read
    2026-11-22); a personal account has none."""
    try:
        found = graph.list_all("/sites", SITES, at_most=CHOICES_MAX)
    except CallRefused:
        return []
    choices = [
        Choice(f"site/{site_id}", name, is_open=True, hint="SharePoint")
        for site in map(facet, found)
        if (site_id := id_of(site.get("id")))
        and (name := text_of(site.get("displayName") or site.get("name"), NAME_MAX_CHARS))
    ]
    return by_name(choices)


def list_drives(graph: MicrosoftGraph, path: str) -> list[Choice]:
    found = graph.list_all(path, DRIVES, at_most=CHOICES_MAX)
    return [
        Choice(f"drive/{drive_id}", name_of(drive), is_open=True)
        for drive in map(facet, found)
        if (drive_id := id_of(drive.get("id")))
    ]


def list_folders(graph: MicrosoftGraph, drive_id: str, item_id: str) -> list[Choice]:
    """Includes folders of other drives that were added to this one."""
    path = f"{item_path(drive_id, item_id)}/children"
    found = graph.list_all(path, {"$select": ITEM_PROPERTIES}, at_most=CHOICES_MAX)
    choices = []
    for item in map(read_item, found):
        if item is None:
            continue
        if item.is_folder:
            choices.append(Choice(f"folder/{drive_id}/{item.id}", item.name, is_open=True))
        elif item.target is not None and item.target.is_folder:
            target = f"folder/{item.target.drive_id}/{item.target.item_id}"
            choices.append(Choice(target, item.name, is_open=True))
    return by_name(choices)


def by_name(choices: Iterable[Choice]) -> list[Choice]:
    return sorted(choices, key=lambda choice: choice.name.casefold())


def count_documents(graph: MicrosoftGraph, chosen: Iterable[Mapping[str, str]]) -> Extent:
    """Files in what was chosen, without what shortcuts lead to; as far as COUNTING_SECONDS reach.
    Raises as MicrosoftGraph."""
    ends_at = time.monotonic() + COUNTING_SECONDS
    sizes: dict[str, int] = {}
    for root in roots_of(graph, chosen):
        with suppress(CallRefused):  # one that is gone counts nothing
            for page in graph.tell_changes(root.drive_id, root.item_id):
                sizes |= {item.id: item.size_bytes or 0 for item in page.items if item.is_file}
                if page.next_link and time.monotonic() > ends_at:
                    return Extent(len(sizes), is_more=True, size_bytes=sum(sizes.values()))
    return Extent(len(sizes), size_bytes=sum(sizes.values()))


def roots_of(graph: MicrosoftGraph, chosen: Iterable[Mapping[str, str]]) -> Iterator[ChosenRoot]:
    for each in chosen:
        for root in list_roots(graph, each):
            if isinstance(root, ChosenRoot):
                yield root
