"""Lists the records, tells which of them changed, and reads the changed ones.

All are listed at every sync, 500 a request, with what may change while `write_date` does not:
stock, computed prices, the names of taxes and categories. That shows also what is gone; only what
changed is read in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path

from connectors.odoo.calls import (
    AnswerTooLarge,
    FilterRefused,
    Odoo,
    OdooRefused,
)
from connectors.odoo.domains import names_in
from connectors.odoo.fields import choose_fields
from connectors.odoo.problems import MALFORMED, NO_FIELDS, TOO_LARGE
from connectors.odoo.records import Names, Reading, Record, title_of
from connectors.odoo.selection import Wanted
from reading.passages import Description
from reasons import Reason
from sources.connectors.interface import Failed, SyncContext, Unchanged
from sources.connectors.remote import (
    DocumentRefused,
    Fetched,
    Listed,
    RemoteDocument,
    decide,
    place_of,
)
from sources.errors import OriginUnavailable

PAGE_RECORDS = 500


@dataclass(frozen=True)
class Found:
    """A record that was read in full; `record` is None for one that is too large."""

    reading: Reading
    record: Record | None
    names: Names


def fetch_record(document: RemoteDocument, folder: Path) -> Fetched:
    """The text of a record, which came with its page."""
    found = document.handle
    if not isinstance(found, Found):
        raise TypeError(f"No record: {found!r}")
    if found.record is None:
        raise DocumentRefused(TOO_LARGE, is_final=True)
    return found.reading.text_of(found.record, found.names)


def list_models(odoo: Odoo, wanted: Sequence[Wanted], context: SyncContext) -> Iterator[Listed]:
    """Lists what is wanted of each model. One that cannot be read is reported as a document that
    failed, and what is known of it stays. Raises as Odoo.call, but for OdooRefused."""
    related = RelatedNames(odoo)
    for each in wanted:
        try:
            with context.step("fetch"):
                reading = prepare(odoo, each)
            yield from list_records(reading, each, related, context)
        except OdooRefused as refused:
            yield Failed(each.model, refused.reason, title=each.label)
            own = [id_ for id_ in context.known if id_.startswith(f"{each.model},")]
            yield from map(Unchanged, own)


def prepare(odoo: Odoo, wanted: Wanted) -> Reading:
    """Raises OdooRefused also where nothing of what was chosen is there any more, and FilterRefused
    where the filter names what is not there: Odoo would only say that it failed."""
    known = odoo.fields_of(wanted.model)
    fields = choose_fields(known, wanted.fields)
    if not fields:
        raise OdooRefused(NO_FIELDS)
    if unknown := names_in(wanted.domain) - known.keys():
        raise FilterRefused(Reason("filter_field_unknown", name=min(unknown)))
    return Reading(wanted.model, wanted.label, odoo.language, fields)


def list_records(
    reading: Reading, wanted: Wanted, related: RelatedNames, context: SyncContext
) -> Iterator[Listed]:
    """Yields records by id. A page begins behind the last record of the one before: none is missed
    if others are deleted meanwhile."""
    odoo, last = related.odoo, 0
    is_last = False
    while not is_last:
        with context.step("fetch"):
            domain = [*wanted.domain, ["id", ">", last]]
            rows = odoo.search_read(
                reading.model, domain, reading.watched_names, limit=PAGE_RECORDS
            )
            require_after(last, rows)
            names = related.learn(reading, rows)
            decided = [decide(describe(row, reading, names, odoo), context) for row in rows]
            changed = [
                row["id"]
                for row, item in zip(rows, decided, strict=True)
                if isinstance(item, RemoteDocument)
            ]
            full = read_full(odoo, reading, changed)
        for row, item in zip(rows, decided, strict=True):
            if isinstance(item, (Unchanged, Failed)):
                yield item
            elif isinstance(item, RemoteDocument) and row["id"] in full:  # not gone since
                yield replace(item, handle=Found(reading, full[row["id"]], names))
        is_last = len(rows) < PAGE_RECORDS
        last = rows[-1]["id"] if rows else last


def require_after(last: int, rows: Sequence[Record]) -> None:
    """Raises OriginUnavailable for a page that was sent before: the list would never end."""
    ids = [last, *(row["id"] for row in rows)]
    if any(later <= earlier for earlier, later in pairwise(ids)):
        raise OriginUnavailable(MALFORMED)


def describe(row: Record, reading: Reading, names: Names, odoo: Odoo) -> RemoteDocument:
    title, model = title_of(row), reading.model
    written = row.get("write_date")
    told = Description(
        title=title,
        etag=reading.version_of(row, names),
        last_modified=written if isinstance(written, str) else "",
        place=place_of([reading.label, title]),
        link=f"{odoo.access.url}/web#id={row['id']}&model={model}&view_type=form",
    )
    return RemoteDocument(f"{model},{row['id']}", told)


def read_full(odoo: Odoo, reading: Reading, ids: Sequence[int]) -> dict[int, Record | None]:
    """The records by id; None for one that is too large to be sent. Deleted ones are left out. Asks
    for half as many at once if all of them are too much for one answer."""
    if not ids:
        return {}
    try:
        rows = odoo.search_read(reading.model, [["id", "in", list(ids)]], reading.names)
    except AnswerTooLarge:
        if len(ids) == 1:
            return {ids[0]: None}
        half = len(ids) // 2
        return read_full(odoo, reading, ids[:half]) | read_full(odoo, reading, ids[half:])
    return {row["id"]: row for row in rows}


class RelatedNames:
    """The names of records that others mention by id alone: each is asked for once."""

    def __init__(self, odoo: Odoo) -> None:
        self.odoo = odoo
        self._names: dict[tuple[str, int], str] = {}
        self._asked: set[tuple[str, int]] = set()

    def learn(self, reading: Reading, rows: Sequence[Record]) -> Names:
        """The names of all records that these rows mention, archived ones among them. Raises as
        Odoo.call, but for OdooRefused: a record that we may not read has no name."""
        for field in reading.fields:
            if field.type != "many2many" or not field.relation:
                continue
            values = [row.get(field.name) for row in rows]
            lists = [value for value in values if isinstance(value, list)]
            ids = {each for each in chain.from_iterable(lists) if type(each) is int}
            self._ask(field.relation, sorted(ids))
        return self._names

    def _ask(self, model: str, ids: Sequence[int]) -> None:
        missing = [each for each in ids if (model, each) not in self._asked]
        self._asked.update((model, each) for each in missing)
        if not missing:
            return
        try:
            domain = [["id", "in", missing]]
            rows = self.odoo.search_read(model, domain, ["display_name"], with_archived=True)
        except OdooRefused:
            return
        self._names.update({(model, row["id"]): title_of(row) for row in rows})
