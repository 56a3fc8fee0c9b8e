"""Reads values of Notion's answers, which may not have the documented shape: a value of another
type is an empty one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reading.extractors.prose import clean, clean_lines


def mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def line(value: object) -> str:
    return clean(string(value))


def rich_text(value: object) -> str:
    """The visible text of an array of rich text, including mentions and equations; line ends stay
    (developers.notion.com/reference/rich-text, read 2026-11-22)."""
    parts = (string(mapping(item).get("plain_text")) for item in sequence(value))
    return clean_lines("".join(parts))
