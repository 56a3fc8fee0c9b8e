"""Which speech model is used, whether it is there, and how it gets there."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import torch
from django.core.management import call_command
from huggingface_hub import constants as hub_settings
from huggingface_hub import file_download
from huggingface_hub.utils._http import reset_sessions

from reading import speech, whisper_models
from reading.confinement.sandbox import PROJECT
from reading.errors import ReaderMissing
from reading.readers import limits_of
from reading.whisper_models import ModelNotPrepared
from sources.documents import reading_settings, require_reader
from sources.errors import ReaderNotConfigured
from sources.tests.model_hub import ModelHub
from sources.tests.speech_models import make_guessing_checkpoint, save

pytestmark = pytest.mark.slow

CHECKPOINT = b"PK\x03\x04 weights"
FILES = {"model.bin": b"weights", "config.json": b"{}", "tokenizer.json": b"{}"}


@pytest.fixture(autouse=True)
def models(settings, tmp_path: Path) -> Path:
    settings.MODELS_DIR = tmp_path / "models"
    return tmp_path / "models" / "whisper"


def prepare_model() -> None:
    speech.prepare_model(reading_settings())


def reader_options() -> dict[str, str]:
    return speech.reader_options(reading_settings())


def refusal() -> str:
    with pytest.raises(ReaderMissing) as caught:
        reader_options()
    return str(caught.value)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "prepare.lock")


def folder_with_model(path: Path, weights: bytes = b"weights") -> Path:
    path.mkdir(parents=True)
    (path / "model.bin").write_bytes(weights)
    return path


# --- Which model --------------------------------------------------------------------------------


def test_without_a_word_of_the_operator_the_model_of_the_packages_is_used(settings, models: Path):
    assert settings.WHISPER_MODEL == "base"
    options = reader_options()
    assert options == {"folder": str(models / "base"), "threads": str(speech.THREADS)}
    assert names_in(models / "base") == [
        *("config.json", "model.bin", "tokenizer.json", "vocabulary.txt")
    ]
    digest = whisper_models.sha256_of(models / "base" / "model.bin")
    assert digest == whisper_models.PACKAGED_SHA256


def test_transcribing_can_be_switched_off(settings, models: Path):
    settings.WHISPER_MODEL = "none"
    assert refusal() == (
        "Audio is transcribed by a Whisper model, and none is configured here: WHISPER_MODEL is "
        '"none". Unset it for the model that comes with the service, or name another (for example '
        '"small").'
    )
    with pytest.raises(ReaderNotConfigured):
        require_reader("audio/webm")
    prepare_model()
    assert not models.exists()


def test_folder_of_the_operators_is_used_as_it_is(settings, tmp_path: Path, models: Path):
    folder = folder_with_model(tmp_path / "our own")
    settings.WHISPER_MODEL = str(folder)
    prepare_model()
    assert reader_options()["folder"] == str(folder)
    assert not models.exists()


def test_what_is_not_there_is_told_without_its_path(settings, tmp_path: Path):
    settings.WHISPER_MODEL = str(tmp_path / "secret" / "model.pt")
    message = refusal()
    assert "neither a model's name" in message
    assert "secret" not in message


def test_folder_without_a_model_is_refused(settings, tmp_path: Path):
    settings.WHISPER_MODEL = str(tmp_path)
    assert "nor a folder with a faster-whisper model" in refusal()


def test_file_that_is_no_checkpoint_is_refused(settings, tmp_path: Path, models: Path):
    path = tmp_path / "model.pt"
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    settings.WHISPER_MODEL = str(path)
    prepare_model()
    assert "is not a Whisper checkpoint" in refusal()


def test_name_is_a_folder_below_data_dir(settings, models: Path):
    settings.WHISPER_MODEL = "base.en"
    folder_with_model(models / "base.en")
    assert reader_options()["folder"] == str(models / "base.en")


def test_name_that_was_not_fetched_says_when_it_will_be(settings):
    settings.WHISPER_MODEL = "small"
    assert refusal() == (
        'Audio is transcribed by a Whisper model, and "small", named by WHISPER_MODEL, is not '
        "here yet: it is fetched when the service starts with access to the internet. Start it "
        "again, or unset WHISPER_MODEL for the model that comes with the service."
    )


@pytest.mark.parametrize("path", ["../small", "/models/small", "~/small", "small.pt"])
def test_what_is_no_plain_name_is_a_path(settings, path: str):
    settings.WHISPER_MODEL = path
    prepare_model()
    assert "neither a model's name" in refusal()


def test_larger_model_may_take_more_memory(settings, tmp_path: Path):
    memory_bytes = []
    for weights in (b"small", b"a large one"):
        folder = folder_with_model(tmp_path / str(len(weights)), weights)
        settings.WHISPER_MODEL = str(folder)
        memory_bytes.append(
            limits_of("audio.recording", reading_settings()).memory_bytes - len(weights)
        )
    assert memory_bytes == [speech.READING_BYTES] * 2


LOOK = """
import sys
from pathlib import Path
from reading.readers import reader_options
from reading.settings import ReadingSettings
settings = ReadingSettings("spa+eng", None, "", sys.argv[1], Path("models"), False)
print(reader_options("audio.recording", settings)["folder"])
print(*sorted({"av", "ctranslate2", "django", "faster_whisper", "torch"} & set(sys.modules)))
"""


def test_looking_whether_a_model_is_there_imports_none(tmp_path: Path):
    folder = folder_with_model(tmp_path / "model")
    answer = subprocess.run(
        [sys.executable, "-c", LOOK, str(folder)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split() == [str(folder)]


# --- From its packages --------------------------------------------------------------------------


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies of the packages' data, to be damaged."""
    for package in whisper_models.PACKAGES:
        shutil.copytree(whisper_models.data_folder(package), tmp_path / package)
    monkeypatch.setattr(whisper_models, "data_folder", lambda package: tmp_path / package)
    return tmp_path


