"""The changes of an entity set since the last sync, as far as the service can tell.

With a delta link (OData Protocol 4.0, 11.3) it says itself what was changed and removed. Without
one, but with a date of the last change in each record, what was changed is asked for by that date;
something is gone when fewer records are counted than are known, and the list of keys says which.
Else everything is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from connectors.odata.keys import external_id_of, meant_by
from connectors.odata.metadata import ChosenSet
from connectors.odata.service import ODataService, control
from sources.connectors.calling import CallRefused

CHANGES_MAX = 5_000  # more: everything is read, page by page
PARTIAL_MAX = 200  # of them that come without all that is asked for: each costs a request
# What was written before another record's date, and became visible after it.
OVERLAP = timedelta(minutes=5)


@dataclass(frozen=True)
class SetMark:
    """The state of an entity set: a delta link, or the latest date of a change; "" for none."""

    delta: str = ""
    modified: str = ""


@dataclass
class SetChanges:
    """The changes: `records` by external id, None for one that is gone. `present`: all that exist;
    None if all other known records still exist unchanged."""

    records: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)
    present: list[str] | None = None
    mark: SetMark = field(default_factory=SetMark)


def find_changes(
    service: ODataService, chosen: ChosenSet, mark: SetMark, *, known: Set[str]
) -> SetChanges | None:
    """The changes; None if everything has to be read: nothing is known, the link has expired, or
    too much has changed. `known`: external ids of its records. Raises as ODataService.follow, but
    CallRefused."""
    try:
        if mark.delta:
            return find_by_delta(service, chosen, mark.delta)
        if mark.modified:
            return find_by_date(service, chosen, mark.modified, known=known)
    except CallRefused:  # 410, and whatever else a service says of an old link
        return None
    return None


def find_by_delta(service: ODataService, chosen: ChosenSet, link: str) -> SetChanges | None:
    changes = SetChanges()
    for page in service.follow(service.link(service.address.below(""), link), prefer=""):
        for record in page.records:
            is_gone = is_removal(record)
            external_id = external_id_of(chosen.entity_set, record)
            if external_id is None and is_gone:
                named = control(record, "id") or record.get("id")
                external_id = meant_by(chosen.entity_set, named)
            if external_id is None or len(changes.records) >= CHANGES_MAX:
                return None
            changes.records[external_id] = None if is_gone else record
        changes.mark = SetMark(delta=changes.mark.delta or page.delta)
    # A service need not repeat what has not changed (JSON Format 4.01, 15.2).
    asked = set(chosen.asked_names)
    partial = [each for each, record in changes.records.items() if record and asked - record.keys()]
    if not changes.mark.delta or len(partial) > PARTIAL_MAX:
        return None
    for external_id in partial:
        changes.records[external_id] = service.fetch_record(chosen, external_id)
    return changes


def is_removal(record: Mapping[str, Any]) -> bool:
    """True if an entry of a delta is a removed record, as 4.01 or as 4.0 writes it."""
    context = control(record, "context")
    is_removed = control(record, "removed") is not None
    return is_removed or (isinstance(context, str) and "$deletedEntity" in context)


def find_by_date(
    service: ODataService, chosen: ChosenSet, modified: str, *, known: Set[str]
) -> SetChanges | None:
    if chosen.modified is None:  # the service has dropped it since
        return None
    changes, latest = SetChanges(), modified
    condition = f"{chosen.modified.name} ge {modified}"
    for page in service.list_records(chosen, condition=condition):
        for record in page.records:
            external_id = external_id_of(chosen.entity_set, record)
            if external_id is None or len(changes.records) >= CHANGES_MAX:
                return None
            changes.records[external_id] = record
            latest = max(latest, date_before(chosen, record) or latest)
    if service.count(chosen.entity_set.name) != len(known | changes.records.keys()):
        changes.present = list_present(service, chosen)
    changes.mark = SetMark(modified=latest)
    return changes


def list_present(service: ODataService, chosen: ChosenSet) -> list[str]:
    listed = (record for page in service.list_keys(chosen) for record in page.records)
    ids = (external_id_of(chosen.entity_set, record) for record in listed)
    return [external_id for external_id in ids if external_id is not None]


def date_before(chosen: ChosenSet, record: Mapping[str, Any]) -> str:
    """The literal to ask with for what changes after this record; "" without a date. It is never
    later than now, whatever the record says. Literals sort as their dates do."""
    if chosen.modified is None:
        return ""
    try:
        at = datetime.fromisoformat(str(record.get(chosen.modified.name)))
        at = at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
        at = min(at, timezone.now()) - OVERLAP
    except (ValueError, OverflowError):
        return ""
    if chosen.modified.type == "Edm.Date":
        return at.date().isoformat()
    return f"{at.replace(tzinfo=None).isoformat(timespec='seconds')}Z"
