"""Sends requests one after the other, with pauses, so that we do not slow down the website."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import partial
from typing import BinaryIO

from config.http import FetchedPage, HttpClient, Unreachable
from connectors.web.problems import TRANSIENT_STATUSES, is_guarded

MIN_DELAY_SECONDS = 0.1  # between two requests
RETRY_SECONDS = 1.0  # before the second try, when the website names no time
RETRY_MAX_SECONDS = 30.0  # who asks for a longer pause is not waited for
FETCH_SECONDS = 20.0  # one page with its redirects
ATTEMPTS = 2  # at one page


class OutOfTime(Exception):
    """The time for the whole website is over."""


class Visitor:
    """Fetches for one crawl. `delay_seconds` may be raised to what the website asks for."""

    def __init__(self, client: HttpClient, *, seconds: float, attempts: int = ATTEMPTS) -> None:
        self._client = client
        self._attempts = attempts
        self._ends_at = time.monotonic() + seconds
        self._next_at = 0.0
        self.delay_seconds = MIN_DELAY_SECONDS

    def seconds_left(self) -> float:
        """Raises OutOfTime when there are none."""
        seconds = self._ends_at - time.monotonic()
        if seconds <= 0:
            raise OutOfTime
        return seconds

    def fetch(
        self,
        url: str,
        *,
        max_bytes: int,
        headers: Mapping[str, str] | None = None,
        may_follow: Callable[[str], bool] | None = None,
        seconds: float = FETCH_SECONDS,
        into: Callable[[FetchedPage], BinaryIO] | None = None,
    ) -> FetchedPage:
        """HttpClient.fetch, and again when the cause may pass. Raises FetchError, OutOfTime."""
        fetch = partial(
            self._client.fetch,
            url,
            max_bytes=max_bytes,
            headers=headers,
            may_follow=may_follow,
            into=into,
        )
        for attempt in range(1, self._attempts + 1):
            is_last = attempt == self._attempts
            try:
                page = self._fetch(fetch, seconds)
            except Unreachable:
                self.seconds_left()  # our own end is nobody's fault
                if is_last:
                    raise
                self._pause(RETRY_SECONDS)
                continue
            wait_seconds = retry_seconds(page)
            if is_last or wait_seconds is None:
                break
            self._pause(wait_seconds)
        return page

    def _fetch(self, fetch: Callable[..., FetchedPage], seconds: float) -> FetchedPage:
        self._pause(self._next_at - time.monotonic())
        try:
            return fetch(deadline_seconds=min(seconds, self.seconds_left()))
        finally:
            self._next_at = time.monotonic() + self.delay_seconds

    def _pause(self, seconds: float) -> None:
        if seconds > 0:
            pause(min(seconds, self.seconds_left()))


def pause(seconds: float) -> None:
    time.sleep(seconds)


def retry_seconds(page: FetchedPage) -> float | None:
    """The seconds to wait before the same request; None if repeating it makes no sense."""
    if page.status not in TRANSIENT_STATUSES or is_guarded(page):
        return None
    asked = page.headers.get("Retry-After", "").strip()
    seconds = RETRY_SECONDS if not asked else seconds_of(asked)
    return seconds if seconds <= RETRY_MAX_SECONDS else None


def seconds_of(retry_after: str) -> float:
    """The seconds for a number or a date (RFC 9110, 10.2.3); RETRY_SECONDS for any other text."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, OverflowError):
        return RETRY_SECONDS