def test_damaged_package_is_not_used(
    packages: Path, models: Path, caplog: pytest.LogCaptureFixture
):
    half = packages / whisper_models.PACKAGES[1] / "model.bin.part2"
    half.write_bytes(half.read_bytes()[:-1])
    with pytest.raises(ModelNotPrepared, match="are damaged"):
        prepare_model()
    assert names_in(models) == []
    assert "could not be put together" in refusal()
    assert "are damaged" in caplog.text


def test_missing_package_is_not_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(whisper_models, "PACKAGES", ("no_such_package",))
    with pytest.raises(ModelNotPrepared, match="no_such_package is not installed"):
        prepare_model()


def test_full_disk_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, models: Path):
    def fail(folder: Path, *names: str) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(whisper_models, "copy_packaged", fail)
    with pytest.raises(ModelNotPrepared, match="No space left"):
        prepare_model()
    assert names_in(models) == []


def test_two_at_once_take_turns_and_work_once(monkeypatch: pytest.MonkeyPatch, models: Path):
    joined = []
    everybody_is_here = threading.Barrier(2)

    def join(folder: Path) -> None:
        joined.append(folder)
        (folder / "model.bin").write_bytes(b"weights")

    def prepare() -> None:
        everybody_is_here.wait(10)
        prepare_model()

    monkeypatch.setattr(speech, "join_embedded", join)
    threads = [threading.Thread(target=prepare) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(joined) == 1
    assert names_in(models) == ["base"]


# --- From a checkpoint --------------------------------------------------------------------------


def test_checkpoint_file_is_converted_once(settings, tmp_path: Path, models: Path):
    path = make_guessing_checkpoint(tmp_path / "our own.pt")
    settings.WHISPER_MODEL = str(path)
    assert "has not been converted yet" in refusal()

    prepare_model()
    (name,) = names_in(models)
    assert reader_options()["folder"] == str(models / name)
    assert names_in(models / name) == [
        *("config.json", "model.bin", "tokenizer.json", "vocabulary.json")
    ]
    converted_at = (models / name / "model.bin").stat().st_mtime_ns
    prepare_model()
    assert (models / name / "model.bin").stat().st_mtime_ns == converted_at


def test_checkpoint_file_that_changes_is_converted_anew(settings, tmp_path: Path, models: Path):
    path = make_guessing_checkpoint(tmp_path / "model.pt")
    settings.WHISPER_MODEL = str(path)
    prepare_model()
    before = reader_options()["folder"]
    os.utime(path, ns=(1, 1))
    assert "has not been converted yet" in refusal()
    prepare_model()
    assert reader_options()["folder"] != before


def test_checkpoint_that_an_earlier_version_fetched_is_converted(settings, models: Path):
    models.mkdir(parents=True)
    make_guessing_checkpoint(models / "small.pt")
    settings.WHISPER_MODEL = "small"
    prepare_model()
    assert reader_options()["folder"] == str(models / "small")


@pytest.mark.parametrize("n_vocab", [51864, 51866], ids=["english only", "large-v3"])
def test_checkpoint_with_another_vocabulary_says_what_to_set(
    settings, tmp_path: Path, models: Path, n_vocab: int
):
    settings.WHISPER_MODEL = str(save({}, tmp_path / "other.pt", n_vocab=n_vocab))
    with pytest.raises(ModelNotPrepared, match="other.pt cannot be converted: .* faster-whisper"):
        prepare_model()
    assert names_in(models) == []


def write_half(path: Path) -> None:
    make_guessing_checkpoint(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(CHECKPOINT),
        write_half,
        lambda path: torch.save({"weights": 1}, path),
        lambda path: save({}, path),
        lambda path: save({"encoder.conv1.weight": torch.zeros(1)}, path),
    ],
    ids=["no archive", "cut off", "of another kind", "without weights", "of another shape"],
)
def test_damaged_checkpoint_leaves_nothing_behind(
    settings, tmp_path: Path, models: Path, write: Callable[[Path], object]
):
    path = tmp_path / "model.pt"
    write(path)
    settings.WHISPER_MODEL = str(path)
    with pytest.raises(ModelNotPrepared, match=r"model\.pt is not a Whisper checkpoint"):
        prepare_model()
    assert names_in(models) == []


