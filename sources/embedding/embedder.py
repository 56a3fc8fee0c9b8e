"""The embedders of this process, one for each space of vectors."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Protocol

from django.conf import settings

from config.environment import read_int
from sources.embedding.embedding_model import is_prepared, prepare_model
from sources.embedding.onnx_model import (
    Background,
    ModelCard,
    ModelText,
    OnnxModel,
    ReadPassage,
    ReadQuestion,
)
from sources.embedding.spaces import activate_first, active_space
from sources.models import EmbeddingSpace

# The active one and the one that is taking over, while both are asked. Each takes
# its memory in every process.
MODELS_LOADED = 2


class Embedder(Protocol):
    """Turns texts into L2-normalised vectors of `card.dimension`, of one EmbeddingSpace."""

    card: ModelCard
    space: int

    @property
    def background(self) -> Background: ...

    def read_passages(self, texts: Sequence[ModelText]) -> list[ReadPassage]:
        """Returns the passages in the order of `texts`."""

    def read_question(self, text: str) -> ReadQuestion: ...


class OnnxEmbedder(OnnxModel):
    """An exported model, and the space that its vectors belong to."""

    space = 0  # of a model that is tried out, and searched nowhere

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, threads=count_threads())


def count_threads() -> int:
    """The number of threads that EMBEDDING_THREADS asks for now. It is read at each call: programs
    differ in it, and the model may have been loaded by another process, from which this one was
    forked."""
    return read_int("EMBEDDING_THREADS", settings.EMBEDDING_THREADS, minimum=0, maximum=64)


class LoadedModels:
    """The embedders of this process. The database is asked only once which of them is active: code
    that finds that the model was swapped calls `forget_active_space`."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._by_name: dict[str, OnnxEmbedder] = {}
        self._name_of: dict[int, str] = {}  # by space
        self._by_space: dict[int, tuple[OnnxEmbedder, OnnxEmbedder]] = {}  # as loaded, and its own
        self._active: int | None = None

    def active(self) -> Embedder:
        space = self._active
        return self._ask() if space is None else self.of(space)

    def of(self, space: int) -> Embedder:
        name = self._name_of.get(space)
        return self._ask() if name is None else self._in_space(space, name)

    def forget_active(self) -> None:
        self._active = None

    def in_space(self, space: EmbeddingSpace) -> Embedder:
        return self._in_space(space.pk, space.model)

    def load_prepared(self) -> None:
        """Loads the model of the settings, if it has been exported, before a program is forked,
        which then shares it. The database is still asked which model answers."""
        if is_prepared(settings.EMBEDDING_MODEL):
            self._load(settings.EMBEDDING_MODEL).background  # noqa: B018 - read and remembered

    def _ask(self) -> Embedder:
        space = active_space()
        if space is None:
            name = settings.EMBEDDING_MODEL
            space = activate_first(name, self._load(name).card.dimension)
        embedder = self.in_space(space)
        self._active = space.pk
        return embedder

    def _in_space(self, space: int, name: str) -> Embedder:
        self._name_of[space] = name
        loaded = self._load(name)
        if space not in self._by_space or self._by_space[space][0] is not loaded:
            embedder = copy(loaded)
            embedder.space = space
            embedder.threads = count_threads()
            self._by_space[space] = loaded, embedder
        return self._by_space[space][1]

    def _load(self, name: str) -> OnnxEmbedder:
        """Loads a model in 0.3 s, or exports it when nobody has done so. The last two stay: a
        question that was read before a swap is answered to its end."""
        loaded = self._by_name.get(name)  # nobody waits for a model that somebody else loads
        if loaded is not None:
            return loaded
        with self._lock:
            if name not in self._by_name:
                embedder = OnnxEmbedder(prepare_model(name))
                while len(self._by_name) >= MODELS_LOADED:
                    del self._by_name[next(iter(self._by_name))]
                self._by_name[name] = embedder
            return self._by_name[name]


loaded_models = LoadedModels()


def get_embedder(space: int | None = None) -> Embedder:
    """The embedder of the active space, as this process knows it, or of a `space` that it has used,
    for whatever depends on a vector made there. One query when it does not know."""
    return loaded_models.active() if space is None else loaded_models.of(space)


def embedder_in(space: EmbeddingSpace) -> Embedder:
    """The embedder of a space, which need not be the active one."""
    return loaded_models.in_space(space)


def forget_active_space() -> None:
    """Makes the next `get_embedder` ask the database which space is active."""
    loaded_models.forget_active()
