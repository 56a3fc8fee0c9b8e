"""The other host of the stand-in for Microsoft Graph: addresses that need no token, as
learn.microsoft.com/graph/api/driveitem-get-content describes them, read 2026-11-22."""

from __future__ import annotations

import re
import secrets

from connectors.tests.providers.microsoft_drives import Item
from sources.tests.providers.server import Call, ProviderServer, Reply


class DownloadServer(ProviderServer):
    """Whoever has an address may read, for a while. A token must not come here: it is refused."""

    def __init__(self) -> None:
        super().__init__()
        self.tickets: dict[str, Item] = {}

    def address_of(self, item: Item) -> str:
        ticket = secrets.token_urlsafe(16)
        self.tickets[ticket] = item
        return f"{self.url}/download?tempauth={ticket}"

    def answer(self, call: Call) -> Reply:
        item = self.tickets.get(call.query.get("tempauth", ""))
        if "authorization" in call.headers or item is None or call.method != "GET":
            return Reply(401, b"Access denied.", {"Content-Type": "text/plain"})
        tag = f'"{item.id},{item.content_changes}"'
        headers = {"Content-Type": "application/octet-stream", "ETag": tag}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", call.headers.get("range", ""))
        if wanted is None or call.headers.get("if-range", tag) != tag:
            return Reply(200, item.content, headers)
        first, last = int(wanted[1]), min(int(wanted[2] or 10**12), len(item.content) - 1)
        if first > last:
            return Reply(416, b"", {"Content-Range": f"bytes */{len(item.content)}"})
        headers["Content-Range"] = f"bytes {first}-{last}/{len(item.content)}"
        return Reply(206, item.content[first : last + 1], headers)

    def expire_addresses(self) -> None:
        self.tickets.clear()
