"""The pages that belong to a source."""

from __future__ import annotations

from dataclasses import dataclass

from connectors.web.urls import FILE_NAME, clean_url, origin_of, parse, path_of


@dataclass(frozen=True)
class Site:
    """All below one path of one host. `origin`: how its addresses begin, as the start page answers;
    `path`: "/docs/" for all below it, "/docs" for that page too.
    """

    origin: str
    path: str

    def place(self, written: str, base: str) -> str | None:
        """The address of a link of this site, None when it leads elsewhere.

        With or without "www.", http or https: it is the same site, so it gets the same address.
        """
        url = clean_url(written, base)
        if url is None or not is_same_host(url, self.origin):
            return None
        rest = url.removeprefix(origin_of(url))
        return self.origin + rest if is_below(path_of(url), self.path) else None


def site_of(asked: str, answered: str) -> Site:
    """The site of a start page.

    Args:
        asked: its address as the customer gave it.
        answered: where it came from after redirects; on the same host.
    """
    path = start_path(asked)
    if not is_below(path_of(answered), path):
        path = start_path(answered)
    return Site(origin_of(answered), path)


def start_path(url: str) -> str:
    """A page that is named as a file stands for its folder."""
    return FILE_NAME.sub("", path_of(url))


def is_below(path: str, start: str) -> bool:
    return path == start or path.startswith(start if start.endswith("/") else start + "/")


def is_same_host(url: str, other: str) -> bool:
    """True if the hosts are the same, ignoring "www.", and http or https on their own ports."""
    return host_and_port(url) == host_and_port(other)


def host_and_port(url: str) -> tuple[str, int | None]:
    parsed = parse(origin_of(url))
    return (parsed.host or "").removeprefix("www."), parsed.port
