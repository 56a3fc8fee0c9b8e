"""What is read of an OData service, and what of it again: against a stand-in that keeps the
protocol's rules."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Tenant
from sources.connections import keep_credentials
from sources.connectors import calling
from sources.connectors.interface import Amount, Choice, Cut, Failed, Item, Unchanged
from sources.connectors.odata import changes, connector, reading
from sources.connectors.odata.connector import ODataConnector
from sources.errors import (
    AskedToWait,
    ConnectionRefused,
    OriginUnavailable,
    ReauthRequired,
    SyncFailed,
)
from sources.models import Connection, Document, Source
from sources.reading.passages import Description, ReadDocument
from sources.syncing.runs import begin_run
from sources.syncing.sync import sync_source
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.odata_model import EntitySet, Property
from sources.tests.providers.odata_server import TOKEN_PATH, ODataServer
from sources.tests.providers.server import Call, Reply, cut_in_half, json_reply

pytestmark = pytest.mark.django_db
ALWAYS = float("inf")


def make_items(*, tracks_changes: bool = True) -> EntitySet:
    return EntitySet(
        "Items",
        ("ID",),
        (
            Property("ID", "Edm.Int32"),
            Property("displayName", "Edm.String", "Name"),
            Property("unitPrice", "Edm.Decimal"),
            Property("picture", "Edm.Binary"),
            Property("lastModifiedDateTime", "Edm.DateTimeOffset"),
        ),
        "Articles",
        tracks_changes=tracks_changes,
    )


def make_lines() -> EntitySet:
    return EntitySet(
        "Lines",
        ("Order", "Line"),
        (Property("Order"), Property("Line", "Edm.Int32"), Property("Text")),
    )


def fill(server: ODataServer, count: int = 5) -> None:
    for number in range(1, count + 1):
        server.add(
            "Items",
            ID=number,
            displayName=f"Bicycle {number}",
            unitPrice=f"{number}00.50",
            picture="AAAA",
            lastModifiedDateTime=f"2026-11-0{1 + number % 9}T10:00:00Z",
        )


@pytest.fixture
def erp(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ODataServer]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with ODataServer(make_items(), make_lines()) as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        fill(server)
        yield server


def typed(erp: ODataServer, **over: str) -> dict[str, str]:
    fields = {each.name: "" for each in ODataConnector.connection_fields}
    own = {
        "basic": {"username": erp.user, "password": erp.password},
        "key": {"key_header": erp.key_header, "key": erp.key},
        "client": {
            "token_url": erp.url + TOKEN_PATH,
            "client_id": erp.client_id,
            "client_secret": erp.client_secret,
            "scope": erp.scope,
        },
    }[erp.sign_in]
    return {**fields, "service_url": erp.root_url, "sign_in": erp.sign_in, **own, **over}


@pytest.fixture
def source(erp: ODataServer, tenant: Tenant) -> Source:
    """Of all items; its connection is opened as `typed`."""
    return make_source(tenant, typed(erp))


def make_source(tenant: Tenant, fields: dict[str, str], *chosen: str) -> Source:
    connection = Connection(tenant=tenant, provider="erp_b")
    keep_credentials(connection, fields)
    listed = [{"id": each, "name": each} for each in chosen or ("Items",)]
    return Source(
        tenant=tenant, source_type="erp_b", connection=connection, selection={"chosen": listed}
    )


def read(source: Source, run: FakeRun) -> list[Item]:
    return list(ODataConnector().read(source, run))


def sync(source: Source, run: FakeRun | None = None) -> tuple[dict[str, Item], FakeRun]:
    """(what was told by external id, the run after it)."""
    run = run or FakeRun()
    items = read(source, run)
    told: dict[str, Item] = {each.external_id: each for each in items if not isinstance(each, Cut)}
    assert len(told) == len(items)
    return told, run.next(items)


def text_of(item: Item) -> str:
    assert isinstance(item, ReadDocument)
    [passage] = item.passages
    return passage.text


def paths(erp: ODataServer) -> list[str]:
    return [call.path.rpartition("/shop/")[2] for call in erp.calls]


# --- The first sync -------------------------------------------------------------------------------


def test_a_record_is_a_passage_in_the_words_of_the_service(
    erp: ODataServer, source: Source
) -> None:
    told, _ = sync(source)
    assert list(told) == [f"Items({number})" for number in range(1, 6)]
    first = told["Items(1)"]
    assert isinstance(first, ReadDocument)
    assert text_of(first) == (
        "ID: 1; Name: Bicycle 1; Unit price: 100.50; Last modified date time: 2026-11-02T10:00:00Z"
    )
    assert (first.title, first.place) == ("Bicycle 1", "Articles / Bicycle 1")
    assert (first.etag, first.last_modified) == ('W/"1"', "2026-11-02T10:00:00Z")
    assert first.passages[0].section_title == "Articles"
    assert first.passages[0].location == "record 1"


def test_only_what_was_chosen_is_asked_for_and_read(erp: ODataServer, tenant: Tenant) -> None:
    """And what it is called by, and when it was changed."""
    told, _ = sync(make_source(tenant, typed(erp), "Items/unitPrice"))
    item = told["Items(1)"]
    assert isinstance(item, ReadDocument)
    assert (item.title, text_of(item)) == ("Bicycle 1", "Unit price: 100.50")
    [call] = erp.calls_to("/Items$")
    assert call.query["$select"] == "ID,unitPrice,displayName,lastModifiedDateTime"


def test_lists_of_objects_are_read_where_they_were_chosen(erp: ODataServer, tenant: Tenant) -> None:
    erp.sets["Lines"].properties += (
        Property("Prices", "Collection(Shop.Price)"),
        Property("Tags", "Collection(Edm.String)"),
    )
    prices = [{"List": 1, "Price": "10.00", "Currency": "EUR"}, {"List": 2, "Price": "8.00"}]
    erp.add("Lines", Order="A", Line=1, Prices=prices, Tags=["new", "blue"])
    for chosen, text in {
        "Lines": "Order: A; Line: 1; Tags: new, blue",
        "Lines/Prices": "Prices: List: 1, Price: 10.00, Currency: EUR | List: 2, Price: 8.00",
    }.items():
        [item] = read(make_source(tenant, typed(erp), chosen), FakeRun())
        assert text_of(item) == text


@pytest.mark.parametrize("are_relative", [False, True])
def test_pages_are_followed(erp: ODataServer, source: Source, are_relative: bool) -> None:
    erp.page_max, erp.has_relative_links = 2, are_relative
    told, _ = sync(source)
    assert len(told) == 5
    assert paths(erp) == ["$metadata", "Items", "Items", "Items"]
    assert {call.headers.get("prefer") for call in erp.calls_to("/Items$")} == {
        "odata.maxpagesize=250, odata.track-changes"
    }


def test_a_compound_key_names_its_parts(erp: ODataServer, tenant: Tenant) -> None:
    erp.add("Lines", Order="O'B/1", Line=2, Text="Saddle, brown")
    told, _ = sync(make_source(tenant, typed(erp), "Lines"))
    assert list(told) == ["Lines(Order='O''B/1',Line=2)"]
    assert text_of(told["Lines(Order='O''B/1',Line=2)"]) == (
        "Order: O'B/1; Line: 2; Text: Saddle, brown"
    )


def test_labels_of_sap_gateway_and_options_of_the_address(erp: ODataServer, tenant: Tenant) -> None:
    erp.with_sap_labels, erp.custom_options, erp.page_max = True, {"sap-client": "100"}, 3
    fields = typed(erp, service_url=f"{erp.root_url}/$metadata?sap-client=100")
    told, _ = sync(make_source(tenant, fields))
    assert len(told) == 5
    assert "Name: Bicycle 1" in text_of(told["Items(1)"])


def test_what_the_account_may_not_read_fails_and_the_rest_is_read(
    erp: ODataServer, tenant: Tenant
) -> None:
    source = make_source(tenant, typed(erp), "Items", "Lines")
    _, run = sync(source)
    erp.forbidden = {"Items"}
    told, _ = sync(source, FakeRun(run.known.values()))
    failed = "The account that is connected may not read this (403)."
    assert told["Items"] == Failed("Items", failed, title="Articles")
    assert told["Items(3)"] == Unchanged("Items(3)")


def test_an_entity_set_that_is_no_more_fails_and_its_records_go(
    erp: ODataServer, source: Source
) -> None:
    _, run = sync(source)
    del erp.sets["Items"]
    told, _ = sync(source, run)
    assert told == {"Items": Failed("Items", "The service does not offer this any more.")}


def test_a_source_of_more_records_than_are_read_is_cut(
    erp: ODataServer, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "RECORDS_MAX", 3)
    items = read(source, FakeRun())
    assert items[3:] == [Cut("Only the first 3 records are read.", keeps_rest=False)]


# --- Syncing again --------------------------------------------------------------------------------


def test_nothing_changed_by_delta_link(erp: ODataServer, source: Source) -> None:
    _, run = sync(source)
    erp.calls.clear()
    told, _ = sync(source, run)
    assert paths(erp) == ["$metadata", "Items"]
    assert told == {f"Items({number})": Unchanged(f"Items({number})") for number in range(1, 6)}


@pytest.mark.parametrize("writes_as_401", [False, True])
def test_a_delta_tells_what_was_changed_added_and_removed(
    erp: ODataServer, source: Source, writes_as_401: bool
) -> None:
    erp.removes_as_401 = writes_as_401
    _, run = sync(source)
    erp.edit("Items", "(2)", unitPrice="1.20")
    erp.delete("Items", "(4)")
    erp.add("Items", ID=9, displayName="Bell", unitPrice="7", lastModifiedDateTime=None)
    told, run = sync(source, run)
    assert [each for each, item in told.items() if isinstance(item, ReadDocument)] == [
        "Items(2)",
        "Items(9)",
    ]
    assert "Unit price: 1.20" in text_of(told["Items(2)"])
    assert "Items(4)" not in told
    erp.calls.clear()
    assert {type(item) for item in sync(source, run)[0].values()} == {Unchanged}
    assert paths(erp) == ["$metadata", "Items"]


def test_business_central_names_what_is_gone_by_its_key_alone(
    erp: ODataServer, source: Source
) -> None:
    _, run = sync(source)
    erp.delete("Items", "(4)")

    def bare(call: Call, answer: Any) -> Reply:
        page = json.loads(answer(call).body)
        page["value"][0]["id"] = "4"
        return json_reply(page)

    erp.fail("GET .*/Items", bare)
    assert "Items(4)" not in sync(source, run)[0]


def test_a_delta_with_half_a_record_has_it_fetched(erp: ODataServer, source: Source) -> None:
    _, run = sync(source)
    erp.edit("Items", "(2)", unitPrice="1.20")

    def half(call: Call, answer: Any) -> Reply:
        page = json.loads(answer(call).body)
        del page["value"][0]["displayName"]
        return json_reply(page)

    erp.fail("GET .*/Items$", half)
    erp.calls.clear()
    told, _ = sync(source, run)
    assert "Name: Bicycle 2; Unit price: 1.20" in text_of(told["Items(2)"])
    assert paths(erp) == ["$metadata", "Items", "Items(2)"]


def test_an_expired_delta_link_has_everything_read(erp: ODataServer, source: Source) -> None:
    _, run = sync(source)
    erp.forget_links()
    erp.delete("Items", "(4)")
    erp.calls.clear()
    told, _ = sync(source, run)
    assert paths(erp) == ["$metadata", "Items", "Items"]
    assert sorted(told) == ["Items(1)", "Items(2)", "Items(3)", "Items(5)"]
    assert {type(item) for item in told.values()} == {Unchanged}


def test_without_delta_links_dates_tell_what_changed_and_a_count_that_nothing_is_gone(
    erp: ODataServer, source: Source
) -> None:
    erp.sets["Items"].tracks_changes = False
    _, run = sync(source)
    erp.edit("Items", "(2)", unitPrice="1.20", lastModifiedDateTime="2026-11-20T10:00:00Z")
    erp.add("Items", ID=9, displayName="Bell", lastModifiedDateTime="2026-11-20T10:00:00Z")
    erp.calls.clear()
    told, _ = sync(source, run)
    assert paths(erp) == ["$metadata", "Items", "Items/$count"]
    condition = erp.calls[1].query["$filter"]
    assert condition == "lastModifiedDateTime ge 2026-11-06T09:55:00Z"
    kinds = {each: type(item).__name__ for each, item in told.items()}
    assert kinds == {
        "Items(2)": "ReadDocument",
        "Items(5)": "Unchanged",  # read once more: within the overlap, with the same text
        "Items(9)": "ReadDocument",
        "Items(1)": "Unchanged",
        "Items(3)": "Unchanged",
        "Items(4)": "Unchanged",
    }


def test_without_delta_links_the_list_of_keys_tells_what_is_gone(
    erp: ODataServer, source: Source
) -> None:
    """And what came without a new date."""
    erp.sets["Items"].tracks_changes = False
    _, run = sync(source)
    erp.delete("Items", "(3)")
    erp.delete("Items", "(4)")
    erp.add("Items", ID=9, displayName="Bell", lastModifiedDateTime="2020-01-01T00:00:00Z")
    erp.calls.clear()
    told, _ = sync(source, run)
    assert paths(erp) == ["$metadata", "Items", "Items/$count", "Items", "Items(9)"]
    assert erp.calls[3].query == {"$orderby": "ID", "$select": "ID"}
    assert sorted(told) == ["Items(1)", "Items(2)", "Items(5)", "Items(9)"]


def test_with_neither_everything_is_read_and_compared(erp: ODataServer, tenant: Tenant) -> None:
    source = make_source(tenant, typed(erp), "Lines")
    erp.add("Lines", Order="A", Line=1, Text="Saddle")
    erp.add("Lines", Order="A", Line=2, Text="Bell")
    _, run = sync(source)
    erp.edit("Lines", "(Order='A',Line=2)", Text="Horn")
    told, _ = sync(source, run)
    assert isinstance(told["Lines(Order='A',Line=1)"], Unchanged)
    assert text_of(told["Lines(Order='A',Line=2)"]) == "Order: A; Line: 2; Text: Horn"


def test_a_change_of_what_was_not_chosen_tells_the_record_anew_and_reads_nothing(
    erp: ODataServer, tenant: Tenant
) -> None:
    source = make_source(tenant, typed(erp), "Items/displayName")
    _, run = sync(source)
    erp.edit("Items", "(2)", unitPrice="1.20", lastModifiedDateTime="2026-11-20T10:00:00Z")
    item = sync(source, run)[0]["Items(2)"]
    told = Description(
        "Bicycle 2",
        etag='W/"6"',
        last_modified="2026-11-20T10:00:00Z",
        place="Articles / Bicycle 2",
    )
    assert item == Unchanged("Items(2)", told)


def test_numbers_keep_the_digits_that_were_sent(erp: ODataServer, source: Source) -> None:
    erp.fail("GET .*/Items", Reply(200, b'{"value": [{"ID": 7, "unitPrice": 12.50}]}'))
    assert text_of(sync(source)[0]["Items(7)"]) == "ID: 7; Unit price: 12.50"


def test_once_a_day_everything_is_read(
    erp: ODataServer, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stock that is computed when it is read changes without a word in the feed."""
    _, run = sync(source)
    erp.sets["Items"].rows["(3)"]["unitPrice"] = "9"
    assert {type(item) for item in sync(source, run)[0].values()} == {Unchanged}
    tomorrow = timezone.now() + timedelta(hours=24, seconds=1)
    monkeypatch.setattr(timezone, "now", lambda: tomorrow)
    assert isinstance(sync(source, run)[0]["Items(3)"], ReadDocument)


