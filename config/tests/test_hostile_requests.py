"""Headers that would move a request, and requests that two servers would read differently: over a
socket to the product's web server, as its own machine, which gunicorn believes by default."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from config.tests.served import Server, head, is_closed, read_answer, serving

pytestmark = pytest.mark.timeout(120)

CHUNKED = "Transfer-Encoding: chunked"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("config.tests.served_app:application", SCRIPT_NAME="") as server:
        yield server


def environ_of(server: Server, *headers: str) -> dict[str, Any]:
    answered = server.get("/environ", *headers)
    assert answered.status == 200
    return dict(json.loads(answered.body))


# --- Headers that say where a request comes from or goes to ---------------------------------------

MOVING = (
    "SCRIPT_NAME: /environ",
    "Script-Name: /environ",
    "PATH_INFO: /admin",
    "REMOTE_ADDR: 10.0.0.1",
    "REMOTE_USER: admin",
    "X-Forwarded-Proto: https",
    "X-Forwarded-Protocol: ssl",
    "X-Forwarded-Ssl: on",
    "X-Forwarded-Host: evil.example",
    "X-Forwarded-Port: 444",
    "X-Forwarded-Prefix: /evil",
    "X-Script-Name: /evil",
    "X-Original-URL: /admin",
    "X-Rewrite-URL: /admin",
    "X-HTTP-Method-Override: DELETE",
    "X_Forwarded_For: 10.0.0.1",
    "X_Forwarded-For: 10.0.0.1",
    "Forwarded: for=10.0.0.1;host=evil.example;proto=https",
    "Upgrade: h2c",
    "Proxy: http://evil.example",
)


@pytest.mark.parametrize("header", MOVING)
def test_no_header_moves_a_request(server: Server, header: str):
    plain, moved = environ_of(server), environ_of(server, header)

    for name in (
        "SCRIPT_NAME", "PATH_INFO", "REQUEST_METHOD", "REMOTE_ADDR", "SERVER_NAME", "SERVER_PORT",
        "HTTP_HOST", "wsgi.url_scheme", "QUERY_STRING", "HTTP_X_FORWARDED_FOR", "REMOTE_USER",
    ):  # fmt: skip
        assert moved.get(name) == plain.get(name)


def test_a_name_with_an_underscore_adds_nothing_to_its_twin(server: Server):
    given = ("X-Forwarded-For: 203.0.113.7", "X_Forwarded_For: 10.0.0.1", "X_Secret: 1")

    environ = environ_of(server, *given)

    assert environ["HTTP_X_FORWARDED_FOR"] == "203.0.113.7"
    assert "HTTP_X_SECRET" not in environ


def test_a_header_that_comes_twice_is_joined_in_its_order(server: Server):
    """The entries from the right count (config.security.client_address)."""
    environ = environ_of(server, "X-Forwarded-For: 10.0.0.1", "X-Forwarded-For: 203.0.113.7")

    assert environ["HTTP_X_FORWARDED_FOR"] == "10.0.0.1,203.0.113.7"


# --- Requests that two servers read differently ---------------------------------------------------

REFUSED = {
    "length and chunks": head("POST", "/", "Content-Length: 4", CHUNKED),
    "chunks and length": head("POST", "/", CHUNKED, "Content-Length: 4"),
    "two lengths": head("POST", "/", "Content-Length: 4", "Content-Length: 5"),
    "the same length twice": head("POST", "/", "Content-Length: 4", "Content-Length: 4"),
    "a list of lengths": head("POST", "/", "Content-Length: 4, 4"),
    "a length with a sign": head("POST", "/", "Content-Length: +4"),
    "a negative length": head("POST", "/", "Content-Length: -4"),
    "a length in hexadecimal": head("POST", "/", "Content-Length: 0x4"),
    "a length in other digits": head("POST", "/", "Content-Length: \xb2"),
    "an empty length": head("POST", "/", "Content-Length: "),
    "chunked twice": head("POST", "/", CHUNKED, CHUNKED),
    "chunked, then something else": head("POST", "/", "Transfer-Encoding: chunked, identity"),
    "no chunked": head("POST", "/", "Transfer-Encoding: gzip"),
    "chunked in HTTP/1.0": head("POST", "/", CHUNKED, version="1.0"),
    "another coding": head("POST", "/", "Transfer-Encoding: xchunked"),
    "a space before the colon": head("POST", "/", "Content-Length : 4"),
    "a folded header": head("POST", "/", "X: a", " b"),
    "a line feed alone": b"GET / HTTP/1.1\nHost: localhost\n\n\r\n\r\n",
    "a carriage return in a value": head("GET", "/", "X: a\rContent-Length: 4"),
    "a zero byte": head("GET", "/", "X: a\0b"),
    "two hosts": head("GET", "/", "Host: localhost", "Host: evil.example"),
    "a method in lower case": head("get", "/"),
    "a space in the path": head("GET", "/a b"),
    "no version": b"GET /\r\n\r\n",
    "HTTP/2": head("GET", "/", version="2.0"),
    "a tunnel": head("GET", "evil.example:443"),
    "another expectation": head("GET", "/", "Expect: miracles"),
}


@pytest.mark.parametrize("request_bytes", REFUSED.values(), ids=REFUSED.keys())
def test_an_ambiguous_request_is_refused_and_ends_the_connection(
    server: Server, request_bytes: bytes
):
    with server.connect() as client:
        client.sendall(request_bytes + head("GET", "/smuggled"))

        answered = read_answer(client)

        assert answered.status in (400, 417, 501)
        assert is_closed(client)
    assert "/smuggled" not in json.loads(server.get("/asked").body)


CHUNKS = {
    "sound": b"5\r\nabcde\r\n0\r\n\r\n",
    "no end": b"5\r\nabcde\r\n",
    "a wrong size": b"zz\r\nabcde\r\n0\r\n\r\n",
    "a huge size": b"f" * 400 + b"\r\n",
    "an extension": b"5;a=b\r\nabcde\r\n0\r\n\r\n",
    "a trailer": b"0\r\nContent-Length: 10\r\n\r\n",
}


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS.keys())
def test_chunks_are_never_read_and_nothing_behind_them_is(server: Server, chunks: bytes):
    with server.connect() as client:
        client.sendall(head("POST", "/chunked", CHUNKED) + chunks + head("GET", "/smuggled"))

        answered = read_answer(client)

        assert (answered.text, answered.headers["Connection"]) == ("/chunked 0 b''", "close")
        assert is_closed(client)
    assert "/smuggled" not in json.loads(server.get("/asked").body)


# --- Hosts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "localhost.evil.example", "localhost:80:80", "localhost@evil.example",
        "localhost/evil", "localhost#", "[::1]evil.example", "localhost,evil.example", " ",
        "localhost:port", "lоcalhost", "127.1", "0x7f000001",
    ],
)  # fmt: skip
def test_a_host_that_is_not_ours_is_refused(host: str):
    answer = Client(raise_request_exception=False).get("/healthz", headers={"host": host})

    assert answer.status_code == 400
