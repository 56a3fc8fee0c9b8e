"""How long bin/up takes until the service is ready: on a folder of an earlier run, and on a machine
that has nothing but Python."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.service import MODELS, ROOT, running_in
from bench.speed.checkouts import BEFORE, OURS, add_other, notes_on_other, roots
from bench.speed.measurement import Figure, Measurement, Picture
from bench.speed.processes import cpu_seconds

HELP = "time until ready, on a data folder that exists; with --bare, of a first start too"
WARM_GOAL_SECONDS, BARE_GOAL_SECONDS = 6, 60
PREFIX = "bench-start-"
START_NOTE = '`bin/up`, from its call to the line "Ready", with the demo company loaded before.'
LINK_NOTE = (
    "The `.venv` of {name} is a link to another checkout's, so `bin/up` was not let look at its"
    " packages: the time is of `config.running.up`, in which it ends."
)
BARE_NOTE = (
    "The bare clone had neither `.venv` nor models nor data; the system's packages were those of"
    " this machine. {caches}"
)

Turns = dict[str, list[float]]


def add_arguments(parser: ArgumentParser) -> None:
    add_other(parser)
    parser.add_argument(
        "--bare",
        action="store_true",
        help="also start a clone of what is committed, without .venv and data, once",
    )


def measure(options: dict[str, Any]) -> Measurement:
    seconds, cpu = start_in_turns(options)
    against = BEFORE if seconds[BEFORE] else ""
    figures = [
        Figure("warm start to ready", "s", seconds[OURS], goal=WARM_GOAL_SECONDS),
        Figure("processor time until ready", "s", cpu[OURS], against, cpu[BEFORE]),
    ]
    if against:
        figures.append(Figure("warm start to ready", "s", seconds[OURS], against, seconds[BEFORE]))
    notes = [START_NOTE, *notes_on_other(options)]
    linked = [name for name, root in roots(options).items() if has_anothers_packages(root)]
    notes += [LINK_NOTE.format(name=name) for name in linked]
    if options["bare"]:
        taken, used = start_bare()
        figures += [
            Figure("first start of a bare clone to ready", "s", [taken], goal=BARE_GOAL_SECONDS),
            Figure("its processor time", "s", [used]),
        ]
        notes.append(BARE_NOTE.format(caches=package_caches()))
    bars = {name: found for name, found in seconds.items() if found}
    return Measurement("Time until ready", figures, notes, [Picture("Warm start", "s", bars)])


def start_in_turns(options: dict[str, Any]) -> tuple[Turns, Turns]:
    """Seconds and processor seconds, of each checkout one a round."""
    seconds: Turns = defaultdict(list)
    cpu: Turns = defaultdict(list)
    with ExitStack() as stack:
        folders = {name: new_folder(stack) for name in roots(options)}
        for name, root in roots(options).items():  # the first start makes what later ones find
            start(folders[name], root)
        for _ in range(options["rounds"]):
            for name, root in roots(options).items():
                taken, used = start(folders[name], root)
                seconds[name].append(taken)
                cpu[name].append(used)
    return seconds, cpu


def new_folder(stack: ExitStack) -> Path:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=PREFIX)))
    MODELS.mkdir(parents=True, exist_ok=True)
    (folder / "data").mkdir()
    (folder / "data" / "models").symlink_to(MODELS.resolve())
    return folder


def start(folder: Path, root: Path) -> tuple[float, float]:
    """Seconds and processor seconds until it was ready; it is stopped again."""
    command = [] if has_anothers_packages(root) else [str(root / "bin" / "up")]
    with running_in(folder, root, command=command) as service:
        return service.start_seconds, cpu_seconds(service.pid)


def has_anothers_packages(root: Path) -> bool:
    """bin/up would install there what `root` wants."""
    return (root / ".venv").is_symlink()


def start_bare() -> tuple[float, float]:
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        return start(Path(folder), clone)


def package_caches() -> str:
    """What pip found on this machine; uv keeps its cache in `.venv`, which was not there."""
    said = subprocess.run(
        [sys.executable, "-m", "pip", "cache", "info"], capture_output=True, text=True, check=False
    ).stdout
    sizes = [line.split(": ", 1)[1] for line in said.splitlines() if "cache size" in line]
    return f"pip's cache held {' + '.join(sizes) or 'nothing'}; uv's was empty."
