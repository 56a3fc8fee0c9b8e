"""Items of a drive as Graph describes them (learn.microsoft.com/graph/api/resources/driveitem, read
2026-11-22). Nothing is trusted: values that are not as documented are left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Of drives, items and sites. It goes into addresses: nothing that means something there.
ID = re.compile(r"\w[\w!,.-]{0,299}", re.ASCII)
NAME_MAX_CHARS = 300
LINK_MAX_CHARS = 2000
VERSION_MAX_CHARS = 200
SIZE_MAX_BYTES = 2**63


@dataclass(frozen=True, slots=True)
class SharedTarget:
    """The target of an item that stands for one in another drive. `is_folder`: else a file."""

    drive_id: str
    item_id: str
    is_folder: bool


@dataclass(frozen=True, slots=True)
class DriveItem:
    """`version` changes with the content; "" where Graph does not say. `parent_id`: "" of what
    lies nowhere.

    At most one of `is_folder`, `is_file`, `is_package` and `target` is set. A package is a notebook
    of OneNote, or the like.
    """

    id: str
    name: str
    parent_id: str
    version: str = ""
    modified_at: str = ""
    link: str = ""
    size_bytes: int | None = None
    is_gone: bool = False
    is_folder: bool = False
    is_file: bool = False
    is_package: bool = False
    has_malware: bool = False
    target: SharedTarget | None = None


def read_item(raw: object) -> DriveItem | None:
    """The item; None for anything else, or for an item without an id that we could ask for."""
    told = facet(raw)
    item_id = id_of(told.get("id"))
    if not item_id:
        return None
    is_plain = not any(told.get(name) is not None for name in ("remoteItem", "package", "root"))
    return DriveItem(
        id=item_id,
        name=name_of(told),
        parent_id=id_of(facet(told.get("parentReference")).get("id")),
        version=version_of(told),
        modified_at=text_of(told.get("lastModifiedDateTime"), VERSION_MAX_CHARS),
        link=link_of(told.get("webUrl")),
        size_bytes=size_of(told.get("size")),
        is_gone=told.get("deleted") is not None,
        is_folder=is_plain and told.get("folder") is not None,
        is_file=is_plain and told.get("file") is not None,
        is_package=told.get("remoteItem") is None and told.get("package") is not None,
        has_malware=told.get("malware") is not None,
        target=target_of(facet(told.get("remoteItem"))),
    )


def facet(raw: object) -> Mapping[str, Any]:
    return raw if isinstance(raw, dict) else {}


def id_of(raw: object) -> str:
    """The id; "" for anything that is not a valid one."""
    return raw if isinstance(raw, str) and ID.fullmatch(raw) else ""


def text_of(raw: object, max_chars: int) -> str:
    """The text in one line, without characters that cannot be printed or stored."""
    if not isinstance(raw, str):
        return ""
    line = " ".join(raw[: 4 * max_chars].split())
    return "".join(char for char in line if char.isprintable())[:max_chars]


def name_of(told: Mapping[str, Any]) -> str:
    """The name without slashes, which stand between the names of a place; no item there has any."""
    return text_of(told.get("name"), NAME_MAX_CHARS).replace("/", "_") or "(no name)"


def version_of(told: Mapping[str, Any]) -> str:
    """The hash of the content, where Graph has made one. Else the tag of the content, which the
    feeds of changes leave out at OneDrive for Business. Else that of the item, which changes with
    its name too: then it is fetched for nothing.
    """
    hashes = facet(facet(told.get("file")).get("hashes"))
    for version in (hashes.get("quickXorHash"), told.get("cTag"), told.get("eTag")):
        if written := text_of(version, VERSION_MAX_CHARS):
            return written
    return ""


def link_of(raw: object) -> str:
    """An address of the web that a person may open; "" for any other."""
    link = text_of(raw, LINK_MAX_CHARS + 1)
    is_web = link.startswith(("https://", "http://")) and len(link) <= LINK_MAX_CHARS
    return link if is_web else ""


def size_of(raw: object) -> int | None:
    is_size = isinstance(raw, int) and not isinstance(raw, bool) and 0 <= raw < SIZE_MAX_BYTES
    return raw if is_size else None  # type: ignore[return-value]


def target_of(remote: Mapping[str, Any]) -> SharedTarget | None:
    drive_id = id_of(facet(remote.get("parentReference")).get("driveId"))
    item_id = id_of(remote.get("id"))
    if not (drive_id and item_id) or (remote.get("folder") is None and remote.get("file") is None):
        return None
    return SharedTarget(drive_id, item_id, is_folder=remote.get("folder") is not None)
