"""Another embedding model takes over while questions are asked and sources are synced, and the
process that does it is killed on the way.

Real processes, a real `kill -9`; from the real model to a tiny one, and back.
"""

import json
import shutil
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from accounts.models import Tenant
from language.message import read_message
from query.pipeline import answer_findings, find_for_text
from query.search.retrieval import read_question, retrieve_chunks
from query.tests.factories import index_texts
from query.tests.forked import Command
from sources.embedding.embedder import forget_active_space, get_embedder
from sources.embedding.embedding_model import prepare_model
from sources.errors import EmbeddingModelChanged
from sources.models import Chunk, ChunkEmbedding, EmbeddingSpace
from sources.tests.tiny_models import make_model

READERS = 2
WAIT_SECONDS = 120
PASSAGES = [
    f"Boat number {number} of the harbour carries {number + 3} passengers to the lighthouse."
    for number in range(60)
]
QUESTION = "How many passengers does boat number 7 of the harbour carry?"
LATE = "The ferry to the monastery sails on Sundays alone."

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    # of the libraries that save and export models
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Exported where the processes of these tests all find it."""
    folder = tmp_path_factory.mktemp("models")
    name = make_model(folder / "tiny", pooling="cls", prompts={"query": "q: "})
    exported = prepare_model(name)
    yield name
    shutil.rmtree(exported)


@pytest.fixture
def harbour(committed_tenant: Tenant) -> Iterator[Tenant]:
    forget_active_space()
    index_texts(committed_tenant, *PASSAGES, name="boats.txt")
    yield committed_tenant
    EmbeddingSpace.objects.all().delete()
    forget_active_space()


class Visitors:
    """Ask all the time, as threads of one web process do."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.asked: Counter[bool] = Counter()  # whether something was found
        self.errors: list[BaseException] = []
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=copy_context().run, args=[self._ask]) for _ in range(READERS)
        ]

    def __enter__(self) -> "Visitors":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        try:
            while not self._stopped.is_set():
                findings = find_for_text(self.tenant, QUESTION)
                answer = answer_findings(self.tenant, findings)
                found = [chunk.text for chunk in findings.chunks]
                self.asked[PASSAGES[7] in found and bool(answer.text)] += 1
        except BaseException as error:  # noqa: BLE001 - a thread's error must fail the test
            self.errors.append(error)
        finally:
            connection.close()


@contextmanager
def reembedding(folder: Path, model: str, *arguments: str) -> Iterator[Command]:
    """Killed in the end, if it has not ended."""
    output = folder / f"reembed-{uuid.uuid4().hex}"
    words = ("reembed", "--verbosity", "0", *arguments)
    command = Command(output, *words, EMBEDDING_MODEL=model)
    try:
        yield command
    finally:
        command.kill()


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def active_model() -> str:
    return EmbeddingSpace.objects.get(is_active=True).model


def models_of_vectors(tenant: Tenant) -> Counter[str]:
    names = dict(EmbeddingSpace.objects.values_list("pk", "model"))
    spaces = ChunkEmbedding.objects.for_tenant(tenant).values_list("space", flat=True)
    return Counter(names.get(space, "none") for space in spaces)


def kill_half_way(folder: Path, model: str, tenant: Tenant) -> int:
    """How many chunks had been embedded."""
    with reembedding(folder, model, "--batch", "1") as command:
        wait_until(lambda: models_of_vectors(tenant)[model] >= 5 or command.has_ended)
    return models_of_vectors(tenant)[model]


def test_a_question_that_was_read_before_the_swap_is_read_again(
    tenant: Tenant, tiny_model: str, settings
):
    forget_active_space()
    index_texts(tenant, *PASSAGES[:10])
    question = read_question(read_message(QUESTION))
    old_model, settings.EMBEDDING_MODEL = settings.EMBEDDING_MODEL, tiny_model
    call_command("reembed", verbosity=0)

    read_again, found = retrieve_chunks(tenant, question, top_k=5)

    assert PASSAGES[7] in [chunk.text for chunk in found]
    assert get_embedder(read_again.space).card.name == get_embedder().card.name == tiny_model
    assert get_embedder(question.space).card.name == old_model
    forget_active_space()


def test_another_model_takes_over_and_back_while_questions_are_asked(
    harbour: Tenant, tiny_model: str, tmp_path: Path
):
    with Visitors(harbour) as visitors:
        half = kill_half_way(tmp_path, tiny_model, harbour)
        assert 5 <= half < len(PASSAGES)
        assert active_model() == settings.EMBEDDING_MODEL

        index_texts(harbour, LATE, name="ferry.txt")
        with reembedding(tmp_path, tiny_model) as command:
            _, output, _ = command.wait(WAIT_SECONDS)

        assert json.loads(output)["chunks"] == len(PASSAGES) + 1 - half
        assert models_of_vectors(harbour) == {tiny_model: len(PASSAGES) + 1}
        assert (active_model(), EmbeddingSpace.objects.count()) == (tiny_model, 1)
        # This process never heard of the swap but through the search.
        assert LATE in [
            chunk.text for chunk in find_for_text(harbour, "When does the ferry sail?").chunks
        ]
        assert get_embedder().card.name == tiny_model

        call_command("reembed", verbosity=0)  # our own EMBEDDING_MODEL is the old one
        asked = visitors.asked.total()
        wait_until(lambda: visitors.asked.total() > asked + READERS or bool(visitors.errors))

    assert visitors.errors == []
    assert visitors.asked[False] == 0
    assert visitors.asked[True] > READERS
    assert models_of_vectors(harbour) == {settings.EMBEDDING_MODEL: len(PASSAGES) + 1}
    assert Chunk.objects.for_tenant(harbour).count() == len(PASSAGES) + 1


def test_sources_that_are_indexed_during_the_swap_are_all_found(
    harbour: Tenant, tiny_model: str, tmp_path: Path
):
    """Whoever embedded for the old model is told so, and embeds again."""
    written: list[int] = []
    errors: list[BaseException] = []
    stopped = threading.Event()

    def write() -> None:
        try:
            while not stopped.is_set():
                written.append(index_one(harbour, len(written)))
        except BaseException as error:  # noqa: BLE001 - a thread's error must fail the test
            errors.append(error)
        finally:
            connection.close()

    writer = threading.Thread(target=copy_context().run, args=[write])
    writer.start()
    try:
        with reembedding(tmp_path, tiny_model, "--batch", "16") as command:
            command.wait(WAIT_SECONDS)
        after = len(written)
        wait_until(lambda: len(written) > after + 1 or bool(errors))
    finally:
        stopped.set()
        writer.join()

    assert errors == []
    chunks = Chunk.objects.for_tenant(harbour).count()
    assert chunks == len(PASSAGES) + len(written)
    assert models_of_vectors(harbour) == {tiny_model: chunks}


def index_one(tenant: Tenant, number: int) -> int:
    """As a sync does: again, when the model was swapped in between."""
    for _ in range(2):
        try:
            index_texts(tenant, f"Bus {number} leaves the harbour.", name=f"{number}.txt")
        except EmbeddingModelChanged:
            continue
        return number
    raise AssertionError("swapped twice")