# --- From the hub -------------------------------------------------------------------------------


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModelHub]]:
    """`hub(files)` is where models are fetched from."""
    with ExitStack() as stack:

        def start(files: dict[str, bytes], **said: str) -> ModelHub:
            server = stack.enter_context(ModelHub(files, **said))
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            use_hub(monkeypatch, server.url)
            return server

        yield start


def use_hub(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(hub_settings, "HF_HUB_OFFLINE", False)
    reset_sessions()  # one that was made offline, when a model was exported, stays offline
    monkeypatch.setattr(hub_settings, "ENDPOINT", url)
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(file_download, "HUGGINGFACE_CO_URL_TEMPLATE", template)


def test_named_model_is_fetched_once(hub: Callable[..., ModelHub], settings, models: Path):
    server = hub({**FILES, "README.md": b"not needed"})
    settings.WHISPER_MODEL = "tiny"
    prepare_model()
    assert reader_options()["folder"] == str(models / "tiny")
    assert {path.name: path.read_bytes() for path in (models / "tiny").iterdir()} == FILES

    asked = len(server.asked)
    prepare_model()
    assert len(server.asked) == asked
    assert names_in(models) == ["tiny"]


def test_wrong_checksum_leaves_nothing_behind(hub: Callable[..., ModelHub], settings, models: Path):
    hub(FILES, stated_sha256="0" * 64)
    settings.WHISPER_MODEL = "tiny"
    with pytest.raises(ModelNotPrepared, match="has not the SHA-256"):
        prepare_model()
    assert names_in(models) == []


def test_unknown_name_says_which_there_are(settings):
    settings.WHISPER_MODEL = "smal"
    with pytest.raises(
        ModelNotPrepared, match=r'"smal" is not a Whisper model. The models are: .*small'
    ):
        prepare_model()


# --- At the start -------------------------------------------------------------------------------


def test_start_without_internet_warns_and_goes_on(settings, monkeypatch, capsys):
    use_hub(monkeypatch, "http://127.0.0.1:1")
    settings.WHISPER_MODEL = "tiny"
    call_command("prepare_whisper_model")
    warning = capsys.readouterr().err
    assert warning.startswith("The Whisper model tiny could not be prepared: ")
    assert "Uploads of audio answer 503 until it is there." in warning


def test_start_with_a_wrong_path_warns_and_goes_on(settings, capsys):
    settings.WHISPER_MODEL = "/nowhere/model.pt"
    call_command("prepare_whisper_model")
    assert "neither a model's name" in capsys.readouterr().err
