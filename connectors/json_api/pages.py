"""Reads the pages of a list in turn. The credentials are sent to the list's own address only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag, urljoin

from config.http import AddressRefused, FetchedPage, TooLarge
from config.http.client import is_same_origin
from connectors.json_api.addresses import number_in, with_parameter
from connectors.json_api.fields import Endpoint, ListShape
from connectors.json_api.links import next_link
from connectors.json_api.pointers import resolve, written
from connectors.json_api.values import scalar
from reading.extractors.prose import clean
from reasons import Reason, ReasonedError
from sources.connectors.calling import Api, CallRefused
from sources.connectors.remote import refuse_to_list
from sources.errors import SyncFailed

# A list may link back to itself through addresses that are never the same twice: this ends it.
PAGES_MAX = 5_000
EMPTY_PAGES_MAX = 20  # one after the other: some are empty where others may not be seen
NAMES_TOLD = 10  # of what an answer holds in the place of a list
VALIDATOR_MAX_CHARS = 500
NOT_MODIFIED = 304
NOT_FOUND = 404
NUMBERED = ("page", "offset")

TOO_LARGE = Reason("list_page_too_large")
IN_A_CIRCLE = Reason("list_repeats_page")
TOO_MANY = Reason("list_too_many_pages", limit=PAGES_MAX)
ALL_EMPTY = Reason("list_without_end")


class NoList(SyncFailed):
    """The answer has no list where one was said to be."""


class KeptPageRefused(Exception):
    """The page behind a kept one is gone: its cursor has expired."""


class PagingStopped(ReasonedError):
    """There may be more, and it is not read: why, for the customer."""


@dataclass(frozen=True)
class KeptPage:
    """A page as the last sync found it: `ids` of its documents, `next_url` "" at the end."""

    url: str
    next_url: str
    etag: str
    last_modified: str
    ids: tuple[str, ...]

    @property
    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request. If-None-Match takes precedence (RFC 9110,
        13.1.3)."""
        if self.etag:
            return {"If-None-Match": self.etag}
        return {"If-Modified-Since": self.last_modified} if self.last_modified else {}


@dataclass(frozen=True)
class ListPage:
    """`kept`: it is as it was; it has no `items` then."""

    url: str
    next_url: str
    items: list[Any]
    etag: str = ""
    last_modified: str = ""
    kept: KeptPage | None = None


class Pages:
    """The pages of one list. `kept`: by address, those that may still be as they were."""

    def __init__(
        self, api: Api, endpoint: Endpoint, shape: ListShape, kept: Mapping[str, KeptPage]
    ) -> None:
        self._api = api
        self._endpoint = endpoint
        self._shape = shape
        self._kept = kept

    def __iter__(self) -> Iterator[ListPage]:
        """Raises PagingStopped, KeptPageRefused, and as `Api.call`, but SyncFailed for
        CallRefused."""
        url, seen, empty, is_kept = self._endpoint.url, set[str](), 0, False
        while url:
            seen.add(url)
            try:
                page = self._ask(url)
            except CallRefused as error:
                if error.status == NOT_FOUND and len(seen) > 1 and self._shape.paging in NUMBERED:
                    return
                if is_kept:
                    raise KeptPageRefused from error
                raise refuse_to_list(error) from error
            yield page
            url, is_kept = page.next_url, page.kept is not None
            empty = 0 if page.items or page.kept else empty + 1
            if url in seen:
                raise PagingStopped(IN_A_CIRCLE)
            if url and len(seen) >= PAGES_MAX:
                raise PagingStopped(TOO_MANY)
            if url and empty >= EMPTY_PAGES_MAX:
                raise PagingStopped(ALL_EMPTY)

    def first(self) -> ListPage:
        """Raises as `Api.call`, CallRefused among it."""
        return self._ask(self._endpoint.url)

    def _ask(self, url: str) -> ListPage:
        kept = self._kept.get(url)
        if kept and self._shape.paging == "link" and not kept.next_url:
            kept = None  # the page may be as it was, and another follow it now
        try:
            answer = self._api.call("GET", url, headers=kept.conditions if kept else {})
        except TooLarge as error:
            raise SyncFailed(TOO_LARGE) from error
        if kept and answer.status == NOT_MODIFIED:
            return ListPage(url, kept.next_url, [], kept=kept)
        content = self._api.read_json(answer)
        items = self._items_of(content, is_first=url == self._endpoint.url)
        return ListPage(
            url,
            self._next_url(url, answer, content, len(items)),
            items,
            etag=validator(answer, "ETag"),
            last_modified=validator(answer, "Last-Modified"),
        )

    def _items_of(self, content: Any, *, is_first: bool) -> list[Any]:
        pointer = self._shape.items
        found = resolve(content, pointer)
        if isinstance(found, list):
            return found
        # Behind the last page some say null. An answer without the list's name is not a page: an
        # error that is sent with status 200 would remove all that has not come yet.
        around = resolve(content, pointer[:-1]) if pointer else None
        if found is None and not is_first and isinstance(around, dict) and pointer[-1] in around:
            return []
        names = [f"/{name}" for name in content][:NAMES_TOLD] if isinstance(content, dict) else []
        place = written(self._shape.items)
        if not names:
            raise NoList(Reason("no_list_at", pointer=place))
        raise NoList(Reason("no_list_but", pointer=place, names=clean(", ".join(names))[:200]))

    def _next_url(self, url: str, answer: FetchedPage, content: Any, count: int) -> str:
        """The address of the next page; "" after the last."""
        shape = self._shape
        named = resolve(content, shape.next)
        named = "" if isinstance(named, bool) else scalar(named)  # some say false at the end
        match shape.paging:
            case "link":
                return self._own_url(url, next_link(answer.headers.get("Link", "")))
            case "next":
                return self._own_url(url, named)
            case "cursor" if named:
                return with_parameter(self._endpoint.url, shape.parameter, named)
            case "page" if count:
                number = number_in(url, shape.parameter, default=1) + 1
                return with_parameter(url, shape.parameter, str(number))
            case "offset" if count:
                number = number_in(url, shape.parameter, default=0) + count
                return with_parameter(url, shape.parameter, str(number))
        return ""

    def _own_url(self, url: str, target: str) -> str:
        """Raises SyncFailed where it leads elsewhere."""
        if not target:
            return ""
        try:
            absolute = urldefrag(urljoin(url, target)).url
            is_own = is_same_origin(absolute, self._endpoint.url)
        except (ValueError, AddressRefused):
            is_own = False
        if not is_own:
            raise SyncFailed(Reason("list_leads_elsewhere", target=clean(target)[:200]))
        return absolute


def validator(answer: FetchedPage, name: str) -> str:
    """ "" for one that should not be sent back."""
    value = answer.headers.get(name, "").strip()
    is_usable = len(value) <= VALIDATOR_MAX_CHARS and value.isascii() and value.isprintable()
    return value if is_usable else ""
