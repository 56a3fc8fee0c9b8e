"""Which addresses may be fetched: the table of server-side request forgery."""

import socket
import threading
from collections.abc import Callable

import pytest

from config.errors import InvalidValue
from config.http import AddressRefused, check_public_url, fetch
from config.http.addresses import is_public

Answers = Callable[..., list[str]]


@pytest.fixture
def dns(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """`dns(["8.8.8.8"], ["10.0.0.1"])`: what a name resolves to, the first time and the next ones.
    Returns the names that were asked for.
    """

    def answer(*rounds: list[str]) -> list[str]:
        asked: list[str] = []

        def getaddrinfo(host, port, **_):
            addresses = rounds[min(len(asked), len(rounds) - 1)]
            asked.append(host)
            return [
                (socket.AF_INET6 if ":" in each else socket.AF_INET, 1, 6, "", (each, port))
                for each in addresses
            ]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        return asked

    return answer


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104 - nobody binds to it
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::8.8.8.8",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:0:7f00:1::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "no address",
    ],
)
def test_an_address_that_is_not_global_is_refused(address: str):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450::1"]
)
def test_a_global_address_is_public(address: str):
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://0/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://localhost/",
        "http://LOCALHOST/",
        "https://169.254.169.254/latest/meta-data/",
    ],
)
def test_every_way_to_write_a_private_address_is_refused(url: str):
    with pytest.raises(InvalidValue, match="not on the public internet"):
        check_public_url(url)
    with pytest.raises(AddressRefused, match="not on the public internet"):
        fetch(url, max_bytes=1000, deadline_seconds=5)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "//example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "javascript:alert(1)",
        "http://",
        "http:///path",
        "http://a b.com/",
        "http://example.com:99999/",
        "http://example.com/\r\nHost: other",
        "http://example.com/\0",
        "http://[::1/",
        "http://user@example.com/",
        "http://user:secret@example.com/",
        "http://example.com:22/",
        "http://example.com:25/",
        "http://example.com/" + "a" * 2000,
    ],
)
def test_what_is_no_address_of_a_website_is_refused_without_asking_dns(dns: Answers, url: str):
    asked = dns(["8.8.8.8"])
    with pytest.raises(InvalidValue):
        check_public_url(url)
    with pytest.raises(AddressRefused):
        fetch(url, max_bytes=1000, deadline_seconds=5)
    assert asked == []


def test_a_public_website_is_accepted(dns: Answers):
    asked = dns(["8.8.8.8", "2606:4700::1111"])
    check_public_url("HTTPS://Shop.Example:8443/a?b=c#d")
    assert asked == ["shop.example"]


def test_one_private_address_among_public_ones_refuses_the_name(dns: Answers):
    dns(["8.8.8.8", "10.0.0.1"])
    with pytest.raises(InvalidValue, match="not on the public internet"):
        check_public_url("http://mixed.example/")
    with pytest.raises(AddressRefused):
        fetch("http://mixed.example/", max_bytes=1000, deadline_seconds=5)


def test_a_name_that_does_not_resolve_now_is_accepted(monkeypatch: pytest.MonkeyPatch):
    def not_found(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    monkeypatch.setattr(socket, "getaddrinfo", not_found)
    check_public_url("https://not-yet.example/")


def test_a_resolver_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait(60) and [])
    monkeypatch.setattr("config.http.addresses.DNS_SECONDS", 0.05)
    check_public_url("https://hanging.example/")
    released.set()


def test_a_stand_in_is_allowed_by_its_own_host_and_port_alone(settings):
    settings.FETCH_ALLOWED_HOSTS = ["127.0.0.1:8081", "[::1]:8081"]
    check_public_url("http://127.0.0.1:8081/")
    check_public_url("http://[::1]:8081/")
    for other in ("http://127.0.0.1:8082/", "http://127.0.0.1/", "http://localhost:8081/"):
        with pytest.raises(InvalidValue):
            check_public_url(other)
