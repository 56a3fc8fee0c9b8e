"""The Link header (RFC 8288, 3, rfc-editor.org/rfc/rfc8288, read 2026-11-22): where the next page
of a list is."""

from __future__ import annotations

import re

HEADER_MAX_CHARS = 16_000  # longer ones are of no API, and are not read
# A link's address and its parameters, up to the comma before the next one. No two of the
# alternatives begin with the same character: what does not match is found out in one pass.
LINK = re.compile(r'<([^<>]*)>((?:[^",<>]|"(?:[^"\\]|\\.)*")*)')
PARAMETER = re.compile(r';\s*([!#$&+\-.^_`|~0-9A-Za-z]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s";,]+)')


def next_link(header: str) -> str:
    """The target of rel="next", as it is written; "" where there is none."""
    if len(header) > HEADER_MAX_CHARS:
        return ""
    links: list[tuple[str, str]] = LINK.findall(header)
    for target, written in links:
        relations = ""
        for name, value in PARAMETER.findall(written):
            if name.lower() == "rel":
                relations = value.strip('"')
                break  # the first counts (RFC 8288, 3.3)
        if "next" in relations.lower().split():
            return target.strip()
    return ""
