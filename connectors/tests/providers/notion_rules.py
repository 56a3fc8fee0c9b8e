"""How Notion refuses what it does not understand (developers.notion.com/reference/status-codes,
read 2026-11-22)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from sources.tests.providers.server import Call, Reply, json_reply

VERSION = "2026-03-11"
PAGE_SIZE_MAX = 100
PAGING = frozenset({"start_cursor", "page_size"})


class NotionRefusal(Exception):
    """An error of Notion's."""

    def __init__(self, status: int, code: str, message: str = "") -> None:
        super().__init__(code)
        self.reply = refusal(status, code, message)


def refusal(status: int, code: str, message: str = "", **headers: str) -> Reply:
    content = {
        "object": "error",
        "status": status,
        "code": code,
        "message": message or f"{code}.",
        "request_id": "00000000-0000-0000-0000-00000000ffff",
    }
    return json_reply(content, status, **headers)


def rate_limited(*, after_seconds: int) -> Reply:
    """…/reference/request-limits"""
    return refusal(
        429, "rate_limited", "You have been rate limited.", Retry_After=str(after_seconds)
    )


def body_of(call: Call, fields: Collection[str]) -> dict[str, Any]:
    if not call.headers.get("content-type", "").startswith("application/json"):
        raise NotionRefusal(400, "invalid_json", "Error parsing JSON body.")
    try:
        asked = call.json
    except ValueError as error:
        raise NotionRefusal(400, "invalid_json", "Error parsing JSON body.") from error
    if not isinstance(asked, dict):
        raise invalid("body should be an object")
    if unknown := asked.keys() - fields:
        raise invalid(f"body.{min(unknown)} should be not present")
    return asked


def check_query(call: Call, names: Collection[str] = ()) -> None:
    if unknown := call.query.keys() - names:
        raise invalid(f"query.{min(unknown)} should be not present")


def page_size_of(asked: Mapping[str, Any]) -> int:
    size = str(asked.get("page_size", PAGE_SIZE_MAX))
    if not re.fullmatch(r"[0-9]{1,3}", size) or not 1 <= int(size) <= PAGE_SIZE_MAX:
        raise invalid("page_size should be ≤ `100`")
    return int(size)


def search_kind(wanted: Any) -> str:
    if wanted is None:
        return ""
    if wanted.get("property") != "object" or wanted.get("value") not in ("page", "data_source"):
        raise invalid("body.filter")
    return str(wanted["value"])


def search_direction(sort: Any) -> str:
    if sort is None:
        return "descending"
    direction = sort.get("direction")
    if sort.get("timestamp") != "last_edited_time" or direction not in ("ascending", "descending"):
        raise invalid("body.sort")
    return str(direction)


def uuid_of(written: str) -> str:
    """With or without dashes."""
    try:
        return str(UUID(written))
    except ValueError as error:
        raise invalid(f"path should be a valid uuid, instead was `{written}`") from error


def invalid(message: str) -> NotionRefusal:
    return NotionRefusal(400, "validation_error", message)


def missing(written: str) -> NotionRefusal:
    return NotionRefusal(404, "object_not_found", f"Could not find object with ID: {written}.")


def version_refusal(call: Call) -> Reply | None:
    """…/reference/versioning. It speaks one version here."""
    version = call.headers.get("notion-version")
    if version == VERSION:
        return None
    code = "validation_error" if version else "missing_version"
    return refusal(400, code, "Notion-Version header failed validation.")
