"""What Notion answers is not trusted to have the shape that it publishes: a value of another type
is an empty one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sources.reading.extractors.prose import clean, clean_lines


def mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def line(value: object) -> str:
    return clean(string(value))


def rich_text(value: object) -> str:
    """What a reader sees of an array of rich text, mentions and equations too; line ends stay
    (developers.notion.com/reference/rich-text, read 2026-11-22)."""
    parts = (string(mapping(item).get("plain_text")) for item in sequence(value))
    return clean_lines("".join(parts))
