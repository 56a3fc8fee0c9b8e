"""gunicorn's threaded worker, whose threads never wait for a client.

One loop takes in what clients send and gives out what they have not taken; a thread answers only
a request that is here. gunicorn's own worker gives a connection to a thread, which then waits: as
many half-sent bodies as threads, and nobody else is answered.
"""

import errno
import resource
import selectors
import socket
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, cast

from gunicorn.workers.gthread import TConn, ThreadWorker

from config.serving.arrival import BODY_MAX_BYTES, Address, Arrival, BodyNeeded
from config.serving.departure import Departure

HEAD_SECONDS = 15  # from a connection, or the first byte of another request, to the end of the head
BODY_SECONDS = 60  # of a body, and of its silence; one that goes to the disk has longer:
BODY_BYTES_PER_SECOND = 128 * 1024
READER_SECONDS = 60  # in which it takes less than the kernel has for it
# After an answer: what a client still sends is thrown away, so that it reads the answer.
GOODBYE_SECONDS = 2  # of its silence
GOODBYE_MAX_SECONDS = 60
DISCARD_MAX_BYTES = 200 * 1024 * 1024
RECEIVE_BYTES = 64 * 1024
SWEEP_SECONDS = 0.5
PARKED_MAX = 3000  # connections that wait without a thread; the next one takes another's place
FILES_PER_CONNECTION = 3  # its socket, the body that comes, the answer that waits
SPOOL_MAX_BYTES = 2 * 1024 * 1024 * 1024  # of bodies that a process waits for on the disk

TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
TOO_LARGE = b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
CROWDED = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\n"
    b"Content-Length: 0\r\n\r\n"
)
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection(TConn):
    """A client's connection. While it is parked, no thread has it, and it ends at `timeout`
    (monotonic seconds)."""

    sock: Departure
    arrival: Arrival
    step: "Step"  # what is done when the poller reports it
    ends_at = 0.0  # of a body, or of the goodbye: `timeout` is no later
    discarded_bytes = 0
    reserved_bytes = 0  # of the disk, for its body
    is_open = True
    is_watched = False  # by the poller
    is_answering = False  # a thread has it
    goes_on = False  # after its answer

    @property
    def host(self) -> str:
        return str(self.client[0]) if isinstance(self.client, tuple) else str(self.client)


Step = Callable[[Connection], None]


