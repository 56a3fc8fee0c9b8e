"""What the programs of the service are forked from, and what becomes of a fork."""

import json
import os
import subprocess
import sys
from typing import Any

import psutil
import pytest

from config.embedded.processes import wait_until
from config.settings import BASE_DIR

LOADING = """
import os, threading
from pathlib import Path
from config.running import supervisor
supervisor.load_product()
supervisor.load_what_is_prepared()
files = [os.readlink(file) for file in Path("/proc/self/fd").iterdir() if file.exists()]
print(len(list(Path("/proc/self/task").iterdir())), [file for file in files if "socket" in file])
"""
FORKING = """
import os, signal, sys
from config.running.forking import become
signal.signal(signal.SIGTERM, print)
signal.signal(signal.SIGCHLD, lambda *_: None)
parent = os.getpid()
if os.fork() == 0:
    become(
        "config.tests.forked_program", sys.argv[1:], environ={"ONLY": "this"}, parent=parent
    )
print("ended with", os.waitstatus_to_exitcode(os.wait()[1]))
"""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": str(BASE_DIR), "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines_of(process: subprocess.Popen[str]) -> tuple[dict[str, Any], list[str], str]:
    """What the fork said of itself, what was printed after it, and all errors."""
    output, errors = process.communicate(timeout=120)
    first, *others = output.splitlines()
    return json.loads(first), others, errors


@pytest.mark.slow
def test_the_product_is_loaded_without_a_thread_or_a_connection() -> None:
    """Neither survives a fork."""
    output, errors = start(LOADING).communicate(timeout=120)
    assert (output, errors) == ("1 []\n", "")


def test_a_fork_is_the_program_alone() -> None:
    said, others, errors = lines_of(start(FORKING, "end", "--with", "order"))
    assert said["arguments"] == ["end", "--with", "order"]
    assert said["environ"] == {"ONLY": "this"}
    assert said["command"] == ["config.tests.forked_program", "end", "--with", "order"]
    assert said["catches"] == []
    assert others == ["a thread is waited for", "the end is told", "ended with 3"]
    assert errors == ""


def test_a_fork_that_fails_says_why() -> None:
    _, others, errors = lines_of(start(FORKING, "fail"))
    assert others[-1] == "ended with 1"
    assert errors.endswith("ValueError: as asked\n")


def test_a_fork_ends_with_the_process_that_forked_it() -> None:
    process = start(FORKING, "stay")
    assert process.stdout is not None
    process.stdout.readline()
    (fork,) = psutil.Process(process.pid).children()
    process.kill()
    assert wait_until(lambda: not fork.is_running(), timeout_seconds=120)
    process.communicate()
