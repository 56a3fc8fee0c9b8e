"""Debian packages: bin/up and bin/test install them where they can, else say what to run."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from config.running.environment import REPOSITORY

COMMAND = 'source "$0/bin/_venv.sh"; install_system_packages "$1"'


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder of programs that come before the machine's; what the tests want is there."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("espeak-ng", "chromium", "xgettext", "node"):
        put(folder, name, "true")
    return folder


def put(folder: Path, name: str, code: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{code}\n")
    path.chmod(0o755)


def put_apt_get(folder: Path, ending: str) -> Path:
    """Notes its arguments, says "E: no route" and ends as told. Returns the notes."""
    put(folder, "id", "echo 0")
    notes = folder.parent / "notes"
    put(folder, "apt-get", f'echo "$@" >>{notes}; echo "E: no route"; {ending}')
    return notes


def run(
    programs: Path, languages: str, kind: str = "runtime", *, others: str = os.environ["PATH"]
) -> subprocess.CompletedProcess[str]:
    environ = {
        **os.environ,
        "PATH": f"{programs}:{others}",
        "OCR_LANGUAGES": languages,
    }
    environ.pop("TESSDATA_PREFIX", None)
    command = ["bash", "-c", COMMAND, str(REPOSITORY), kind]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


def test_nothing_is_done_where_nothing_is_missing(programs: Path):
    notes = put_apt_get(programs, "exit 1")
    done = run(programs, "spa+eng", "dev")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not notes.exists()


def test_root_gets_what_is_missing_and_nothing_more(programs: Path):
    notes = put_apt_get(programs, "exit 0")
    done = run(programs, "spa+tlh+xho")
    assert done.returncode == 0
    assert notes.read_text().splitlines() == [
        "-q update",
        "-qy install --no-install-recommends tesseract-ocr-tlh tesseract-ocr-xho",
    ]


def test_failure_of_apt_get_is_told_with_its_own_words(programs: Path):
    put_apt_get(programs, "exit 100")
    done = run(programs, "tlh")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "E: no route",
        "apt-get could not install tesseract-ocr-tlh; the cause is above",
    ]


def test_ordinary_user_is_told_the_one_command(programs: Path):
    put(programs, "id", "echo 1000")
    done = run(programs, "tlh")
    assert done.returncode == 1
    assert done.stderr == (
        "Run this as root: apt-get install --no-install-recommends tesseract-ocr-tlh\n"
    )


def test_what_the_tests_alone_want_is_named_too(tmp_path: Path):
    """On a machine that has nothing but what the script itself runs."""
    for name in ("bash", "dirname"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    put(tmp_path, "id", "echo 1000")
    done = run(tmp_path, "spa+eng", "dev", others="/nowhere")
    assert done.returncode == 1
    assert done.stderr == (
        "Run this as root: apt-get install --no-install-recommends espeak-ng chromium gettext"
        " nodejs\n"
    )
    assert run(tmp_path, "spa+eng", "runtime", others="/nowhere").returncode == 0
