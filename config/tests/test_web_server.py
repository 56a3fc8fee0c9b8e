"""Slow clients hold no thread: the product's web server, one process with two threads."""

import json
import os
import select
import signal
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from config.embedded.processes import wait_until
from config.serving.departure import ROOM_SECONDS
from config.tests.served import (
    ANSWER_SECONDS,
    Answered,
    Server,
    head,
    is_closed,
    read_answer,
    read_answers,
    serving,
)
from config.tests.served_app import LARGE

pytestmark = pytest.mark.timeout(300)

APPLICATION = "config.tests.served_app:application"
MANY = 40
SPOOLED = 100_000  # bytes of a body that is asked about before it is waited for


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    file = folder / "file"
    file.write_bytes(b"z" * LARGE)
    with serving(APPLICATION, SERVED_FILE=str(file), TMPDIR=str(folder)) as server:
        yield server


def post(path: str, length: int, *headers: str) -> bytes:
    return head("POST", path, f"Content-Length: {length}", *headers)


def asked(server: Server) -> list[str]:
    paths: list[str] = json.loads(server.get("/asked").body)
    return paths


# --- Requests that take their time ----------------------------------------------------------------


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"GET / HTTP/1.1\r\nHo", id="half a head"),
        pytest.param(post("/half", 10) + b"12345", id="half a small body"),
        pytest.param(post("/half", SPOOLED) + b"12345", id="half a body"),
        pytest.param(head("GET", "/large"), id="an answer that is not read"),
        pytest.param(head("GET", "/file"), id="a file that is not read"),
    ],
)
def test_others_are_answered_while_many_wait(server: Server, sent: bytes):
    with ExitStack() as stack:
        for _ in range(MANY):
            stack.enter_context(server.connect()).sendall(sent)

        assert server.get("/quick").text == "/quick 0 b''"


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 3_000_000])
def test_a_body_is_handed_on_as_it_came(server: Server, size: int):
    answered = server.exchange(post("/body", size), b"b" * (size // 2), b"b" * (size - size // 2))

    assert answered.text == f"/body {size} b''"


def test_a_head_may_come_byte_by_byte(server: Server):
    request = post("/bytes", 2) + b"ab"

    answered = server.exchange(*(request[at : at + 1] for at in range(len(request))))

    assert answered.text == "/bytes 2 b''"


def test_a_large_body_is_wanted_before_it_is_waited_for(server: Server):
    with server.connect() as client:
        client.sendall(post("/refused", SPOOLED))

        answered = read_answer(client)

        assert (answered.status, answered.body) == (401, b"no")
        assert answered.headers["Connection"] == "close"
        assert is_closed(client)


def test_the_application_is_asked_twice_at_the_most(server: Server):
    before = asked(server).count("/twice")
    with server.connect() as client:
        client.sendall(post("/twice", SPOOLED))
        for _ in range(4):
            client.sendall(b"b" * (SPOOLED // 4))

        assert read_answer(client).text == f"/twice {SPOOLED} b''"
    assert asked(server).count("/twice") - before <= 2


def test_what_the_client_still_sends_does_not_cost_it_the_answer(server: Server):
    size = 20_000_000
    with server.connect() as client:
        client.sendall(post("/refused", size))
        client.sendall(b"b" * size)

        assert read_answer(client).status == 401


@pytest.mark.parametrize("size", [10, SPOOLED])
def test_whoever_waits_for_continue_is_told_when_the_body_is_wanted(server: Server, size: int):
    with server.connect() as client:
        client.sendall(post("/continue", size, "Expect: 100-continue"))
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"b" * size)
        assert read_answer(client).text == f"/continue {size} b''"

        refused = server.exchange(post("/refused", SPOOLED, "Expect: 100-continue"))
    assert refused.status == 401


def test_a_body_over_every_limit_is_not_waited_for(server: Server):
    assert server.exchange(post("/huge", 53 * 1024**2)).status == 413
    assert server.exchange(post("/huge", 10**30)).status == 413


def test_a_head_over_the_limit_is_refused(server: Server):
    field = f"A: {'a' * 8000}"

    assert server.exchange(head("GET", "/", *[field] * 7)).status == 200
    assert server.exchange(head("GET", "/", *[field] * 9)).status == 431


# --- Answers that are read slowly -----------------------------------------------------------------


@pytest.mark.parametrize("path", ["/large", "/file"])
def test_a_slow_reader_gets_everything(server: Server, path: str):
    with server.connect() as client:
        client.sendall(head("GET", path))
        client.sendall(head("GET", "/next"))  # behind the large one
        for _ in range(3):  # every thread is free, and the answer lies where it waits
            server.get("/quick")

        first, second = read_answers(client, 2)

    assert len(first.body) == LARGE
    assert len(set(first.body)) == 1
    assert second.text == "/next 0 b''"


def test_an_answer_without_end_ends_with_its_reader(server: Server):
    before = asked(server).count("an endless answer has ended")
    with server.connect() as client:
        client.sendall(head("GET", "/endless"))
        client.recv(10)

    assert wait_until(
        lambda: asked(server).count("an endless answer has ended") == before + 1,
        timeout_seconds=ANSWER_SECONDS,
    )


def test_of_two_threads_one_waits_for_readers(server: Server):
    """The answers that two clients do not read are made until nothing more is kept of them."""
    before = asked(server).count("an endless answer has ended")
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(server.connect()).sendall(head("GET", "/endless"))

        assert wait_until(
            lambda: asked(server).count("an endless answer has ended") == before + 1,
            timeout_seconds=ROOM_SECONDS / 2,
        )


# --- An end to patience ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A second for everything, and room for twenty connections."""
    folder = tmp_path_factory.mktemp("impatient")
    worker = "config.tests.impatient_worker.ImpatientWorker"
    with serving(APPLICATION, worker=worker, TMPDIR=str(folder)) as server:
        yield server


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"GET / HTTP/1.1\r\nHo", id="head"),
        pytest.param(post("/", 10) + b"12345", id="small body"),
        pytest.param(post("/", SPOOLED) + b"12345", id="body"),
    ],
)
def test_what_does_not_come_ends(impatient: Server, sent: bytes):
    answered = impatient.exchange(sent)

    assert (answered.status, answered.headers["Connection"]) == (408, "close")


