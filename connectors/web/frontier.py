"""The queue of pages to visit: breadth first, each once, and without endless parts of a website."""

from __future__ import annotations

from collections import Counter, deque

from connectors.web.site import Site
from connectors.web.urls import may_be_page, path_of

WAITING_MAX = 20_000  # addresses
DEPTH_MAX = 15  # parts of a path
REPEATED_PARTS_MAX = 3  # "/a/b/a/b/a/b": a relative link that leads below itself
QUERIES_MAX = 50  # addresses of one path with different parameters: a calendar, a filter


class Frontier:
    """Takes absolute addresses of any website and keeps those of the site."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._waiting: deque[str] = deque()
        self._seen: dict[str, str] = {}  # one string for all pages that link there
        self._visited: set[str] = set()
        self._queries: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, link: str) -> str | None:
        """Queues the page and returns its address in the site; None if it is not to be visited."""
        url = self._site.place(link, self._site.origin)
        if url is None or not may_be_page(url):
            return None
        if url not in self._seen:
            if len(self._waiting) >= WAITING_MAX or is_trap(url) or self._has_many_queries(url):
                return None
            self._seen[url] = url
            self._waiting.append(url)
        return self._seen[url]

    def pop(self) -> str | None:
        """The next page that was not visited; None at the end."""
        while self._waiting:
            url = self._waiting.popleft()
            if self.visit(url):
                return url
        return None

    def visit(self, url: str) -> bool:
        """Marks it as visited; whether it was not before."""
        is_new = url not in self._visited
        self._visited.add(url)
        return is_new

    def waiting(self) -> set[str]:
        return set(self._waiting) - self._visited

    def _has_many_queries(self, url: str) -> bool:
        path, mark, _ = url.partition("?")
        self._queries[path] += bool(mark)
        return self._queries[path] > QUERIES_MAX


def is_trap(url: str) -> bool:
    parts = [part for part in path_of(url).split("/") if part]
    most = max(Counter(parts).values(), default=0)
    return len(parts) > DEPTH_MAX or most > REPEATED_PARTS_MAX