def test_what_failed_is_told_again_until_it_changes(erp: ODataServer, tenant: Tenant) -> None:
    source = make_source(tenant, typed(erp), "Items/displayName")
    erp.edit("Items", "(2)", displayName=None)
    told, run = sync(source)
    assert told["Items(2)"].reason == "The record has no text that can be indexed."  # type: ignore[union-attr]
    told, run = sync(source, run)
    assert isinstance(told["Items(2)"], Failed)
    erp.edit("Items", "(2)", displayName="Trailer")
    assert text_of(sync(source, run)[0]["Items(2)"]) == "Name: Trailer"


def test_whole_syncs_store_what_changed_and_forget_what_is_gone(
    erp: ODataServer, source: Source
) -> None:
    source.name = "Shop"
    source.save()

    def whole_sync() -> dict[str, str]:
        run_id = begin_run(source.tenant, source.pk)
        assert run_id
        sync_source(source.tenant, source.pk, run_id=run_id)
        documents = Document.objects.for_tenant(source.tenant).filter(source=source).live()
        return dict(documents.values_list("external_id", "content_hash"))

    first = whole_sync()
    assert sorted(first) == [f"Items({number})" for number in range(1, 6)]
    erp.edit("Items", "(2)", unitPrice="1.20")
    erp.delete("Items", "(4)")
    second = whole_sync()
    changed = {each for each in first if second.get(each) != first[each]}
    assert changed == {"Items(2)", "Items(4)"}
    assert second.keys() == first.keys() - {"Items(4)"}


