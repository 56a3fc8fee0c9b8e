"""What the one HTTP client takes from a website, honest or hostile."""

import gzip
import http.cookies
import socket
import ssl
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from config.http import (
    AddressRefused,
    FetchedPage,
    HttpClient,
    TimedOut,
    TooLarge,
    TooManyRedirects,
    Unreachable,
    UnreadableAnswer,
    fetch,
)
from config.tests.web_server import Handler, Site, serve_site

MAX_BYTES = 100_000


@pytest.fixture
def site(settings) -> Iterator[Site]:
    with serve_site() as site:
        settings.FETCH_ALLOWED_HOSTS = [site.host]
        yield site


def get(url: str, **over) -> FetchedPage:
    return fetch(url, **{"max_bytes": MAX_BYTES, "deadline_seconds": 10, **over})


# --- Requests -------------------------------------------------------------------------------------


def test_an_answer_comes_with_its_status_headers_and_body(site: Site):
    site.page("/a?b=%C3%A9", "hello", status=418, ETag='"7"')
    page = get(f"{site.url}/a?b=é#part")
    assert (page.status, page.body, page.headers["etag"]) == (418, b"hello", '"7"')
    assert page.url == f"{site.url}/a?b=é"


def test_a_request_says_who_we_are_and_nothing_of_our_environment(
    site: Site, settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings.BASE_URL = "https://agents.example"
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    site.page("/", "hello")
    get(f"{site.url}/", headers={"If-None-Match": '"1"'})
    assert dict(site.requests[0].headers) == {
        "Host": site.host,
        "User-Agent": "KnowledgeAgents/1.0 (+https://agents.example)",
        "Accept": "text/html,application/xhtml+xml,*/*;q=0.5",
        "Accept-Encoding": "gzip, deflate",
        "If-None-Match": '"1"',
    }


def test_cookies_are_not_sent_back(site: Site):
    cookie = http.cookies.SimpleCookie({"session": "1"})["session"].OutputString()
    site.page("/", "hello", Set_Cookie=cookie)
    with HttpClient() as client:
        for _ in range(2):
            client.fetch(f"{site.url}/", max_bytes=100, deadline_seconds=5)
    assert [request.headers["Cookie"] for request in site.requests] == [None, None]


def test_a_client_keeps_its_connection(site: Site):
    site.page("/", "hello")
    with HttpClient() as client:
        for _ in range(3):
            client.fetch(f"{site.url}/", max_bytes=100, deadline_seconds=5)
    assert (len(site.requests), site.connections) == (3, 1)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_bodies_are_unpacked(site: Site, encoding: str):
    packed = gzip.compress(b"hello") if encoding == "gzip" else zlib.compress(b"hello")
    site.page("/", packed, Content_Encoding=encoding)
    assert get(f"{site.url}/").body == b"hello"


# --- Addresses ------------------------------------------------------------------------------------


def test_a_name_is_asked_once_so_that_it_cannot_be_rebound(
    site: Site, settings, monkeypatch: pytest.MonkeyPatch
):
    """The second answer would be private: nobody asks for it, and nothing connects there."""
    connected: list[tuple[str, int]] = []
    answers = iter(["93.184.216.34", "127.0.0.1"])

    def getaddrinfo(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    def connect(self, where):
        connected.append(where)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr("config.http.connections.BoundedSocket.connect", connect)
    with pytest.raises(Unreachable, match="cannot be reached"):
        get(f"http://rebinding.example:{site.server_port}/")
    assert connected == [("93.184.216.34", site.server_port)]
    assert next(answers) == "127.0.0.1"


def test_the_name_stays_in_the_request_when_the_address_is_pinned(
    site: Site, settings, monkeypatch: pytest.MonkeyPatch
):
    name = f"shop.example:{site.server_port}"
    settings.FETCH_ALLOWED_HOSTS = [name]
    pin(monkeypatch)
    site.page("/", "hello")
    assert get(f"http://{name}/").body == b"hello"
    assert site.requests[0].headers["Host"] == name


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1/",
        "http://localhost:{port}/",
        "//[::1]:{port}/",
        "http://169.254.169.254/latest/meta-data/",
        "http://0x7f.1:8000/",
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://me:secret@127.0.0.1:{port}/",
        "http://127.0.0.1:22/",
        "http://[/",
    ],
)
def test_a_redirect_is_judged_like_an_address(site: Site, target: str):
    site.page("/", status=302, Location=target.format(port=site.server_port))
    with pytest.raises(AddressRefused):
        get(f"{site.url}/")
    assert site.paths == ["/"]


