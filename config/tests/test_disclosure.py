"""GET /.well-known/security.txt (RFC 9116), and the page that it leads to."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.environment import read_contact

PATH = "/.well-known/security.txt"


def test_it_says_whom_to_tell_for_less_than_a_year(client: Client, settings: Any) -> None:
    settings.SECURITY_CONTACT, settings.BASE_URL = "mailto:security@acme.es", "https://acme.es"

    answer = client.get(PATH)

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.content.decode().splitlines())
    expires = datetime.fromisoformat(fields.pop("Expires"))
    assert timedelta(days=90) < expires - datetime.now(UTC) < timedelta(days=365)
    assert fields == {
        "Contact": "mailto:security@acme.es",
        "Preferred-Languages": "es, en",
        "Canonical": f"https://acme.es{PATH}",
        "Policy": "https://acme.es/security",
    }


def test_there_is_none_where_nobody_is_named(client: Client, settings: Any) -> None:
    settings.SECURITY_CONTACT = ""

    assert client.get(PATH).status_code == 404


def test_the_page_names_the_same(client: Client, settings: Any, db: None) -> None:
    settings.SECURITY_CONTACT = "mailto:security@acme.es"

    page = client.get("/security").content.decode()

    assert '<a href="mailto:security@acme.es">security@acme.es</a>' in page


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("", ""),
        ("security@acme.es", "mailto:security@acme.es"),
        ("https://acme.es/tell-us", "https://acme.es/tell-us"),
    ],
)
def test_a_contact_is_a_mailbox_or_a_page(
    given: str, read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECURITY_CONTACT", given)

    assert read_contact("SECURITY_CONTACT") == read


@pytest.mark.parametrize(
    "given",
    ["acme", "http://acme.es", "a@b.es\nPolicy: x", "Ana <a@b.es>", "javascript:x@y", "a@b, c@d"],
)
def test_nothing_else_is(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECURITY_CONTACT", given)

    with pytest.raises(ImproperlyConfigured, match="SECURITY_CONTACT"):
        read_contact("SECURITY_CONTACT")
