"""What a run of the suite leaves out, and what it says when a file takes too long."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import grimp
import pytest

from config.tests.suite import selection
from config.tests.suite.durations import Budgets, Record
from config.tests.suite.pace import ORDINARY_SECONDS
from config.tests.suite.selection import (
    build_graph,
    find_base,
    find_reached,
    list_changed,
    list_packages,
    modules_of,
)

MODULES = {"sources", "sources.speech", "sources.speech.texts", "sources.models", "query"}


# --- What a change reaches ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("sources/models.py", {"sources.models"}),
        ("sources/speech/__init__.py", {"sources.speech"}),
        ("sources/speech/words.toml", {"sources.speech", "sources.speech.texts"}),
        ("sources/speech/data/es/words.toml", {"sources.speech", "sources.speech.texts"}),
        ("sources/removed.py", MODULES - {"query"}),
        ("sources/speech/conftest.py", {"sources.speech", "sources.speech.texts"}),
        ("templates/query/answer.html", {"query"}),
        ("docs/examples/ask.sh", {"config.tests.test_examples"}),
        ("docs/search.md", set()),
        ("sources/speech/notes.md", set()),
        ("LICENSE", set()),
    ],
)
def test_a_file_belongs_to_its_module_or_to_those_around_it(path: str, expected: set[str]):
    assert set(modules_of(path, MODULES)) == expected


def graph_of(*imports: str) -> grimp.ImportGraph:
    graph = grimp.ImportGraph()
    for line in imports:
        importer, imported = line.split(" -> ")
        graph.add_import(importer=importer, imported=imported)
    return graph


def test_a_change_reaches_the_tests_that_import_it_through_others():
    graph = graph_of(
        "shop.tests.test_orders -> shop.orders",
        "shop.orders -> shop.prices",
        "shop.tests.test_stock -> shop.stock",
    )

    assert find_reached(["shop.prices"], graph) == {"shop/tests/test_orders.py"}
    assert find_reached(["shop.tests.test_stock"], graph) == {"shop/tests/test_stock.py"}
    assert find_reached(["docs.examples"], graph) == set()


class Config:
    """As much of pytest's as `select` looks at."""

    args_source = pytest.Config.ArgsSource.TESTPATHS

    def __init__(self, *, everything: bool = False) -> None:
        self.everything = everything

    def getoption(self, name: str) -> bool:
        return bool(getattr(self, name))


def select_after(change: str, monkeypatch: pytest.MonkeyPatch, **options: bool) -> Any:
    monkeypatch.setattr(selection, "find_base", lambda: "0123456789")
    monkeypatch.setattr(selection, "list_changed", lambda base: [change, "docs/search.md"])
    config: Any = Config(**options)
    return selection.select(config)


@pytest.mark.parametrize(
    "path",
    ["bin/test", "locked/runtime.txt", "conftest.py", "pytest.ini"],
)
def test_what_everything_rests_on_reaches_everything(path: str, monkeypatch: pytest.MonkeyPatch):
    assert select_after(path, monkeypatch).is_whole


def test_everything_runs_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    assert select_after("CHANGELOG.md", monkeypatch, everything=True).is_whole


def test_documents_reach_nothing(monkeypatch: pytest.MonkeyPatch):
    chosen = select_after("CHANGELOG.md", monkeypatch)

    assert (chosen.test_files, chosen.modules) == (frozenset(), frozenset())
    assert chosen.reason == "No module that they import has changed since 01234567"


@pytest.mark.parametrize(
    ("marks", "is_chosen"),
    [
        ([], True),
        ([pytest.mark.slow], False),
        ([pytest.mark.end_to_end], False),
        ([pytest.mark.slow, pytest.mark.canary], True),
        ([pytest.mark.slow(reaches=["dashboard"])], True),
        ([pytest.mark.slow(reaches=["dashboard.pages"])], False),
        ([pytest.mark.slow(reaches=["dash", "query"])], False),
    ],
)
def test_a_slow_test_waits_for_a_change(
    request: pytest.FixtureRequest, marks: list[pytest.MarkDecorator], is_chosen: bool
):
    chosen = selection.Selection("", frozenset({"other.py"}), frozenset({"dashboard.paging"}))
    item: Any = pytest.Function.from_parent(
        request.node.parent, name="test_other", callobj=lambda: None
    )
    for mark in marks:
        item.add_marker(mark)

    assert chosen.has(item) is is_chosen
    assert selection.Selection.from_words(chosen.as_words()) == chosen


def test_every_package_is_looked_at():
    apps = {path.parent.name for path in selection.ROOT.glob("*/__init__.py")}

    assert apps == set(list_packages())


# --- What has changed -----------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of one commit on main."""
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    git(origin, "init", "--initial-branch=main")
    commit(origin, "first.py")
    git(tmp_path, "clone", str(origin), str(clone))
    monkeypatch.setattr(selection, "ROOT", clone)
    return clone


def git(folder: Path, *words: str) -> str:
    author = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    done = subprocess.run(
        ["git", *author, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(folder: Path, name: str) -> str:
    (folder / name).write_text("")
    git(folder, "add", name)
    git(folder, "commit", "-m", name)
    return git(folder, "rev-parse", "HEAD")


def test_a_branch_is_compared_with_where_it_left_main(repository: Path):
    first = git(repository, "rev-parse", "HEAD")
    commit(repository, "second.py")
    commit(repository, "third.py")
    (repository / "first.py").write_text("changed")
    (repository / "fourth.py").write_text("")

    assert find_base() == first
    assert sorted(list_changed(first)) == ["first.py", "fourth.py", "second.py", "third.py"]


def test_main_is_compared_with_the_commit_before(repository: Path):
    assert find_base() is None  # of one commit there is none before

    first = git(repository, "rev-parse", "HEAD")
    commit(repository, "second.py")
    git(repository, "update-ref", "refs/remotes/origin/main", "HEAD")

    assert find_base() == first


def test_outside_a_repository_there_is_nothing_to_compare_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(selection, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    assert find_base() is None


# --- How long files take --------------------------------------------------------------------------

BUDGETS = Budgets(of_file=10, of_all=30, of_files={"long.py": 25})


def record(*, slowness: float = 1, **seconds: float) -> Record:
    made = Record(seconds={f"{name}.py": value for name, value in seconds.items()})
    made.pace.seconds = [ORDINARY_SECONDS * slowness]
    return made


def test_a_file_over_its_budget_is_named():
    told = list(record(short=11, long=12).over_budget(BUDGETS))

    assert told == ["short.py took 11 s of 10"]


def test_so_are_all_files_together():
    told = list(record(a=9, b=9, long=20).over_budget(BUDGETS))

    assert told == ["All files together took 38 s of 30"]


def test_a_slower_machine_may_take_longer():
    assert list(record(short=19, slowness=2).over_budget(BUDGETS)) == []
    assert list(record(short=11, slowness=0.5).over_budget(BUDGETS)) == ["short.py took 11 s of 10"]


def test_each_longer_budget_is_of_a_file_that_is_there():
    missing = [name for name in Budgets.read().of_files if not (selection.ROOT / name).exists()]

    assert missing == []


def test_a_kind_of_source_reaches_what_loads_it_by_its_name():
    graph = build_graph()

    reached = find_reached({"connectors.notion.connector"}, graph)

    assert "sources/tests/test_create.py" in reached
    assert "connectors/tests/odoo/test_html.py" not in reached
