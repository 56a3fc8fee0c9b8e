"""bin/up for real: processes, signals, `kill -9`. Waits for what it expects, not for the clock."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.processes import read_pid, wait_until
from config.tests.service_copy import (
    START_SECONDS,
    STOP_SECONDS,
    Copy,
    copy_in,
    folder_of_copies,
    is_running,
    kill,
)

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(900)]

BOATS = "The boat to Ons island leaves at nine from the old pier."
QUESTION = "When does the boat to Ons island leave?"


@pytest.fixture
def folder() -> Iterator[Path]:
    with folder_of_copies() as folder:
        yield folder


@pytest.fixture
def copy(folder: Path) -> Iterator[Copy]:
    with copy_in(folder / "one") as copy:
        yield copy


@pytest.fixture
def new_copy(folder: Path) -> Iterator[Copy]:
    with copy_in(folder / "two", is_new=True) as copy:
        yield copy


def test_two_copies_from_start_to_end(copy, new_copy):
    copy.start_and_wait()
    new_copy.start()  # two at once, from one clone

    # Restarts what dies.
    killed = []
    for words in (["gunicorn"], ["celery", "uploads@"]):
        process = copy.find(*words)
        killed += [process, *process.children(recursive=True)]
        process.kill()
    # "unexpectedly", or "while it started" when that was less than ten seconds ago
    copy.wait_for(r"web +\| ended ")
    copy.wait_for(r"uploads +\| ended ")
    os.kill(read_pid(copy.data_dir / "postgres" / "postmaster.pid") or 0, signal.SIGKILL)
    copy.wait_for(r"services +\| postgres was down and has been started again")
    # A killed server's children answer for a moment: what answers now must be the new one.
    assert wait_until(lambda: not any(map(is_running, killed)), timeout_seconds=START_SECONDS)
    assert wait_until(lambda: copy.status("/readyz") == 200, timeout_seconds=START_SECONDS)

    # Refuses a second one on the same data, or on the same port.
    twin = Copy(copy.data_dir)
    twin.log = copy.log.with_name("twin.log")
    twin.start()
    assert twin.end() == 1
    assert "already served by another bin/up" in twin.output()
    neighbour = Copy(copy.data_dir.with_name("neighbour"), port=copy.port)
    neighbour.start()
    assert neighbour.end() == 1
    assert re.fullmatch(
        r"bin/up: Cannot listen on .*Address already in use.*\n", neighbour.output()
    )

    wrong = Copy(copy.data_dir.with_name("wrong"), PORT="eighty")
    wrong.start()
    assert wrong.end() == 1
    assert wrong.output() == "bin/up: PORT must be a number from 1 to 65535.\n"

    new_copy.wait_for(r"\nReady: ")
    os.killpg(copy.process.pid, signal.SIGINT)
    assert copy.end() == 0
    assert copy.processes() == []
    assert copy.output().endswith("Stopped.\n")
    names = set(re.findall(r"^(\w+) +\| ", copy.output(), flags=re.MULTILINE))
    programs = "web worker webhooks uploads ingestion checks beat services"
    assert names >= set(programs.split())

    # The other one is none the worse for it.
    assert new_copy.status("/readyz") == 200
    assert "Traceback" not in new_copy.output()

    # What was uploaded answers again after everything was killed at once.
    new_copy.create_tenant("boats")
    new_copy.upload("boats.txt", BOATS)
    assert new_copy.files_that_answer(QUESTION)[:1] == ["boats.txt"]
    kill(new_copy)
    assert new_copy.processes() == []
    assert new_copy.end() == -signal.SIGKILL
    new_copy.start_and_wait()
    assert new_copy.files_that_answer(QUESTION)[:1] == ["boats.txt"]

    # Nothing outlives supervisord, nor bin/up.
    new_copy.find("config.running.supervisor").kill()
    assert new_copy.end() == 1
    assert "supervisord ended unexpectedly" in new_copy.output()
    assert new_copy.processes() == []
    new_copy.start_and_wait()
    new_copy.process.kill()
    assert wait_until(lambda: new_copy.processes() == [], timeout_seconds=STOP_SECONDS)


def test_a_program_that_does_not_stay_up_ends_everything(copy):
    copy.environ["WEBHOOK_THREADS"] = "many"
    copy.start()
    assert copy.end(START_SECONDS) == 1  # after three starts of it
    assert "webhooks does not stay up, so everything is stopped" in copy.output()
    assert "Invalid value for '-c'" in copy.output().rsplit("bin/up: ", 1)[1]
    assert copy.processes() == []


def test_the_first_command_of_a_new_copy_finds_its_tables(new_copy):
    new_copy.create_tenant("acme")
    assert not new_copy.processes()
