"""JSON Pointer (RFC 6901), Link headers (RFC 8288), and the rules that the stand-in keeps."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pytest

from connectors.json_api.links import next_link
from connectors.json_api.pointers import parse_pointer, resolve
from connectors.tests.json_api.help_centre import (
    HelpCentre,
)
from connectors.tests.providers.json_api_server import (
    PASSWORD,
    TOKEN,
    USER,
)
from sources.tests.providers.server import Call

pytestmark = pytest.mark.django_db


# --- RFC 6901 and RFC 8288 ------------------------------------------------------------------------

DOCUMENT = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
        ("/foo/-", None),
        ("/foo/00", None),
        ("/foo/2", None),
        ("/foo/bar", None),
        ("/nothing/below", None),
    ],
)
def test_pointers_as_the_rfc_shows_them(pointer: str, value: object) -> None:
    assert resolve(DOCUMENT, parse_pointer(pointer)) == value


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("", ""),
        ('<https://a.example/?page=2>; rel="next"', "https://a.example/?page=2"),
        ("</p?page=2>;rel=next", "/p?page=2"),
        ('<a>; rel="prev", <b>; title="x, y; rel=\\"next\\""; rel="last next"', "b"),
        ('<a,b;c>; REL="Next"', "a,b;c"),
        ('<a>; rel="last"; rel="next"', ""),
        ('<a>; title="rel=next"', ""),
        ("rel=next", ""),
        ('<a; rel="next"', ""),
        ("<" * 10_000, ""),
        ('<a>; rel="' + '\\"' * 7_000, ""),
        ("<a>" * 6_000 + '; rel="next"', ""),
    ],
)
def test_link_headers_of_any_form(header: str, target: str) -> None:
    assert next_link(header) == target


def test_the_stand_in_keeps_its_rules(centre: HelpCentre) -> None:
    """Or our own tests would show nothing: it knows no other parameter, size or credentials."""
    good = {"authorization": f"Bearer {TOKEN}", "accept": "application/json"}

    def status(headers: Mapping[str, str], **query: str) -> int:
        return centre.answer(Call("GET", "/v1/articles", query, headers, b"", 0.0)).status

    assert status(good, per_page="100") == 200
    assert status(good, per_page="101") == 400
    assert status(good, limit="10") == 400
    assert status({**good, "accept": "*/*"}) == 406
    encoded = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    assert status({**good, "authorization": f"Basic {encoded}"}) == 401
