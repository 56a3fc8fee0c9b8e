"""gunicorn's threaded worker, whose threads never wait for a client.

One loop takes in what clients send and gives out what they have not taken; a thread answers only
a request that is here. gunicorn's own worker gives a connection to a thread, which then waits: as
many half-sent bodies as threads, and nobody else is answered.
"""

import errno
import os
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

from config.serving import shortage
from config.serving.arrival import BODY_MAX_BYTES, Address, Arrival, BodyNeeded
from config.serving.departure import Departure
from config.serving.holdings import Holdings
from config.serving.senders import address_of
from config.serving.waiting import waiting_threads

HEAD_SECONDS = 15  # from a connection, or the first byte of another request, to the end of the head
BODY_SECONDS = 60  # of a body, and of its silence; one that goes to the disk has longer:
# A slow line uploads at this rate. One that is slower could hold a place for hours.
BODY_BYTES_PER_SECOND = 128 * 1024
READER_SECONDS = 60  # in which it takes less than the kernel has for it
# After an answer: what a client still sends is thrown away, so that it reads the answer.
GOODBYE_SECONDS = 2  # of its silence
# Both bounds are needed: a client may send slowly for ever, or fast and without end.
GOODBYE_MAX_SECONDS = 60
DISCARD_MAX_BYTES = 200 * 1024 * 1024
RECEIVE_BYTES = 64 * 1024
# Every sweep looks at all waiting connections. Timeouts are of seconds, so half a second is exact.
SWEEP_SECONDS = 0.5
PARKED_MAX = 3000  # connections that wait without a thread; the next one takes another's place
FILES_PER_CONNECTION = 3  # its socket, the body that comes, the answer that waits
# Of bodies that have arrived, in memory and on the disk of a process. Beyond, the largest holder's
# make room.
BODIES_MAX_BYTES = 2 * 1024 * 1024 * 1024
STRANGERS = "strangers"  # whose bodies are nobody's yet, all together
LOG_SECONDS = 10  # between two lines that say that bodies had to make room

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
    answered: "Future[Any]"  # by a thread, which may not have begun
    address: str  # of the client, as far as it is known
    step: "Step"  # what is done when the poller reports it
    ends_at = 0.0  # of a body, or of the goodbye: `timeout` is no later
    discarded_bytes = 0
    is_open = True
    is_watched = False  # by the poller
    watches = 0  # how often that has changed
    is_answering = False  # a thread has it
    goes_on = False  # after its answer
    made_room = False  # its body did, for others'

    def find_address(self, proxies: int) -> str:
        """The address of the client behind the proxies, when the head of its request is here; else
        of the one who speaks to us."""
        remote = str(self.client[0]) if isinstance(self.client, tuple) else str(self.client)
        if self.arrival.request is None:
            return address_of(remote, "", proxies=0)
        return address_of(remote, self.arrival.forwarded, proxies=proxies)


Step = Callable[[Connection], None]


