"""Fixtures of sources: a storage of one's own, a quick embedder, a worker inside the test."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.db import connection

from config.celery import app
from sources.ingestion.embed import CloseReading, Vectors
from sources.ingestion.embedding_model import ModelCard
from sources.ingestion.extractors import recognition
from sources.ingestion.ocr import reader_options
from sources.ingestion.spaces import activate_first
from sources.run_signal import wait_for_run_end
from sources.tests.stores import LocalStore, S3Store, Store

DIMENSION = 8


class FakeEmbedder:
    """One window a text; equal texts get equal vectors. In the active space, as get_embedder's."""

    card = ModelCard(
        name="fake",
        dimension=DIMENSION,
        max_tokens=256,
        pooling="mean",
        query_prompt="",
        passage_prompt="",
        is_english_only=False,
    )

    def __init__(self, space: int | None = None) -> None:
        self.space = space or activate_first(settings.EMBEDDING_MODEL, DIMENSION).pk

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        return [self.embed_query(text)[np.newaxis] for text in texts]

    def embed_query(self, text: str) -> Vectors:
        counts = np.bincount([ord(char) % DIMENSION for char in text], minlength=DIMENSION)
        return (counts / np.linalg.norm(counts)).astype(np.float32)

    def read_closely(self, texts: Sequence[str]) -> list[CloseReading]:
        """A word is a token."""
        return [self.read_text(text) for text in texts]

    def read_text(self, text: str) -> CloseReading:
        words = list(re.finditer(r"\w+", text))
        tokens = np.array([self.embed_query(word[0]) for word in words], np.float32)
        spans = tuple(word.span() for word in words)
        return CloseReading(self.embed_query(text), tokens.reshape(-1, DIMENSION), spans)


@pytest.fixture(autouse=True)
def fake_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sources.ingestion.index.get_embedder", FakeEmbedder)


@pytest.fixture(autouse=True)
def stored_files(tmp_path: Path, settings) -> Path:
    """Where this test's originals are; `files_below` lists them."""
    folder = tmp_path / "media"
    default = settings.STORAGES["default"]
    options = {**default["OPTIONS"], "location": str(folder)}
    settings.STORAGES = {**settings.STORAGES, "default": {**default, "OPTIONS": options}}
    return folder


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """A server that speaks S3."""
    from moto.server import ThreadedMotoServer  # slow, and few tests need it

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()
    assert server._server is not None
    server._server.server_close()  # stop() leaves the socket open


@pytest.fixture
def local_store(stored_files: Path) -> LocalStore:
    return LocalStore(stored_files)


@pytest.fixture
def s3_store(s3_endpoint: str, settings, monkeypatch: pytest.MonkeyPatch) -> S3Store:
    store = S3Store(s3_endpoint, settings, monkeypatch)
    store.use()
    return store


@pytest.fixture(params=["local", "s3"])
def store(request: pytest.FixtureRequest) -> Store:
    """Whatever is tested with it holds for both."""
    chosen: Store = request.getfixturevalue(f"{request.param}_store")
    return chosen


@pytest.fixture
def inline_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is enqueued runs when the request begins to wait: no worker process is needed.

    The test's own transaction stands for the database, so `on_commit` is due when ours has ended.
    """

    def run_due_tasks(*args, **kwargs) -> None:
        due, connection.run_on_commit = connection.run_on_commit, []
        for entry in due:
            entry[1]()
        wait_for_run_end(*args, **kwargs)

    monkeypatch.setitem(app.conf, "task_always_eager", True)
    monkeypatch.setattr("sources.services.uploads.wait_for_run_end", run_due_tasks)


@pytest.fixture(scope="session")
def tesseract_options() -> dict[str, str]:
    """Raises ReaderNotConfigured, which says what to install, where there is no language data."""
    return reader_options()


@pytest.fixture(scope="session")
def loaded_tesseract(tesseract_options: dict[str, str]) -> recognition.Engine:
    engine = recognition.Engine()
    engine.load(tesseract_options)
    return engine


@pytest.fixture
def tesseract(loaded_tesseract: recognition.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text can be recognised in this process, in this test."""
    monkeypatch.setattr(recognition, "engine", loaded_tesseract)


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
