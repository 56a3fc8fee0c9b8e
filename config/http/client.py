"""The one HTTP client for every request that a tenant can steer (SSRF, bombs, endless answers).

Redirects are followed here, of GET alone, each target judged like the first address.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Self
from urllib.parse import urldefrag, urljoin

import requests
from django.conf import settings
from requests.exceptions import ContentDecodingError, RequestException, SSLError, Timeout

from config.http.addresses import host_of, parse_fetchable, port_of
from config.http.connections import TOO_SLOW, Allowance, CheckedAdapter
from config.http.errors import (
    AddressRefused,
    FetchError,
    TimedOut,
    TooLarge,
    TooManyRedirects,
    Unreachable,
    UnreadableAnswer,
)
from reasons import Reason

PRODUCT = "KnowledgeAgents"  # what a robots.txt names us
MEGABYTE = 1024 * 1024
HEADERS_MAX_BYTES = 64 * 1024  # of one answer, its status line included
# What may pass over the wire for a body of max_bytes: chunks have their own frames.
WIRE_FACTOR = 2
# The limit of a body is checked after each piece, so an answer may exceed it by no more than this.
READ_BYTES = 16 * 1024
REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Only these go into the caller's file. The body of any other status is a message about it.
WITH_CONTENT = frozenset({200, 206})
ENCODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})


@dataclass(frozen=True)
class FetchedPage:
    """An answer, whatever its status. `url`: where it came from, after redirects. `headers`: names
    of any case. `body`: without its transfer and content encoding. `redirect`: the absolute address
    that it leads to, when the caller did not want to follow.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    redirect: str = ""


class HttpClient:
    """Keeps connections open between fetches. For one thread; close it, or use it with `with`."""

    def __init__(self) -> None:
        self._allowance = Allowance()
        self._adapter = CheckedAdapter(self._allowance)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._adapter.close()

    def fetch(
        self,
        url: str,
        *,
        max_bytes: int,
        deadline_seconds: float,
        headers: Mapping[str, str] | None = None,
        max_redirects: int = 5,
        may_follow: Callable[[str], bool] | None = None,
        into: Callable[[FetchedPage], BinaryIO] | None = None,
    ) -> FetchedPage:
        """Raises FetchError.

        Args:
            max_bytes: of the decoded body.
            deadline_seconds: for everything: names, connections, redirects, body.
            headers: sent beside our own; not to another host that a redirect leads to.
            may_follow: asked before each redirect with its target; where it says no, the redirect
                itself is the answer.
            into: asked, with the answer's head, for the file that takes the body of a 200 or 206
                in the place of `FetchedPage.body`; what came before a failure is in it.
        """
        self._allowance.ends_at = time.monotonic() + deadline_seconds
        url, sent = urldefrag(url).url, dict(headers or {})
        for _ in range(max_redirects + 1):
            answer = self._send(url, sent)
            try:
                target = redirect_target(url, answer)
                if target is None or (may_follow and not may_follow(target)):
                    return self._take(url, answer, max_bytes, redirect=target or "", into=into)
            finally:
                answer.close()
            if not is_same_origin(url, target):
                sent = {}
            url = target
        raise TooManyRedirects(Reason("website_redirects_in_circle"))

    def send(
        self,
        method: str,
        url: str,
        *,
        max_bytes: int,
        deadline_seconds: float,
        headers: Mapping[str, str] | None = None,
        json: object = None,
        form: Mapping[str, str] | None = None,
    ) -> FetchedPage:
        """A request of any method, with a body or without. A redirect is the answer itself. Raises
        FetchError."""
        self._allowance.ends_at = time.monotonic() + deadline_seconds
        answer = self._send(url, dict(headers or {}), method=method, json=json, data=form)
        try:
            return self._take(url, answer, max_bytes)
        finally:
            answer.close()

    def _send(
        self, url: str, headers: Mapping[str, str], *, method: str = "GET", **body: Any
    ) -> requests.Response:
        parse_fetchable(url)
        self._allowance.bytes_left = HEADERS_MAX_BYTES
        own = {
            "User-Agent": f"{PRODUCT}/1.0 (+{settings.BASE_URL})",
            "Accept": "text/html,application/xhtml+xml,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        }
        try:
            request = requests.Request(method, url, headers={**own, **headers}, **body).prepare()
            seconds = self._allowance.seconds_left()
            return self._adapter.send(request, stream=True, timeout=seconds, verify=True)
        except (RequestException, UnicodeError) as error:  # the last: of a header's value
            raise explain(error) from error

    def _take(
        self,
        url: str,
        answer: requests.Response,
        max_bytes: int,
        *,
        redirect: str = "",
        into: Callable[[FetchedPage], BinaryIO] | None = None,
    ) -> FetchedPage:
        head = FetchedPage(url, answer.status_code, answer.headers, b"", redirect)
        parts = self._parts(answer, max_bytes)
        if into is None or head.status not in WITH_CONTENT:
            return replace(head, body=b"".join(parts))
        file = into(head)
        for part in parts:
            file.write(part)
        return head

    def _parts(self, answer: requests.Response, max_bytes: int) -> Iterator[bytes]:
        if answer.headers.get("Content-Encoding", "").strip().lower() not in ENCODINGS:
            raise UnreadableAnswer(Reason("website_encoding_unexpected"))
        self._allowance.bytes_left = HEADERS_MAX_BYTES + WIRE_FACTOR * max_bytes
        count = 0
        try:
            for part in answer.iter_content(READ_BYTES):
                count += len(part)
                if count > max_bytes:
                    raise TooLarge(Reason("answer_too_large", size=f"{max_bytes / MEGABYTE:.3g}"))
                yield part
        except RequestException as error:
            raise explain(error) from error


def fetch(
    url: str,
    *,
    max_bytes: int,
    deadline_seconds: float,
    headers: Mapping[str, str] | None = None,
    max_redirects: int = 5,
) -> FetchedPage:
    """Makes a single HttpClient.fetch, over a connection of its own."""
    with HttpClient() as client:
        return client.fetch(
            url,
            headers=headers,
            max_bytes=max_bytes,
            deadline_seconds=deadline_seconds,
            max_redirects=max_redirects,
        )


def redirect_target(url: str, answer: requests.Response) -> str | None:
    """The absolute address that the answer redirects to; None if it does not redirect. Raises
    AddressRefused."""
    location = answer.headers.get("Location", "")
    if answer.status_code not in REDIRECTS or not location:
        return None
    written = location.encode("latin-1").decode("utf-8", errors="replace")  # headers are bytes
    try:
        return urldefrag(urljoin(url, written)).url
    except ValueError as error:
        raise AddressRefused(Reason("website_redirects_nowhere")) from error


def is_same_origin(url: str, other: str) -> bool:
    first, second = parse_fetchable(url), parse_fetchable(other)
    return (first.scheme, host_of(first), port_of(first)) == (
        second.scheme,
        host_of(second),
        port_of(second),
    )


def explain(error: RequestException | UnicodeError) -> FetchError:
    if isinstance(error, SSLError):
        return Unreachable(Reason("website_tls_failed"))
    if isinstance(error, Timeout):
        return TimedOut(TOO_SLOW)
    if isinstance(error, ContentDecodingError):
        return UnreadableAnswer(Reason("website_answer_damaged"))
    if isinstance(error, ValueError):  # InvalidURL, InvalidHeader and their like
        return AddressRefused(Reason("address_not_fetchable"))
    return Unreachable(Reason("website_connection_broken"))