# --- Signing in -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sign_in", ["basic", "key", "client"])
def test_every_way_to_sign_in_reads(erp: ODataServer, tenant: Tenant, sign_in: str) -> None:
    erp.sign_in = sign_in
    told, _ = sync(make_source(tenant, typed(erp)))
    assert len(told) == 5
    assert len(erp.calls_to(TOKEN_PATH)) == (1 if sign_in == "client" else 0)


def test_a_token_that_ends_in_the_middle_is_replaced_once(erp: ODataServer, tenant: Tenant) -> None:
    erp.sign_in, erp.page_max = "client", 2
    items = ODataConnector().read(make_source(tenant, typed(erp)), FakeRun())
    first = next(items)
    erp.expire_access()
    assert len([first, *items]) == 5
    assert len(erp.calls_to(TOKEN_PATH)) == 2


@pytest.mark.parametrize(
    ("sign_in", "change", "field"),
    [
        ("basic", {"password": "other"}, "password"),
        ("key", {"key": "other"}, "key"),
        ("client", {"client_secret": "other"}, "client_secret"),
        ("client", {"scope": "other"}, "client_secret"),
    ],
)
def test_who_is_refused_has_to_connect_again(
    erp: ODataServer, tenant: Tenant, sign_in: str, change: dict[str, str], field: str
) -> None:
    erp.sign_in = sign_in
    with pytest.raises(ReauthRequired):
        sync(make_source(tenant, typed(erp, **change)))
    with pytest.raises(ConnectionRefused) as refused:
        ODataConnector().check_connection(typed(erp, **change, entity_sets="Items"))
    assert refused.value.field == field


