"""What is found before there is a source, and what is said at which field."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from connectors.json_api.connector import JsonApiConnector
from connectors.tests.json_api.help_centre import (
    HelpCentre,
    Open,
)
from reasons import Reason
from sources.connectors.interface import Extent
from sources.errors import ConnectionRefused
from sources.tests.providers.server import Reply

pytestmark = pytest.mark.django_db


def test_it_is_looked_at_before_anything_is_stored(open_centre: Open) -> None:
    server = open_centre(paging="next")
    server.fill(45)
    checked = server.checked()
    assert (checked.account.label, checked.amount) == (server.list_url, Extent(20, is_more=True))
    assert checked.passages == tuple(
        f"Spare part {number} arrives in {number + 1} days and costs {number} euros."
        for number in (1, 2, 3)
    )
    assert checked.selection == {
        "items": "/data",
        "id": "/id",
        "title": "/title",
        "body": "/body",
        "body_format": "",
        "link": "/url",
        "changed_at": "",
        "paging": "next",
        "next": "/links/next",
        "parameter": "",
    }
    assert len(server.calls) == 1


def test_the_account_is_another_where_another_list_is_opened(centre: HelpCentre) -> None:
    centre.fill(1)
    account = centre.checked().account
    other = centre.checked(url=f"{centre.list_url}?per_page=7").account
    assert (account.label, account.id == other.id) == (other.label, False)
    centre.token = "a-new-token"
    assert centre.checked(auth_secret="a-new-token").account == account


@pytest.mark.parametrize(
    ("over", "field", "reason"),
    [
        ({"url": "help.example"}, "url", "This is not a web address"),
        ({"url": "http://help.example/list"}, "url", "Only addresses that begin with https://"),
        ({"url": "https://10.0.0.1/list"}, "url", "not on the public internet"),
        ({"url": "{url}/nothing"}, "url", "There is nothing at this address"),
        ({"auth_secret": "wrong"}, "auth_secret", "does not accept these credentials (HTTP 401)"),
        ({"auth_secret": ""}, "auth_secret", Reason("credentials_needed")),
        ({"auth_secret": "a\r\nHost: b"}, "auth_secret", "printable"),
        ({"auth": "none"}, "auth", "does not accept these credentials (HTTP 401)"),
        ({"auth": "header", "auth_name": "Host"}, "auth_name", "the name of a header"),
        ({"auth": "header", "auth_name": "Transfer-Encoding"}, "auth_name", "name of a header"),
        ({"auth": "header", "auth_name": "X: y\r\nZ"}, "auth_name", "the name of a header"),
        ({"auth": "basic", "auth_name": "a:b"}, "auth_name", "without a colon"),
        ({"items": "data"}, "items", "A JSON Pointer begins with a slash. For example: /data"),
        ({"items": "/data"}, "items", Reason("no_list_at", pointer="/data")),
        ({"id": ""}, "id", "Enter where in an item its ID is"),
        ({"id": "/key"}, "id", "It has no ID at /key"),
        ({"body": "/text"}, "body", Reason("no_text")),
        ({"body": "/a~2"}, "body", Reason("pointer_tilde")),
        ({"paging": "cursor"}, "next", "Enter where in the answer it is"),
        ({"parameter": "a b"}, "parameter", "the name of a parameter"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    centre: HelpCentre, over: Mapping[str, str], field: str, reason: str
) -> None:
    centre.fill(1)
    over = {name: value.replace("{url}", centre.list_url) for name, value in over.items()}
    with pytest.raises(ConnectionRefused) as refused:
        centre.checked(**over)
    assert refused.value.field == field
    assert str(reason) in refused.value.message


def test_a_list_that_moved_says_where_to(centre: HelpCentre) -> None:
    centre.fail("GET", Reply(301, headers={"Location": "https://help.example/v2/articles"}))
    with pytest.raises(ConnectionRefused, match="leads to https://help.example/v2/articles"):
        centre.checked()


def test_how_much_it_will_be_is_counted(open_centre: Open) -> None:
    server = open_centre(paging="offset")
    server.fill(45)
    source = server.source()
    assert source.connection is not None
    assert JsonApiConnector().measure(source.connection, source.selection) == Extent(45)
