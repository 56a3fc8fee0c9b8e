"""Which slow tests a run needs: those that a change can reach.

A test marked `slow` or `end_to_end` runs when a module that its file imports, directly or through
others, has changed since the merge base, or when it is the `canary` of its family. Files that are
named on the command line run whole, and so does everything with `--everything` (`bin/test --all`).
"""

from __future__ import annotations

import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[3]
IMPORTS = ROOT / "var" / "test" / "imports"  # what grimp keeps of the files that it has read
MARKS = ("slow", "end_to_end")
KEY = "selection"  # what a process of xdist is handed
# A change of one of these may reach anything.
REACHES_ALL = (
    ".ci/",
    "Dockerfile",
    "bin/",
    "config/settings",
    "config/tests/suite/",
    "conftest.py",
    "constraints.txt",
    "locked/",
    "manage.py",
    "pyproject.toml",
    "pytest.ini",
    "requirements",
)
EXAMPLES = "docs/examples/"
TESTS_OF_EXAMPLES = "config.tests.test_examples"


@dataclass(frozen=True)
class Selection:
    """`test_files`: of slow tests, those that a change reaches; None: all of them."""

    reason: str
    test_files: frozenset[str] | None = None

    def has(self, item: pytest.Item) -> bool:
        if self.test_files is None or not is_slow(item):
            return True
        return item.get_closest_marker("canary") is not None or file_of(item) in self.test_files


@dataclass
class LeftOut:
    """Tests that were not run, by file, in the process that reports."""

    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))


LEFT_OUT = pytest.StashKey[LeftOut]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--everything",
        action="store_true",
        help="run slow tests too that no change since the merge base can reach",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT_OUT] = LeftOut()


def pytest_configure_node(node: object) -> None:
    """Tell a process of xdist what has been selected: it is found out once."""
    node.workerinput[KEY] = selection_of(node.config)  # type: ignore[attr-defined]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    given = getattr(config, "workerinput", {}).get(KEY) or selection_of(config)
    selection = Selection(given[0], None if given[1] is None else frozenset(given[1]))
    left_out = [item for item in items if not selection.has(item)]
    if not left_out:
        return
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]
    for item in left_out:
        config.stash[LEFT_OUT].counts[file_of(item)] += 1
    if hasattr(config, "workeroutput"):
        config.workeroutput[KEY] = dict(config.stash[LEFT_OUT].counts)


def pytest_testnodedown(node: object, error: object) -> None:
    """Every process of xdist leaves out the same."""
    told = getattr(node, "workeroutput", {}).get(KEY, {})
    node.config.stash[LEFT_OUT].counts.update(told)  # type: ignore[attr-defined]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    counts = config.stash[LEFT_OUT].counts
    if not counts:
        return
    reason = selection_of(config)[0]
    terminalreporter.section(f"left out: {sum(counts.values())} slow tests")
    terminalreporter.write_line(f"{reason}. `bin/test --all` runs them too:")
    for name, count in sorted(counts.items()):
        terminalreporter.write_line(f"  {count:4} of {name}")


# --- What has changed -----------------------------------------------------------------------------


def selection_of(config: pytest.Config) -> tuple[str, list[str] | None]:
    """As xdist can hand it on: the reason, and the test files that a change reaches."""
    if config.getoption("everything"):
        return "Everything was asked for", None
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        return "Its files were named", None
    base = find_base()
    if base is None:
        return "There is no commit to compare with", None
    changed = list_changed(base)
    files = find_reached(changed)
    if files is None:
        return f"What has changed since {base[:8]} may reach anything", None
    reason = f"No module that they import has changed since {base[:8]}"
    return reason, sorted(files)


def git(*words: str) -> str | None:
    """What it prints; None: it fails, or there is none."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def find_base() -> str | None:
    """The commit that this work began at: where it left the published main, or else, on main
    itself, the commit before the newest.
    """
    head = git("rev-parse", "HEAD")
    base = git("merge-base", "HEAD", "origin/main")
    if base and base != head:
        return base
    return git("rev-parse", "HEAD^")


def list_changed(base: str) -> list[str]:
    """Paths that differ from `base`, committed or not, new ones too."""
    listed = [
        git("diff", "--name-only", "-z", base) or "",
        git("ls-files", "--others", "--exclude-standard", "-z") or "",
    ]
    return [path for paths in listed for path in paths.split("\0") if path]


# --- What a change reaches ------------------------------------------------------------------------


def find_reached(changed: Iterable[str]) -> set[str] | None:
    """Test files that import something of `changed`, directly or through others; None: all."""
    changed = list(changed)
    if any(path.startswith(REACHES_ALL) or path.endswith("conftest.py") for path in changed):
        return None
    packages = list_packages()
    graph = grimp.build_graph(*packages, cache_dir=str(IMPORTS))
    modules = {module for path in changed for module in modules_of(path, graph.modules)}
    reached = modules | {more for one in modules for more in graph.find_downstream_modules(one)}
    return {path_of(module) for module in reached if is_test(module)}


def list_packages() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return list(tomllib.load(file)["tool"]["importlinter"]["root_packages"])


def modules_of(path: str, modules: Iterable[str]) -> Iterator[str]:
    """What changes with a file: its module, or else what stands beside and below it. A template
    belongs to the app that its folder is named after.
    """
    if path.startswith(EXAMPLES):
        yield TESTS_OF_EXAMPLES
        return
    if path.endswith(".md"):
        return
    path = path.removeprefix("templates/")
    if path.endswith(".py"):
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if name in modules:
            yield name
            return
    folder = path.rpartition("/")[0].replace("/", ".")
    while folder and folder not in modules:  # one that holds no code: static/, locale/, files/
        folder = folder.rpartition(".")[0]
    if folder:
        yield from (one for one in modules if one == folder or one.startswith(f"{folder}."))


def path_of(module: str) -> str:
    return module.replace(".", "/") + ".py"


def is_test(module: str) -> bool:
    return module.rpartition(".")[2].startswith("test_")


def is_slow(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(mark) for mark in MARKS)


def file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
