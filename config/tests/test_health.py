"""GET /healthz and /readyz."""

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone

from accounts.models import StaffSession, Tenant, User
from accounts.tests.factories import sign_staff_in
from config import health, readiness
from config.celery import app
from config.embedded import servers_named, use
from config.language_model import write_state
from config.settings import BASE_DIR

WORKER = (sys.executable, "-m", "celery", "--app=config", "worker", "--pool=solo")
TRIES = 30  # of two seconds each: a check waits that long for an answer
NOBODY = "redis://127.0.0.1:1"  # where nothing listens


def answer_yes() -> None:
    return None


@pytest.fixture
def all_well(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in health.CHECKS:
        monkeypatch.setitem(health.CHECKS, name, answer_yes)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_healthz_lives_without_a_database(client: Client, method: str) -> None:
    answer = client.generic(method, "/healthz")

    assert answer.status_code == 200
    assert answer.content == (b'{"status":"ok"}' if method == "GET" else b"")


def test_healthz_needs_no_token_and_minds_no_false_one(client: Client) -> None:
    assert client.get("/healthz", headers={"Authorization": "Bearer x"}).status_code == 200


def test_readyz_says_yes_when_all_answer(client: Client, all_well: None) -> None:
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "checks": {"database": "ok", "redis": "ok", "worker": "ok"},
    }


def test_readyz_holds_no_connection_while_it_waits_for_workers(
    client: Client, all_well: None, committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen on a machine so busy that a dozen waited at once: nobody else got one."""
    held: list[object] = []
    monkeypatch.setitem(health.CHECKS, "database", health.check_database)
    monkeypatch.setitem(health.CHECKS, "worker", lambda: held.append(connection.connection))

    assert client.get("/readyz").status_code == 200
    assert held == [None]


def test_readyz_names_what_does_not_answer(
    client: Client, all_well: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.REDIS_URL = NOBODY
    monkeypatch.setitem(health.CHECKS, "redis", health.check_redis)

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json() == {
        "status": "unavailable",
        "checks": {"database": "ok", "redis": "Redis does not answer", "worker": "ok"},
    }


def test_readyz_is_no_error_in_the_log(
    client: Client,
    all_well: None,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.REDIS_URL = NOBODY
    monkeypatch.setitem(health.CHECKS, "redis", health.check_redis)

    client.get("/readyz")

    assert {record.levelno for record in caplog.records} == {logging.WARNING}


@pytest.mark.django_db
def test_database_answers() -> None:
    assert health.run_check(health.check_database) == "ok"


def test_database_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise DatabaseError("connection to db.internal failed for user app")

    monkeypatch.setattr(connection, "cursor", refuse)

    assert health.run_check(health.check_database) == "the database does not answer"


def test_redis_answers() -> None:
    assert health.run_check(health.check_redis) == "ok"


def test_without_redis_no_worker_is_asked(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.REDIS_URL = NOBODY

    assert health.run_check(health.check_worker) == "Redis does not answer"


def test_broker_that_goes_away_while_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(command: str, **options: Any) -> None:
        raise ConnectionResetError("redis.internal:6379")

    monkeypatch.setattr(app.control, "broadcast", refuse)

    assert health.run_check(health.check_worker) == "the workers cannot be asked"


def test_a_worker_that_comes_while_it_is_asked_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[list[object]] = [[], [], [{"uploads@vm": {"ok": "pong"}}]]
    waited: list[float] = []

    def ask(command: str, *, timeout: float, **options: Any) -> list[object]:
        waited.append(timeout)
        return answers[len(waited) - 1]

    monkeypatch.setattr(app.control, "broadcast", ask)

    assert health.run_check(health.check_worker) == "ok"
    assert sum(waited) < health.CHECK_TIMEOUT_SECONDS / 2


def test_a_worker_has_as_long_to_answer_as_everything_else() -> None:
    assert sum(health.WORKER_TIMEOUTS_SECONDS) == pytest.approx(health.CHECK_TIMEOUT_SECONDS)


@pytest.mark.end_to_end
def test_a_real_worker_answers_while_it_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    with use(servers_named(tmp_path, ["redis"])) as urls:
        settings.REDIS_URL = urls["REDIS_URL"]
        broker = urls["REDIS_URL"].replace("unix://", "redis+socket://", 1)
        monkeypatch.setattr(health, "app", Celery(broker=broker, set_as_current=False))
        assert health.run_check(health.check_worker) == "no worker for uploads answers"

        worker = subprocess.Popen(
            [*WORKER, "--hostname=uploads@%h"],
            cwd=BASE_DIR,
            env=os.environ | urls,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            assert "ok" in (health.run_check(health.check_worker) for _ in range(TRIES))
        finally:
            worker.terminate()
            worker.wait(timeout=120)

        assert health.run_check(health.check_worker) == "no worker for uploads answers"


# --- What staff read ------------------------------------------------------------------------------


@pytest.fixture
def detail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(readiness.DETAILS, "files", lambda: "not read")


def sign_in(client: Client, *, is_staff: bool) -> None:
    user = User.objects.create_user(
        email="ana@example.com", password="tortuga-verde-41", is_staff=is_staff
    )
    sign_staff_in(client, user)


@pytest.mark.django_db
def test_readyz_tells_staff_more(client: Client, all_well: None, detail: None) -> None:
    sign_in(client, is_staff=True)

    told = {"files": "not read", "bodies of requests": "ok"}
    assert client.get("/readyz").json()["detail"] == told

    StaffSession.objects.update(ended_at=timezone.now())
    assert "detail" not in client.get("/readyz").json()


@pytest.mark.django_db
def test_readyz_tells_nobody_else_more(client: Client, all_well: None, detail: None) -> None:
    assert "detail" not in client.get("/readyz").json()

    client.cookies["sessionid"] = "forged"
    assert "detail" not in client.get("/readyz").json()

    sign_in(client, is_staff=False)
    assert "detail" not in client.get("/readyz").json()


def test_readyz_tells_of_files() -> None:
    assert readiness.DETAILS["files"]()


@pytest.mark.django_db
def test_readyz_tells_of_a_language_model_of_our_own_without_waiting_for_it(
    client: Client, all_well: None, settings: Any, tmp_path: Path
) -> None:
    assert "language_model" not in client.get("/readyz").json()
    settings.LLM_IS_OWN, settings.DATA_DIR = True, tmp_path
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["language_model"]) == (200, "loading")
    write_state(tmp_path, "its server has ended (exit code 1); it is started again")
    assert client.get("/readyz").json()["language_model"].startswith("its server has ended")
