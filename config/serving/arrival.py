"""A request on its way in: bytes are taken as they come, nobody waits for them."""

from collections.abc import Iterator
from contextlib import suppress
from tempfile import SpooledTemporaryFile

from gunicorn.config import Config
from gunicorn.http.body import LengthReader
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader

HEAD_END = b"\r\n\r\n"
HEAD_MAX_BYTES = 64 * 1024
# A body of up to this is waited for in memory before anybody is asked whether it is wanted: what
# strangers may send is no longer (config.rest.body_limits).
SMALL_BODY_BYTES = 64 * 1024
# More than any address takes (sources.api.upload_limits): what is longer is never waited for.
BODY_MAX_BYTES = 52 * 1024 * 1024

Address = tuple[str, int] | str


class BodyNeeded(BaseException):
    """The application reads a body that has not come. Not an Exception: nothing on the way up turns
    it into an answer. The worker asks the application again when the body is here."""


class Body:
    """wsgi.input. Reading it (`read(0)` too) raises BodyNeeded while some of it is missing."""

    def __init__(self, arrival: "Arrival") -> None:
        self._arrival = arrival

    @property
    def has_come(self) -> bool:
        return not self._arrival.missing

    def belong_to(self, tenant_id: str) -> None:
        """Counts the body for the tenant that its sender has proved to belong to, not for
        strangers, while it is waited for."""
        self._arrival.tenant_id = tenant_id

    def read(self, size: int | None = -1) -> bytes:
        return self._arrival.content().read(-1 if size is None else size)

    def readline(self, size: int | None = -1) -> bytes:
        return self._arrival.content().readline(-1 if size is None else size)

    def readlines(self, hint: int = -1) -> list[bytes]:
        return self._arrival.content().readlines(hint)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._arrival.content())


class Arrival:
    """A request of a connection. Stands where gunicorn has its parser: `next` gives the request.

    A body without a length (a chunked one) stays unread, and its connection ends with the answer.
    The bytes behind the request are `rest`, the beginning of the next.
    """

    def __init__(self, config: Config, client: Address) -> None:
        self._config, self._client = config, client
        self._head = bytearray()
        self._body = SpooledTemporaryFile(max_size=SMALL_BODY_BYTES)  # noqa: SIM115 - `close` does
        self._failure: Exception | None = None
        self.request: Request | None = None
        self.length = self.missing = 0  # bytes of the body
        self.tenant_id = ""  # of its sender, when the application has said so
        self.expects_continue = False
        self._is_last = False  # of its connection
        self.rest = b""

    @property
    def has_begun(self) -> bool:
        return bool(self._head)

    @property
    def has_head(self) -> bool:
        """True if gunicorn can be handed the request, or what is wrong with it."""
        return self.request is not None or self._failure is not None

    @property
    def is_complete(self) -> bool:
        return self.has_head and not self.missing

    @property
    def arrived(self) -> int:
        """The bytes of the body that have arrived."""
        return self.length - self.missing

    @property
    def forwarded(self) -> str:
        """X-Forwarded-For."""
        headers = self.request.headers if self.request else []
        return ",".join(value for name, value in headers if name == "X-FORWARDED-FOR")

    @property
    def is_spooled(self) -> bool:
        """True if its body goes to the disk."""
        return self.length > SMALL_BODY_BYTES

    def take(self, data: bytes) -> None:
        """Raises OSError when the disk takes no more."""
        if not self.has_head:
            data = self._take_head(data)
        if data and self.missing:
            self._body.write(data[: self.missing])
            data, self.missing = data[self.missing :], self.missing - len(data[: self.missing])
            if not self.missing:
                self._body.seek(0)
        self.rest += data

    def _take_head(self, data: bytes) -> bytes:
        """Takes the bytes of the head and returns those behind it."""
        searched = max(0, len(self._head) - len(HEAD_END) + 1)
        self._head += data
        end = self._head.find(HEAD_END, searched)
        if max(end, 0) > HEAD_MAX_BYTES or (end < 0 and len(self._head) > HEAD_MAX_BYTES):
            self._failure = LimitRequestHeaders("the head of the request is too large")
            return b""
        if end < 0:
            return b""
        end += len(HEAD_END)
        self._parse(bytes(self._head[:end]))
        return bytes(self._head[end:])

    def _parse(self, head: bytes) -> None:
        source = IterUnreader([head])
        try:
            request = Request(self._config, source, self._client)
            if source.take_buffered():
                raise NoMoreData  # it ends elsewhere than we saw it end
        except Exception as failure:  # noqa: BLE001 - whatever it is, gunicorn's handler tells the client
            self._failure = failure
            return
        reader = request.body.reader
        if isinstance(reader, LengthReader):
            self.length = self.missing = reader.length
        else:
            request.force_close()
        self.expects_continue, request._expected_100_continue = (
            request._expected_100_continue,
            False,
        )
        self._is_last = request.must_close
        request.body = Body(self)
        self.request = request

    def content(self) -> "SpooledTemporaryFile[bytes]":
        """Raises BodyNeeded."""
        if self.missing:
            raise BodyNeeded
        return self._body

    def prepare_answer(self) -> None:
        """Makes the answer say that the connection ends with it, where some of the body is
        missing."""
        if self.request is not None:
            self.request.must_close = self._is_last or bool(self.missing)

    def __next__(self) -> Request:
        if self.request is None:
            raise self._failure or NoMoreData
        return self.request

    def finish_body(self, deadline: float | None = None) -> bool:
        """True if the connection can go on behind this request."""
        return not self.missing

    def close(self) -> None:
        with suppress(OSError):  # what it has buffered may not fit on the disk
            self._body.close()
