"""The addresses that a tenant may make us connect to: public ones, and stand-ins named in settings.

Names are judged by what they resolve to, never by how they are written: "0x7f.1" is 127.0.0.1.
"""

from __future__ import annotations

import queue
import socket
import threading
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import SplitResult

from django.conf import settings
from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from config.errors import InvalidValue
from config.http.errors import AddressRefused, TimedOut, Unreachable
from reasons import Reason

URL_MAX_CHARS = 2000
DEFAULT_PORTS = {"http": 80, "https": 443}
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})
OPEN_PORTS_FROM = 1024  # below, only the two of the web: no mail, no remote shells
DNS_SECONDS = 3.0  # a name that takes longer is not found
LOOKUPS_MAX = 64  # waiting at once in one process: a lookup cannot be interrupted

# Global by the registries' flags, and still not for us.
REFUSED_IPV4 = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments
        "192.88.99.0/24",  # 6to4 relays
        "168.63.129.16/32",  # a cloud's metadata service
    )
)
# Global unicast is this alone: IPv4-mapped and -compatible addresses, NAT64, site-local, multicast
# and loopback are outside it (RFC 4291, 6052, 8215).
PUBLIC_IPV6 = ip_network("2000::/3")
REFUSED_IPV6 = tuple(
    ip_network(network)
    for network in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: any IPv4 address may be inside
        "3fff::/20",  # documentation
    )
)

NOT_A_URL = Reason("not_a_web_address")
NOT_PUBLIC = Reason("address_not_public")

# As getaddrinfo gives it: the family, and what `connect` takes, the address first.
SocketAddress = tuple[socket.AddressFamily, tuple[Any, ...]]

_lookups = threading.BoundedSemaphore(LOOKUPS_MAX)


def check_public_url(url: str) -> None:
    """Checks an address that a tenant gives us to keep. It is judged again at each connection.

    A name that does not resolve now is accepted: it may later. Takes up to DNS_SECONDS. Raises
    InvalidValue.
    """
    try:
        parsed = parse_fetchable(url)
        checked_addresses(host_of(parsed), port_of(parsed), seconds=DNS_SECONDS)
    except AddressRefused as error:
        raise InvalidValue(error.reason) from error
    except Unreachable:
        return


def parse_fetchable(url: str) -> Url:
    """The parts of a URL that we may fetch as far as its form tells. Raises AddressRefused."""
    if len(url) > URL_MAX_CHARS:
        raise AddressRefused(Reason("address_too_long", limit=URL_MAX_CHARS))
    try:
        parsed = parse_url(url)
    except LocationParseError as error:
        raise AddressRefused(NOT_A_URL) from error
    if parsed.scheme not in DEFAULT_PORTS or not parsed.host or not url.isprintable():
        raise AddressRefused(NOT_A_URL)
    if parsed.auth is not None:
        raise AddressRefused(Reason("address_with_password"))
    return parsed


def host_of(parsed: Url) -> str:
    """The host in lower case; an IPv6 address without its brackets, as a resolver wants it."""
    return (parsed.host or "").strip("[]")


def port_of(parsed: Url) -> int:
    return DEFAULT_PORTS[parsed.scheme or ""] if parsed.port is None else parsed.port


def checked_addresses(host: str, port: int, *, seconds: float) -> list[SocketAddress]:
    """The addresses where `host` may be connected to, each of them checked.

    A single one that is not public refuses them all: a name that mixes them is rebinding. Raises
    AddressRefused, Unreachable.
    """
    if is_stand_in(host, port):
        return resolve(host, port, seconds=seconds)
    if port not in DEFAULT_PORTS.values() and port < OPEN_PORTS_FROM:
        raise AddressRefused(Reason("port_not_read", port=str(port)))
    addresses = resolve(host, port, seconds=seconds)
    if not all(is_public(str(address[0])) for _, address in addresses):
        raise AddressRefused(NOT_PUBLIC)
    return addresses


def is_loopback(parts: SplitResult) -> bool:
    """Return True if a plain http address leads to the machine where it is opened."""
    return parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS


def is_of_an_app(parts: SplitResult) -> bool:
    """Return True if an app opens the address, rather than a browser."""
    return parts.scheme not in DEFAULT_PORTS


def is_stand_in(host: str, port: int) -> bool:
    written = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return written in settings.FETCH_ALLOWED_HOSTS


def is_public(written: str) -> bool:
    try:
        address = ip_address(written)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return is_public_ipv4(address)
    return is_public_ipv6(address)


def is_public_ipv4(address: IPv4Address) -> bool:
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in REFUSED_IPV4)
    )


def is_public_ipv6(address: IPv6Address) -> bool:
    return (
        address in PUBLIC_IPV6
        and address.scope_id is None
        and not any(address in network for network in REFUSED_IPV6)
    )


def resolve(host: str, port: int, *, seconds: float) -> list[SocketAddress]:
    """Resolves the name in a thread of its own: the system's resolver knows no time limit. Raises
    Unreachable."""
    answers: queue.SimpleQueue[list[SocketAddress] | Exception] = queue.SimpleQueue()
    if not _lookups.acquire(blocking=False):
        raise TimedOut(Reason("too_many_lookups"))

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.put([(entry[0], entry[4]) for entry in found])
        except (OSError, UnicodeError) as error:
            answers.put(error)
        finally:
            _lookups.release()

    threading.Thread(target=look_up, name="dns", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimedOut(Reason("host_not_found_in_time", host=host)) from None
    if isinstance(answer, Exception) or not answer:
        raise Unreachable(Reason("host_not_found", host=host))
    return answer
