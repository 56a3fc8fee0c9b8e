"""Quotes documents as data: a reader can tell where a quotation begins and ends.

A passage may hold anything: the end of the fence around it, another program's messages, marks,
orders. It is given as a JSON string, which none of it can end; not even for a reader that wraps
tools' answers in tags or in a block of code.
"""

from __future__ import annotations

import json
from typing import Any

# Signs that end a line for some readers, tags, and blocks of code. Escaped they mean the same.
ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>`\x7f\x85\u2028\u2029"}


def quote(data: Any) -> str:
    """The data as one line of JSON. Spanish stays readable."""
    written = json.dumps(data, ensure_ascii=False, separators=(", ", ": "))
    # Half of a surrogate pair is not valid UTF-8.
    return written.translate(ESCAPED).encode(errors="replace").decode()
