"""Fixtures of sources: a storage of one's own, a quick embedder, a worker inside the test."""

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from botocore import session as botocore_session
from django.conf import settings
from django.db import connection

from config.celery import app
from language.words import WORD
from reading.tests.conftest import tesseract_options  # noqa: F401 - a fixture
from sources.embedding.close_reading import Vectors, around, pack_signs
from sources.embedding.onnx_model import (
    Background,
    ModelCard,
    ModelText,
    ReadPassage,
    ReadQuestion,
    normalise,
)
from sources.embedding.spaces import activate_first
from sources.syncing.run_signal import wait_for_run_end
from sources.tests.stores import LocalStore, S3Store, Store

DIMENSION = 8


class FakeEmbedder:
    """One window a text, and a word is a token; equal texts get equal vectors. In the active space,
    as get_embedder's."""

    card = ModelCard(
        name="fake",
        dimension=DIMENSION,
        max_tokens=256,
        pooling="mean",
        query_prompt="",
        passage_prompt="",
        is_english_only=False,
    )
    background = Background(
        centre=np.full(DIMENSION, 0.3, np.float32),
        vectors={
            "es": np.eye(DIMENSION, dtype=np.float32),
            "en": np.eye(DIMENSION, dtype=np.float32),
        },
    )

    def __init__(self, space: int | None = None) -> None:
        self.space = space or activate_first(settings.EMBEDDING_MODEL, DIMENSION).pk

    def read_passages(self, texts: Sequence[ModelText]) -> list[ReadPassage]:
        return [self.read_passage(text) for text in texts]

    def read_passage(self, text: ModelText) -> ReadPassage:
        words = [WORD.findall(part) for part in text.parts]
        vectors = self.vectors_of([word for part in words for word in part])
        return ReadPassage(
            self.vectors_of([text.whole]),
            tuple(len(part) for part in words),
            pack_signs(vectors, self.background.centre),
        )

    def read_question(self, text: str) -> ReadQuestion:
        words = list(WORD.finditer(text))
        return ReadQuestion(
            vector=self.vectors_of([text])[0],
            tokens=around(self.vectors_of([word[0] for word in words]), self.background.centre),
            spans=tuple(word.span() for word in words),
        )

    def vectors_of(self, texts: Sequence[str]) -> Vectors:
        """(n, DIMENSION): how many characters of each kind a text has."""
        counts = np.zeros((len(texts), DIMENSION), np.float32)
        for row, text in zip(counts, texts, strict=True):
            row += np.bincount([ord(char) % DIMENSION for char in text], minlength=DIMENSION)
        return normalise(counts)


@pytest.fixture(autouse=True)
def fake_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sources.indexing.index.get_embedder", FakeEmbedder)


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
    """A server that speaks S3. Its clients, of which each test makes its own, share what they have
    read of Amazon's descriptions: a third of a second of processor each."""
    from moto.server import ThreadedMotoServer  # slow, and few tests need it

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        shared = functools.cache(botocore_session.create_loader)
        patch.setattr(botocore_session, "create_loader", shared)
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


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
