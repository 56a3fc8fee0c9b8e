"""Reads an entity set, record by record: only the changed ones if they can be told, else all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from connectors.odata.changes import SetMark, date_before, find_changes
from connectors.odata.keys import external_id_of
from connectors.odata.metadata import ChosenSet
from connectors.odata.records import to_document
from connectors.odata.service import ODataService, RecordPage
from reasons import Reason
from sources.connectors.calling import CallRefused
from sources.connectors.interface import Failed, Gone, Item, SyncContext, Unchanged
from sources.errors import AskedToWait, OriginUnavailable

NO_KEY = Reason("records_without_key")
FORBIDDEN = Reason("account_may_not_read")


class SetReading:
    """An entity set in a sync. `mark`, after `read`: the set's state; None if it is unknown and the
    next sync reads everything again."""

    def __init__(self, service: ODataService, context: SyncContext, chosen: ChosenSet) -> None:
        self.service = service
        self.context = context
        self.chosen = chosen
        self.mark: SetMark | None = None
        self._named: set[str] = set()

    @property
    def name(self) -> str:
        return self.chosen.entity_set.name

    def read(self, mark: SetMark) -> Iterator[Item]:
        """Yields each record once. A set that the account may not read fails as a whole, and its
        known records stay."""
        try:
            with self.context.step("fetch"):
                changes = find_changes(self.service, self.chosen, mark, known=set(self.known_ids()))
            if changes is None:
                yield from self.read_all()
                return
            for external_id, record in changes.records.items():
                self._named.add(external_id)
                if record is None:
                    yield Gone(external_id)
                else:
                    yield to_document(self.chosen, external_id, record, context=self.context)
            yield from self.others(changes.present)
            self.mark = changes.mark
        except CallRefused as error:
            reason = FORBIDDEN if error.status == 403 else error.reason
            yield Failed(self.name, reason, title=self.chosen.entity_set.shown_name)
            yield from self.others(None)

    def read_all(self) -> Iterator[Item]:
        delta, latest, is_dated = "", "", self.chosen.modified is not None
        for page in self.all_pages():
            for record in page.records:
                yield from self.item_of(record)
                date = date_before(self.chosen, record)
                is_dated, latest = is_dated and bool(date), max(latest, date)
            delta = delta or page.delta  # the first: what changes while we read is read again
        # A record without a date would be missed when changes are asked for by date.
        self.mark = SetMark(delta=delta, modified=latest if is_dated else "")

    def all_pages(self) -> Iterator[RecordPage]:
        """Yields pages, with a delta link if the service has one. Business Central answers 500 for
        those that it has none for (learn.microsoft.com, "Using delta links with APIs", read
        2026-11-22)."""
        pages = self.service.list_records(self.chosen, tracks=True)
        try:
            page = self.next_of(pages)
        except AskedToWait:
            raise
        except (CallRefused, OriginUnavailable):
            pages = self.service.list_records(self.chosen)
            page = self.next_of(pages)
        while page is not None:
            yield page
            page = self.next_of(pages)

    def next_of(self, pages: Iterator[RecordPage]) -> RecordPage | None:
        with self.context.step("fetch"):
            return next(pages, None)

    def item_of(self, record: Mapping[str, Any]) -> Iterator[Item]:
        external_id = external_id_of(self.chosen.entity_set, record)
        if external_id is None and self.name not in self._named:
            self._named.add(self.name)
            yield Failed(self.name, NO_KEY, title=self.chosen.entity_set.shown_name)
        elif external_id is not None and external_id not in self._named:
            self._named.add(external_id)
            yield to_document(self.chosen, external_id, record, context=self.context)

    def known_ids(self) -> list[str]:
        """Ids of the records of this set that the last sync named, failed ones among them."""
        begin = f"{self.name}("
        both = dict.fromkeys((*self.context.known, *self.context.known_failures))
        return [each for each in both if each.startswith(begin)]

    def others(self, present: list[str] | None) -> Iterator[Item]:
        """Names what `read` has not named yet: of `present`, or of all known records where that is
        None. A record that is present but not known is fetched."""
        known, failed = self.context.known, self.context.known_failures
        for external_id in self.known_ids() if present is None else present:
            if external_id in self._named:
                continue
            self._named.add(external_id)
            if external_id in failed:
                yield failed[external_id]
            elif external_id in known:
                yield Unchanged(external_id)
            else:
                record = self.service.fetch_record(self.chosen, external_id)
                if record is not None:
                    yield to_document(self.chosen, external_id, record, context=self.context)