class PatientWorker(ThreadWorker):
    def init_process(self) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = (PARKED_MAX + self.cfg.worker_connections) * FILES_PER_CONNECTION
        files = max(soft, wanted if hard == resource.RLIM_INFINITY else min(wanted, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
        self.parked_max = min(PARKED_MAX, files // FILES_PER_CONNECTION // 2)
        self.proxies = int(os.environ.get("TRUSTED_PROXIES", "").strip() or 0)
        # Of each address, the longest first.
        self.parked: defaultdict[str, dict[Connection, None]] = defaultdict(dict)
        self.parked_count = 0
        self.holdings: Holdings[Connection] = Holdings()
        self.made_room_count = 0  # since the last line of the log about it
        self.logged_at = 0.0
        self.swept_at = 0.0
        waiting_threads.allowed = max(1, self.cfg.threads // 2)
        super().init_process()

    # --- Waiting ----------------------------------------------------------------------------------

    def watch(self, conn: Connection, events: int, step: Step) -> None:
        change = self.poller.modify if conn.is_watched else self.poller.register
        conn.watches = number = conn.watches + 1

        def go_on(_: object) -> None:
            # What the poller has reported may have passed when its turn comes: another connection
            # took its place, or made it wait for something else.
            if conn.is_open and conn.watches == number:
                step(conn)

        change(conn.sock, events, go_on)
        conn.is_watched = True

    def unwatch(self, conn: Connection) -> None:
        if conn.is_watched:
            self.poller.unregister(conn.sock)
            conn.is_watched = False
            conn.watches += 1

    def park(self, conn: Connection, events: int, step: Step, seconds: float) -> None:
        if self.parked_count >= self.parked_max:
            self.make_room()
        conn.timeout = time.monotonic() + seconds
        conn.step = step
        self.parked[conn.address][conn] = None
        self.parked_count += 1
        self.watch(conn, events, step)

    def unpark(self, conn: Connection) -> None:
        self.unwatch(conn)
        if conn in self.parked[conn.address]:
            del self.parked[conn.address][conn]
            self.parked_count -= 1
        if not self.parked[conn.address]:
            del self.parked[conn.address]

    def make_room(self) -> None:
        """Drops the connection that has waited longest, of the address with the most of them."""
        largest = max(self.parked, key=lambda address: len(self.parked[address]))
        self.drop(next(iter(self.parked[largest])))

    def list_parked(self) -> list[Connection]:
        return [conn for of_one in self.parked.values() for conn in of_one]

    def drop(self, conn: Connection) -> None:
        if not conn.is_open:
            return
        conn.is_open = False
        self.unpark(conn)
        self.let_go_of_body(conn)
        self.nr_conns -= 1
        conn.close()

    def let_go_of_body(self, conn: Connection) -> None:
        self.holdings.let_go(conn)
        conn.arrival.close()

    # --- Room for bodies --------------------------------------------------------------------------

    def count_body(self, conn: Connection) -> None:
        """Counts the bytes of the body that have arrived, and makes room where all together are too
        many."""
        tenant_id = conn.arrival.tenant_id
        whose = f"tenant {tenant_id}" if tenant_id else STRANGERS
        self.holdings.keep(conn, conn.arrival.arrived, (f"address {conn.address}", whose))
        while self.holdings.total_bytes > BODIES_MAX_BYTES and self.put_out_largest():
            pass

    def put_out_largest(self) -> bool:
        """Puts out a connection of the largest holder; False without one. What a thread is
        answering stays."""
        for conn in self.holdings.largest_first():
            if not conn.is_answering or conn.answered.cancel():
                self.put_out(conn)
                return True
        return False

    def put_out(self, conn: Connection) -> None:
        shortage.note(self.holdings.describe(conn))
        self.made_room_count += 1
        self.log_shortage(conn)
        conn.made_room = True
        conn.is_answering = False
        self.refuse(conn, CROWDED)

    def log_shortage(self, conn: Connection) -> None:
        now = time.monotonic()
        if now < self.logged_at + LOG_SECONDS:
            return
        whose = self.holdings.describe(conn)
        self.log.warning("Bodies had to make room: %d, now of %s", self.made_room_count, whose)
        self.made_room_count, self.logged_at = 0, now

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
        """Does nothing: the connections that gunicorn would end here are parked."""

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
        """Waits for the next request, which may have begun behind the one before."""
        begun = conn.arrival.rest if conn.parser else b""
        conn.arrival = conn.parser = Arrival(self.cfg, cast(Address, conn.client))
        conn.address = conn.find_address(self.proxies)
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
            self.put_out_largest()  # so that the next finds room on the disk
            return
        if arrival.has_head and not had_head:
            self.unpark(conn)
            conn.address = conn.find_address(self.proxies)
        self.count_body(conn)
        if conn.made_room:
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
        if arrival.expects_continue:
            try:
                conn.sock.sendall(GO_ON)
            except OSError:  # the client has left; raised, it would end the process
                self.drop(conn)
                return
        conn.ends_at = time.monotonic() + seconds
        self.unpark(conn)
        self.park(conn, selectors.EVENT_READ, self.receive, BODY_SECONDS)

    def answer(self, conn: Connection) -> None:
        """Has a thread answer the request."""
        self.unpark(conn)
        conn.arrival.prepare_answer()
        conn.is_answering = True
        self.enqueue_req(conn)

    def enqueue_req(self, conn: Connection) -> None:
        conn.answered = self.tpool.submit(self.handle, conn)
        finish = partial(self.method_queue.defer, self.finish_request, conn)
        conn.answered.add_done_callback(finish)

    # --- The answer goes out ----------------------------------------------------------------------

    def finish_request(self, conn: Connection, answered: "Future[Any]") -> None:
        """Goes on with a connection when a thread is done. Called by the loop."""
        if conn.made_room:  # before any thread had begun
            return
        conn.is_answering = False
        try:
            conn.goes_on = answered.result() is True
        except BodyNeeded:
            self.count_body(conn)  # for its tenant, from now on
            if not conn.made_room:
                self.await_body(conn)
            return
        except BaseException:  # noqa: BLE001 - a thread's, which has told the client what it could
            conn.goes_on = False
        self.let_go_of_body(conn)
        self.end_answer(conn)

    def send_rest(self, conn: Connection) -> None:
        """Sends more of an answer that a thread still writes. Called by the loop when something
        waits."""
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
            self.expect(conn, self.cfg.keepalive)
        else:
            self.say_goodbye(conn)

    def refuse(self, conn: Connection, answer: bytes) -> None:
        self.unpark(conn)
        # The answer fits into the kernel's buffer. A client that is gone does not need it.
        with suppress(OSError):
            conn.sock.sendall(answer)
        self.say_goodbye(conn)

    def say_goodbye(self, conn: Connection) -> None:
        """Ends the sending, and closes the connection later: one that is closed with unread bytes
        loses its answer (RFC 9112, 9.6)."""
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
