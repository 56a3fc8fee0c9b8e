"""Where the kernel has no Landlock: production reads no file, unless its operator permits it."""

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from reading import readers
from reading.confinement import protection
from reading.confinement.landlock import has_landlock
from reading.confinement.protection import NOT_READ, READ_ALL_THE_SAME
from sources.documents import (
    describe_reading,
    extract_document,
    read_facts,
    read_request,
    require_reader,
)
from sources.errors import ReadingNotPermitted
from sources.tests.hijacked_parser import LANDLOCK

TEXT = "text/plain"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text("Abrimos los sábados.")
    return path


@pytest.fixture
def without_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (readers, protection):
        monkeypatch.setattr(module, "has_landlock", lambda: False)


def read(file: Path) -> str:
    return extract_document(file, read_request(content_type=TEXT, title="note")).blocks[0].text


def test_production_without_landlock_reads_nothing(
    file: Path, without_landlock: None, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.IS_DEVELOPMENT = False

    for attempt in (
        lambda: require_reader(TEXT),
        lambda: read(file),
        lambda: read_facts(file, extractor="html.sitemap"),
    ):
        with pytest.raises(ReadingNotPermitted) as refused:
            attempt()
        assert refused.value.status == 503
        assert not refused.value.retryable
        assert "The server's operator" in refused.value.message
    assert NOT_READ in caplog.text


def test_operator_may_permit_it(file: Path, without_landlock: None, settings: Any) -> None:
    settings.IS_DEVELOPMENT = False
    settings.ALLOW_FILES_WITHOUT_LANDLOCK = True

    assert read(file) == "Abrimos los sábados."
    assert describe_reading() == READ_ALL_THE_SAME


def test_development_goes_on_and_says_so(file: Path, without_landlock: None) -> None:
    assert read(file) == "Abrimos los sábados."
    assert describe_reading() == READ_ALL_THE_SAME


@pytest.mark.skipif(not has_landlock(), reason="this kernel has no Landlock")
def test_nothing_is_said_where_landlock_is(settings: Any, file: Path) -> None:
    settings.IS_DEVELOPMENT = False

    assert read(file) == "Abrimos los sábados."
    assert describe_reading() == ""


@pytest.mark.parametrize(("is_required", "words"), [("yes", NOT_READ), ("no", READ_ALL_THE_SAME)])
def test_start_is_told_of_a_kernel_that_really_has_none(is_required: str, words: str) -> None:
    code = f"""
        import runpy, sys
        from sources.tests.hijacked_parser import refuse_calls
        refuse_calls(["{LANDLOCK}"])
        sys.argv = ["protection", "{is_required}"]
        runpy.run_module("reading.confinement.protection", run_name="__main__")
    """
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert told.stdout == words
