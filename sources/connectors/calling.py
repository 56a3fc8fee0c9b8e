"""Calls of an account at a provider, with good manners: few at a time, slower when asked to, again
when it may help, and never past the limits of time and bytes.

What every connector of an account calls through: the client of config/http/ is below it.
"""

from __future__ import annotations

import hashlib
import logging
import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol, Self
from urllib.parse import urlencode

from redis import RedisError

from config.http import FetchedPage, FetchError, HttpClient, TooLarge
from config.jobs.redis_client import client as redis
from reasons import Reason, ReasonedError
from sources.connectors.json_bodies import parse_json
from sources.errors import AskedToWait, OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection

logger = logging.getLogger(__name__)

ATTEMPTS = 4  # of one call
BACK_OFF_SECONDS = 0.5  # before the second; twice as long before each further one
# Before a call is made again that a quota refused without saying until when: quotas are by the
# minute at most providers. Likewise twice as long before each further one.
QUOTA_BACK_OFFS = 16
# Who is asked to wait longer gives its worker to others, and begins its listing again: Notion asks
# for up to a minute (developers.notion.com/reference/request-limits, read 2026-11-22).
SLEEP_MAX_SECONDS = 60.0
# A server can ask for any wait in Retry-After; a run must not be put off for days.
WAIT_MAX_SECONDS = 3600.0
# The whole call, not the silence in it: a server that sends a byte a second would hold a worker.
CALL_SECONDS = 30.0
DOWNLOAD_SECONDS = 300.0
MEGABYTE = 1024 * 1024
JSON_MAX_BYTES = 10 * MEGABYTE
# Both ask for patience, and may say how long. The others say that something broke.
BUSY = frozenset({429, 503})
BROKEN = frozenset({500, 502, 504})


# Until when somebody waits for what this thread calls, as time.monotonic() says it.
_waited_until: ContextVar[float] = ContextVar("waited_until", default=math.inf)


@contextmanager
def waited_for(seconds: float) -> Iterator[None]:
    """Limits all calls of this thread together to these seconds, because somebody waits. Without
    it, each call has its own time alone."""
    before = _waited_until.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _waited_until.reset(before)


def seconds_waited_for() -> float:
    return max(0.0, _waited_until.get() - time.monotonic())


class Authorization(Protocol):
    """The headers that open an account. Used from many threads."""

    def headers(self) -> Mapping[str, str]:
        """May renew it before it expires. Raises ReauthRequired, OriginUnavailable."""
        ...

    def renew(self, refused: Mapping[str, str]) -> bool:
        """Called after a 401 to these headers: True if there are others to try now. Raises as
        `headers`."""
        ...


@dataclass(frozen=True)
class FixedHeaders:
    """An Authorization that nobody can renew: a key, or a name and a password."""

    values: Mapping[str, str]

    def headers(self) -> Mapping[str, str]:
        return self.values

    def renew(self, refused: Mapping[str, str]) -> bool:
        return False


class CallRefused(ReasonedError):
    """The provider refuses, in a way that a connector may understand: status 300 to 499.
    `read_documents` explains those that it meets itself."""

    def __init__(self, label: str, answer: FetchedPage) -> None:
        self.answer = answer
        self.status = answer.status
        super().__init__(Reason("origin_refused_request", label=label, status=str(answer.status)))

    def content(self) -> Any:
        """The answer's JSON; None if it is not valid JSON."""
        try:
            return parse_json(self.answer.body)
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True)
class Downloaded:
    """A body that was streamed to a file. `sha256`: hexadecimal."""

    path: Path
    sha256: str
    size_bytes: int
    headers: Mapping[str, str]