def test_a_token_address_that_fails_may_work_later(erp: ODataServer, tenant: Tenant) -> None:
    erp.sign_in = "client"
    for reply in (Reply(500), Reply(200, b"<html>"), json_reply({"access_token": "a\nb"})):
        erp.fail(TOKEN_PATH, reply)
        with pytest.raises(OriginUnavailable):
            sync(make_source(tenant, typed(erp)))


# --- What goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply", [Reply(429, headers={"Retry-After": "0"}), Reply(500), cut_in_half]
)
def test_what_passes_is_tried_again(erp: ODataServer, source: Source, reply: Any) -> None:
    erp.page_max = 2
    erp.fail("GET .*/Items", reply, after=1)
    told, _ = sync(source)
    assert len(told) == 5
    assert len(erp.calls_to("/Items$")) == 4


def test_who_is_asked_to_wait_long_lets_go(erp: ODataServer, source: Source) -> None:
    erp.fail("GET .*/Items", Reply(429, headers={"Retry-After": "300"}))
    with pytest.raises(AskedToWait):
        sync(source)
    assert len(erp.calls_to("/Items$")) == 1


def test_500_for_delta_links_is_asked_without_them(erp: ODataServer, source: Source) -> None:
    """As Business Central answers where it has none."""

    def refuse(call: Call, answer: Any) -> Reply:
        return Reply(500) if "track-changes" in call.headers["prefer"] else answer(call)

    erp.fail("GET .*/Items", refuse, times=ALWAYS)
    assert len(sync(source)[0]) == 5


