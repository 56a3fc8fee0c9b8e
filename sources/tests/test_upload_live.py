"""Uploads through the real web server and a real worker, each in a process of its own."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings as django_settings
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import IdempotentRequest, Plan, Tenant
from accounts.tests.factories import bearer, make_user
from config import embedded
from config.tests.served import head, read_answer
from sources.models import Chunk, Source, SyncEvent
from sources.originals.files import original_key
from sources.tests.factories import long_paragraph

URL = "/ingest/sources/upload"
FORM = "application/x-www-form-urlencoded"
BOUNDARY = "xyz"
START_SECONDS = 180  # of both programs, and of a large table, on a busy machine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


class Service:
    """gunicorn and a Celery worker on this test run's database, and on a Redis of their own."""

    def __init__(self, data_dir: Path, redis_url: str, **settings: str) -> None:
        self.data_dir = data_dir
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.temp_dir = data_dir / "tmp"
        self.temp_dir.mkdir()
        (data_dir / "models").symlink_to(django_settings.MODELS_DIR)
        self.environ = {
            **os.environ,
            "DATABASE_URL": test_database_url(),
            "REDIS_URL": redis_url,
            "DATA_DIR": str(data_dir),
            "TMPDIR": str(self.temp_dir),
            "SECRET_KEY": django_settings.SECRET_KEY,
            "ENVIRONMENT": "development",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "WEB_PROCESSES": "1",
            **settings,
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        self.start_web()
        worker = ("--queues", "uploads,ingestion", "--concurrency", "1", "--without-mingle")
        self.worker = self.run("celery", "--app", "config", "worker", *worker)

    def start_web(self) -> None:
        descriptor = self.listener.fileno()
        web = ("-c", "python:config.running.gunicorn", "--bind", f"fd://{descriptor}")
        self.web = self.run("gunicorn", *web, "config.wsgi", descriptors=[descriptor])

    def kill_web(self) -> None:
        """All its processes at once."""
        os.killpg(self.web.pid, signal.SIGKILL)
        self.web.wait()

    def run(
        self, module: str, *arguments: str, descriptors: Sequence[int] = ()
    ) -> subprocess.Popen[bytes]:
        with (self.data_dir / f"{module}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=django_settings.BASE_DIR,
                env={**self.environ, "PGAPPNAME": module},
                pass_fds=descriptors,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def stop(self) -> None:
        for process in self.processes:
            with suppress(ProcessLookupError):  # killed before
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.listener.close()

    def uploads_in_progress(self) -> list[Path]:
        """The temporary files of bodies that stream in, as Django names them."""
        return list(self.temp_dir.glob("*.upload*"))

    def worker_children(self) -> list[int]:
        """Process ids (proc(5))."""
        children = Path(f"/proc/{self.worker.pid}/task/{self.worker.pid}/children")
        return [int(pid) for pid in children.read_text().split()]


def test_database_url() -> str:
    parts = urlsplit(os.environ["DATABASE_URL"])
    return parts._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


test_database_url.__test__ = False  # type: ignore[attr-defined]  # its name says what it gives


@pytest.fixture(scope="module")
def service(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Whose leases end soon: what a killed worker had is taken up after one."""
    with running_service(tmp_path_factory.mktemp("live"), SYNC_LEASE="3") as service:
        yield service


@pytest.fixture(scope="module")
def impatient_service(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """Whose requests wait for a second."""
    folder = tmp_path_factory.mktemp("impatient")
    with running_service(folder, UPLOAD_DEADLINE="1", SYNC_LEASE="3") as service:
        yield service


@contextmanager
def running_service(data_dir: Path, **settings: str) -> Iterator[Service]:
    with embedded.use(embedded.servers_named(data_dir, ["redis"])) as urls:
        service = Service(data_dir, urls["REDIS_URL"], **settings)
        try:
            service.start()
            yield service
        finally:
            service.stop()


@pytest.fixture
def headers(committed_tenant: Tenant) -> dict[str, str]:
    return {
        **bearer(make_user(committed_tenant), committed_tenant),
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
    }


def form_with(content: bytes) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="faq.txt"'
    return head.encode() + b"\r\n\r\n" + content + f"\r\n--{BOUNDARY}--\r\n".encode()


def post(service: Service, body: bytes, headers: dict[str, str]) -> tuple[int, Any]:
    client = http.client.HTTPConnection("127.0.0.1", service.port, timeout=START_SECONDS)
    try:
        client.request("POST", URL, body, headers)
        response = client.getresponse()
        return response.status, json.load(response)
    finally:
        client.close()


def wait_until(condition: Any) -> None:
    give_up_at = time.monotonic() + START_SECONDS
    while not condition():
        assert time.monotonic() < give_up_at
        time.sleep(0.02)


@contextmanager
def documents_locked() -> Iterator[None]:
    """A worker that replaces chunks stands still here, in the middle of its transaction."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE sources_document IN SHARE MODE")
        yield


def is_worker_waiting() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks"
            " WHERE relation = 'sources_document'::regclass AND NOT granted"
        )
        return bool(cursor.fetchone()[0])


def test_a_file_is_indexed_by_a_worker_while_the_request_waits(
    service: Service, committed_tenant: Tenant, headers: dict[str, str]
):
    content = f"{long_paragraph('returns')}\n\n{long_paragraph('shipping')}".encode()

    status, answer = post(service, form_with(content), headers)

    source = Source.objects.for_tenant(committed_tenant).get()
    assert (status, answer) == (
        201,
        {
            "source_id": str(source.pk),
            "name": "faq.txt",
            "sync_status": "synced",
            "chunks_count": 2,
        },
    )
    assert Chunk.objects.for_tenant(committed_tenant).count() == 2
    original = service.data_dir / "media" / original_key(committed_tenant, source.pk)
    assert original.read_bytes() == content


def server_processes_of_the_worker() -> set[int]:
    with psycopg.connect(test_database_url()) as as_the_worker:
        found = as_the_worker.execute(
            "SELECT pid FROM pg_stat_activity"
            " WHERE application_name = 'celery' AND datname = current_database()"
        )
        return {pid for (pid,) in found}


def test_a_workers_connection_stays_between_files_and_is_made_anew_when_it_has_ended(
    service: Service, committed_tenant: Tenant, headers: dict[str, str]
):
    first, _ = post(service, form_with(b"Returns are free."), headers)
    before = server_processes_of_the_worker()
    second, _ = post(service, form_with(b"Shipping is free."), headers)
    after = server_processes_of_the_worker()
    with psycopg.connect(test_database_url()) as as_the_worker:
        for pid in after:
            as_the_worker.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])
    third, _ = post(service, form_with(b"Gifts are free."), headers)

    assert before
    assert before <= after
    assert not after & server_processes_of_the_worker()
    assert (first, second, third) == (201, 201, 201)


