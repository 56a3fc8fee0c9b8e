"""Calls of servers that the operator names, and no tenant: kept connections, bounded in time and
bytes. No proxies, cookies, redirects or .netrc. REQUESTS_CA_BUNDLE names the certificates of an
authority of one's own.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import requests
import urllib3
from requests.exceptions import RequestException, Timeout

from config.database.pool import release_connection
from config.http.addresses import resolve
from config.http.client import PRODUCT
from config.http.connections import Allowance, CheckedAdapter
from config.http.errors import FetchError, TimedOut, TooLarge, Unreachable, UnreadableAnswer
from reasons import Reason

IDLE_LINES = 32  # kept by a process
# An unused connection is closed after this: what stands between us and a server may forget it
# without telling, and the next call would then wait for nothing.
IDLE_SECONDS = 60.0
HEADERS_MAX_BYTES = 64 * 1024  # of one answer, its status line and the frames of its body included


@dataclass
class Line:
    """Kept connections of one exchange at a time: what it may use is its own."""

    allowance: Allowance = field(default_factory=lambda: Allowance(find_addresses=resolve))
    adapter: CheckedAdapter = field(init=False)
    idle_since: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.adapter = CheckedAdapter(self.allowance)

    def send(
        self, request: requests.Request, *, ends_at: float, max_bytes: int
    ) -> requests.Response:
        """The answer with its body unread. The caller reads and closes it.

        Raises FetchError, and what requests and urllib3 raise: their messages hold the URL.
        """
        self.allowance.ends_at = ends_at
        self.allowance.bytes_left = max_bytes
        return self.adapter.send(
            request.prepare(),
            stream=True,
            timeout=self.allowance.seconds_left(),
            verify=os.environ.get("REQUESTS_CA_BUNDLE") or True,
        )


@dataclass(frozen=True)
class ServerAnswer:
    """An answer of any status. `headers`: names of any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


_idle: deque[Line] = deque(maxlen=IDLE_LINES)


@contextmanager
def idle_line() -> Iterator[Line]:
    """A Line that nobody else uses meanwhile."""
    try:
        own = _idle.pop()
    except IndexError:
        own = Line()
    if time.monotonic() - own.idle_since > IDLE_SECONDS:
        own.adapter.close()
    try:
        yield own
    finally:
        own.idle_since = time.monotonic()
        _idle.append(own)


def call_server(
    method: str,
    url: str,
    *,
    json: object = None,
    headers: Mapping[str, str] | None = None,
    deadline_seconds: float,
    max_bytes: int,
) -> ServerAnswer:
    """Makes one exchange. Gives the database connection back. A redirect is an answer like any
    other.

    Raises FetchError: what is known of it, its chain included, holds nothing of the URL but the
    name of its host. A path may hold a secret.

    Args:
        deadline_seconds: for everything: name, connection, answer.
        max_bytes: of the answer's body.
    """
    release_connection()
    ends_at = time.monotonic() + deadline_seconds
    own = {
        "User-Agent": PRODUCT,
        "Accept": "application/json",
        "Accept-Encoding": "identity",
    }
    request = requests.Request(method, url, headers={**own, **(headers or {})}, json=json)
    failure: FetchError
    try:
        return exchange(request, ends_at=ends_at, max_bytes=max_bytes)
    except FetchError as error:
        failure = type(error)(error.reason)
    except (RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
        failure = explain(error)
    raise failure  # not in the handlers: their exceptions hold the URL, and would be its context


def exchange(request: requests.Request, *, ends_at: float, max_bytes: int) -> ServerAnswer:
    with (
        idle_line() as own,
        closing(own.send(request, ends_at=ends_at, max_bytes=HEADERS_MAX_BYTES)) as answer,
    ):
        # Whatever the body's frames add: they are bounded as the headers are.
        own.allowance.bytes_left = HEADERS_MAX_BYTES + max_bytes
        body = answer.raw.read(max_bytes + 1)
        if len(body) > max_bytes:
            raise TooLarge(Reason("server_answer_too_large"))
        return ServerAnswer(answer.status_code, answer.headers, body)


def explain(error: Exception) -> FetchError:
    """The FetchError that stands for `error`, in words that hold nothing of the request."""
    if isinstance(error, (Timeout, urllib3.exceptions.TimeoutError)):
        return TimedOut(Reason("server_slow"))
    if isinstance(error, ValueError):  # InvalidURL, InvalidHeader and their like
        return UnreadableAnswer(Reason("server_request_impossible"))
    return Unreachable(Reason("server_connection_broken"))