def test_a_service_that_stays_broken_or_is_down(erp: ODataServer, source: Source) -> None:
    erp.fail("GET .*/Items", Reply(500), times=ALWAYS)
    with pytest.raises(OriginUnavailable):
        sync(source)
    with erp.down(), pytest.raises(OriginUnavailable):
        sync(source)


@pytest.mark.parametrize(
    "link",
    [
        "http://169.254.169.254/latest/meta-data",
        "https://evil.example/odata/Items?$skiptoken=2",
        "javascript:alert(1)",
        "//evil.example/Items",
        "http://[::1",
        {"href": "Items"},
    ],
)
def test_links_that_lead_elsewhere_are_not_followed(
    erp: ODataServer, source: Source, link: object
) -> None:
    for name in ("@odata.nextLink", "@odata.deltaLink"):
        erp.fail("GET .*/Items", json_reply({"value": [], name: link}))
        with pytest.raises(SyncFailed, match="names an address of another server"):
            sync(source)


def test_a_link_that_is_too_long_says_what_to_do(erp: ODataServer, source: Source) -> None:
    link = "Items?$skiptoken=" + "x" * 2000
    erp.fail("GET .*/Items", json_reply({"value": [], "@odata.nextLink": link}))
    with pytest.raises(SyncFailed, match="Choose fewer properties"):
        sync(source)