def test_a_worker_that_is_killed_in_the_middle_loses_nothing(
    service: Service, committed_tenant: Tenant, headers: dict[str, str]
):
    client = http.client.HTTPConnection("127.0.0.1", service.port, timeout=START_SECONDS)
    with documents_locked():
        client.request("POST", URL, form_with(b"Returns are free."), headers)
        wait_until(is_worker_waiting)
        (victim,) = service.worker_children()
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: victim not in service.worker_children())
    response = client.getresponse()
    answer = json.load(response)
    client.close()

    assert (response.status, answer["sync_status"], answer["chunks_count"]) == (201, "synced", 1)
    assert Chunk.objects.for_tenant(committed_tenant).count() == 1
    actions = SyncEvent.objects.for_tenant(committed_tenant).order_by("created_at")
    assert list(actions.values_list("action", flat=True)) == [
        "source_created",
        "sync_started",
        "sync_completed",
    ]


def test_a_web_process_that_is_killed_while_it_waits_leaves_one_source(
    service: Service, committed_tenant: Tenant, headers: dict[str, str]
):
    """The client sends the request again, with the same Idempotency-Key."""
    headers = {**headers, "Idempotency-Key": "8e03978e-40d5-43e8-bc93-6894a57f9324"}
    body = form_with(b"Returns are free.")
    client = http.client.HTTPConnection("127.0.0.1", service.port, timeout=START_SECONDS)
    with documents_locked():
        client.request("POST", URL, body, headers)
        wait_until(is_worker_waiting)
        service.kill_web()
    with pytest.raises((http.client.HTTPException, OSError)):
        client.getresponse()
    client.close()
    made = Source.objects.for_tenant(committed_tenant).get()

    service.start_web()
    too_early, refusal = post(service, body, headers)
    requests = IdempotentRequest.objects.for_tenant(committed_tenant)
    requests.update(lease_until=timezone.now() - timedelta(seconds=1))
    answers = [post(service, body, headers) for _ in range(2)]

    assert (too_early, refusal["error"]["code"]) == (409, "IDEMPOTENT_REQUEST_IN_PROGRESS")
    kept = {
        "source_id": str(made.pk),
        "name": "faq.txt",
        "sync_status": "synced",
        "chunks_count": 1,
    }
    assert answers == [(201, kept), (201, kept)]
    assert Source.objects.for_tenant(committed_tenant).get() == made


