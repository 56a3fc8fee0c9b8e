"""JSON of the other side as texts that can be stored and sent."""

from __future__ import annotations

import json
import re
from typing import Any

# An escape in JSON: a surrogate pair, a half of one or NUL (the group), or any other.
ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(u[dD][89a-fA-F][0-9a-fA-F]{2}|u0000)|.)",
    re.DOTALL,
)
SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def parse_json(body: bytes, **how: Any) -> Any:
    """Parses like json.loads, to which `how` is passed. Removes NUL and halves of surrogate pairs,
    with which JSON may come, and which nothing here can store or send. Raises ValueError and
    RecursionError."""
    text = body.decode(json.detect_encoding(body), errors="replace")
    if SUSPECT.search(text):  # rare, and looking is far quicker than going through all escapes
        text = ESCAPE.sub(lambda found: "" if found[1] else found[0], text)
    return json.loads(text, **how)