def test_pages_that_never_end_are_noticed(erp: ODataServer, source: Source) -> None:
    erp.fail(
        "GET .*/Items", json_reply({"value": [], "@odata.nextLink": "Items?again"}), times=ALWAYS
    )
    with pytest.raises(SyncFailed, match="without end"):
        sync(source)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b'{"value": [', b"[" * 100_000, b"[]", b'{"value": 1}', b'{"value": [null]}'],
)
def test_answers_of_another_form_may_be_another_time(
    erp: ODataServer, source: Source, body: bytes
) -> None:
    erp.fail("GET .*/Items", Reply(200, body), times=ALWAYS)
    with pytest.raises(OriginUnavailable, match="cannot be read"):
        sync(source)


def test_hostile_values_become_text_or_nothing(erp: ODataServer, source: Source) -> None:
    deep: Any = "bottom"
    for _ in range(50):
        deep = {"in": [deep]}
    records: list[Any] = [
        {"ID": 1, "displayName": "a\0b\u202ec", "unitPrice": True, "@odata.etag": "x\n" * 9},
        {"ID": 2, "displayName": "x" * 100_000, "unitPrice": [1, {"@a": 1, "EUR": 2}]},
        {"ID": 3, "displayName": {"a": deep}, "unitPrice": 10**400},
        {"ID": 4, "displayName": "0001-01-01", "unitPrice": "1e5"},
        {"ID": None},
        {"displayName": "no key"},
        {"ID": "5) or (1"},
        {"ID": ["6"]},
        {"ID": 1, "displayName": "the same again"},
    ]
    erp.fail("GET .*/Items", json_reply({"value": records}))
    told, _ = sync(source)
    assert list(told) == ["Items(1)", "Items(2)", "Items(3)", "Items(4)", "Items"]
    first = told["Items(1)"]
    assert isinstance(first, ReadDocument)
    assert (text_of(first), first.etag) == ("ID: 1; Name: abc; Unit price: true", "")
    second = told["Items(2)"]
    assert isinstance(second, ReadDocument)
    assert second.title == "x" * 500
    assert second.passages[-1].text.endswith("Unit price: 1 | EUR: 2")
    assert text_of(told["Items(4)"]) == "ID: 4; Unit price: 1e5"
    assert told["Items"] == Failed("Items", reading.NO_KEY, title="Articles")


