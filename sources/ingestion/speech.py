"""Whether speech can be transcribed here, and how: by the model that WHISPER_MODEL names.

Importable by the web process: whisper and torch are imported only where a model is fetched.
"""

import http.client
import os
import re
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import util
from pathlib import Path

from django.conf import settings

from sources.errors import ReaderNotConfigured
from sources.ingestion.confinement import MEGABYTE, Limits

POCKETSPHINX = "pocketsphinx"
# Half of the processors: people who ask meanwhile need the others. More than four help little.
THREADS = min(max((os.cpu_count() or 1) // 2, 1), 4)
SECONDS_MAX = 25 * 60  # of transcribing; a sync in the background ends after 29 minutes
# Measured above the loaded model: 0.15 to 0.3 GB for stretches of 5 minutes, by size of the model.
LIMITS = Limits(
    memory_bytes=1536 * MEGABYTE, cpu_seconds=SECONDS_MAX * THREADS, wall_seconds=SECONDS_MAX
)
MODEL_NAME = re.compile(r"^[a-z0-9][a-z0-9.-]*$")  # "small", "base.en"; anything else is a path
CHECKPOINT_SUFFIX = ".pt"
CHECKPOINT_MAGICS = (b"PK\x03\x04", b"\x80\x02")  # torch.save: an archive; before 1.6, a pickle
FETCH_TIMEOUT_SECONDS = 30  # without a byte; urllib would wait for ever

NOT_SET = (
    "Audio is transcribed by a Whisper model, and none is configured here. Set WHISPER_MODEL to a "
    'model\'s name (for example "small") or to a checkpoint file.'
)
NO_FILE = (
    "Audio is transcribed by a Whisper model, but the file that WHISPER_MODEL names cannot be "
    "read. Set WHISPER_MODEL to a checkpoint file that is there, or to a model's name (for example "
    '"small").'
)
NO_CHECKPOINT = (
    "Audio is transcribed by a Whisper model, but the file that WHISPER_MODEL names is no "
    "checkpoint of one. Set WHISPER_MODEL to a checkpoint file as openai-whisper writes it, or to "
    'a model\'s name (for example "small").'
)
NOT_FETCHED = (
    'Audio is transcribed by a Whisper model, and "{name}", which WHISPER_MODEL names, is not '
    "here yet: it is fetched when the service starts with access to the internet. Start it again, "
    "or set WHISPER_MODEL to a checkpoint file."
)
NO_POCKETSPHINX = (
    'WHISPER_MODEL is "pocketsphinx", but that package is not installed here: '
    "pip install pocketsphinx"
)


class ModelNotFetched(Exception):
    """The message is for the operator."""


def reader_options() -> dict[str, str]:
    """As the extractor `audio` takes them. Looks at files only. Raises ReaderNotConfigured."""
    model = settings.WHISPER_MODEL
    if not model:
        raise ReaderNotConfigured(NOT_SET)
    if model == POCKETSPHINX:
        if util.find_spec(POCKETSPHINX) is None:
            raise ReaderNotConfigured(NO_POCKETSPHINX)
        return {"engine": POCKETSPHINX}
    checkpoint = checkpoint_path(model)
    check_checkpoint(
        checkpoint, missing=NOT_FETCHED.format(name=model) if is_name(model) else NO_FILE
    )
    return {"engine": "whisper", "checkpoint": str(checkpoint), "threads": str(THREADS)}


def is_name(model: str) -> bool:
    return bool(MODEL_NAME.match(model)) and not model.endswith(CHECKPOINT_SUFFIX)


def checkpoint_path(model: str) -> Path:
    """Where the model is, or will be."""
    if is_name(model):
        return Path(settings.MODELS_DIR) / "whisper" / f"{model}{CHECKPOINT_SUFFIX}"
    return Path(model).expanduser().absolute()


def check_checkpoint(path: Path, *, missing: str) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise ReaderNotConfigured(missing) from error
    if not head.startswith(CHECKPOINT_MAGICS):
        raise ReaderNotConfigured(NO_CHECKPOINT)


def fetch_model() -> Path | None:
    """The file of the model that WHISPER_MODEL names, fetched when it is not there yet; None when
    it names a file or nothing. Raises ModelNotFetched.
    """
    model = settings.WHISPER_MODEL
    if model == POCKETSPHINX or not is_name(model):
        return None
    path = checkpoint_path(model)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        download(model, path)
    return path


def download(name: str, path: Path) -> None:
    """By whisper's own code, which checks the SHA-256, to a temporary folder: `path` is whole or
    absent.
    """
    import whisper  # with torch: seconds, and only when there is something to fetch

    if name not in whisper.available_models():
        known = ", ".join(whisper.available_models())
        raise ModelNotFetched(f'"{name}" is no model of Whisper. Known are: {known}.')
    with tempfile.TemporaryDirectory(dir=path.parent) as work, socket_timeout():
        try:
            fetched = whisper._download(whisper._MODELS[name], work, False)
        except (OSError, http.client.HTTPException, RuntimeError) as error:
            raise ModelNotFetched(str(error)) from error
        Path(fetched).rename(path)


@contextmanager
def socket_timeout() -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(FETCH_TIMEOUT_SECONDS)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
