"""The documents of a list, one by one. A page that has not changed is not sent again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from connectors.json_api.addresses import recall, remember
from connectors.json_api.fields import Endpoint, ListShape
from connectors.json_api.pages import (
    NUMBERED,
    KeptPage,
    KeptPageRefused,
    ListPage,
    Pages,
    PagingStopped,
)
from connectors.json_api.records import NoRecord, to_document
from reasons import Reason
from sources.connectors.calling import Api
from sources.connectors.interface import Cut, Failed, SyncContext, Unchanged
from sources.connectors.remote import Listed, RemoteDocument

# All ids are compared with those of the last sync in memory, and kept in one row.
ITEMS_MAX = 20_000
KEPT_MAX_CHARS = 300_000  # of ids: they are kept in the source's row

TOO_MANY_ITEMS = Reason("list_cut_by_limit", limit=ITEMS_MAX, count=ITEMS_MAX)
SAME_ITEMS = Reason("list_repeats_items")


class ItemList:
    """`cut`: set once the list was left early."""

    def __init__(
        self, api: Api, endpoint: Endpoint, shape: ListShape, context: SyncContext
    ) -> None:
        self.cut: Cut | None = None
        self._api = api
        self._endpoint = endpoint
        self._shape = shape
        self._context = context
        self._versions: dict[str, str] = {}  # by external id, of all that came
        self._pages: list[KeptPage] = []
        self._is_kept = True
        self._count = 0

    def documents(self) -> Iterator[Listed]:
        """Raises as Pages do. An id may come twice."""
        try:
            try:
                yield from self._walk(self._known_pages())
            except KeptPageRefused:
                self._versions, self._count = {}, 0
                self._is_kept = False  # what comes now may be newer than what came just before
                yield from self._walk({})
        except PagingStopped as stopped:
            self.cut = Cut(stopped.reason, keeps_rest=True)

    def for_next_sync(self) -> dict[str, Any]:
        """The pages whose server says whether they have changed."""
        if self.cut or not self._is_kept:
            return {}
        kept, chars = [], 0
        for page in self._pages:
            chars += len(page.url) + len(page.next_url) + sum(map(len, page.ids))
            if page.conditions and chars <= KEPT_MAX_CHARS:
                kept.append(
                    {
                        "url": remember(page.url, self._endpoint),
                        "next": remember(page.next_url, self._endpoint) if page.next_url else None,
                        "etag": page.etag,
                        "last_modified": page.last_modified,
                        "ids": page.ids,
                    }
                )
        return {"pages": kept}

    def _known_pages(self) -> dict[str, KeptPage]:
        """The kept pages of which every document is known, by their addresses."""
        pages = {}
        for kept in self._context.cursor.get("pages", ()):
            if all(map(self._is_known, kept["ids"])):
                url = recall(kept["url"], self._endpoint)
                following = recall(kept["next"], self._endpoint) if kept["next"] else ""
                pages[url] = KeptPage(
                    url, following, kept["etag"], kept["last_modified"], tuple(kept["ids"])
                )
        return pages

    def _is_known(self, key: str) -> bool:
        failure = self._context.known_failures.get(key)
        return bool(failure.etag) if failure else key in self._context.known

    def _walk(self, known: Mapping[str, KeptPage]) -> Iterator[Listed]:
        for number, page in enumerate(Pages(self._api, self._endpoint, self._shape, known), 1):
            before = len(self._versions)
            yield from self._as_it_was(page.kept) if page.kept else self._new(page, number)
            if not self.cut and page.items and len(self._versions) == before:
                # Some APIs give their last page again, whatever higher number they are asked for.
                if self._shape.paging not in NUMBERED or number == 2:
                    self.cut = Cut(SAME_ITEMS, keeps_rest=True)
                self._pages.pop()  # else the next sync would ask for the page behind it too
                return
            if self.cut:
                return

    def _as_it_was(self, page: KeptPage) -> Iterator[Listed]:
        self._pages.append(page)
        self._count += len(page.ids)
        for key in page.ids:
            failure = self._context.known_failures.get(key)
            self._versions[key] = failure.etag if failure else self._context.known[key].etag
            yield failure or Unchanged(key)

    def _new(self, page: ListPage, number: int) -> Iterator[Listed]:
        ids = []
        for place, item in enumerate(page.items, 1):
            if self._count >= ITEMS_MAX:
                self.cut = Cut(TOO_MANY_ITEMS, keeps_rest=False)
                return
            self._count += 1
            listed = self._listed(item, name=f"page {number}, item {place}")
            ids.append(listed.external_id)
            yield listed
        self._pages.append(
            KeptPage(page.url, page.next_url, page.etag, page.last_modified, tuple(ids))
        )

    def _listed(self, item: Any, *, name: str) -> RemoteDocument | Failed:
        try:
            document = to_document(item, self._shape)
        except NoRecord as error:
            self._versions[name] = ""
            return Failed(name, error.reason)
        key, version = document.external_id, document.description.etag
        if self._versions.setdefault(key, version) == version:  # a list may move while it is read
            return document
        self._versions[name] = ""
        return Failed(name, Reason("item_id_repeated", id=key))
