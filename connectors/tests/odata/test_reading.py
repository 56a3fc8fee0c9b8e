"""What is read of an OData service, and how it is told."""

from __future__ import annotations

import pytest

from accounts.models import Tenant
from connectors.odata import connector
from connectors.tests.odata.account import (
    make_source,
    paths,
    read,
    sync,
    text_of,
    typed,
)
from connectors.tests.providers.odata_model import Property
from connectors.tests.providers.odata_server import ODataServer
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors.interface import Cut, Failed, Unchanged
from sources.models import Source
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Reply

pytestmark = pytest.mark.django_db


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
    failed = Reason("account_may_not_read")
    assert told["Items"] == Failed("Items", failed, title="Articles")
    assert told["Items(3)"] == Unchanged("Items(3)")


def test_an_entity_set_that_is_no_more_fails_and_its_records_go(
    erp: ODataServer, source: Source
) -> None:
    _, run = sync(source)
    del erp.sets["Items"]
    told, _ = sync(source, run)
    assert told == {"Items": Failed("Items", Reason("odata_not_offered"))}


def test_a_source_of_more_records_than_are_read_is_cut(
    erp: ODataServer, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "RECORDS_MAX", 3)
    items = read(source, FakeRun())
    assert items[3:] == [Cut(Reason("records_cut", count=3), keeps_rest=False)]


def test_what_a_cut_left_out_is_read_when_there_is_room_again(
    erp: ODataServer, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, run = make_source(tenant, typed(erp), "Items", "Lines"), FakeRun()
    erp.sets["Lines"].tracks_changes = True
    erp.add("Lines", Order="A", Line=1, Text="Saddle")
    run = run.next(read(source, run))
    erp.add("Items", ID=6, displayName="Trailer")
    monkeypatch.setattr(connector, "RECORDS_MAX", 6)
    run = run.next(read(source, run))
    assert "Lines(Order='A',Line=1)" not in run.known
    erp.delete("Items", "(6)")
    assert "Lines(Order='A',Line=1)" in sync(source, run)[0]


def test_numbers_keep_the_digits_that_were_sent(erp: ODataServer, source: Source) -> None:
    erp.fail("GET .*/Items", Reply(200, b'{"value": [{"ID": 7, "unitPrice": 12.50}]}'))
    assert text_of(sync(source)[0]["Items(7)"]) == "ID: 7; Unit price: 12.50"
