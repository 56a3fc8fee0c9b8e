"""Which slow tests a run needs: those that a change can reach.

A test marked `slow` or `end_to_end` runs when a module that its file imports, directly or through
others, has changed since the merge base, or when it is the `canary` of its family. What asks for
pages imports none of them: `slow(reaches=["dashboard"])` names the packages that it is about. Files
that are named on the command line run whole, and so does everything with `--everything`
(`bin/test --all`).
"""

from __future__ import annotations

import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[3]
IMPORTS = ROOT / "var" / "test" / "imports"  # what grimp keeps of the files that it has read
MARKS = ("slow", "end_to_end")
KEY = "selection"  # what a process of xdist is handed
Told = tuple[str, list[str] | None, list[str]]
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
# Imported by names in the settings, which no graph shows: the package, by the module that loads it.
LOADED_BY_NAME = {"sources.connectors.registry": "connectors"}
EXAMPLES = "docs/examples/"
TESTS_OF_EXAMPLES = "config.tests.test_examples"


@dataclass(frozen=True)
class Selection:
    """Which slow tests run, and in words why the others do not.

    Args:
        test_files: those that import something that has changed; None: all.
        modules: what has changed itself.
    """

    reason: str
    test_files: frozenset[str] | None = None
    modules: frozenset[str] = frozenset()

    def has(self, item: pytest.Item) -> bool:
        if self.test_files is None or not is_slow(item) or item.get_closest_marker("canary"):
            return True
        return file_of(item) in self.test_files or any(map(self.has_changed, reaches_of(item)))

    def has_changed(self, package: str) -> bool:
        return any(f"{module}.".startswith(f"{package}.") for module in self.modules)

    def as_words(self) -> Told:
        """As xdist hands it to its processes, which take plain values alone."""
        files = None if self.test_files is None else sorted(self.test_files)
        return self.reason, files, sorted(self.modules)

    @property
    def is_whole(self) -> bool:
        """Whether all slow tests run."""
        return self.test_files is None

    @classmethod
    def from_words(cls, told: Told) -> Selection:
        reason, files, modules = told
        return cls(reason, None if files is None else frozenset(files), frozenset(modules))


@dataclass
class LeftOut:
    """Tests that were not run, by file, in the process that reports."""

    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))


LEFT_OUT = pytest.StashKey[LeftOut]()
SELECTION = pytest.StashKey[Selection]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--everything",
        action="store_true",
        help="run slow tests too that no change since the merge base can reach",
    )


def pytest_configure(config: pytest.Config) -> None:
    """In xdist's processes, select what the first one has found out."""
    config.stash[LEFT_OUT] = LeftOut()
    told: Told | None = getattr(config, "workerinput", {}).get(KEY)
    config.stash[SELECTION] = Selection.from_words(told) if told else select(config)


def pytest_configure_node(node: Any) -> None:
    node.workerinput[KEY] = node.config.stash[SELECTION].as_words()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    selection = config.stash[SELECTION]
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


def pytest_testnodedown(node: Any) -> None:
    """Every process of xdist leaves out the same."""
    node.config.stash[LEFT_OUT].counts.update(getattr(node, "workeroutput", {}).get(KEY, {}))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    counts = config.stash[LEFT_OUT].counts
    if not counts:
        return
    terminalreporter.section(f"left out: {sum(counts.values())} slow tests")
    terminalreporter.write_line(
        f"{config.stash[SELECTION].reason}. `bin/test --all` runs them too:"
    )
    for name, count in sorted(counts.items()):
        terminalreporter.write_line(f"  {count:4} of {name}")


# --- What has changed -----------------------------------------------------------------------------


def select(config: pytest.Config) -> Selection:
    if config.getoption("everything"):
        return Selection("Everything was asked for")
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        return Selection("Its files were named")
    base = find_base()
    if base is None:
        return Selection("There is no commit to compare with")
    changed = list_changed(base)
    if any(path.startswith(REACHES_ALL) for path in changed):
        return Selection(f"What has changed since {base[:8]} may reach anything")
    graph = build_graph()
    modules = {module for path in changed for module in modules_of(path, graph.modules)}
    return Selection(
        f"No module that they import has changed since {base[:8]}",
        frozenset(find_reached(modules, graph)),
        frozenset(modules),
    )


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


def build_graph() -> grimp.ImportGraph:
    """What imports what, by names in the settings too."""
    graph = grimp.build_graph(*list_packages(), cache_dir=str(IMPORTS))
    for importer, package in LOADED_BY_NAME.items():
        for module in graph.find_descendants(package):
            if ".tests" not in module:
                graph.add_import(importer=importer, imported=module)
    return graph


def find_reached(modules: Iterable[str], graph: grimp.ImportGraph) -> set[str]:
    """Test files that import one of `modules`, directly or through others, or are one."""
    reached = {*modules}
    for module in modules:
        if module in graph.modules:
            reached |= graph.find_downstream_modules(module)
    return {path_of(module) for module in reached if is_test(module)}


def list_packages() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return list(tomllib.load(file)["tool"]["importlinter"]["root_packages"])


def modules_of(path: str, modules: Iterable[str]) -> Iterator[str]:
    """What changes with a file: its module, or else what stands beside and below it, as with the
    fixtures of a folder. A template belongs to the app that its folder is named after.
    """
    if path.startswith(EXAMPLES):
        yield TESTS_OF_EXAMPLES
        return
    if path.endswith(".md"):
        return
    path = path.removeprefix("templates/")
    if path.endswith(".py") and not path.endswith("/conftest.py"):
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


def reaches_of(item: pytest.Item) -> Iterator[str]:
    """Packages that a test is about without importing them."""
    for mark in item.iter_markers("slow"):
        yield from mark.kwargs.get("reaches", ())


def file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
