"""OData v4: the kind `erp_b`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_noop

from connectors.odata.account import (
    FIELDS,
    account_of,
    address_of,
    authorization_of,
    check_fields,
    host_label,
)
from connectors.odata.changes import SetMark
from connectors.odata.checking import (
    TYPED,
    chosen_sets,
    describe_to_check,
    first_passages,
    parse_entity_sets,
)
from connectors.odata.metadata import EntitySet, choose, chosen_names
from connectors.odata.reading import SetReading
from connectors.odata.service import ODataService
from reasons import Reason
from sources.connectors.calling import Api, CallRefused
from sources.connectors.interface import (
    SOURCE_URL,
    Checked,
    Choice,
    Connector,
    Cut,
    Extent,
    Failed,
    Item,
    SyncContext,
    clean_chosen,
)
from sources.connectors.remote import refuse_to_list
from sources.errors import (
    ConnectionRefused,
    FileProcessingFailed,
    ReauthRequired,
    SyncFailed,
)
from sources.models import Connection, Source
from sources.oauth.tokens import open_account

RECORDS_MAX = 50_000  # of one source
# What is computed when it is read (stock, a price list) changes without a new date or delta.
ALL_AGAIN_AFTER = timedelta(hours=24)


class ODataConnector(Connector):
    kind = "erp_b"
    label = "OData"
    fields = (SOURCE_URL,)  # without a connection it is kept as it is, and not asked for anything
    connection_fields = FIELDS
    is_browsable = True
    reads = gettext_noop(
        "Records of Business Central, SAP Business One, S/4HANA and other OData v4 services."
    )

    def check_connection(self, fields: Mapping[str, str]) -> Checked:
        check_fields(fields)
        with open_api(fields, None) as api:
            service = ODataService(api, address_of(fields))
            sets = describe_to_check(service, fields)
            chosen = parse_entity_sets(fields.get(TYPED, ""), sets)
            selection = {"chosen": chosen}
            try:
                passages = first_passages(service, chosen_sets(sets, selection))
            except CallRefused as error:
                raise ConnectionRefused(
                    Reason("odata_not_permitted", status=str(error.status)),
                    field=TYPED,
                ) from error
            amount = measure(service, selection)
        return Checked(account_of(fields), selection, amount, passages)

    def browse(self, connection: Connection, *, inside: str) -> Sequence[Choice]:
        """Lists entity sets, and inside each its properties."""
        with open_service(connection) as service:
            sets = describe(service)
        if not inside:
            return [
                Choice(each.name, each.shown_name, is_open=True, hint=each.name)
                for each in sorted(sets.values(), key=lambda each: each.shown_name.casefold())
            ]
        if inside not in sets:
            return []
        return [
            Choice(f"{inside}/{each.name}", each.shown_name, hint=each.name)
            for each in sets[inside].properties
        ]

    def clean_selection(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Takes what the picker sends, and what is typed."""
        typed = given.get(TYPED)
        if isinstance(typed, str) and "chosen" not in given:
            return {"chosen": clean_chosen(parse_entity_sets(typed, None))}
        return {"chosen": clean_chosen(given.get("chosen", []))}

    def measure(self, connection: Connection, selection: Mapping[str, Any]) -> Extent | None:
        with open_service(connection) as service:
            return measure(service, selection)

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        if source.connection is None:
            raise ReauthRequired(Reason("odata_not_connected"))
        with open_service(source.connection) as service:
            with context.step("fetch"):
                sets = describe(service)
            yield from read_sets(service, context, sets=sets, selection=source.selection)


def read_sets(
    service: ODataService,
    context: SyncContext,
    *,
    sets: Mapping[str, EntitySet],
    selection: Mapping[str, Any],
) -> Iterator[Item]:
    """Reads what was chosen, one entity set after the other."""
    wanted = chosen_names(selection)
    if not wanted:
        raise SyncFailed(Reason("odata_nothing_chosen"))
    (read_at, marks), done = read_cursor(context.cursor), 0
    kept: dict[str, dict[str, str]] = {}
    for name, properties in wanted.items():
        if name not in sets:
            yield Failed(name, Reason("odata_not_offered"))
            continue
        reading = SetReading(service, context, choose(sets[name], properties))
        for item in reading.read(marks.get(name, SetMark())):
            if done >= RECORDS_MAX:
                context.keep_cursor({})  # what is left out now may have room in the next sync
                yield Cut(Reason("records_cut", count=RECORDS_MAX), keeps_rest=False)
                return
            yield item
            done += 1
            context.report(done=done, total=None)
        if reading.mark is not None:
            kept[name] = {"delta": reading.mark.delta, "modified": reading.mark.modified}
    context.keep_cursor({"read_at": read_at.isoformat(), "sets": kept})


def read_cursor(cursor: Mapping[str, Any]) -> tuple[datetime, dict[str, SetMark]]:
    """The time when everything was last read (now, if it is to be read again), and the mark of each
    entity set since."""
    now = timezone.now()
    if not cursor:
        return now, {}
    read_at = datetime.fromisoformat(cursor["read_at"])
    if not now - ALL_AGAIN_AFTER < read_at <= now:
        return now, {}
    return read_at, {name: SetMark(**mark) for name, mark in cursor["sets"].items()}


# --- Opening --------------------------------------------------------------------------------------


def open_api(fields: Mapping[str, str], connection: Connection | None) -> Api:
    return Api(host_label(fields), authorization_of(fields), connection=connection)


@contextmanager
def open_service(connection: Connection) -> Iterator[ODataService]:
    """Raises ReauthRequired when there is nothing that opens it."""
    fields = open_account(connection)
    with open_api(fields, connection) as api:
        yield ODataService(api, address_of(fields))


def describe(service: ODataService) -> dict[str, EntitySet]:
    """Raises SyncFailed and its kind."""
    try:
        return service.describe()
    except CallRefused as error:
        raise refuse_to_list(error) from error
    except FileProcessingFailed as error:
        raise SyncFailed(error.reason) from error


def measure(service: ODataService, selection: Mapping[str, Any]) -> Extent | None:
    """The number of records as the service counts them; None if it does not count one of the
    sets."""
    total = 0
    for name in chosen_names(selection):
        count = service.count(name)
        if count is None:
            return None
        total += count
    return Extent(min(total, RECORDS_MAX), is_more=total > RECORDS_MAX)
