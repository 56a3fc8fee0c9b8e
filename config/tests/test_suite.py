"""What a run of the suite leaves out, and what it says when a file takes too long."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from config.tests.suite import selection
from config.tests.suite.durations import Budgets, Record
from config.tests.suite.pace import ORDINARY_SECONDS
from config.tests.suite.selection import (
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
        ("templates/query/answer.html", {"query"}),
        ("docs/examples/ask.sh", {"config.tests.test_examples"}),
        ("docs/search.md", set()),
        ("sources/speech/notes.md", set()),
        ("LICENSE", set()),
    ],
)
def test_a_file_belongs_to_its_module_or_to_those_around_it(path: str, expected: set[str]):
    assert set(modules_of(path, MODULES)) == expected


def test_a_change_reaches_the_tests_that_import_it_through_others():
    reached = find_reached(["dashboard/paging.py"]) or set()

    assert "dashboard/tests/browser/test_barriers.py" not in reached
    assert "dashboard/tests/test_bad_input.py" not in reached
    assert find_reached(["sources/tests/providers/google_drive_server.py"]) >= {
        "dashboard/tests/browser/test_ways.py",
    }


@pytest.mark.parametrize("path", ["bin/test", "locked/runtime.txt", "conftest.py", "pytest.ini"])
def test_what_everything_rests_on_reaches_everything(path: str):
    assert find_reached(["docs/search.md", path]) is None


def test_documents_reach_nothing():
    assert find_reached(["docs/search.md", "CHANGELOG.md"]) == set()


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