class Pause:
    """The time until which nobody calls an account that asked us to wait: told to all processes
    through Redis. Without a connection (before there is one) only this object knows it."""

    def __init__(self, connection: Connection | None) -> None:
        self._key = (
            f"tenant:{connection.tenant_id}:connection:{connection.pk}:pause" if connection else ""
        )

    def seconds_left(self) -> float:
        if not self._key:
            return 0.0
        with suppress(RedisError):  # then the provider says again what it wants
            return max(0, redis().pttl(self._key)) / 1000
        return 0.0

    def begin(self, seconds: float) -> None:
        if self._key and seconds > 0:
            # All workers share the pause. Without Redis each learns by itself that it has to wait.
            with suppress(RedisError):
                redis().set(self._key, 1, px=math.ceil(seconds * 1000))


class Api:
    """An account at one provider. For several threads: each has lines of its own. Close it, or use
    it with `with`.

    Args:
        label: of the provider, for messages.
        connection: whose manners are shared by all that read it; None before there is one.
        is_busy: whether a refusal means "too many requests" although its status is another.
    """

    def __init__(
        self,
        label: str,
        authorization: Authorization,
        *,
        connection: Connection | None = None,
        is_busy: Callable[[FetchedPage], bool] = lambda answer: False,
    ) -> None:
        self.label = label
        self._authorization = authorization
        self._pause = Pause(connection)
        self._is_busy = is_busy
        self._own = threading.local()
        self._clients: list[HttpClient] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            for each in self._clients:
                each.close()

    def get(
        self,
        url: str,
        query: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """The JSON that it answers. Raises as `call`."""
        return self.read_json(self.call("GET", with_query(url, query), headers=headers))

    def post(self, url: str, content: object, *, headers: Mapping[str, str] | None = None) -> Any:
        """The JSON that it answers to this JSON. Raises as `call`."""
        return self.read_json(self.call("POST", url, headers=headers, json=content))

    def read_json(self, answer: FetchedPage) -> Any:
        """The answer's JSON. Raises OriginUnavailable for anything else: a proxy's page, half an
        answer."""
        try:
            return parse_json(answer.body)
        except (ValueError, RecursionError) as error:
            raise OriginUnavailable(Reason("origin_answer_unreadable", label=self.label)) from error

    def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = JSON_MAX_BYTES,
        **body: Any,
    ) -> FetchedPage:
        """An answer below 300, or 304. `body`: `json` or `form`.

        Raises CallRefused, ReauthRequired, OriginUnavailable (AskedToWait among them), SyncFailed
        (an address that we may not call) and config.http.TooLarge.
        """

        def send(own: Mapping[str, str]) -> FetchedPage:
            return self._client().send(
                method,
                url,
                headers={"Accept": "application/json", **own, **(headers or {})},
                max_bytes=max_bytes,
                deadline_seconds=min(CALL_SECONDS, seconds_waited_for()),
                **body,
            )

        return self._insist(send)

    def download(
        self,
        url: str,
        path: Path,
        *,
        max_bytes: int,
        headers: Mapping[str, str] | None = None,
        may_resume: bool = True,
    ) -> Downloaded:
        """Streams a body to `path`. What broke off goes on where it did, if the server can
        (RFC 9110, 14): else from its beginning. A redirect to another host is followed without our
        credentials.

        Raises as `call`.
        """
        with path.open("wb") as file:
            part = Part(file)

            def send(own: Mapping[str, str]) -> FetchedPage:
                return self._client().fetch(
                    url,
                    headers={
                        "Accept": "*/*",
                        "Accept-Encoding": "identity",
                        **own,
                        **(headers or {}),
                        **(part.rest() if may_resume else {}),
                    },
                    max_bytes=max_bytes,
                    deadline_seconds=min(DOWNLOAD_SECONDS, seconds_waited_for()),
                    into=part.take,
                )

            answer = self._insist(send)
            if file.tell() > max_bytes:
                raise TooLarge(Reason("file_over_limit", limit=f"{max_bytes / MEGABYTE:.3g}"))
        return Downloaded(path, sha256_of(path), path.stat().st_size, answer.headers)

    # --- Insisting --------------------------------------------------------------------------------

    def _insist(self, send: Callable[[Mapping[str, str]], FetchedPage]) -> FetchedPage:
        is_renewed = False
        for attempt in range(1, ATTEMPTS + 1):
            self._wait(self._pause.seconds_left())
            own = self._authorization.headers()
            try:
                answer = send(own)
            except TooLarge:
                raise
            except FetchError as error:
                if not error.retryable:
                    raise SyncFailed(
                        Reason("origin_unreadable", label=self.label, reason=error.reason)
                    ) from error
                self._back_off(attempt, error.reason, cause=error)
                continue
            if answer.status == 401 and not is_renewed and self._authorization.renew(own):
                is_renewed = True
            elif answer.status == 401:
                raise ReauthRequired(Reason("account_refused", label=self.label))
            elif answer.status in BUSY or (answer.status >= 400 and self._is_busy(answer)):
                self._step_back(attempt, answer)
            elif answer.status in BROKEN:
                self._back_off(attempt, Reason("it_answers_status", status=str(answer.status)))
            elif answer.status < 300 or answer.status == 304:
                return answer
            else:
                raise CallRefused(self.label, answer)
        raise OriginUnavailable(Reason("origin_answers_oddly", label=self.label))

    def _step_back(self, attempt: int, answer: FetchedPage) -> None:
        """Waits as long as the account asks for, and makes all others that call it wait too."""
        asked = seconds_asked(answer.headers.get("Retry-After", ""))
        own = QUOTA_BACK_OFFS * back_off_seconds(attempt)
        seconds = min(own if asked is None else asked, WAIT_MAX_SECONDS)
        self._pause.begin(seconds)
        if attempt == ATTEMPTS:
            raise self._busy(seconds)
        self._wait(seconds)

    def _back_off(self, attempt: int, reason: Reason, *, cause: Exception | None = None) -> None:
        seconds = back_off_seconds(attempt)
        if attempt == ATTEMPTS or seconds > seconds_waited_for():
            raise OriginUnavailable(
                Reason("origin_not_answering", label=self.label, reason=reason)
            ) from cause
        time.sleep(seconds)

    def _wait(self, seconds: float) -> None:
        if seconds > min(SLEEP_MAX_SECONDS, seconds_waited_for()):
            raise self._busy(seconds)
        time.sleep(seconds)

    def _busy(self, seconds: float) -> AskedToWait:
        return AskedToWait(
            Reason("origin_busy", label=self.label, count=max(1, round(seconds / 60))),
            wait_seconds=seconds,
        )

    def _client(self) -> HttpClient:
        own: HttpClient | None = getattr(self._own, "client", None)
        if own is None:
            own = self._own.client = HttpClient()
            with self._lock:
                self._clients.append(own)
        return own


