"""The search for secrets finds what is there, in whatever form."""

import base64

import pytest

from webhooks.tests.secret_search import Search


@pytest.mark.parametrize(
    "place",
    [
        "url=https%3A%2F%2Fx%2Fbot7%3Aa%2Bb%2F%C3%B1c%2FsendMessage",
        '{"token": "7:a+b/\\u00f1c"}',
        base64.b64encode("1 7:a+b/ñc.".encode()),
        base64.urlsafe_b64encode("12 7:a+b/ñc.".encode()),
        base64.b64encode("123 7:a+b/ñc.".encode()).hex(),
        "E'\\x" + "-7:a+b/ñc-".encode().hex(),
    ],
)
def test_the_search_finds_every_form(place: str | bytes):
    assert Search({"token": "7:a+b/ñc", "other": "something else"}).found_in(place) == {"token"}
