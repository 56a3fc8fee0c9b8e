"""Odoo as a source: each record that is chosen becomes a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext_noop

from config.errors import InvalidValue
from connectors.odoo.calls import (
    Access,
    AccessRefused,
    FilterRefused,
    Odoo,
    OdooRefused,
    open_odoo,
)
from connectors.odoo.listing import RelatedNames, fetch_record, list_models, prepare
from connectors.odoo.problems import NO_SHOP, NOTHING_CHOSEN, NOTHING_FOUND, WRONG_KEY
from connectors.odoo.records import Reading
from connectors.odoo.selection import (
    CHOICE,
    PRESETS,
    Wanted,
    clean_filters,
    clean_models,
    clean_selection,
    read_typed,
    wanted_of,
)
from reasons import Reason
from sources.connectors.credentials import check_address
from sources.connectors.interface import (
    SOURCE_URL,
    Account,
    Checked,
    Choice,
    ConnectionField,
    Connector,
    Cut,
    Extent,
    Item,
    SyncContext,
)
from sources.connectors.remote import read_documents
from sources.errors import ConnectionRefused, OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection, Source
from sources.oauth.tokens import open_account

RECORDS_MAX = 50_000  # of one source
SAMPLES = 3  # records that a check shows


class OdooConnector(Connector):
    """A shop: what is typed opens it, and models and fields are chosen in the picker, or typed."""

    kind = "erp_a"
    label = "Odoo"
    fields = (SOURCE_URL,)  # kept where it is given, for the person who made the source; not called
    is_browsable = True
    reads = gettext_noop(
        "Products with their prices, stock and taxes, articles, and other records that you"
        " choose: whatever the user of the API key may read."
    )
    connection_fields = (
        ConnectionField(
            "url",
            gettext_noop("Address"),
            gettext_noop("As shown in your browser, such as https://company.odoo.com"),
        ),
        ConnectionField(
            "database",
            gettext_noop("Database"),
            gettext_noop(
                "Often the name of the company. From Odoo 19 on, only needed if there are"
                " several databases."
            ),
            max_chars=100,
            is_required=False,
        ),
        ConnectionField(
            "login",
            gettext_noop("Login"),
            gettext_noop("The user of the API key. Not needed from Odoo 19 on."),
            max_chars=200,
            is_required=False,
        ),
        ConnectionField(
            "api_key",
            gettext_noop("API key"),
            gettext_noop("In Odoo: Preferences, Account Security, New API Key."),
            max_chars=200,
            is_secret=True,
        ),
        ConnectionField(
            "models",
            gettext_noop("Models"),
            gettext_noop(
                "What to read, separated by commas: product.template, or single fields"
                " such as product.template:list_price. If empty: products, taxes and"
                " articles."
            ),
            is_required=False,
            is_selection=True,
        ),
        ConnectionField(
            "filters",
            gettext_noop("Filter"),
            gettext_noop('By model, in JSON: {"product.template": [["sale_ok", "=", true]]}'),
            is_required=False,
            is_selection=True,
        ),
    )

    def check_connection(self, fields: Mapping[str, str]) -> Checked:
        access = access_of(fields)
        check_address(access.url, field="url")
        with refused_at("models"):
            chosen = clean_models(read_typed(fields["models"]))
        with refused_at("filters"):
            filters = clean_filters(fields["filters"])
        with refusals_at_fields(), open_odoo(access) as odoo:
            selection = {"chosen": chosen or offer_all(odoo), "filters": filters}
            wanted = wanted_of(selection)
            if not wanted:
                raise ConnectionRefused(NOTHING_FOUND, field="api_key")
            readings = [prepare(odoo, each) for each in wanted]
            amount = Extent(sum(odoo.count(each.model, each.domain) for each in wanted))
            passages = sample(odoo, readings[0], wanted[0].domain)
            return Checked(account_of(odoo), selection, amount, passages)

    def browse(self, connection: Connection, *, inside: str) -> Sequence[Choice]:
        """Lists models, and inside each its fields."""
        with open_odoo(access_to(connection), connection=connection) as odoo:
            if not inside:
                return [
                    Choice(model, label, is_open=True, hint=in_words(count))
                    for model, label, count in offered(odoo)
                ]
            found = CHOICE.fullmatch(inside)
            if found is None or found[2]:
                return []
            try:
                fields = odoo.fields_of(inside)
            except OdooRefused as refused:
                raise SyncFailed(refused.reason) from refused
        readable = [field for field in fields.values() if field.is_readable]
        by_label = sorted(readable, key=lambda field: field.label.casefold())
        return [Choice(f"{inside}:{each.name}", each.label) for each in by_label]

    def clean_selection(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return clean_selection(given)

    def measure(self, connection: Connection, selection: Mapping[str, Any]) -> Extent | None:
        with open_odoo(access_to(connection), connection=connection) as odoo:
            return Extent(sum(count_wanted(odoo, each) for each in wanted_of(selection)))

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        if source.connection is None:
            raise ReauthRequired(NO_SHOP)
        wanted = wanted_of(source.selection)
        if not wanted:
            raise SyncFailed(NOTHING_CHOSEN)
        access = access_to(source.connection)
        with open_odoo(access, connection=source.connection) as odoo:
            listed = list_models(odoo, wanted, context)
            read = read_documents(listed, context, fetch_record, at_once=1)
            yield from islice(read, RECORDS_MAX)
            if next(read, None) is not None:
                yield Cut(Reason("records_cut", count=RECORDS_MAX), keeps_rest=False)


def in_words(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def access_to(connection: Connection) -> Access:
    return access_of(open_account(connection))


def access_of(fields: Mapping[str, str]) -> Access:
    given = {name: str(fields.get(name, "")).strip() for name in ("database", "login", "api_key")}
    return Access(url=origin_of(str(fields.get("url", ""))), **given)


def origin_of(written: str) -> str:
    """The address without the path of the page that somebody copied it from."""
    try:
        parts = urlsplit(written.strip())
    except ValueError:
        return ""  # no address: it is refused as one
    return f"{parts.scheme}://{parts.netloc}"


@contextmanager
def refused_at(field: str) -> Iterator[None]:
    try:
        yield
    except InvalidValue as error:
        raise ConnectionRefused(error.reason, field=field) from error


@contextmanager
def refusals_at_fields() -> Iterator[None]:
    """Turns what a call raises into ConnectionRefused at the field that it is about."""
    try:
        yield
    except AccessRefused as refused:
        raise ConnectionRefused(refused.reason, field=refused.field) from refused
    except ReauthRequired as refused:
        raise ConnectionRefused(WRONG_KEY, field="api_key") from refused
    except FilterRefused as refused:
        raise ConnectionRefused(refused.reason, field="filters") from refused
    except OdooRefused as refused:
        raise ConnectionRefused(refused.reason, field="models") from refused
    except OriginUnavailable:
        raise
    except SyncFailed as failed:  # an address that may not be called
        raise ConnectionRefused(failed.reason, field="url") from failed


def account_of(odoo: Odoo) -> Account:
    access = odoo.access
    own = odoo.search_read("res.users", [["id", "=", odoo.user]], ["name"])
    name = str(own[0].get("name", "")) if own else access.login
    where = f"{access.host}/{access.database}".rstrip("/")
    return Account(id=f"{where}/{odoo.user}"[:200], label=f"{name} · {where}"[:200])


def offered(odoo: Odoo) -> list[tuple[str, str, int]]:
    """(model, its name in the shop, number of records) of each preset that is installed and may be
    read."""
    try:
        rows = odoo.search_read("ir.model", [["model", "in", list(PRESETS)]], ["model", "name"])
    except OdooRefused:  # only administrators may in some versions: then each is tried
        rows = [{"model": model, "name": preset.label} for model, preset in PRESETS.items()]
    labels = {str(row.get("model")): str(row.get("name")) for row in rows}
    counts = {model: count_of(odoo, model) for model in PRESETS if model in labels}
    return [(model, labels[model], count) for model, count in counts.items() if count is not None]


def offer_all(odoo: Odoo) -> list[dict[str, str]]:
    return [{"id": model, "name": label} for model, label, _ in offered(odoo)]


def count_of(odoo: Odoo, model: str) -> int | None:
    """The number of records; None where the model may not be read, or is not installed."""
    try:
        return odoo.count(model, [])
    except OdooRefused:
        return None


def count_wanted(odoo: Odoo, wanted: Wanted) -> int:
    """0 where a sync would say why it reads none."""
    try:
        prepare(odoo, wanted)
        return odoo.count(wanted.model, wanted.domain)
    except OdooRefused:
        return 0


def sample(odoo: Odoo, reading: Reading, domain: Sequence[Any]) -> tuple[str, ...]:
    rows = odoo.search_read(reading.model, domain, reading.names, limit=SAMPLES)
    names = RelatedNames(odoo).learn(reading, rows)
    texts = (reading.text_of(row, names).blocks for row in rows)
    return tuple(blocks[0].text for blocks in texts if blocks)