class Part:
    """The part of a body received so far. `take` decides whether an answer continues it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._etag = ""

    def rest(self) -> dict[str, str]:
        """Headers that ask for what is missing: of the same version, where the server names it."""
        if not self._file.tell():
            return {}
        condition = {"If-Range": self._etag} if self._etag else {}
        return {"Range": f"bytes={self._file.tell()}-", **condition}

    def take(self, head: FetchedPage) -> BinaryIO:
        begin = f"bytes {self._file.tell()}-"
        if head.status != 206 or not head.headers.get("Content-Range", "").startswith(begin):
            self._file.seek(0)
            self._file.truncate()
        etag = head.headers.get("ETag", "")
        self._etag = "" if etag.startswith("W/") else etag  # a weak one proves nothing here
        return self._file


def back_off_seconds(attempt: int) -> float:
    """The seconds to wait after this attempt, counted from 1. With jitter, so that callers who
    failed together do not come back together."""
    return BACK_OFF_SECONDS * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.5)  # noqa: S311


def with_query(url: str, query: Mapping[str, str] | None) -> str:
    if not query:
        return url
    return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"


def seconds_asked(retry_after: str) -> float | None:
    """The seconds that a Retry-After asks for, as a number or a date (RFC 9110, 10.2.3); None if it
    holds neither."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        at = parsedate_to_datetime(text)
        return max(0.0, at.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
