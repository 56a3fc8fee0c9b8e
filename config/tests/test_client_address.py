"""From which address a request comes: only what proxies of ours have written is true."""

from typing import Any

import pytest
from django.test import RequestFactory

from config.security.client_address import client_address


def address_of(remote: str, *forwarded: str) -> str:
    headers = {"X-Forwarded-For": ", ".join(forwarded)} if forwarded else {}
    return client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=remote))


def test_without_proxies_it_is_who_speaks_to_us_whatever_the_header_says() -> None:
    assert address_of("203.0.113.7") == "203.0.113.7"
    assert address_of("203.0.113.7", "198.51.100.1") == "203.0.113.7"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (1, ["198.51.100.1"], "198.51.100.1"),
        (1, ["10.0.0.1", "198.51.100.1"], "198.51.100.1"),  # the client made the first one up
        (1, ["x", "'; DROP", " 198.51.100.1 "], "198.51.100.1"),
        (1, ["198.51.100.1:5678"], "198.51.100.1"),
        (1, ["[2001:db8:1:2::1]:5678"], "2001:db8:1:2::/64"),
        (2, ["198.51.100.1", "192.0.2.1"], "198.51.100.1"),
        (2, ["10.0.0.1", "198.51.100.1", "192.0.2.1"], "198.51.100.1"),
    ],
)
def test_behind_proxies_it_is_the_entry_that_the_outermost_of_ours_wrote(
    settings: Any, proxies: int, forwarded: list[str], address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies

    assert address_of("192.0.2.9", *forwarded) == address


@pytest.mark.parametrize(
    ("proxies", "forwarded"),
    [(1, []), (1, [""]), (1, ["unknown"]), (1, ["198.51.100.1", "x"]), (2, ["198.51.100.1"])],
)
def test_entries_that_are_missing_or_no_address_are_nobodys(
    settings: Any, proxies: int, forwarded: list[str]
) -> None:
    """Neither the proxy's own, nor what the client wrote."""
    settings.TRUSTED_PROXIES = proxies

    assert address_of("192.0.2.9", *forwarded) == "unknown"


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("", "unknown"),  # a Unix socket
    ],
)
def test_an_ipv6_address_is_its_network_of_64_bits(remote: str, address: str) -> None:
    assert address_of(remote) == address
