"""How Google's API is spoken to: its errors and parameters, `fields` and `q` among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from connectors.tests.providers.google_drive_content import ROOT, DriveContent, Item
from sources.tests.providers.server import Call, Reply, json_reply

Fields = dict[str, Any]  # name → what of it is asked for; {}: all
FILE_FIELDS: Fields = {
    **dict.fromkeys(("kind", "id", "name", "mimeType", "parents", "driveId", "webViewLink"), {}),
    **dict.fromkeys(("trashed", "explicitlyTrashed", "copyRequiresWriterPermission"), {}),
    **dict.fromkeys(("modifiedTime", "version", "md5Checksum", "size"), {}),
    "capabilities": {"canDownload": {}},
    "shortcutDetails": {"targetId": {}, "targetMimeType": {}},
}
DRIVE_FIELDS: Fields = {"kind": {}, "id": {}, "name": {}}
USER_FIELDS: Fields = dict.fromkeys(
    ("kind", "displayName", "emailAddress", "permissionId", "me"), {}
)
LIST_FIELDS: Fields = {
    **dict.fromkeys(("kind", "incompleteSearch", "nextPageToken"), {}),
    "files": FILE_FIELDS,
}
CHANGES_FIELDS: Fields = {
    **dict.fromkeys(("kind", "nextPageToken", "newStartPageToken"), {}),
    "changes": {
        **dict.fromkeys(("kind", "changeType", "time", "removed", "fileId", "driveId"), {}),
        "file": FILE_FIELDS,
        "drive": DRIVE_FIELDS,
    },
}
TERM = re.compile(
    r"'(?P<parent>(?:[^'\\]|\\.)+)' in parents"
    r"|trashed ?= ?(?P<trashed>true|false)"
    r"|mimeType ?(?P<sign>!?=) ?'(?P<kind>[^']+)'"
    r"|(?P<shared>sharedWithMe)(?: ?= ?true)?"
)
FIELD = re.compile(r"(\w+)(?:/(.+)|\((.+)\))?")  # "id", "user/id" or "user(id,name)"
ORDERS: dict[str, Callable[[Item], tuple[Any, ...]]] = {
    "folder": lambda item: (not item.mime_type.endswith(".folder"),),
    "name": lambda item: (item.name,),
    "name_natural": lambda item: (item.name.casefold(),),
    "modifiedTime": lambda item: (item.modified_at,),
}


class Refused(Exception):
    """`reply`: the error in Google's words."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        super().__init__(reply.body)


def refusal(
    status: int, reason: str, message: str, *, location: str = "", retry_after: str = ""
) -> Reply:
    """As of developers.google.com/workspace/drive/api/guides/handle-errors, read 2026-11-22."""
    domain = "usageLimits" if "ateLimit" in reason else "global"
    error: dict[str, Any] = {"domain": domain, "reason": reason, "message": message}
    if location:
        kind = "header" if location == "Authorization" else "parameter"
        error |= {"locationType": kind, "location": location}
    headers = {"Retry_After": retry_after} if retry_after else {}
    body = {"error": {"code": status, "message": message, "errors": [error]}}
    return json_reply(body, status, **headers)


def invalid(location: str, message: str = "Invalid Value") -> Refused:
    return Refused(refusal(400, "invalid", message, location=location))


def not_found(id: str) -> Refused:
    return Refused(refusal(404, "notFound", f"File not found: {id}.", location="fileId"))


def page_size(call: Call, default: int, largest: int) -> int:
    """Values above the largest are taken for it. Raises Refused."""
    asked = call.query.get("pageSize", str(default))
    if not asked.isdigit() or int(asked) < 1:
        raise invalid("pageSize", f"Invalid value '{asked}'. Values must be within the range.")
    return min(int(asked), largest)


def is_true(call: Call, name: str) -> bool:
    value = call.query.get(name, "false")
    if value not in ("true", "false"):
        raise invalid(name)
    return value == "true"


def wants_all_drives(call: Call) -> bool:
    wanted = is_true(call, "includeItemsFromAllDrives")
    if wanted and not is_true(call, "supportsAllDrives"):
        raise invalid("includeItemsFromAllDrives", "It needs supportsAllDrives.")
    return wanted


def parse_fields(mask: str, known: Fields) -> Fields:
    """Of "files(id,capabilities/canDownload),nextPageToken". Raises Refused for unknown names."""
    if mask == "*":
        return known
    asked: Fields = {}
    for part in split_outside(mask):
        match = FIELD.fullmatch(part)
        name = match[1] if match else part
        if match is None or name not in known:
            message = f"Invalid field selection {name}"
            raise Refused(refusal(400, "invalidParameter", message, location="fields"))
        within = match[2] or match[3]
        asked[name] = parse_fields(within, known[name]) if within else known[name]
    return asked


def split_outside(mask: str) -> list[str]:
    """At the commas that stand in no parentheses."""
    parts, depth = [""], 0
    for sign in mask:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def only(content: Any, asked: Fields) -> Any:
    """What of an answer was asked for."""
    if isinstance(content, list):
        return [only(each, asked) for each in content]
    if not asked or not isinstance(content, Mapping):
        return content
    return {name: only(content[name], part) for name, part in asked.items() if name in content}


def parse_query(query: str, content: DriveContent) -> Callable[[Item], bool]:
    """Terms that are joined by "and" (.../guides/search-files). Raises Refused for others, and as
    Google does for a folder that is not there."""
    tests: list[Callable[[Item], bool]] = []
    for term in re.split(r" and ", query) if query else []:
        match = TERM.fullmatch(term.strip())
        if match is None:
            raise invalid("q")
        tests.append(test_of(match, content))
    return lambda item: all(test(item) for test in tests)


def test_of(match: re.Match[str], content: DriveContent) -> Callable[[Item], bool]:
    if match["parent"]:
        folder = content.find(match["parent"])
        if folder is None:
            raise not_found("")
        return lambda item: item.parent == folder.id
    if match["trashed"]:
        return lambda item: content.is_trashed(item) == (match["trashed"] == "true")
    if match["kind"]:
        return lambda item: (item.mime_type == match["kind"]) == (match["sign"] == "=")
    return lambda item: not item.parent and not item.drive_id and item.id != ROOT


def order(items: list[Item], keys: str) -> list[Item]:
    """By `orderBy`. Raises Refused."""
    for key in reversed(keys.split(",") if keys else []):
        name, _, direction = key.strip().partition(" ")
        if name not in ORDERS or direction not in ("", "desc"):
            raise invalid("orderBy")
        items = sorted(items, key=ORDERS[name], reverse=direction == "desc")
    return items