class PatientWorker(ThreadWorker):
    def init_process(self) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = (PARKED_MAX + self.cfg.worker_connections) * FILES_PER_CONNECTION
        files = max(soft, wanted if hard == resource.RLIM_INFINITY else min(wanted, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
        self.parked_max = min(PARKED_MAX, files // FILES_PER_CONNECTION // 2)
        # Of each host, the longest first.
        self.parked: defaultdict[str, dict[Connection, None]] = defaultdict(dict)
        self.parked_count = 0
        self.reserved_bytes = 0
        self.swept_at = 0.0
        super().init_process()

    # --- Waiting ----------------------------------------------------------------------------------

    def watch(self, conn: Connection, events: int, step: Step) -> None:
        change = self.poller.modify if conn.is_watched else self.poller.register
        # What the poller has reported may be gone when its turn comes: somebody took its place.
        change(conn.sock, events, lambda _: step(conn) if conn.is_open else None)
        conn.is_watched = True

    def unwatch(self, conn: Connection) -> None:
        if conn.is_watched:
            self.poller.unregister(conn.sock)
            conn.is_watched = False

    def park(self, conn: Connection, events: int, step: Step, seconds: float) -> None:
        if self.parked_count >= self.parked_max:
            self.make_room()
        conn.timeout = time.monotonic() + seconds
        conn.step = step
        self.parked[conn.host][conn] = None
        self.parked_count += 1
        self.watch(conn, events, step)

    def unpark(self, conn: Connection) -> None:
        self.unwatch(conn)
        if conn in self.parked[conn.host]:
            del self.parked[conn.host][conn]
            self.parked_count -= 1
        if not self.parked[conn.host]:
            del self.parked[conn.host]

    def make_room(self) -> None:
        """Of the host with the most of them, the one that has waited longest goes."""
        largest = max(self.parked, key=lambda host: len(self.parked[host]))
        self.drop(next(iter(self.parked[largest])))

    def list_parked(self) -> list[Connection]:
        return [conn for of_host in self.parked.values() for conn in of_host]

    def drop(self, conn: Connection) -> None:
        if not conn.is_open:
            return
        conn.is_open = False
        self.unpark(conn)
        self.let_go_of_body(conn)
        self.nr_conns -= 1
        conn.close()

    def let_go_of_body(self, conn: Connection) -> None:
        self.reserved_bytes -= conn.reserved_bytes
        conn.reserved_bytes = 0
        conn.arrival.close()

    def murder_keepalived(self, force: bool = False) -> None:
        """Called by gunicorn's loop after every round."""
        now = time.monotonic()
        if not force and now < self.swept_at + SWEEP_SECONDS:
            return
        self.swept_at = now
        for conn in self.list_parked():
            if conn.is_open and (force or conn.timeout <= now):
                is_late = conn.step == self.receive and conn.arrival.has_begun
                self.refuse(conn, TOO_SLOW) if is_late and not force else self.drop(conn)

    def murder_pending(self) -> None:
        """Its connections are parked."""

    def _cap_keepalive(self, deadline: float) -> None:
        """Called when we stop. Bodies that are coming have as long as requests."""
        for conn in self.list_parked():
            if not conn.arrival.has_head:
                conn.timeout = min(conn.timeout, deadline)

    # --- A request comes in -----------------------------------------------------------------------

    def accept(self, listener: socket.socket) -> None:
        try:
            plain, address = listener.accept()
        except OSError as error:  # another process has it, or it is gone again
            if error.errno in (errno.EMFILE, errno.ENFILE) and self.parked_count:
                self.make_room()
            return
        conn = Connection(self.cfg, plain, address, listener.getsockname())
        conn.sock = Departure(plain, partial(self.method_queue.defer, self.send_rest, conn))
        conn.data_ready = True
        self.nr_conns += 1
        self.expect(conn, HEAD_SECONDS)

    def expect(self, conn: Connection, seconds: float) -> None:
        """The next request, which may have begun behind the one before."""
        begun = conn.arrival.rest if conn.parser else b""
        conn.arrival = conn.parser = Arrival(self.cfg, cast(Address, conn.client))
        self.park(conn, selectors.EVENT_READ, self.receive, seconds)
        if begun:
            self.take(conn, begun)

    def receive(self, conn: Connection) -> None:
        try:
            data = conn.sock.recv(RECEIVE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.take(conn, data)
        else:
            self.drop(conn)

    def take(self, conn: Connection, data: bytes) -> None:
        arrival, had_head = conn.arrival, conn.arrival.has_head
        if not arrival.has_begun:
            conn.timeout = time.monotonic() + HEAD_SECONDS
        try:
            arrival.take(data)
        except OSError:
            self.log.exception("The body of a request cannot be kept")
            self.refuse(conn, CROWDED)
            return
        if arrival.is_complete:
            self.answer(conn)
        elif had_head:
            conn.timeout = min(conn.ends_at, time.monotonic() + BODY_SECONDS)
        elif arrival.has_head and arrival.is_spooled:
            self.answer(conn)  # it may be refused without its body
        elif arrival.has_head:
            self.await_body(conn)

    def await_body(self, conn: Connection) -> None:
        arrival = conn.arrival
        if arrival.length > BODY_MAX_BYTES:
            self.refuse(conn, TOO_LARGE)
            return
        seconds = float(BODY_SECONDS)
        if arrival.is_spooled:
            seconds += arrival.missing / BODY_BYTES_PER_SECOND
            if self.reserved_bytes + arrival.length > SPOOL_MAX_BYTES:
                self.refuse(conn, CROWDED)
                return
            conn.reserved_bytes = arrival.length
            self.reserved_bytes += arrival.length
        if arrival.expects_continue:
            conn.sock.sendall(GO_ON)
        conn.ends_at = time.monotonic() + seconds
        self.unpark(conn)
        self.park(conn, selectors.EVENT_READ, self.receive, BODY_SECONDS)

    def answer(self, conn: Connection) -> None:
        """By a thread."""
        self.unpark(conn)
        conn.arrival.prepare_answer()
        conn.is_answering = True
        self.enqueue_req(conn)

    # --- The answer goes out ----------------------------------------------------------------------

    def finish_request(self, conn: Connection, answered: "Future[Any]") -> None:
        """Called by the loop when a thread is done."""
        conn.is_answering = False
        try:
            conn.goes_on = answered.result() is True
        except BodyNeeded:
            self.await_body(conn)
            return
        except BaseException:  # noqa: BLE001 - a thread's, which has told the client what it could
            conn.goes_on = False
        self.end_answer(conn)

    def send_rest(self, conn: Connection) -> None:
        """Of an answer that a thread still writes. Called by the loop when something waits."""
        if not conn.is_answering or conn.sock.fileno() < 0:
            return
        try:
            is_sent = conn.sock.flush()
        except OSError:
            is_sent = True  # the thread gets to know it when it writes on
        if is_sent:
            self.unwatch(conn)
        else:
            self.watch(conn, selectors.EVENT_WRITE, self.send_rest)

    def end_answer(self, conn: Connection) -> None:
        if conn.sock.fileno() < 0:  # gunicorn closed it in the middle, and the poller forgot it
            conn.is_watched = False
            self.drop(conn)
            return
        try:
            is_sent = conn.sock.flush()
        except OSError:
            self.drop(conn)
            return
        self.unpark(conn)
        if not is_sent:
            self.park(conn, selectors.EVENT_WRITE, self.end_answer, READER_SECONDS)
        elif conn.goes_on:
            self.let_go_of_body(conn)
            self.expect(conn, self.cfg.keepalive)
        else:
            self.say_goodbye(conn)

    def refuse(self, conn: Connection, answer: bytes) -> None:
        self.unpark(conn)
        with suppress(OSError):
            conn.sock.sendall(answer)
        self.say_goodbye(conn)

    def say_goodbye(self, conn: Connection) -> None:
        """One that is closed with unread bytes loses its answer (RFC 9112, 9.6)."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.drop(conn)
            return
        self.let_go_of_body(conn)
        conn.ends_at = time.monotonic() + GOODBYE_MAX_SECONDS
        self.park(conn, selectors.EVENT_READ, self.discard, GOODBYE_SECONDS)
        if conn.arrival.length > DISCARD_MAX_BYTES:
            self.unwatch(conn)

    def discard(self, conn: Connection) -> None:
        try:
            received = len(conn.sock.recv(RECEIVE_BYTES))
        except BlockingIOError:
            return
        except OSError:
            received = 0
        conn.discarded_bytes += received
        if not received or conn.discarded_bytes > DISCARD_MAX_BYTES:
            self.drop(conn)
        else:
            conn.timeout = min(conn.ends_at, time.monotonic() + GOODBYE_SECONDS)