def test_a_file_over_the_limit_gets_its_answer(
    service: Service, committed_tenant: Tenant, headers: dict[str, str]
):
    content = b"0" * (django_settings.UPLOAD_MAX_BYTES + 1)

    status, answer = post(service, form_with(content), headers)

    assert (status, answer["error"]["code"]) == (400, "FILE_TOO_LARGE")
    assert not Source.objects.for_tenant(committed_tenant).exists()
    assert service.uploads_in_progress() == []


def test_a_body_of_ten_gigabytes_is_cut_off(service: Service, headers: dict[str, str]):
    head = {**headers, "Host": "localhost", "Content-Length": str(10 * 1024**3)}
    lines = [f"POST {URL} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
    block = b"0" * 65536
    sent_bytes = 0
    with socket.create_connection(("127.0.0.1", service.port), START_SECONDS) as client:
        client.sendall("\r\n".join([*lines, "", ""]).encode())
        response = http.client.HTTPResponse(client)
        response.begin()
        answer = json.load(response)
        with suppress(OSError):
            while sent_bytes < 1024**3:
                sent_bytes += client.send(block)

    assert (response.status, answer["error"]["code"]) == (400, "FILE_TOO_LARGE")
    assert sent_bytes < 64 * 1024**2  # what the kernel's buffers take, and no more
    assert service.uploads_in_progress() == []


def test_a_client_that_hangs_up_leaves_nothing(
    service: Service, committed_tenant: Tenant, headers: dict[str, str]
):
    body = form_with(b"0" * 5_000_000)
    head = {**headers, "Host": "localhost", "Content-Length": str(len(body))}
    lines = [f"POST {URL} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
    with socket.create_connection(("127.0.0.1", service.port), START_SECONDS) as client:
        client.sendall("\r\n".join([*lines, "", ""]).encode() + body[:4_000_000])
        status, _ = post(service, form_with(b"Returns are free."), headers)  # beside it

    assert status == 201
    assert [source.name for source in Source.objects.for_tenant(committed_tenant)] == ["faq.txt"]
    assert service.uploads_in_progress() == []


@pytest.mark.parametrize(
    ("path", "given", "status"),
    [
        pytest.param(URL, {}, 401, id="nobody"),
        pytest.param(URL, {"Authorization": "Bearer nonsense"}, 401, id="a wrong token"),
        pytest.param("/nowhere", {}, 404, id="no address"),
        pytest.param("/agents", {"Content-Type": "application/json"}, 401, id="no upload"),
        pytest.param("/auth/login", {}, 400, id="no form"),
        pytest.param("/dashboard/sign-in", {}, 400, id="a page"),
        pytest.param("/dashboard/sources/upload", {}, 302, id="nobody's upload"),
        pytest.param("/admin/login/", {}, 400, id="the back office"),
        pytest.param("/admin/login/", {"Content-Type": FORM}, 400, id="a form that is too long"),
    ],
)
def test_what_needs_no_body_is_answered_before_it_comes(
    service: Service, headers: dict[str, str], path: str, given: dict[str, str], status: int
):
    """40 MB are announced, and none is sent."""
    sent = {"Content-Type": headers["Content-Type"], "Content-Length": "40000000"} | given
    client = http.client.HTTPConnection("127.0.0.1", service.port, timeout=START_SECONDS)
    client.putrequest("POST", path)
    for name, value in sent.items():
        client.putheader(name, value)
    client.endheaders()

    response = client.getresponse()
    client.close()

    assert (response.status, response.headers["Connection"]) == (status, "close")


def test_an_upload_counts_once_although_its_body_comes_late(
    service: Service, committed_tenant: Tenant, headers: dict[str, str]
):
    Plan.objects.filter(pk=committed_tenant.plan_id).update(max_requests_per_minute=1)
    body = form_with(b"Returns are free. " * 10_000)
    fields = [f"{name}: {value}" for name, value in headers.items()]
    length = f"Content-Length: {len(body)}"
    with socket.create_connection(("127.0.0.1", service.port), START_SECONDS) as client:
        client.sendall(head("POST", URL, "Expect: 100-continue", length, *fields))
        assert client.recv(100).startswith(b"HTTP/1.1 100 ")  # let in, and waited for
        client.sendall(body)

        assert read_answer(client).status == 201
    assert post(service, body, headers)[0] == 429


# --- A large table, past the deadline -------------------------------------------------------------

ROWS = 1500  # three batches


def large_table() -> bytes:
    rows = "".join(f"A{number},{number}\n" for number in range(ROWS))
    return f"Model,Price\n{rows}".encode()


def post_table(service: Service, headers: dict[str, str]) -> Any:
    """However quick the worker is, the request ends first."""
    body = form_with(large_table()).replace(b"faq.txt", b"prices.csv")
    with documents_locked():
        status, answer = post(service, body, headers)
    assert (status, answer["sync_status"]) == (201, "syncing"), answer
    return answer


def check_table(tenant: Tenant) -> dict[str, Any]:
    """Every row answers once; what the history says of the run that read them."""
    source = Source.objects.for_tenant(tenant).get()
    wait_until(lambda: get_status(source) != "syncing")
    assert get_status(source) == "synced"
    chunks = Chunk.objects.for_tenant(tenant).live().order_by("position")
    assert list(chunks.values_list("text", flat=True)) == [
        f"Model: A{number}; Price: {number}" for number in range(ROWS)
    ]
    event = SyncEvent.objects.for_tenant(tenant).order_by("created_at").last()
    assert event is not None
    return dict(event.details)


def get_status(source: Source) -> str:
    return Source.objects.for_tenant(source.tenant).get(pk=source.pk).sync_status


def test_a_large_table_is_indexed_past_the_deadline_by_itself(
    impatient_service: Service, committed_tenant: Tenant, headers: dict[str, str]
):
    answer = post_table(impatient_service, headers)

    assert answer["chunks_count"] == 0
    assert check_table(committed_tenant)["chunks_written"] == ROWS


def test_a_large_table_is_indexed_although_its_worker_is_killed_in_the_middle(
    impatient_service: Service, committed_tenant: Tenant, headers: dict[str, str]
):
    post_table(impatient_service, headers)
    wait_until(Chunk.objects.for_tenant(committed_tenant).exists)
    (victim,) = impatient_service.worker_children()
    os.kill(victim, signal.SIGKILL)

    details = check_table(committed_tenant)

    assert details["chunks_written"] == ROWS
    assert details["chunks_embedded"] < ROWS  # by the attempt that ended it: some were written
