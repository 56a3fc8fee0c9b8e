"""Values of JSON as text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from reading.extractors.prose import clean, clean_characters

NAME_MAX_CHARS = 80  # of a value in an object
DEPTH_MAX = 10  # of what lies in another; deeper is left out
TEXT_MAX_CHARS = 2_000_000


class TextTooLong(Exception):
    pass


def scalar(value: Any) -> str:
    """A text, a number, true or false on one line; "" for all else."""
    match value:
        case str():
            return clean(value)
        case bool():
            return "true" if value else "false"
        case float() if not math.isfinite(value):
            return ""
        case int() | float():
            return str(value)
    return ""


def text_of(value: Any) -> str:
    """A text as it is; of an object or a list, a line "name: value" each. Raises TextTooLong."""
    if isinstance(value, str):
        if len(value) > TEXT_MAX_CHARS:
            raise TextTooLong
        return clean_characters(value)
    lines, chars = [], 0
    for line in lines_of(value):
        chars += len(line)
        if chars > TEXT_MAX_CHARS:
            raise TextTooLong
        lines.append(line)
    return "\n".join(lines)


def lines_of(value: Any, name: str = "", *, depth: int = DEPTH_MAX) -> Iterator[str]:
    """Yields a value as labelled lines; null and empty values are left out, a list of plain values
    is one line."""
    if isinstance(value, dict | list) and not depth:
        return
    match value:
        case dict():
            for key, each in value.items():
                label = clean(key[:NAME_MAX_CHARS]).replace("_", " ")  # as people write it
                yield from lines_of(each, f"{name} {label.strip()}".strip(), depth=depth - 1)
        case list() if any(isinstance(each, dict | list) for each in value):
            for each in value:
                yield from lines_of(each, name, depth=depth - 1)
        case list():
            yield from labelled(name, ", ".join(filter(None, map(scalar, value))))
        case _:
            yield from labelled(name, scalar(value))


def labelled(name: str, text: str) -> Iterator[str]:
    if text:
        yield f"{name}: {text}" if name else text
