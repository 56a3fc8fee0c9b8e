"""What another process of the same user sees of a process that holds secrets."""

import os
import subprocess
import sys

import pytest

from config.settings import BASE_DIR

NEIGHBOUR = """
import os, sys
os.setgroups([]); os.setresgid(54321, 54321, 54321); os.setresuid(54321, 54321, 54321)
for name in ("environ", "maps", "mem"):
    try:
        with open(f"/proc/{sys.argv[1]}/{name}", "rb") as file:
            file.read(0 if name == "mem" else 1)
        print(name, "read")
    except PermissionError:
        print(name, "refused")
"""
HOLDER = """
import ctypes, os, resource, sys
from config.security.memory import hide_memory
os.setgroups([]); os.setresgid(54321, 54321, 54321); os.setresuid(54321, 54321, 54321)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as a program of that user begins
if sys.argv[1] == "hide":
    hide_memory()
print(resource.getrlimit(resource.RLIMIT_CORE)[1], flush=True)
sys.stdin.read()
"""


def look_at(mode: str) -> tuple[str, list[str]]:
    """The holder's limit of a core, and what a neighbour of the same user may do to it."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, mode],
        cwd=BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(BASE_DIR)},
    )
    assert holder.stdout is not None
    with holder:
        core = holder.stdout.readline().strip()
        looked = subprocess.run(
            [sys.executable, "-c", NEIGHBOUR, str(holder.pid)],
            capture_output=True,
            text=True,
            check=True,
        )
        holder.communicate("")
    return core, looked.stdout.splitlines()


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")


@needs_root
def test_neighbour_of_the_same_user_looks_into_nothing_that_hides() -> None:
    assert look_at("hide") == ("0", ["environ refused", "maps refused", "mem refused"])


@needs_root
def test_neighbour_looks_into_what_does_not_hide() -> None:
    _, looked = look_at("show")
    assert looked == ["environ read", "maps read", "mem read"]