def test_a_connection_without_a_request_ends(impatient: Server):
    with impatient.connect() as client:
        assert is_closed(client)


def test_an_answer_that_nobody_reads_ends(impatient: Server):
    before = impatient.worker_files()
    with impatient.connect() as client:
        client.sendall(head("GET", "/large"))
        assert wait_until(lambda: impatient.worker_files() > before, timeout_seconds=ANSWER_SECONDS)
        assert wait_until(
            lambda: impatient.worker_files() <= before, timeout_seconds=ANSWER_SECONDS
        )
        with suppress(ConnectionResetError):
            assert len(read_answer(client).body) < LARGE


def test_of_too_many_connections_the_longest_waiting_goes(impatient: Server):
    with ExitStack() as stack:
        first = stack.enter_context(impatient.connect())
        first.sendall(b"GET /first HTTP/1.1\r\n")
        for _ in range(20):
            stack.enter_context(impatient.connect()).sendall(b"GET")

        assert is_closed(first)
        assert impatient.get("/newest").text == "/newest 0 b''"


def test_a_client_that_leaves_when_it_is_told_to_go_on_ends_nothing(server: Server):
    worker = server.worker_pid()
    for _ in range(MANY):
        with server.connect() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(post("/left", 10, "Expect: 100-continue"))

    assert server.get("/quick").text == "/quick 0 b''"
    assert server.worker_pid() == worker


# --- Room for bodies ------------------------------------------------------------------------------

THERE = "127.0.0.2"


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[Server]:
    """Room for two bodies, of which each connection here sends nearly one."""
    worker = "config.tests.narrow_worker.NarrowWorker"
    with serving(APPLICATION, worker=worker, TMPDIR=str(tmp_path)) as server:
        yield server


def begin(client: socket.socket, path: str, size: int) -> None:
    """A body that the application wants, and `size` bytes of it."""
    client.sendall(post(path, SPOOLED, "Expect: 100-continue"))
    assert client.recv(100).startswith(b"HTTP/1.1 100 ")
    client.sendall(b"b" * size)


def go_on(client: socket.socket, size: int) -> Answered:
    client.sendall(b"b" * (SPOOLED - size))
    return read_answer(client)


def answered_first(clients: list[socket.socket]) -> socket.socket:
    """While the others wait."""
    readable, _, _ = select.select(clients, [], [], ANSWER_SECONDS)
    (client,) = readable
    return client


def test_what_is_announced_takes_no_room(narrow: Server):
    with ExitStack() as stack:
        for _ in range(MANY):
            begin(stack.enter_context(narrow.connect(THERE)), "/announced", 1)

        wanted = narrow.exchange(post("/kept", SPOOLED) + b"b" * SPOOLED)

        assert wanted.text == f"/kept {SPOOLED} b''"
        assert narrow.get("/shortage").text == "ok"


def test_in_need_the_body_of_whose_address_has_the_most_makes_room(narrow: Server):
    with narrow.connect() as one, ExitStack() as stack:
        begin(one, "/tenant/one", 60_000)
        others = [stack.enter_context(narrow.connect(THERE)) for _ in range(3)]
        for number, other in enumerate(others):
            begin(other, f"/tenant/{number}", 80_000)

        out = answered_first(others)
        refused = read_answer(out)

        assert (refused.status, refused.headers["Retry-After"]) == (503, "10")
        assert is_closed(out)
        assert go_on(one, 60_000).text == f"/tenant/one {SPOOLED} b''"


