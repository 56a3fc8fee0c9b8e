"""GET /widget.js."""

from __future__ import annotations

import gzip
import hashlib

import pytest
from django.test import Client

from channels.pages.widget import FILE

NOT_FOUND = {"error": {"code": "NOT_FOUND", "message": "There is nothing at this address."}}
PLAIN_ETAG = f'"{hashlib.sha256(FILE.read_bytes()).hexdigest()[:32]}"'
PACKED_ETAG = f'{PLAIN_ETAG[:-1]}-gzip"'


@pytest.fixture
def client() -> Client:
    """Of a visitor: no token, no cookie."""
    return Client()


# --- GET /widget.js ---------------------------------------------------------------------------


def test_the_widget_is_one_file_for_pages_of_any_origin(client: Client) -> None:
    answer = client.get("/widget.js")
    assert answer.status_code == 200
    assert answer.content == FILE.read_bytes()
    shown = {
        name: answer.headers[name]
        for name in (
            "Content-Type",
            "ETag",
            "Cache-Control",
            "Vary",
            "Access-Control-Allow-Origin",
            "Cross-Origin-Resource-Policy",
            "X-Content-Type-Options",
        )
    }
    assert shown == {
        "Content-Type": "application/javascript; charset=utf-8",
        "ETag": PLAIN_ETAG,
        "Cache-Control": "public, max-age=3600",
        "Vary": "Accept-Encoding",
        "Access-Control-Allow-Origin": "*",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "X-Content-Type-Options": "nosniff",
    }
    assert not answer.cookies


@pytest.mark.parametrize(
    ("accepted", "is_packed"),
    [
        ("gzip, deflate, br", True),
        ("br;q=1.0, gzip;q=0.8", True),
        ("*", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("x-gzipped", False),
    ],
)
def test_it_is_packed_for_who_can_unpack_it(
    client: Client, accepted: str, *, is_packed: bool
) -> None:
    answer = client.get("/widget.js", headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == ("gzip" if is_packed else None)
    assert answer.headers["ETag"] == (PACKED_ETAG if is_packed else PLAIN_ETAG)
    content = gzip.decompress(answer.content) if is_packed else answer.content
    assert content == FILE.read_bytes()


@pytest.mark.parametrize(("accepted", "etag"), [("", PLAIN_ETAG), ("gzip", PACKED_ETAG)])
def test_who_has_it_gets_no_content(client: Client, accepted: str, etag: str) -> None:
    headers = {"Accept-Encoding": accepted, "If-None-Match": f'"old", {etag}'}
    answer = client.get("/widget.js", headers=headers)
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["ETag"] == etag
    assert answer.headers["Cache-Control"] == "public, max-age=3600"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_who_has_another_one_gets_it_anew(client: Client) -> None:
    answer = client.get("/widget.js", headers={"If-None-Match": PACKED_ETAG})
    assert (answer.status_code, answer.content) == (200, FILE.read_bytes())


def test_the_widget_answers_head(client: Client) -> None:
    answer = client.head("/widget.js")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Content-Length"] == str(FILE.stat().st_size)


@pytest.mark.parametrize("path", ["/widget.js"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_another_method_is_refused(client: Client, method: str, path: str) -> None:
    answer = client.generic(method, path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")


def test_the_widget_is_small() -> None:
    assert FILE.stat().st_size < 32_500