def test_an_answer_that_is_too_large_says_what_to_do(
    erp: ODataServer, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    erp.fail("GET .*/Items", Reply(200, b" " * (calling.JSON_MAX_BYTES + 1)))
    with pytest.raises(SyncFailed, match="Choose fewer properties"):
        sync(source)


def test_a_redirect_does_not_take_the_credentials_along(erp: ODataServer, source: Source) -> None:
    away = f"http://localhost:{erp.port}/elsewhere"
    erp.fail("GET .*/Items", Reply(302, headers={"Location": away}), times=ALWAYS)
    told, _ = sync(source)
    assert list(told) == ["Items"]
    assert erp.calls_to("/elsewhere") == []


def test_a_description_that_is_none_ends_the_sync(erp: ODataServer, source: Source) -> None:
    for body in (b"<html/>", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'):
        erp.fail(r"GET .*\$metadata", Reply(200, body))
        with pytest.raises(SyncFailed, match="answer at /\\$metadata"):
            sync(source)


def test_too_many_changes_have_everything_read(
    erp: ODataServer, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, run = sync(source)
    monkeypatch.setattr(changes, "CHANGES_MAX", 1)
    for predicate in ("(1)", "(2)"):
        erp.edit("Items", predicate, unitPrice="3")
    told, _ = sync(source, run)
    assert len([each for each in told.values() if isinstance(each, ReadDocument)]) == 2
    assert len(told) == 5


def test_the_stand_in_keeps_the_rules(erp: ODataServer) -> None:
    """Else what passes here would fail at a real service."""
    right = {"authorization": "Basic " + b64encode(f"{erp.user}:{erp.password}".encode()).decode()}
    right |= {"odata-maxversion": "4.0", "accept": "application/json"}

    def status(query: dict[str, str], **change: str) -> int:
        call = Call("GET", "/odata/v4/shop/Items", query, {**right, **change}, b"", 0.0)
        return erp.answer(call).status

    assert status({}) == 200
    assert status({"$select": "nope"}) == 400
    assert status({"$unknown": "1"}) == 400
    assert status({"$filter": "lastModifiedDateTime ge '2026-01-01T00:00:00Z'"}) == 400
    assert status({"$skiptoken": "made up"}) == 410
    assert status({}, accept="text/html") == 406
    assert status({}, authorization="Basic YTpi") == 401


# --- Before there is a source ---------------------------------------------------------------------


def test_the_check_shows_whose_account_how_much_and_the_first_passages(erp: ODataServer) -> None:
    found = ODataConnector().check_connection(
        typed(erp, entity_sets="Items: displayName, unitPrice\nLines\n")
    )
    assert found.account.label == f"reader at {erp.host}"
    assert found.amount == Amount(5)
    assert [each["id"] for each in found.selection["chosen"]] == [
        "Items/displayName",
        "Items/unitPrice",
        "Lines",
    ]
    assert found.passages == tuple(
        f"Name: Bicycle {number}; Unit price: {number}00.50" for number in (1, 2, 3)
    )


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"entity_sets": ""}, "entity_sets", "The service offers: Items, Lines"),
        ({"entity_sets": "Nope"}, "entity_sets", "There is no entity set Nope."),
        ({"entity_sets": "Items: nope"}, "entity_sets", "Items has no property nope."),
        ({"password": ""}, "password", "This is needed."),
        ({"sign_in": "none"}, "sign_in", "There is no such way to sign in."),
        ({"service_url": "http://93.184.216.34/"}, "service_url", "begins with https://"),
        ({"service_url": "https://10.0.0.1/"}, "service_url", "not on the public internet"),
        ({"service_url": "https://u:p@e.example/"}, "service_url", "leave it out"),
        ({"service_url": "file:///etc/passwd"}, "service_url", "not a web address"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    erp: ODataServer, change: dict[str, str], field: str, message: str
) -> None:
    with pytest.raises(ConnectionRefused, match=message) as refused:
        ODataConnector().check_connection(typed(erp, **{"entity_sets": "Items", **change}))
    assert refused.value.field == field


def test_token_addresses_and_headers_of_keys_are_judged_too(erp: ODataServer) -> None:
    erp.sign_in = "client"
    with pytest.raises(ConnectionRefused) as refused:
        ODataConnector().check_connection(typed(erp, token_url="https://169.254.169.254/token"))
    assert refused.value.field == "token_url"
    erp.sign_in = "key"
    for header in ("Host", "a b", "X\r\nY", "Cookie"):
        with pytest.raises(ConnectionRefused) as refused:
            ODataConnector().check_connection(typed(erp, key_header=header))
        assert refused.value.field == "key_header"
    assert erp.calls == []


def test_an_address_without_a_service_is_refused(erp: ODataServer) -> None:
    with pytest.raises(ConnectionRefused, match="it answers 404") as refused:
        ODataConnector().check_connection(typed(erp, service_url=f"{erp.url}/other"))
    assert refused.value.field == "service_url"


def test_the_picker_offers_entity_sets_and_their_properties(
    erp: ODataServer, source: Source
) -> None:
    assert source.connection is not None
    assert ODataConnector().browse(source.connection, inside="") == [
        Choice("Items", "Articles", is_open=True, hint="Items"),
        Choice("Lines", "Lines", is_open=True, hint="Lines"),
    ]
    inside = ODataConnector().browse(source.connection, inside="Items")
    assert [each.id for each in inside] == [
        "Items/ID",
        "Items/displayName",
        "Items/unitPrice",
        "Items/lastModifiedDateTime",
    ]
    assert inside[1].name == "Name"
    assert ODataConnector().browse(source.connection, inside="../Items") == []


def test_how_much_it_will_be(erp: ODataServer, source: Source) -> None:
    assert source.connection is not None
    assert ODataConnector().measure(source.connection, source.selection) == Amount(5)
    erp.fail("GET .*count", Reply(501))
    erp.fail("GET .*count", Reply(200, b"many"))
    for _ in range(2):
        assert ODataConnector().measure(source.connection, source.selection) is None


def test_a_selection_is_kept_as_the_picker_or_as_typing_gives_it() -> None:
    kept = {"chosen": [{"id": "Items/ID", "name": "Items/ID"}]}
    clean = ODataConnector().clean_selection
    assert clean({"entity_sets": "Items: ID"}) == kept
    assert clean({**kept, "other": 1}) == kept
