"""Connections that go only to checked addresses, and that wait and read no more than is allowed.

The check stands where the connection is made, so whatever led there — a redirect, an odd way to
write a URL — is judged by the address that is really used. A name is resolved once a connection, so
a second, rebound answer never counts.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util.ssl_ import create_urllib3_context

from config.http.addresses import DNS_SECONDS, SocketAddress, checked_addresses
from config.http.errors import TimedOut, TooLarge, Unreachable
from reasons import Reason

CONNECT_SECONDS = 10.0  # to one address: the next one may answer
IDLE_CONNECTIONS = 4  # kept open a client

TOO_SLOW = Reason("website_slow")


@dataclass
class Allowance:
    """The time and bytes that one fetch may still use, over all its redirects. Checked at every
    read from a socket.

    `find_addresses`: where a name leads. Only for a server that the operator names, and no tenant,
    may it be another than the one that checks.
    """

    ends_at: float = 0.0  # time.monotonic()
    bytes_left: int = 0
    find_addresses: Callable[..., list[SocketAddress]] = checked_addresses

    def seconds_left(self) -> float:
        """The seconds that are left. Raises TimedOut when they are used up."""
        seconds = self.ends_at - time.monotonic()
        if seconds <= 0:
            raise TimedOut(TOO_SLOW)
        return seconds

    def spend(self, count: int) -> None:
        """Raises TooLarge past the last byte."""
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise TooLarge(Reason("website_sends_too_much"))


class BoundedSocket(socket.socket):
    """However slowly the bytes drip: a timeout of the system is for each of them, not for all."""

    allowance: Allowance

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        self.settimeout(self.allowance.seconds_left())
        try:
            count = super().recv_into(*args, **kwargs)
        except TimeoutError as error:
            raise TimedOut(TOO_SLOW) from error
        self.allowance.spend(count)
        return count


class BoundedSSLSocket(BoundedSocket, ssl.SSLSocket):
    """The same over TLS. The handshake has its own end: the timeout of the connection."""


class CheckedConnection(HTTPConnection):
    def __init__(self, *args: Any, allowance: Allowance, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.allowance = allowance

    def _new_conn(self) -> socket.socket:
        return connect_checked(self.host, self.port, self.allowance)


class CheckedTLSConnection(HTTPSConnection):
    """Server name and certificate are those of the name, as `host` stays what the URL says."""

    def __init__(self, *args: Any, allowance: Allowance, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.allowance = allowance

    def _new_conn(self) -> socket.socket:
        return connect_checked(self.host, self.port, self.allowance)

    def connect(self) -> None:
        super().connect()
        if not isinstance(self.sock, BoundedSSLSocket):
            raise TypeError("TLS without limits of time and bytes")
        self.sock.allowance = self.allowance


def connect_checked(host: str, port: int, allowance: Allowance) -> BoundedSocket:
    """Raises AddressRefused, Unreachable."""
    lookup_seconds = min(DNS_SECONDS, allowance.seconds_left())
    addresses = allowance.find_addresses(host.strip("[]"), port, seconds=lookup_seconds)
    cause: OSError | None = None
    for address in addresses:
        try:
            return connect(address, allowance)
        except OSError as error:
            cause = error
    if isinstance(cause, TimeoutError):
        raise TimedOut(Reason("host_silent", host=host)) from cause
    raise Unreachable(Reason("host_unreachable", host=host)) from cause


def connect(address: SocketAddress, allowance: Allowance) -> BoundedSocket:
    family, where = address
    connection = BoundedSocket(family, socket.SOCK_STREAM)
    try:
        connection.allowance = allowance
        connection.settimeout(min(CONNECT_SECONDS, allowance.seconds_left()))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.connect(where)
    except BaseException:
        # Only a connection that is returned is closed by the caller.
        connection.close()
        raise
    return connection


class CheckedPools(PoolManager):
    def __init__(self, allowance: Allowance, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.allowance = allowance

    def _new_pool(self, scheme: str, *args: Any, **kwargs: Any) -> HTTPConnectionPool:
        pool = super()._new_pool(scheme, *args, **kwargs)
        kind = CheckedTLSConnection if scheme == "https" else CheckedConnection
        pool.ConnectionCls = partial(kind, allowance=self.allowance)  # type: ignore[assignment]
        return pool


class CheckedAdapter(HTTPAdapter):
    """The transport of requests. Used without its Session: no cookies, no .netrc, no proxies, no
    redirects of its own.
    """

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        super().__init__(pool_connections=IDLE_CONNECTIONS, pool_maxsize=1)

    def init_poolmanager(
        self, connections: int, maxsize: int, block: bool = False, **pool_kwargs: Any
    ) -> None:
        context = create_urllib3_context()
        context.sslsocket_class = BoundedSSLSocket
        self.poolmanager = CheckedPools(
            self.allowance,
            num_pools=connections,
            maxsize=maxsize,
            block=block,
            ssl_context=context,
        )
