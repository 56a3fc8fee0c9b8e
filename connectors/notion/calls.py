"""Calls of Notion's API, version 2026-03-11 (developers.notion.com/reference, read 2026-11-22)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import UUID

from django.conf import settings

from config.http import FetchedPage
from connectors.notion.shapes import mapping, sequence, string
from reasons import Reason
from sources.connectors.calling import Api, CallRefused
from sources.errors import OriginUnavailable

LABEL = "Notion"
HEADERS = {"Notion-Version": "2026-03-11"}
PAGE_SIZE = 100  # the most that Notion gives at once
# Of one list. Notion ends a search after 10,000 results, and a page of ours much earlier.
PAGES_MAX = 1000
SERVICE_OVERLOAD = 529
CONFLICT = 409
NOT_FOUND = 404
INVALID = 400  # also to the id of something of another kind


def is_busy(answer: FetchedPage) -> bool:
    """True if Notion asks to try again: overloaded, or two changes collided (…/status-codes)."""
    return answer.status in (SERVICE_OVERLOAD, CONFLICT)


class Notion:
    """All raise as calling.Api.call. `is_cut`: it has told less than there is (10,000 results at
    most: …/guides/data-apis/query-large-data-sources)."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.is_cut = False

    def search(self) -> Iterator[Mapping[str, object]]:
        """All pages and data sources that are shared with us, as far as its index knows.

        The last edited first: what is edited while we page comes twice then; the other way round,
        something else would be passed over in its place.
        """
        sort = {"timestamp": "last_edited_time", "direction": "descending"}
        return self._list(lambda page: self._post("search", {"sort": sort, **page}))

    def rows(self, data_source_id: str) -> Iterator[Mapping[str, object]]:
        """All pages of a data source, as they were made."""
        sorts = [{"timestamp": "created_time", "direction": "ascending"}]
        path = f"data_sources/{data_source_id}/query"
        return self._list(lambda page: self._post(path, {"sorts": sorts, **page}))

    def children(self, block_id: str) -> Iterator[Mapping[str, object]]:
        """The blocks right inside a page or a block, in their order."""
        path = f"blocks/{block_id}/children"
        return self._list(
            lambda page: self._get(path, {name: str(value) for name, value in page.items()})
        )

    def find(self, kind: str, item_id: str) -> Mapping[str, object]:
        """`kind`: "pages", "data_sources" or "blocks". {} where there is none of that kind, or none
        that is shared with us."""
        try:
            return mapping(self._get(f"{kind}/{item_id}"))
        except CallRefused as refused:
            if refused.status in (INVALID, NOT_FOUND):
                return {}
            raise

    def _get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        return self._api.get(address_of(path), query, headers=HEADERS)

    def _post(self, path: str, content: object) -> Any:
        return self._api.post(address_of(path), content, headers=HEADERS)

    def _list(self, ask: Callable[[dict[str, Any]], object]) -> Iterator[Mapping[str, object]]:
        """…/reference/intro#pagination. Raises OriginUnavailable for what is not a list: a
        document missing from it would be removed here."""
        page: dict[str, Any] = {"page_size": PAGE_SIZE}
        for _ in range(PAGES_MAX):
            answer = mapping(ask(page))
            if not isinstance(answer.get("results"), list):
                break
            yield from map(mapping, sequence(answer["results"]))
            status = string(mapping(answer.get("request_status")).get("type"))
            self.is_cut = self.is_cut or status == "incomplete"
            if answer.get("has_more") is False:
                return
            cursor = string(answer.get("next_cursor"))
            if not cursor or cursor == page.get("start_cursor"):
                break
            page = {**page, "start_cursor": cursor}
        raise OriginUnavailable(Reason("origin_list_unreadable", label=LABEL))


def address_of(path: str) -> str:
    return f"{settings.NOTION_API_URL}/v1/{path}"


def clean_id(value: object) -> str:
    """A UUID with its dashes; "" for anything else: ids become parts of addresses."""
    try:
        return str(UUID(string(value)))
    except ValueError:
        return ""
