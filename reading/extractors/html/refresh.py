"""Where a page sends its browser on by itself, as a redirect does: `<meta http-equiv="refresh">`,
and the HTTP header of that name. Imports no parser: the process that fetches reads the header too.
"""

from __future__ import annotations

import re

# "5; url=/es/" (HTML Standard, 4.2.5.3): after how many seconds, and to where
REFRESH = re.compile(r"\s*(\d{0,6})[\d.]*\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.I)
WRITTEN_MAX_CHARS = 2500
AT_ONCE_SECONDS = 10  # a page that is shown for longer is there to be read


def refreshed_to(written: str, *, within_seconds: int | None = AT_ONCE_SECONDS) -> str:
    """Return the raw address of "0; url=/es/"; "" where the page stays for longer.
    `within_seconds`: None for any time."""
    match = REFRESH.match(written[:WRITTEN_MAX_CHARS])
    if match is None:
        return ""
    is_late = within_seconds is not None and int(match[1] or 0) > within_seconds
    return "" if is_late else re.sub(r"[\t\r\n]+", "", match[2]).strip()
