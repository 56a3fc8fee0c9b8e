"""A sync of the choices made in a Notion workspace."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import cast
from uuid import UUID

from connectors.notion.body import Body, warnings_of
from connectors.notion.calls import NOT_FOUND, Notion
from connectors.notion.listing import NotionItem, NotionListing
from connectors.notion.properties import attached_files, property_lines
from connectors.notion.shapes import mapping
from connectors.notion.walking import Walk
from reading.passages import Block, ChunkLevel, Description, ExtractedDocument
from reasons import Reason
from sources.connectors.calling import CallRefused
from sources.connectors.interface import Cut, Item, LeftOut, SyncContext, Unchanged
from sources.connectors.remote import DocumentRefused, RemoteDocument, place_of, read_documents

# Notion's times are rounded down to the minute
# (developers.notion.com/changelog/last-edited-time-is-now-rounded-to-the-nearest-minute, read
# 2026-11-22), and its clock is not ours.
UNSETTLED_SECONDS = 120.0
GONE_CHECKS_MAX = 50  # in one sync; each is a call
FORBIDDEN = 403
NO_TEXT = Reason("page_without_own_text")
CUT = Reason("notion_list_cut")


class NotionReading:
    """`chosen`: ids of pages and data sources; what lies in them is read too. Nothing chosen is
    everything that is shared."""

    def __init__(self, notion: Notion, context: SyncContext, chosen: Collection[str]) -> None:
        self._notion = notion
        self._context = context
        self._chosen = chosen
        self._listing = NotionListing(notion)
        self._titles: dict[str, str] = {}
        self._began_at = time.time()
        self._child_pages: set[str] = set()
        self._gone: set[str] = set()
        self._unasked: list[str] = []

    def items(self) -> Iterator[Item]:
        """Yields an item for each page, ordered by the time of creation. Pages that the search has
        not named (its index lags behind) are found in those that hold them."""
        self._list()
        pages = [item for item in self._listing.within(self._chosen) if item.is_page]
        while pages:
            documents = map(self._describe, pages)
            for item in read_documents(documents, self._context, self._fetch, total=len(pages)):
                if isinstance(item, Cut | LeftOut) or item.external_id not in self._gone:
                    yield item
            pages = self._found_inside()
        for each in self._unasked:
            if each in self._context.known:
                yield Unchanged(each)
        self._context.keep_cursor({"owners": self._listing.owners})
        if self._notion.is_cut:
            yield Cut(CUT, keeps_rest=True)

    # --- What there is ----------------------------------------------------------------------------

    def _list(self) -> None:
        listing = self._listing
        listing.search()
        listing.owners = self._known_owners()
        for each in self._chosen:
            listing.find(each, "pages", "data_sources")
        for item in listing.within(self._chosen):
            if not item.is_page:
                listing.add_rows(item.id)
        self._check_unnamed()
        self._titles = {item.id: item.title for item in listing.items.values()}

    def _check_unnamed(self) -> None:
        """The search is not complete
        (developers.notion.com/reference/search-optimizations-and-limitations, read 2026-11-22):
        what it does not name is gone only if Notion says so of it, or of what it lay in. What is
        left to be asked for stays until the next sync."""
        places = {each: failed.title for each, failed in self._context.known_failures.items()}
        places |= {each: known.place for each, known in self._context.known.items()}
        unnamed = sorted(places.keys() - self._listing.items.keys(), key=lambda each: places[each])
        gone: list[str] = []  # places
        asked = 0
        for each in unnamed:
            if any(places[each].startswith(f"{place} / ") for place in gone):
                continue
            if asked == GONE_CHECKS_MAX:
                self._unasked.append(each)
                continue
            asked += 1
            self._listing.find(each, "pages")
            if each not in self._listing.items:
                gone.append(places[each])

    def _known_owners(self) -> dict[str, str]:
        """The owners of blocks that the last sync found: valid if the page has not been edited
        since."""
        kept = mapping(self._context.cursor.get("owners"))
        return {
            block: owner
            for block, owner in kept.items()
            if isinstance(owner, str) and self._is_as_known(owner)
        }

    def _is_as_known(self, page_id: str) -> bool:
        item, known = self._listing.items.get(page_id), self._context.known.get(page_id)
        return bool(item and known and known.etag and known.last_modified == item.edited)

    def _found_inside(self) -> list[NotionItem]:
        """Pages that only the page that holds them has named."""
        found = self._child_pages - self._listing.items.keys() - {""}
        self._child_pages.clear()
        for each in found:
            self._listing.find(each, "pages")
        return [item for item in self._listing.within(self._chosen) if item.id in found]

    def _describe(self, page: NotionItem) -> RemoteDocument:
        names = [each.title for each in self._listing.lineage(page)]
        told = Description(
            title=page.title,
            etag=self._version_of(page),
            last_modified=page.edited,
            place=place_of(names[::-1]),
            link=f"https://www.notion.so/{UUID(page.id).hex}",
        )
        return RemoteDocument(page.id, told, handle=page)

    def _version_of(self, page: NotionItem) -> str:
        """The time of the last edit, and a hash of the properties: computed ones change without an
        edit. "" while the page may be edited again within the same minute."""
        if not is_before(page.edited, self._began_at - UNSETTLED_SECONDS):
            return ""
        lines = property_lines(page.properties, self._titles)
        return f"{page.edited} {sha256(lines.encode()).hexdigest()[:16]}" if lines else page.edited

    # --- What it says -----------------------------------------------------------------------------

    def _fetch(self, document: RemoteDocument, folder: Path) -> ExtractedDocument:
        page = cast(NotionItem, document.handle)
        walk, body = Walk(self._notion, page.id), Body()
        try:
            blocks = tuple(body.read(walk.nodes()))
        except CallRefused as refused:
            raise self._explain(page, refused) from refused
        self._child_pages |= walk.child_pages
        if lines := property_lines(page.properties, self._titles):
            blocks = (Block(lines, location="properties"), *blocks)
        if not blocks:
            raise DocumentRefused(NO_TEXT, is_final=True)
        left_out = Counter(file=attached_files(page.properties), unshared=walk.unshared)
        return ExtractedDocument(
            page.title,
            blocks,
            ChunkLevel.SECTION,
            warnings=warnings_of(left_out + body.left_out),
        )

    def _explain(self, page: NotionItem, refused: CallRefused) -> DocumentRefused | CallRefused:
        if refused.status == NOT_FOUND:
            self._gone.add(page.id)
            return DocumentRefused(Reason("notion_page_unshared"))
        if refused.status == FORBIDDEN:
            return DocumentRefused(Reason("notion_page_forbidden"))
        return refused


def is_before(written: str, seconds: float) -> bool:
    """True if Notion's time is before one of `time.time()`; False if the text is not a time."""
    try:
        return datetime.fromisoformat(written).timestamp() < seconds
    except (ValueError, OverflowError):
        return False