def test_a_redirect_to_another_private_port_is_refused(site: Site):
    with serve_site() as other:
        other.page("/", "secret")
        site.page("/", status=302, Location=f"{other.url}/")
        with pytest.raises(AddressRefused):
            get(f"{site.url}/")
        assert other.requests == []


# --- Redirects ------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(site: Site, status: int):
    site.page("/", status=status, Location="/a/../b?c=ñ".encode().decode("latin-1"))
    site.page("/b?c=%C3%B1", "there")
    page = get(f"{site.url}/")
    assert (page.status, page.body) == (200, b"there")
    assert page.url == f"{site.url}/b?c=ñ"


def test_a_redirect_without_a_target_is_the_answer(site: Site):
    site.page("/", "look elsewhere", status=302)
    assert get(f"{site.url}/").status == 302


def test_a_caller_decides_which_redirects_are_followed(site: Site):
    site.page("/", status=301, Location="/far")
    with HttpClient() as client:
        page = client.fetch(
            f"{site.url}/", max_bytes=100, deadline_seconds=5, may_follow=lambda url: False
        )
    assert (page.status, page.url, page.redirect) == (301, f"{site.url}/", f"{site.url}/far")
    assert site.paths == ["/"]


def test_a_redirect_loop_ends(site: Site):
    site.page("/", status=302, Location="/")
    with pytest.raises(TooManyRedirects):
        get(f"{site.url}/", max_redirects=5)
    assert len(site.requests) == 6


def test_own_headers_do_not_follow_to_another_host(site: Site, settings):
    with serve_site() as other:
        settings.FETCH_ALLOWED_HOSTS = [site.host, other.host]
        site.page("/", status=302, Location=f"{other.url}/")
        other.page("/", "hello")
        get(f"{site.url}/", headers={"If-None-Match": '"1"'})
        assert other.requests[0].headers["If-None-Match"] is None


# --- Limits ---------------------------------------------------------------------------------------


def test_a_body_may_have_max_bytes_and_no_more(site: Site):
    site.page("/", b"a" * MAX_BYTES)
    assert len(get(f"{site.url}/").body) == MAX_BYTES
    with pytest.raises(TooLarge):
        get(f"{site.url}/", max_bytes=MAX_BYTES - 1)


