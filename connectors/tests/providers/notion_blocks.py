"""Blocks of Notion's pages, as a test writes them: what they say, and what is inside them
(developers.notion.com/reference/block, read 2026-11-22)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Written:
    """A block before it has an id. `content` stands below the name of its kind."""

    kind: str
    content: dict[str, Any]
    inside: tuple[Written, ...] = field(default=())


def rich(text: str, **annotations: bool) -> list[dict[str, Any]]:
    """One piece of rich text, [] for "" (…/reference/rich-text)."""
    if not text:
        return []
    plain = dict.fromkeys(("bold", "italic", "strikethrough", "underline", "code"), False)
    return [
        {
            "type": "text",
            "text": {"content": text, "link": None},
            "annotations": {**plain, "color": "default", **annotations},
            "plain_text": text,
            "href": None,
        }
    ]


def words(kind: str, text: str, *inside: Written, **more: Any) -> Written:
    """A block of any kind that has rich text: a paragraph, a list item, a toggle, a quote, …"""
    return Written(kind, {"rich_text": rich(text), "color": "default", **more}, inside)


def paragraph(text: str, *inside: Written) -> Written:
    return words("paragraph", text, *inside, icon=None)


def heading(depth: int, text: str, *inside: Written) -> Written:
    return words(f"heading_{depth}", text, *inside, is_toggleable=bool(inside))


def bullet(text: str, *inside: Written) -> Written:
    return words("bulleted_list_item", text, *inside)


def number(text: str, *inside: Written) -> Written:
    return words("numbered_list_item", text, *inside)


def to_do(text: str, *, is_checked: bool) -> Written:
    return words("to_do", text, checked=is_checked)


def code(text: str, language: str = "python", caption: str = "") -> Written:
    return Written(
        "code", {"rich_text": rich(text), "caption": rich(caption), "language": language}
    )


def equation(expression: str) -> Written:
    return Written("equation", {"expression": expression})


def table(*rows: tuple[str, ...], has_header: bool = True) -> Written:
    inside = tuple(Written("table_row", {"cells": [rich(cell) for cell in row]}) for row in rows)
    content = {
        "table_width": max(map(len, rows), default=1),
        "has_column_header": has_header,
        "has_row_header": False,
    }
    return Written("table", content, inside)


def columns(*each: tuple[Written, ...]) -> Written:
    return Written("column_list", {}, tuple(Written("column", {}, inside) for inside in each))


def attached(kind: str, name: str, caption: str = "") -> Written:
    """`kind`: "file", "pdf", "image", "video", "audio". Its address is signed and of another host,
    good for an hour (…/reference/file-object)."""
    content = {
        "caption": rich(caption),
        "type": "file",
        "file": {
            "url": f"https://prod-files-secure.s3.example/{name}?X-Amz-Signature=abc",
            "expiry_time": "2026-11-22T23:00:00.000Z",
        },
    }
    return Written(kind, content | ({"name": name} if kind == "file" else {}))


def synced(*inside: Written) -> Written:
    """The original, which others show too."""
    return Written("synced_block", {"synced_from": None}, inside)


def synced_copy(original_id: str) -> Written:
    return Written("synced_block", {"synced_from": {"type": "block_id", "block_id": original_id}})
