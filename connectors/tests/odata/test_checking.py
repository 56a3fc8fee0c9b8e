"""Looking at an OData service before there is a source, and choosing what is read."""

from __future__ import annotations

import re

import pytest

from connectors.odata.connector import ODataConnector
from connectors.tests.odata.account import typed
from connectors.tests.providers.odata_server import ODataServer
from reasons import Reason
from sources.connectors.interface import Choice, Extent
from sources.errors import ConnectionRefused
from sources.models import Source
from sources.tests.providers.server import Reply

pytestmark = pytest.mark.django_db


def test_the_check_shows_whose_account_how_much_and_the_first_passages(erp: ODataServer) -> None:
    found = ODataConnector().check_connection(
        typed(erp, entity_sets="Items: displayName, unitPrice\nLines\n")
    )
    assert found.account.label == f"reader at {erp.host}"
    assert found.amount == Extent(5)
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
        (
            {"entity_sets": "Items: nope"},
            "entity_sets",
            Reason("odata_property_unknown", label="Items", name="nope"),
        ),
        ({"password": ""}, "password", Reason("field_needed")),
        ({"sign_in": "none"}, "sign_in", Reason("sign_in_kind_unknown")),
        ({"service_url": "http://93.184.216.34/"}, "service_url", "begin with https://"),
        ({"service_url": "https://10.0.0.1/"}, "service_url", "not on the public internet"),
        ({"service_url": "https://u:p@e.example/"}, "service_url", "Remove it"),
        ({"service_url": "file:///etc/passwd"}, "service_url", "not a web address"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    erp: ODataServer, change: dict[str, str], field: str, message: str
) -> None:
    with pytest.raises(ConnectionRefused, match=re.escape(str(message))) as refused:
        ODataConnector().check_connection(typed(erp, **{"entity_sets": "Items", **change}))
    assert refused.value.field == field


def test_token_addresses_and_headers_of_keys_are_judged_too(erp: ODataServer) -> None:
    erp.sign_in = "client"
    with pytest.raises(ConnectionRefused) as refused:
        ODataConnector().check_connection(typed(erp, token_url="https://169.254.169.254/token"))
    assert refused.value.field == "token_url"
    erp.sign_in = "key"
    for header in ("Host", "a b", "X\r\nY", "Cookie", "Content-Type", "TE", "expect", "Upgrade"):
        with pytest.raises(ConnectionRefused) as refused:
            ODataConnector().check_connection(typed(erp, key_header=header))
        assert refused.value.field == "key_header"
    assert erp.calls == []


def test_an_address_without_a_service_is_refused(erp: ODataServer) -> None:
    with pytest.raises(ConnectionRefused, match="it answers with HTTP 404") as refused:
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
    assert ODataConnector().measure(source.connection, source.selection) == Extent(5)
    erp.fail("GET .*count", Reply(501))
    erp.fail("GET .*count", Reply(200, b"many"))
    erp.fail("GET .*count", Reply(200, b"<html>" * 1000))
    for _ in range(3):
        assert ODataConnector().measure(source.connection, source.selection) is None


def test_a_selection_is_kept_as_the_picker_or_as_typing_gives_it() -> None:
    kept = {"chosen": [{"id": "Items/ID", "name": "Items/ID"}]}
    clean = ODataConnector().clean_selection
    assert clean({"entity_sets": "Items: ID"}) == kept
    assert clean({**kept, "other": 1}) == kept
