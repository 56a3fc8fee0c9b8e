"""Checks a service before there is a source: does it open, does it have the named entity sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from connectors.odata.account import SECRETS, sign_in_of
from connectors.odata.metadata import ChosenSet, EntitySet, choose, chosen_names
from connectors.odata.records import text_of
from connectors.odata.service import ODataService
from reasons import Reason
from sources.connectors.calling import CallRefused
from sources.errors import (
    ConnectionRefused,
    FileProcessingFailed,
    OriginUnavailable,
    ReauthRequired,
    SyncFailed,
)

SHOWN_PASSAGES = 3
OFFERED_MAX = 40  # entity sets that a message names
TYPED = "entity_sets"


def describe_to_check(service: ODataService, fields: Mapping[str, str]) -> dict[str, EntitySet]:
    """Raises ConnectionRefused at what is wrong, OriginUnavailable."""
    try:
        return service.describe()
    except OriginUnavailable:
        raise
    except ReauthRequired as error:
        raise ConnectionRefused(
            Reason("service_refuses_sign_in"), field=SECRETS[sign_in_of(fields)]
        ) from error
    except CallRefused as error:
        raise ConnectionRefused(
            Reason("odata_not_found", status=str(error.status)),
            field="service_url",
        ) from error
    except (SyncFailed, FileProcessingFailed) as error:
        raise ConnectionRefused(error.reason, field="service_url") from error


def parse_entity_sets(typed: str, sets: Mapping[str, EntitySet] | None) -> list[dict[str, str]]:
    """The typed entity sets in the form of the picker's choices. Raises ConnectionRefused, which
    names `sets`, for a name that is not among them."""
    chosen: list[dict[str, str]] = []
    for line in filter(str.strip, typed.splitlines()):
        name, _, rest = (part.strip() for part in line.partition(":"))
        properties = [each.strip() for each in rest.split(",") if each.strip()]
        offered = None if sets is None else sets.get(name)
        if sets is not None and offered is None:
            raise ConnectionRefused(
                Reason("odata_set_unknown", name=name[:200], offer=offer(sets)), field=TYPED
            )
        if offered is not None and (unknown := unknown_properties(offered, properties)):
            raise ConnectionRefused(
                Reason("odata_property_unknown", label=name[:200], name=unknown[0][:200]),
                field=TYPED,
            )
        ids = [f"{name}/{each}" for each in properties] or [name]
        chosen += [{"id": id_, "name": id_} for id_ in ids]
    if not chosen and sets is not None:
        raise ConnectionRefused(Reason("odata_say_what_to_read", offer=offer(sets)), field=TYPED)
    return chosen


def offer(sets: Mapping[str, EntitySet]) -> Reason:
    more = ", …" if len(sets) > OFFERED_MAX else ""
    names = ", ".join(islice(sorted(sets), OFFERED_MAX))
    return Reason("odata_offers", names=f"{names}{more}")


def unknown_properties(entity_set: EntitySet, names: Sequence[str]) -> list[str]:
    known = {each.name for each in entity_set.properties}
    return [name for name in names if name not in known]


def chosen_sets(sets: Mapping[str, EntitySet], selection: Mapping[str, Any]) -> Iterator[ChosenSet]:
    for name, properties in chosen_names(selection).items():
        yield choose(sets[name], properties)


def first_passages(service: ODataService, chosen: Iterator[ChosenSet]) -> tuple[str, ...]:
    """The first passages of the first entity set that has some. Raises as ODataService.follow."""
    for each in chosen:
        page = next(service.list_records(each, size=SHOWN_PASSAGES))
        texts = [text_of(each, record) for record in page.records[:SHOWN_PASSAGES]]
        if any(texts):
            return tuple(filter(None, texts))
    return ()
