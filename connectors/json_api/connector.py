"""Any JSON over HTTPS as a source: the items of a list become documents."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

from django.utils.translation import gettext_noop

from config.errors import InvalidValue
from connectors.json_api.fields import (
    FIELDS,
    Endpoint,
    ListShape,
    read_endpoint,
    read_shape,
)
from connectors.json_api.listing import ITEMS_MAX, ItemList
from connectors.json_api.pages import NoList, Pages, PagingStopped
from connectors.json_api.records import NoRecord, read_body, to_document
from reading.extractors.prose import clean
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors.calling import Api, CallRefused, FixedHeaders
from sources.connectors.interface import (
    SOURCE_URL,
    Account,
    Checked,
    Connector,
    Extent,
    Failed,
    Item,
    KnownDocument,
    SyncContext,
)
from sources.connectors.remote import read_documents
from sources.errors import ConnectionRefused, OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection, Source
from sources.oauth.tokens import open_account

COUNT_SECONDS = 5.0
SHOWN = 3  # items are read, and passages shown, before there is a source

NOT_CONNECTED = Reason("api_not_connected")
NOT_FOUND = Reason("nothing_at_address")


class JsonApiConnector(Connector):
    kind = "api"
    label = "JSON over HTTPS"
    fields = (SOURCE_URL,)  # kept where it is given, for the person who made the source; not called
    connection_fields = FIELDS
    reads = gettext_noop("The items of a list that an API returns: each becomes a document.")

    def check_connection(self, fields: Mapping[str, str]) -> Checked:
        endpoint, shape = read_endpoint(fields), read_shape(fields)
        with refusals_at_fields(endpoint), open_api(endpoint) as api:
            page = Pages(api, endpoint, shape, {}).first()
        return Checked(
            account_of(endpoint, fields),
            self.clean_selection(fields),
            Extent(len(page.items), is_more=bool(page.next_url)),
            first_passages(page.items[:SHOWN], shape),
        )

    def clean_selection(self, given: Mapping[str, Any]) -> dict[str, Any]:
        selection = {}
        for field in FIELDS:
            if field.is_selection:
                value = given.get(field.name, "")
                if not isinstance(value, str) or len(value) > field.max_chars:
                    raise InvalidValue(f"{field.name}: a text of {field.max_chars} characters.")
                selection[field.name] = value.strip()
        read_shape(selection)
        return selection

    def measure(self, connection: Connection, selection: Mapping[str, Any]) -> Extent:
        endpoint, shape = opened(connection, selection)
        ends_at, count = time.monotonic() + COUNT_SECONDS, 0
        with open_api(endpoint, connection) as api:
            try:
                for page in Pages(api, endpoint, shape, {}):
                    count += len(page.items)
                    if count >= ITEMS_MAX or time.monotonic() > ends_at:
                        return Extent(count, is_more=bool(page.next_url))
            except PagingStopped:
                return Extent(count, is_more=True)
        return Extent(count)

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        if source.connection is None:
            raise ReauthRequired(NOT_CONNECTED)
        endpoint, shape = opened(source.connection, source.selection)
        with open_api(endpoint, source.connection) as api:
            listing = ItemList(api, endpoint, shape, context)
            fetch = partial(read_body, shape=shape)
            yield from read_documents(listing.documents(), context, fetch, at_once=1)
        context.keep_cursor(listing.for_next_sync())
        if listing.cut:
            yield listing.cut


def opened(connection: Connection, selection: Mapping[str, Any]) -> tuple[Endpoint, ListShape]:
    """Raises ReauthRequired, SyncFailed."""
    given = {field.name: "" for field in FIELDS} | open_account(connection) | dict(selection)
    try:
        return read_endpoint(given), read_shape(given)
    except ConnectionRefused as error:
        raise SyncFailed(Reason("reconnect_source", reason=error.reason)) from error


def open_api(endpoint: Endpoint, connection: Connection | None = None) -> Api:
    return Api(endpoint.host, FixedHeaders(endpoint.headers), connection=connection)


def account_of(endpoint: Endpoint, fields: Mapping[str, str]) -> Account:
    """The same for the same address, opened in the same way: a new secret changes nothing. Hashed,
    for a parameter of the address may be one."""
    same = "\n".join((endpoint.url, fields["auth"], fields["auth_name"]))
    return Account(hashlib.sha256(same.encode()).hexdigest(), endpoint.name)


@contextmanager
def refusals_at_fields(endpoint: Endpoint) -> Iterator[None]:
    """Raises ConnectionRefused at the field of what the API does not take."""
    try:
        yield
    except ReauthRequired as error:
        field = "auth_secret" if endpoint.headers else "auth"
        raise ConnectionRefused(
            Reason("list_needs_credentials", label=endpoint.host), field=field
        ) from error
    except CallRefused as error:
        raise refused_at_field(endpoint, error) from error
    except NoList as error:
        raise ConnectionRefused(error.reason, field="items") from error
    except OriginUnavailable:
        raise
    except SyncFailed as error:
        raise ConnectionRefused(error.reason, field="url") from error


def refused_at_field(endpoint: Endpoint, error: CallRefused) -> ConnectionRefused:
    if error.status == 404:
        return ConnectionRefused(NOT_FOUND, field="url")
    if error.status == 403:
        return ConnectionRefused(Reason("list_forbidden", label=endpoint.host), field="auth_secret")
    if error.status < 400:
        target = clean(error.answer.headers.get("Location", ""))[:200]
        return ConnectionRefused(Reason("address_leads_on", target=target), field="url")
    return ConnectionRefused(error.reason, field="url")


def first_passages(items: list[Any], shape: ListShape) -> tuple[str, ...]:
    """Raises ConnectionRefused where the items have no id or no text."""
    try:
        documents = [to_document(item, shape) for item in items]
    except NoRecord as error:
        raise ConnectionRefused(error.reason, field=error.field) from error
    read = list(read_documents(documents, NothingKnown(), partial(read_body, shape=shape)))
    passages = [
        passage.text for item in read if isinstance(item, ReadDocument) for passage in item.passages
    ]
    failed = next((item for item in read if isinstance(item, Failed)), None)
    if failed and not passages:
        raise ConnectionRefused(failed.reason, field="body")
    return tuple(passages[:SHOWN])


class NothingKnown:
    """A SyncContext for reading without a sync."""

    known: Mapping[str, KnownDocument] = {}
    known_failures: Mapping[str, Failed] = {}
    cursor: Mapping[str, Any] = {}

    def keep_cursor(self, cursor: Mapping[str, Any]) -> None:
        pass

    def step(self, name: str) -> AbstractContextManager[None]:
        return nullcontext()

    def report(self, *, done: int, total: int | None) -> None:
        pass
