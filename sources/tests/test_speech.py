"""Which speech model is used, whether it is there, and how it gets there."""

import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import whisper
from django.core.management import call_command

from sources.errors import ReaderNotConfigured
from sources.ingestion import speech
from sources.ingestion.readers import require_reader
from sources.ingestion.sandbox import PROJECT
from sources.ingestion.speech import ModelNotFetched, fetch_model, reader_options

# whisper leaves the file that it checks to the garbage collector
WHISPERS_OWN_LEAK = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
CHECKPOINT = b"PK\x03\x04 weights"


@pytest.fixture(autouse=True)
def models(settings, tmp_path: Path) -> Path:
    settings.MODELS_DIR = tmp_path / "models"
    return tmp_path / "models" / "whisper"


def refusal() -> str:
    with pytest.raises(ReaderNotConfigured) as caught:
        reader_options()
    assert caught.value.status == 503
    return caught.value.message


# --- Which model --------------------------------------------------------------------------------


def test_without_a_model_it_says_what_to_set(settings):
    settings.WHISPER_MODEL = ""
    assert refusal() == (
        "Audio is transcribed by a Whisper model, and none is configured here. Set WHISPER_MODEL "
        'to a model\'s name (for example "small") or to a checkpoint file.'
    )
    with pytest.raises(ReaderNotConfigured):
        require_reader("audio/webm")


def test_checkpoint_file_is_used(settings, tmp_path: Path):
    path = tmp_path / "our own.pt"
    path.write_bytes(CHECKPOINT)
    settings.WHISPER_MODEL = str(path)
    options = reader_options()
    assert (options["engine"], options["checkpoint"]) == ("whisper", str(path))
    assert options["threads"] == str(speech.THREADS)


def test_missing_checkpoint_is_told_without_its_path(settings, tmp_path: Path):
    settings.WHISPER_MODEL = str(tmp_path / "secret" / "model.pt")
    message = refusal()
    assert "the file that WHISPER_MODEL names cannot be read" in message
    assert "secret" not in message


def test_file_that_is_no_checkpoint_is_refused(settings, tmp_path: Path):
    path = tmp_path / "model.pt"
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    settings.WHISPER_MODEL = str(path)
    assert "is no checkpoint" in refusal()


def test_name_is_a_file_below_data_dir(settings, models: Path):
    settings.WHISPER_MODEL = "base.en"
    models.mkdir(parents=True)
    (models / "base.en.pt").write_bytes(CHECKPOINT)
    assert reader_options()["checkpoint"] == str(models / "base.en.pt")


def test_name_that_was_not_fetched_says_when_it_will_be(settings):
    settings.WHISPER_MODEL = "small"
    assert refusal() == (
        'Audio is transcribed by a Whisper model, and "small", which WHISPER_MODEL names, is not '
        "here yet: it is fetched when the service starts with access to the internet. Start it "
        "again, or set WHISPER_MODEL to a checkpoint file."
    )


@pytest.mark.parametrize("path", ["../small", "/models/small", "~/small", "small.pt"])
def test_what_is_no_plain_name_is_a_path(settings, path: str):
    settings.WHISPER_MODEL = path
    assert "the file that WHISPER_MODEL names" in refusal()
    assert fetch_model() is None


def test_pocketsphinx_needs_no_file(settings):
    settings.WHISPER_MODEL = "pocketsphinx"
    assert reader_options() == {"engine": "pocketsphinx"}
    assert fetch_model() is None


def test_pocketsphinx_that_is_not_installed(settings, monkeypatch):
    monkeypatch.setattr("sources.ingestion.speech.util.find_spec", lambda name: None)
    settings.WHISPER_MODEL = "pocketsphinx"
    assert refusal().endswith("not installed here: pip install pocketsphinx")


LOOK = """
import sys, django
django.setup()
from django.conf import settings
from sources.ingestion.readers import reader_options
print(reader_options("audio")["engine"])
settings.WHISPER_MODEL = "pocketsphinx"
print(reader_options("audio")["engine"])
print(*sorted({"av", "pocketsphinx", "torch", "whisper"} & set(sys.modules)))
"""


def test_looking_whether_a_model_is_there_imports_none(tmp_path: Path):
    path = tmp_path / "model.pt"
    path.write_bytes(CHECKPOINT)
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings_test", "WHISPER_MODEL": str(path)}
    answer = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=PROJECT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split() == ["whisper", "pocketsphinx"]


# --- How it gets there --------------------------------------------------------------------------


@pytest.fixture
def origin(monkeypatch) -> Iterator[str]:
    """Where whisper fetches "tiny" from: a server of ours. It names the SHA-256 in the path, as
    OpenAI's does.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if "stalls" in self.path:
                released.wait(30)
            self.send_response(200)
            self.send_header("Content-Length", str(len(CHECKPOINT)))
            self.end_headers()
            self.wfile.write(CHECKPOINT)

        def log_message(self, *args: object) -> None:
            """Silent."""

    released = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        released.set()
        server.shutdown()
        thread.join()


def serve_tiny(monkeypatch, settings, url: str) -> None:
    monkeypatch.setitem(whisper._MODELS, "tiny", url)
    settings.WHISPER_MODEL = "tiny"


@WHISPERS_OWN_LEAK
def test_named_model_is_fetched_once(origin: str, settings, monkeypatch, models: Path):
    digest = hashlib.sha256(CHECKPOINT).hexdigest()
    serve_tiny(monkeypatch, settings, f"{origin}/{digest}/tiny.pt")
    assert fetch_model() == models / "tiny.pt"
    assert reader_options()["checkpoint"] == str(models / "tiny.pt")

    monkeypatch.setitem(whisper._MODELS, "tiny", "http://127.0.0.1:1/gone")
    assert fetch_model() == models / "tiny.pt"
    assert [path.name for path in models.iterdir()] == ["tiny.pt"]


@WHISPERS_OWN_LEAK
def test_wrong_checksum_leaves_nothing_behind(origin: str, settings, monkeypatch, models: Path):
    serve_tiny(monkeypatch, settings, f"{origin}/{'0' * 64}/tiny.pt")
    with pytest.raises(ModelNotFetched, match="SHA256"):
        fetch_model()
    assert list(models.iterdir()) == []


def test_server_that_stalls_does_not_hold_up_the_start(origin: str, settings, monkeypatch):
    monkeypatch.setattr(speech, "FETCH_TIMEOUT_SECONDS", 0.3)
    serve_tiny(monkeypatch, settings, f"{origin}/stalls/tiny.pt")
    with pytest.raises(ModelNotFetched, match="timed out"):
        fetch_model()


def test_unknown_name_says_which_there_are(settings):
    settings.WHISPER_MODEL = "smal"
    with pytest.raises(ModelNotFetched, match=r'"smal" is no model of Whisper. Known are: .*small'):
        fetch_model()


def test_start_without_internet_warns_and_goes_on(settings, monkeypatch, capsys):
    serve_tiny(monkeypatch, settings, "http://127.0.0.1:1/0/tiny.pt")
    call_command("prepare_whisper_model")
    warning = capsys.readouterr().err
    assert warning.startswith("The Whisper model tiny could not be fetched: ")
    assert "Uploads of audio answer 503 until it is there." in warning


def test_start_with_a_wrong_path_warns_and_goes_on(settings, capsys):
    settings.WHISPER_MODEL = "/nowhere/model.pt"
    call_command("prepare_whisper_model")
    assert "the file that WHISPER_MODEL names cannot be read" in capsys.readouterr().err
