"""A client of the service who writes down every answer, and comes again where one may."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any

from bench.system.chaos.ledger import Ledger

ANSWER_SECONDS = 400  # past the deadline of an upload
TOKEN_SECONDS = 600  # an access token lives for 15 minutes
AGAIN_SECONDS = 2.0
NO_ANSWER = 0
BOUNDARY = "chaos-boundary"
# What a client may repeat: nobody answered, or the answer says that it passes.
PASSING = (NO_ANSWER, 409, 425, 429, 502, 503, 504)


@dataclass(frozen=True)
class Heard:
    """`status` 0: no answer, or half of one."""

    status: int
    text: str
    started: float
    ended: float

    @property
    def body(self) -> Any:
        return json.loads(self.text)


class Caller:
    """Of one copy; `stopping` ends every repetition."""

    def __init__(self, port: int, ledger: Ledger, stopping: threading.Event) -> None:
        self.port, self.ledger, self.stopping = port, ledger, stopping

    def call(
        self,
        what: str,
        method: str,
        path: str,
        body: object = None,
        *,
        content: bytes = b"",
        headers: dict[str, str] | None = None,
        fine: tuple[int, ...] = (200, 201, 202, 204),
    ) -> Heard:
        """`fine`: statuses that are as they should be; all others are noted with their answer."""
        data = content or (json.dumps(body).encode() if body is not None else b"")
        sent = {"Content-Type": "application/json", "Connection": "close", **(headers or {})}
        sent.setdefault("X-Forwarded-For", some_address())
        started, status, text, said = time.time(), NO_ANSWER, "", {}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            said = dict(response.getheaders())
            text = response.read().decode(errors="replace")
            status = response.status
        except (OSError, HTTPException) as error:
            text = f"{type(error).__name__}: {error}"
        finally:
            connection.close()
        heard = Heard(status, text, started, time.time())
        self.note(what, heard, said, is_fine=status in fine)
        return heard

    def note(self, what: str, heard: Heard, headers: dict[str, str], *, is_fine: bool) -> None:
        more: dict[str, Any] = {}
        if not is_fine:
            more = {
                "text": heard.text[:500],
                "retry_after": headers.get("Retry-After", ""),
                "request_id": headers.get("X-Request-ID", ""),
            }
        seconds = round(heard.ended - heard.started, 3)
        self.ledger.note("response", what=what, status=heard.status, seconds=seconds, **more)

    def insist(self, *arguments: Any, **options: Any) -> Heard | None:
        """`call`, until the answer is no passing one; None when the load has ended."""
        while True:
            heard = self.call(*arguments, **options)
            is_server = heard.status >= 500 or heard.status in PASSING
            if not is_server or heard.status in options.get("fine", ()):
                return heard
            if self.stopping.wait(AGAIN_SECONDS):
                return None


class Person(Caller):
    """Logged in, with tokens that are renewed."""

    def __init__(
        self,
        port: int,
        ledger: Ledger,
        stopping: threading.Event,
        *,
        tenant: str,
        email: str,
        password: str,
    ) -> None:
        super().__init__(port, ledger, stopping)
        self.tenant, self.email, self.password = tenant, email, password
        self.token, self.fetched_at = "", 0.0
        self.lock = threading.Lock()

    def log_in(self) -> dict[str, Any] | None:
        login = {"email": self.email, "password": self.password, "tenant_slug": self.tenant}
        heard = self.insist("login", "POST", "/auth/login", login)
        return heard.body if heard is not None and heard.status == 200 else None

    def authorization(self) -> dict[str, str]:
        with self.lock:
            if time.time() > self.fetched_at + TOKEN_SECONDS and (tokens := self.log_in()):
                self.token, self.fetched_at = tokens["access_token"], time.time()
        return {"Authorization": f"Bearer {self.token}"}

    def call(self, what: str, method: str, path: str, body: object = None, **options: Any) -> Heard:
        if not path.startswith(("/auth/", "/public/")):
            options["headers"] = {**self.authorization(), **(options.get("headers") or {})}
        return super().call(what, method, path, body, **options)


def multipart(filename: str, content: bytes) -> bytes:
    disposition = f'Content-Disposition: form-data; name="file"; filename="{filename}"'
    head = f"--{BOUNDARY}\r\n{disposition}\r\n\r\n".encode()
    return head + content + f"\r\n--{BOUNDARY}--\r\n".encode()


MULTIPART = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def some_address() -> str:
    """Of a client, as our proxy would tell it: limits for each address are not what is tried. All
    of one network: a sign-in from another one is mailed."""
    return f"198.51.100.{random.randrange(1, 255)}"  # noqa: S311 - no secret
