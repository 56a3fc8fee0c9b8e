"""Google Drive's answers as values. They are not trusted: everything is checked here.

developers.google.com/workspace/drive/api/reference/rest/v3/files, read 2026-11-22.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from config.http import URL_MAX_CHARS
from connectors.google_drive.problems import UNREADABLE
from sources.errors import OriginUnavailable

GOOGLE = "application/vnd.google-apps."
FOLDER = GOOGLE + "folder"
SHORTCUT = GOOGLE + "shortcut"
FILE_FIELDS = (
    "id,name,mimeType,parents,driveId,trashed,modifiedTime,md5Checksum,size,webViewLink"
    ",capabilities/canDownload,shortcutDetails/targetId"
)
NAME_MAX_CHARS = 300
TIME_MAX_CHARS = 40
TOKEN_MAX_CHARS = 2000
ID = re.compile(r"[\w-]{1,200}", re.ASCII)
MD5 = re.compile(r"[0-9a-f]{32}")
# Without a backslash, which browsers take for the end of the host.
LINK = re.compile(r"https://(?:[a-z0-9-]+\.)+google\.com/[!-\[\]-~]*")


@dataclass(frozen=True, slots=True)
class DriveFile:
    """A file, folder or shortcut, as Drive describes it.

    `parent`: "" where it lies in nothing that the account sees. `drive_id`: of its shared drive, ""
    in My Drive. `version` changes with the content, and with the right to download it, and neither
    with name nor place. `size_bytes`: None for Google's own formats. `target`: of a shortcut.
    """

    id: str
    name: str
    kind: str
    parent: str
    drive_id: str
    is_trashed: bool
    modified_time: str
    version: str
    size_bytes: int | None
    link: str
    can_download: bool
    target: str


@dataclass(frozen=True)
class Change:
    """`file`: as it is now; None when it is gone, or not for this account any more. `is_drive`: of
    a shared drive itself, whose name is `drive_name`, "" when it is gone."""

    id: str
    file: DriveFile | None = None
    is_drive: bool = False
    drive_name: str = ""


def parse_file(given: Mapping[str, Any]) -> DriveFile:
    """Raises OriginUnavailable for what has no id; the rest of its fields may be anything."""
    can_download = fields_of(given, "capabilities").get("canDownload") is not False
    modified_time = text(given.get("modifiedTime"))[:TIME_MAX_CHARS]
    parents = given.get("parents")
    target = fields_of(given, "shortcutDetails").get("targetId")
    return DriveFile(
        id=identifier(given.get("id")),
        name=name_of(given),
        kind=text(given.get("mimeType")),
        parent=text(parents[0]) if isinstance(parents, list) and parents else "",
        drive_id=identifier(given["driveId"]) if given.get("driveId") else "",
        is_trashed=given.get("trashed") is True,
        modified_time=modified_time,
        version=version_of(given, modified_time, can_download=can_download),
        size_bytes=size_of(given),
        link=link_of(given),
        can_download=can_download,
        target=identifier(target) if target else "",
    )


def parse_change(given: Mapping[str, Any]) -> Change:
    """Raises OriginUnavailable."""
    is_gone = given.get("removed") is True
    if given.get("changeType") == "drive":
        name = "" if is_gone else name_of(fields_of(given, "drive"))
        return Change(identifier(given.get("driveId")), is_drive=True, drive_name=name)
    id = identifier(given.get("fileId"))
    return Change(id, None if is_gone else parse_file(mapping(given.get("file"))))


def version_of(given: Mapping[str, Any], modified_time: str, *, can_download: bool) -> str:
    """The MD5 of a file; Google's own formats have none, so it is when they were last modified.
    Drive's `version` also counts moving and sharing, after which all would be fetched again."""
    checksum = text(given.get("md5Checksum"))
    content = checksum if MD5.fullmatch(checksum) else modified_time
    return content if can_download or not content else f"{content} locked"


def size_of(given: Mapping[str, Any]) -> int | None:
    """The size in bytes; None for Google's own formats, whose stated size is not the size of an
    export."""
    size = text(given.get("size"))
    is_known = size.isascii() and size.isdigit() and len(size) < 19
    return int(size) if is_known and not text(given.get("mimeType")).startswith(GOOGLE) else None


def link_of(given: Mapping[str, Any]) -> str:
    """ "" unless it leads to Google."""
    link = text(given.get("webViewLink"))
    return link if len(link) <= URL_MAX_CHARS and LINK.fullmatch(link) else ""


def name_of(given: Mapping[str, Any]) -> str:
    shown = "".join(sign for sign in text(given.get("name")) if sign.isprintable()).strip()
    return shown[:NAME_MAX_CHARS] or "Untitled"


def identifier(given: object) -> str:
    """A valid id: it becomes a part of addresses. Raises OriginUnavailable."""
    if isinstance(given, str) and ID.fullmatch(given):
        return given
    raise OriginUnavailable(UNREADABLE)


def token_of(given: object) -> str:
    if isinstance(given, str) and 0 < len(given) <= TOKEN_MAX_CHARS:
        return given
    raise OriginUnavailable(UNREADABLE)


def items(page: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    given = page.get(name)
    if not isinstance(given, list):
        raise OriginUnavailable(UNREADABLE)
    return [mapping(each) for each in given]


def mapping(given: object) -> Mapping[str, Any]:
    if isinstance(given, dict):
        return given
    raise OriginUnavailable(UNREADABLE)


def fields_of(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = given.get(name)
    return part if isinstance(part, dict) else {}


def text(given: object) -> str:
    return given if isinstance(given, str) else ""