def test_an_endless_body_is_cut(site: Site):
    def endless(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while not handler.server.stopping.is_set():
            handler.wfile.write(b"400\r\n" + b"a" * 0x400 + b"\r\n")

    site.pages["/"] = endless
    with pytest.raises(TooLarge):
        get(f"{site.url}/")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_gzip_bomb_is_not_unpacked(site: Site, chunked: bool):
    bomb = gzip.compress(bytes(100_000_000))

    def respond(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header(
            *("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(bomb)))
        )
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(bomb), bomb) if chunked else bomb)

    site.pages["/"] = respond
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            get(f"{site.url}/", max_bytes=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("encoding", "body"), [("br", b"hello"), ("gzip, gzip", b"hello"), ("gzip", b"no gzip")]
)
def test_an_encoding_that_was_not_asked_for_is_refused(site: Site, encoding: str, body: bytes):
    site.page("/", body, Content_Encoding=encoding)
    with pytest.raises(UnreadableAnswer):
        get(f"{site.url}/")


@pytest.mark.parametrize("part", ["status", "headers", "body", "chunks", "redirects"])
def test_an_answer_that_drips_ends_at_the_deadline(site: Site, part: str):
    openings = {
        "status": b"",
        "headers": b"HTTP/1.1 200 OK\r\nX-Long: ",
        "body": b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
        "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "redirects": b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
    }

    def drip(handler: Handler) -> None:
        handler.server.stopping.wait(0.05)
        handler.wfile.write(openings[part])
        while part != "redirects" and not handler.server.stopping.wait(0.05):
            handler.wfile.write(b"0")

    site.pages["/"] = drip
    started = time.monotonic()
    with pytest.raises(TimedOut):
        get(f"{site.url}/", deadline_seconds=0.4, max_redirects=1000)
    assert 0.3 < time.monotonic() - started < 30  # to its end it would take fifty


def test_endless_headers_are_cut(site: Site):
    def respond(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(20):
            handler.wfile.write(b"X-Long: " + b"a" * 8_000 + b"\r\n")

    site.pages["/"] = respond
    with pytest.raises(TooLarge):
        get(f"{site.url}/")


def test_endless_interim_answers_are_cut(site: Site):
    def respond(handler: Handler) -> None:
        while not handler.server.stopping.is_set():
            handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)

    site.pages["/"] = respond
    with pytest.raises(TooLarge):
        get(f"{site.url}/")


# --- Websites that cannot be reached --------------------------------------------------------------


def test_a_closed_port_is_unreachable(settings):
    with socket.socket() as bound:  # and nobody listens
        bound.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{bound.getsockname()[1]}"
        settings.FETCH_ALLOWED_HOSTS = [host]
        with pytest.raises(Unreachable, match="cannot be reached") as caught:
            get(f"http://{host}/")
    assert caught.value.retryable


def test_a_name_that_does_not_exist_is_unreachable(monkeypatch: pytest.MonkeyPatch):
    def not_found(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    monkeypatch.setattr(socket, "getaddrinfo", not_found)
    with pytest.raises(Unreachable, match=r"The name nowhere\.example was not found"):
        get("https://nowhere.example/")


@pytest.mark.parametrize(
    "answer",
    [b"", b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"],
)
def test_an_answer_that_breaks_off_is_unreachable(site: Site, answer: bytes):
    def respond(handler: Handler) -> None:
        handler.wfile.write(answer)
        handler.close_connection = True

    site.pages["/"] = respond
    with pytest.raises(Unreachable, match="was interrupted"):
        get(f"{site.url}/")


# --- TLS ------------------------------------------------------------------------------------------


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's context with a certificate for shop.example that this client trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "shop.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("shop.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (tmp_path / "ca.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (tmp_path / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    monkeypatch.setattr("requests.adapters.DEFAULT_CA_BUNDLE_PATH", str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "ca.pem", tmp_path / "key.pem")
    return context


def pin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name is on loopback."""
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, port, **_: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))],
    )


def test_server_name_and_certificate_are_those_of_the_name(
    trusted: ssl.SSLContext, settings, monkeypatch: pytest.MonkeyPatch
):
    asked_for: list[str] = []
    trusted.sni_callback = lambda _, name, __: asked_for.append(name)
    pin(monkeypatch)
    with serve_site(trusted) as site:
        name, other = (f"{host}.example:{site.server_port}" for host in ("shop", "other"))
        settings.FETCH_ALLOWED_HOSTS = [name, other]
        site.page("/", "hello")
        assert get(f"https://{name}/").body == b"hello"
        with pytest.raises(Unreachable, match="certificate"):
            get(f"https://{other}/")
    assert asked_for == ["shop.example", "other.example"]


def test_a_certificate_that_nobody_vouches_for_is_refused(
    trusted: ssl.SSLContext, settings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.undo()
    pin(monkeypatch)
    with serve_site(trusted) as site:
        name = f"shop.example:{site.server_port}"
        settings.FETCH_ALLOWED_HOSTS = [name]
        with pytest.raises(Unreachable, match="certificate"):
            get(f"https://{name}/")
        assert site.requests == []


def test_an_answer_that_drips_over_tls_ends_at_the_deadline(
    trusted: ssl.SSLContext, settings, monkeypatch: pytest.MonkeyPatch
):
    def drip(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while not handler.server.stopping.wait(0.05):
            handler.wfile.write(b"0")

    pin(monkeypatch)
    with serve_site(trusted) as site:
        name = f"shop.example:{site.server_port}"
        settings.FETCH_ALLOWED_HOSTS = [name]
        site.pages["/"] = drip
        with pytest.raises(TimedOut):
            get(f"https://{name}/", deadline_seconds=0.4)


@pytest.mark.parametrize("value", ["日本", "\ud800", "a\r\nHost: b", "a\nb"])
def test_a_header_that_http_cannot_carry_is_not_sent(site: Site, value: str):
    with pytest.raises(AddressRefused):
        get(f"{site.url}/", headers={"X-Key": value})
    assert site.requests == []
