"""The protocol: OData 4.0 Protocol and JSON Format (docs.oasis-open.org/odata/odata/v4.0, read
2026-11-22). Whatever a service answers is checked here for its shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlencode, urljoin

from config.http import URL_MAX_CHARS, AddressRefused, TooLarge
from config.http.client import is_same_origin
from connectors.odata.keys import path_of
from connectors.odata.metadata import ChosenSet, EntitySet, parse_sets
from reading.confinement.limits import MEGABYTE, Limits
from reasons import Reason
from sources.connectors.calling import Api, CallRefused
from sources.connectors.json_bodies import parse_json
from sources.documents import read_facts
from sources.errors import OriginUnavailable, SyncFailed

METADATA_MAX_BYTES = 20 * MEGABYTE  # S/4HANA and Business One write some 5 MB
METADATA_LIMITS = Limits(memory_bytes=1024 * MEGABYTE, cpu_seconds=30, wall_seconds=60)
PAGE_RECORDS = 250  # of whole records; a service may send fewer, or what it likes
KEYS_RECORDS = 5_000  # of keys alone
PAGES_MAX = 20_000  # of one list: services that send pages of 20 records need many
SELECT_MAX_CHARS = 1_000  # a longer one makes addresses that servers refuse: then all is asked for
ANSWER_HEADERS = {
    "Accept": "application/json;odata.metadata=minimal",
    "OData-MaxVersion": "4.0",
}


@dataclass(frozen=True)
class ServiceAddress:
    """`root`: without "/" at its end. `options`: what every request is asked with ("sap-client"),
    encoded."""

    root: str
    options: str = ""

    def below(self, path: str, query: Mapping[str, str] | None = None) -> str:
        asked = "&".join(
            filter(None, (self.options, urlencode(query or {}, safe="$,:", quote_via=quote)))
        )
        return f"{self.root}/{path}{'?' if asked else ''}{asked}"


@dataclass(frozen=True)
class RecordPage:
    """`delta`: where changes from now on are to be asked for, on the last page, or on each of them
    as it then was; "" for none."""

    records: list[dict[str, Any]]
    following: str
    delta: str


class ODataService:
    def __init__(self, api: Api, address: ServiceAddress) -> None:
        self.api = api
        self.address = address

    def describe(self) -> dict[str, EntitySet]:
        """The entity sets by name, from $metadata, which is parsed in the confined process.

        Raises as Api.call, and FileProcessingFailed for an answer that does not describe a service.
        """
        with TemporaryDirectory(prefix="metadata-") as folder:
            path = Path(folder) / "metadata.xml"
            try:
                self.api.download(
                    self.address.below("$metadata"),
                    path,
                    max_bytes=METADATA_MAX_BYTES,
                    headers={**ANSWER_HEADERS, "Accept": "application/xml"},
                )
            except TooLarge as error:
                raise SyncFailed(
                    Reason("odata_description_too_large", label=self.api.label, reason=error.reason)
                ) from error
            facts = read_facts(path, extractor="odata.csdl", limits=METADATA_LIMITS)
        return parse_sets(facts.get("sets", ()))

    def list_records(
        self,
        chosen: ChosenSet,
        *,
        condition: str = "",
        tracks: bool = False,
        size: int = PAGE_RECORDS,
    ) -> Iterator[RecordPage]:
        """Whole records in the order of their keys. `condition`: a $filter. `tracks`: a delta link
        is asked for. Raises as `follow`."""
        query = {"$orderby": key_names(chosen)}
        select = ",".join(chosen.asked_names)
        if len(select) <= SELECT_MAX_CHARS:
            query["$select"] = select
        if condition:
            query["$filter"] = condition
        url = self.address.below(chosen.entity_set.name, query)
        return self.follow(url, prefer=preferred(size, tracks=tracks))

    def list_keys(self, chosen: ChosenSet) -> Iterator[RecordPage]:
        """Records that hold their keys alone. Raises as `follow`."""
        names = key_names(chosen)
        url = self.address.below(chosen.entity_set.name, {"$orderby": names, "$select": names})
        return self.follow(url, prefer=preferred(KEYS_RECORDS))

    def fetch_record(self, chosen: ChosenSet, external_id: str) -> dict[str, Any] | None:
        """The record; None if it is gone. Raises as `ask`."""
        select = ",".join(chosen.asked_names)
        query = {"$select": select} if len(select) <= SELECT_MAX_CHARS else {}
        try:
            return self.ask(self.address.below(path_of(external_id), query))
        except CallRefused as error:
            if error.status in (404, 410):
                return None
            raise

    def count(self, name: str) -> int | None:
        """The number of records; None if the service does not count. Raises OriginUnavailable,
        ReauthRequired."""
        headers = {**ANSWER_HEADERS, "Accept": "text/plain, application/json"}
        with suppress(CallRefused, TooLarge, ValueError):
            url = self.address.below(f"{quote(name, safe='')}/$count")
            answer = self.api.call("GET", url, headers=headers, max_bytes=1000)
            return max(0, int(answer.body.decode("utf-8-sig").strip()[:12]))
        return None

    def follow(self, url: str, *, prefer: str) -> Iterator[RecordPage]:
        """Yields page after page. Raises as `ask`."""
        seen: set[str] = set()
        while url:
            if url in seen or len(seen) >= PAGES_MAX:
                raise SyncFailed(Reason("origin_pages_without_end", label=self.api.label))
            seen.add(url)
            answer = self.ask(url, prefer=prefer)
            records = answer.get("value")
            if not isinstance(records, list) or not all(isinstance(each, dict) for each in records):
                raise self.unreadable()
            following = self.link(url, control(answer, "nextLink"))
            delta = self.link(url, control(answer, "deltaLink"))
            yield RecordPage(records, following, delta)
            url = following

    def ask(self, url: str, *, prefer: str = "") -> dict[str, Any]:
        """An object of JSON; its numbers are texts, with the digits that were sent.

        Raises as Api.call, and SyncFailed for an answer that is too large.
        """
        headers = {**ANSWER_HEADERS, **({"Prefer": prefer} if prefer else {})}
        try:
            answer = self.api.call("GET", url, headers=headers)
        except TooLarge as error:
            raise SyncFailed(Reason("origin_pages_too_large", label=self.api.label)) from error
        try:
            content = parse_json(answer.body, parse_int=str, parse_float=str, parse_constant=str)
        except (ValueError, RecursionError) as error:
            raise self.unreadable() from error
        if not isinstance(content, dict):
            raise self.unreadable()
        return content

    def link(self, base: str, written: object) -> str:
        """The absolute address; "" where there is none. Raises SyncFailed for one that is too long,
        or leads to another server: our credentials go with it."""
        if written is None or written == "":
            return ""
        with suppress(AddressRefused, ValueError):
            url = urljoin(base, written) if isinstance(written, str) else ""
            if len(url) > URL_MAX_CHARS:
                raise SyncFailed(Reason("origin_next_address_too_long", label=self.api.label))
            if url and is_same_origin(self.address.root, url):
                return url
        raise SyncFailed(Reason("odata_leads_elsewhere", label=self.api.label))

    def unreadable(self) -> OriginUnavailable:
        return OriginUnavailable(Reason("origin_answer_unreadable", label=self.api.label))


def control(content: Mapping[str, Any], name: str) -> object:
    """Control information; 4.01 may write its name without "odata." (JSON Format 4.01, 4.6)."""
    return content.get(f"@odata.{name}", content.get(f"@{name}"))


def key_names(chosen: ChosenSet) -> str:
    return ",".join(key.name for key in chosen.entity_set.keys)


def preferred(size: int, *, tracks: bool = False) -> str:
    return f"odata.maxpagesize={size}" + (", odata.track-changes" if tracks else "")
