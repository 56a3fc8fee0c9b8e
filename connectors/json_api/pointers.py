"""JSON Pointer (RFC 6901, rfc-editor.org/rfc/rfc6901, read 2026-11-22): where in an answer a value
is."""

from __future__ import annotations

import re
from typing import Any

from reasons import Reason, ReasonedError

Pointer = tuple[str, ...]  # the names on the way; () is the whole

LONE_TILDE = re.compile(r"~(?![01])")
INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class InvalidPointer(ReasonedError):
    pass


def parse_pointer(written: str) -> Pointer:
    """Raises InvalidPointer unless it is written as RFC 6901 says."""
    if written and not written.startswith("/"):
        raise InvalidPointer(Reason("pointer_needs_slash"))
    if LONE_TILDE.search(written):
        raise InvalidPointer(Reason("pointer_tilde"))
    names = written.split("/")[1:]
    return tuple(name.replace("~1", "/").replace("~0", "~") for name in names)


def resolve(content: Any, pointer: Pointer) -> Any:
    """The value at the pointer; None if it leads nowhere, or to null."""
    for name in pointer:
        if isinstance(content, dict):
            content = content.get(name)
        elif isinstance(content, list) and INDEX.fullmatch(name) and int(name) < len(content):
            content = content[int(name)]
        else:
            return None
    return content


def written(pointer: Pointer) -> str:
    """The pointer as people write it; "the top" for the whole."""
    names = (name.replace("~", "~0").replace("/", "~1") for name in pointer)
    return "/" + "/".join(names) if pointer else "the top"
