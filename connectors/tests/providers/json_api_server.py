"""A stand-in for the JSON API of a company's own help centre. It lists its articles as APIs do:

link          a Link header with rel="next" (RFC 8288)
cursor        in the answer, opaque (docs.slack.dev/apis/web-api/pagination)
next          the next page's address in the answer (jsonapi.org/format/#fetching-pagination)
page, offset  by number (django-rest-framework.org/api-guide/pagination)

with bearer tokens (RFC 6750), a key in a header or HTTP Basic (RFC 7617); it tells problems as RFC
9457 does, and answers conditional requests (RFC 9110, 13). Read 2026-11-22.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlencode

from sources.tests.providers.server import Call, ProviderServer, Reply, json_reply

PATH = "/v1/articles"
PAGE_SIZE = 20
PAGE_SIZE_MAX = 100
TOKEN = "a-token-of-the-help-centre"
KEY_HEADER = "X-Api-Key"
USER, PASSWORD = "reader", "a-password-of-the-help-centre"
# What each way of paging takes.
PARAMETERS = {
    "none": set[str](),
    "link": {"per_page", "page"},
    "next": {"per_page", "after"},
    "cursor": {"per_page", "after"},
    "page": {"per_page", "page"},
    "offset": {"per_page", "offset"},
}


@dataclass(frozen=True)
class Article:
    """`body` may be anything that JSON has."""

    id: str
    title: str
    body: Any
    url: str
    updated_at: str


class Refused(Exception):
    def __init__(self, status: int, detail: str, **headers: str) -> None:
        self.status, self.detail = status, detail
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class JsonApiServer(ProviderServer):
    """`paging`: a name of PARAMETERS. `wants`: "bearer", "header", "basic", or "" (open to all).

    `validates`: each page has an ETag and a Last-Modified, and answers 304 to whoever has it.
    `may_read`: False is a good token without the right to read articles.
    """

    def __init__(
        self, *, paging: str = "link", wants: str = "bearer", validates: bool = True
    ) -> None:
        super().__init__()
        self.paging = paging
        self.wants = wants
        self.validates = validates
        self.may_read = True
        self.token = TOKEN
        self.articles: dict[str, Article] = {}
        self.changed_at = datetime(2026, 11, 1, tzinfo=UTC)  # a second later with each change
        self.cursor_secret = "first"

    @property
    def list_url(self) -> str:
        return self.url + PATH

    # --- What happens there -----------------------------------------------------------------------

    def add(self, title: str, body: Any, *, id: str = "") -> Article:
        with self.lock:
            key = id or f"a{len(self.articles) + 1:05}"
            article = Article(key, title, body, f"https://help.example/{key}", self.tick())
            self.articles[key] = article
            return article

    def change(self, key: str, **over: Any) -> None:
        """Its title, body or url."""
        with self.lock:
            self.articles[key] = replace(self.articles[key], **over, updated_at=self.tick())

    def delete(self, key: str) -> None:
        with self.lock:
            del self.articles[key]
            self.tick()

    def fill(self, count: int) -> None:
        """Text of one passage each."""
        for number in range(1, count + 1):
            self.add(
                f"Article {number}",
                f"Spare part {number} arrives in {number % 9 + 1} days and costs {number} euros.",
            )

    def expire_cursors(self) -> None:
        """Those that were given until now are gone."""
        self.cursor_secret += "+"

    def tick(self) -> str:
        self.changed_at += timedelta(seconds=1)
        return self.changed_at.isoformat().replace("+00:00", "Z")

    # --- Its rules --------------------------------------------------------------------------------

    def answer(self, call: Call) -> Reply:
        try:
            with self.lock:
                self.check(call)
                return self.list_articles(call)
        except Refused as refused:
            problem = {"status": refused.status, "title": refused.detail}
            headers = {"Content-Type": "application/problem+json", **refused.headers}
            return replace(json_reply(problem, refused.status), headers=headers)

    def check(self, call: Call) -> None:
        if call.path != PATH:
            raise Refused(404, "There is nothing at this address.")
        if call.method != "GET":
            raise Refused(405, "Articles can only be read.", Allow="GET")
        if "application/json" not in call.headers.get("accept", ""):
            raise Refused(406, "Say that you accept application/json.")
        self.check_credentials(call)
        unknown = set(call.query) - PARAMETERS[self.paging]
        if unknown:
            raise Refused(400, f"Unknown parameters: {', '.join(sorted(unknown))}.")

    def check_credentials(self, call: Call) -> None:
        given = call.headers.get("authorization", "")
        encoded = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        match self.wants:
            case "bearer" if given != f"Bearer {self.token}":
                raise Refused(401, "invalid_token", WWW_Authenticate='Bearer error="invalid_token"')
            case "basic" if given != f"Basic {encoded}":
                raise Refused(401, "Who are you?", WWW_Authenticate='Basic realm="help"')
            case "header" if call.headers.get(KEY_HEADER.lower()) != self.token or given:
                raise Refused(401, "The key is not known.")
        if not self.may_read:
            raise Refused(403, "insufficient_scope: articles.read")

    def list_articles(self, call: Call) -> Reply:
        size = len(self.articles) if self.paging == "none" else number(call.query, "per_page")
        start = self.start_of(call.query, size)
        articles = list(self.articles.values())
        end = start + size
        content: Any = [asdict(article) for article in articles[start:end]]
        headers = {}
        following = self.query_of(call.query, end, size) if end < len(articles) else {}
        address = f"{self.list_url}?{urlencode(following)}" if following else ""
        match self.paging:
            case "link" if address:
                headers["Link"] = f'<{self.list_url}>; rel="first", <{address}>; rel="next"'
            case "next":
                content = {"data": content, "links": {"next": address or None}}
            case "cursor":
                content = {"ok": True, "items": content, "meta": {"next": following.get("after")}}
            case "page" | "offset":
                content = {"count": len(articles), "results": content}
        reply = json_reply(content)
        return self.validated(call, replace(reply, headers={**reply.headers, **headers}))

    def start_of(self, query: Mapping[str, str], size: int) -> int:
        match self.paging:
            case "link" | "page":
                start = (number(query, "page", default=1) - 1) * size
                if start and start >= len(self.articles) and self.paging == "page":
                    raise Refused(404, "Invalid page.")
                return start
            case "offset":
                return number(query, "offset", default=0, least=0)
            case "next" | "cursor" if "after" in query:
                for start in range(len(self.articles) + 1):
                    if self.cursor_of(start) == query["after"]:
                        return start
                raise Refused(410, "This cursor is not known, or has expired.")
        return 0

    def query_of(self, query: Mapping[str, str], start: int, size: int) -> dict[str, str]:
        """Of the page that begins there."""
        kept = {"per_page": query["per_page"]} if "per_page" in query else {}
        if self.paging in ("link", "page"):
            return {**kept, "page": str(start // size + 1)}
        return {**kept, "after": self.cursor_of(start)}

    def cursor_of(self, start: int) -> str:
        return hashlib.sha256(f"{self.cursor_secret} {start}".encode()).hexdigest()[:24]

    def validated(self, call: Call, reply: Reply) -> Reply:
        """If-None-Match goes before If-Modified-Since (RFC 9110, 13.2.2). The ETag is of the body
        alone, and 304 has no Link header: as frameworks do."""
        if not self.validates:
            return reply
        etag = f'"{hashlib.sha256(reply.body).hexdigest()[:16]}"'
        modified = format_datetime(self.changed_at, usegmt=True)
        validators = {"ETag": etag, "Last-Modified": modified}
        asked = call.headers.get("if-none-match")
        is_known = asked == etag if asked else call.headers.get("if-modified-since") == modified
        if is_known:
            return Reply(304, b"", validators)
        return replace(reply, headers={**reply.headers, **validators})


def number(query: Mapping[str, str], name: str, *, default: int = PAGE_SIZE, least: int = 1) -> int:
    """Raises Refused."""
    written = query.get(name, str(default))
    if not written.isascii() or not written.isdigit() or int(written) < least:
        raise Refused(400, f"{name} must be a number from {least}.")
    if name == "per_page" and int(written) > PAGE_SIZE_MAX:
        raise Refused(400, f"per_page is at most {PAGE_SIZE_MAX}.")
    return int(written)
