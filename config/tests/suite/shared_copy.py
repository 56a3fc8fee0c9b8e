"""One running copy of the whole service for all tests of a run that only use it, whichever process
they run in: the first to come starts it, and it ends with the run.

Tests of starting and stopping have copies of their own (config/tests/service_copy.py). Each user
of this one makes its own tenant, and may kill a worker, but never what all are served by.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

import pytest

from config import embedded
from config.tests.service_copy import Copy, folder_for_copies, give_tables, kill, share_models
from connectors.tests.providers.google_drive_sign_in import GoogleSignIn

SYNC_LEASE_SECONDS = int(os.environ.get("KILL_TEST_SYNC_LEASE", "6"))  # the product's own is 30
# Stand-ins that the copy may fetch from; a test that wants one serves it on its port.
STAND_INS = ("site", "slow_site", "drive")
NOT_EPHEMERAL = range(20_000, 32_000)  # Linux gives a socket that asks for any port a higher one


@dataclass(frozen=True)
class SharedCopy:
    """`ports`: of stand-ins, by name; nobody else listens there."""

    copy: Copy
    ports: dict[str, int]


@pytest.fixture(scope="session")
def shared_copy() -> SharedCopy:
    with embedded.locked(state_path().with_suffix(".lock"), fcntl.LOCK_EX):
        if not state_path().exists():
            start()
        return find_shared()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In the process that ends last."""
    if hasattr(session.config, "workerinput") or "DATA_DIR" not in os.environ:
        return
    if state_path().exists():
        copy = find_shared().copy
        kill(copy)
        shutil.rmtree(copy.data_dir.parent, ignore_errors=True)
        state_path().unlink()


def state_path() -> Path:
    return Path(os.environ["DATA_DIR"], "shared-copy.json")


def find_shared() -> SharedCopy:
    told = json.loads(state_path().read_text())
    return SharedCopy(Copy(Path(told["data_dir"]), told["port"]), told["ports"])


def start() -> None:
    ports = {name: free_low_port() for name in STAND_INS}
    data_dir = folder_for_copies() / "shared"
    sign_in, drive = GoogleSignIn(), f"http://127.0.0.1:{ports['drive']}"
    copy = Copy(
        data_dir,
        FETCH_ALLOWED_HOSTS=",".join(f"127.0.0.1:{port}" for port in ports.values()),
        SYNC_LEASE=str(SYNC_LEASE_SECONDS),
        GOOGLE_CLIENT_ID=sign_in.client_id,
        GOOGLE_CLIENT_SECRET=sign_in.client_secret,
        GOOGLE_SIGN_IN_URL=drive,
        GOOGLE_TOKEN_URL=drive,
        GOOGLE_API_URL=drive,
    )
    share_models(data_dir)
    give_tables(data_dir)
    try:
        copy.start_and_wait()
    except BaseException:
        kill(copy)
        raise
    told = {"data_dir": str(data_dir), "port": copy.port, "ports": ports}
    state_path().write_text(json.dumps(told))


def free_low_port() -> int:
    """One that nobody is given by chance until somebody listens on it."""
    while True:
        port = random.choice(NOT_EPHEMERAL)  # noqa: S311 - no secret
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