def test_bodies_that_make_room_while_they_go_on_end_nothing(narrow: Server):
    worker = narrow.worker_pid()
    with ExitStack() as stack:
        clients = [stack.enter_context(narrow.connect(THERE)) for _ in range(3)]
        for number, client in enumerate(clients):
            begin(client, f"/tenant/{number}", 80_000)

        os.kill(worker, signal.SIGSTOP)  # so that it hears of all of them at once
        for client in clients:
            client.sendall(b"b" * 15_000)
        os.kill(worker, signal.SIGCONT)

        assert narrow.get("/quick").text == "/quick 0 b''"
        assert narrow.worker_pid() == worker


def test_in_need_the_body_of_whose_tenant_has_the_most_makes_room(narrow: Server):
    with narrow.connect() as one, ExitStack() as stack:
        begin(one, "/tenant/one", 90_000)
        others = [stack.enter_context(narrow.connect(f"127.0.0.{n}")) for n in (2, 3, 4)]
        for other in others:
            begin(other, "/tenant/two", 60_000)

        assert read_answer(answered_first(others)).status == 503
        assert go_on(one, 90_000).status == 200


def test_in_need_strangers_make_room_before_whoever_is_known(narrow: Server):
    with narrow.connect() as one, ExitStack() as stack:
        begin(one, "/tenant/one", 90_000)
        strangers = [stack.enter_context(narrow.connect(f"127.0.0.{n}")) for n in (2, 3, 4)]
        for stranger in strangers:
            begin(stranger, "/stranger", 60_000)

        assert read_answer(answered_first(strangers)).status == 503
        assert go_on(one, 90_000).status == 200


def test_behind_a_proxy_its_clients_are_told_apart(tmp_path: Path):
    worker = "config.tests.narrow_worker.NarrowWorker"
    with (
        serving(APPLICATION, worker=worker, TMPDIR=str(tmp_path), TRUSTED_PROXIES="1") as server,
        ExitStack() as stack,
    ):
        clients = [stack.enter_context(server.connect()) for _ in range(4)]
        for number, client in enumerate(clients):
            address = "203.0.113.1" if number else "198.51.100.1"
            forwarded = f"X-Forwarded-For: {address}"
            client.sendall(post(f"/tenant/{number}", SPOOLED, forwarded) + b"b" * 70_000)

        assert read_answer(answered_first(clients[1:])).status == 503
        assert go_on(clients[0], 70_000).status == 200


def test_a_body_that_waits_for_a_thread_makes_room_too(narrow: Server):
    """Of each has come what is received at once; the rest, when a thread has wanted it."""
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(narrow.connect()).sendall(head("GET", "/held"))
        others = [stack.enter_context(narrow.connect(THERE)) for _ in range(4)]
        for other in others:
            other.sendall(post("/queued", SPOOLED) + b"b" * SPOOLED)

        assert read_answer(answered_first(others)).status == 503


def test_staff_are_told_whose_bodies_had_to_make_room(narrow: Server):
    assert narrow.get("/shortage").text == "ok"
    with ExitStack() as stack:
        others = [stack.enter_context(narrow.connect(THERE)) for _ in range(3)]
        for other in others:
            begin(other, "/tenant/two", 90_000)
        assert read_answer(answered_first(others)).status == 503

    told = narrow.get("/shortage").text
    assert told.startswith("1 had to make room since the start, the last at ")
    assert f": address {THERE} with 2" in told
    assert ", tenant two with 2" in told


# --- Connections ----------------------------------------------------------------------------------


def test_a_connection_goes_on(server: Server):
    with server.connect() as client:
        for number in range(3):
            client.sendall(post(f"/{number}", 3) + b"abc")
            assert read_answer(client).text == f"/{number} 3 b''"
        client.sendall(post("/a", 1) + b"a" + post("/b", 2) + b"bb" + head("GET", "/c"))
        assert [answered.text for answered in read_answers(client, 3)] == [
            "/a 1 b''",
            "/b 2 b''",
            "/c 0 b''",
        ]
        client.sendall(head("GET", "/last", "Connection: close"))
        assert read_answer(client).text == "/last 0 b''"
        assert is_closed(client)


def test_nothing_is_left_of_clients_that_left(server: Server):
    server.get("/")
    before = server.worker_files()
    for sent in (
        b"",
        b"GET",
        post("/", 10) + b"1",
        post("/", SPOOLED) + b"1",
        head("GET", "/large"),
    ):
        for _ in range(MANY):
            with server.connect() as client:
                client.sendall(sent)

    assert wait_until(lambda: server.worker_files() <= before, timeout_seconds=ANSWER_SECONDS)


def test_a_stop_lets_a_request_end_and_does_not_wait_for_the_idle(tmp_path: Path):
    with serving(APPLICATION, TMPDIR=str(tmp_path)) as own, ExitStack() as stack:
        own.get("/")
        for _ in range(MANY):
            stack.enter_context(own.connect())
        late = stack.enter_context(own.connect())
        late.sendall(post("/late", 10) + b"12345")
        own.get("/")
        own.process.terminate()
        late.sendall(b"67890")

        assert read_answer(late).text == "/late 10 b''"
        assert own.process.wait(ANSWER_SECONDS) == 0
