"""Texts to vectors with the exported model: onnxruntime and tokenizers only, no torch.

A text that is longer than the model's window is cut into windows, each with a vector of its own: a
truncated one would hide the end of every long paragraph (41 to 45 % of Spanish ones,
measurements.md §4).
"""

import threading
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
import onnxruntime
from django.conf import settings
from tokenizers import Encoding, Tokenizer

from sources.ingestion.embedding_model import ModelCard, card_in, prepare_model
from sources.ingestion.spaces import activate_first, active_space
from sources.models import EmbeddingSpace

Vectors = npt.NDArray[np.float32]

BATCH_TOKENS = 4096  # padded tokens a batch: larger ones gain nothing on a CPU and cost memory
WINDOW_OVERLAP_TOKENS = 24
MAX_WINDOWS_PER_TEXT = 16  # bounds the work that one passage can cause
QUERY_MAX_TOKENS = 256
# Texts of similar length that are read closely at once: little of them is then padding.
READ_TOGETHER = 4
MODELS_LOADED = 2


class Embedder(Protocol):
    """Turns texts into L2-normalised vectors of `card.dimension`, of one EmbeddingSpace."""

    card: ModelCard
    space: int

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """One array (n_windows ≥ 1, dimension), float32, a text, in the order of `texts`."""

    def embed_query(self, text: str) -> Vectors:
        """(dimension,), float32."""

    def read_closely(self, texts: Sequence[str]) -> list["CloseReading"]:
        """Each text with a vector of every token; what is beyond the first window is left out."""


@dataclass(frozen=True)
class CloseReading:
    """A text's own vector (dimension,) and those of its tokens in their context (n_tokens,
    dimension), all L2-normalised; `spans`: where each token stands in the text."""

    vector: Vectors
    tokens: Vectors
    spans: tuple[tuple[int, int], ...]


class OnnxEmbedder:
    """The exported model on the CPU. Thread-safe: onnxruntime sessions are, and tokenizing is
    guarded."""

    space = 0  # of a model that is tried out, and searched nowhere

    def __init__(self, folder: Path) -> None:
        self.card = card_in(folder)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = settings.EMBEDDING_THREADS
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._tokenizer_lock = threading.Lock()
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        windows_per_text = self._tokenize(
            [self.card.passage_prompt + text for text in texts], self.card.max_tokens
        )
        windows = [window for windows in windows_per_text for window in windows]
        vectors = self._embed(windows)
        ends = np.cumsum([len(windows) for windows in windows_per_text])
        return np.split(vectors, ends)[:-1]

    def embed_query(self, text: str) -> Vectors:
        limit = min(self.card.max_tokens, QUERY_MAX_TOKENS)
        return cast(
            Vectors, self._embed(self._tokenize([self.card.query_prompt + text], limit)[0][:1])[0]
        )

    def read_closely(self, texts: Sequence[str]) -> list[CloseReading]:
        prompt = self.card.passage_prompt
        windows = [
            windows[0]
            for windows in self._tokenize([prompt + text for text in texts], self.card.max_tokens)
        ]
        readings: dict[int, CloseReading] = {}
        by_length = sorted(range(len(windows)), key=lambda index: len(windows[index].ids))
        for start in range(0, len(windows), READ_TOGETHER):
            numbers = by_length[start : start + READ_TOGETHER]
            hidden, mask = self._hidden([windows[number] for number in numbers])
            vectors = normalise(pool(hidden, mask, self.card.pooling))
            for number, vector, tokens in zip(numbers, vectors, hidden, strict=True):
                readings[number] = close_reading(
                    windows[number], vector, tokens, prompt_chars=len(prompt)
                )
        return [readings[number] for number in range(len(windows))]

    def _tokenize(self, texts: Sequence[str], max_tokens: int) -> list[list[Encoding]]:
        with self._tokenizer_lock:
            self._tokenizer.enable_truncation(
                max_length=max_tokens, stride=min(WINDOW_OVERLAP_TOKENS, max_tokens // 4)
            )
            encodings = self._tokenizer.encode_batch(list(texts))
        return [[encoding, *encoding.overflowing][:MAX_WINDOWS_PER_TEXT] for encoding in encodings]

    def _embed(self, windows: Sequence[Encoding]) -> Vectors:
        """(n_windows, dimension). Batches hold windows of similar length, so that little of a batch
        is padding."""
        vectors = np.empty((len(windows), self.card.dimension), dtype=np.float32)
        by_length = sorted(range(len(windows)), key=lambda index: len(windows[index].ids))
        for batch in batches(by_length, [len(windows[index].ids) for index in by_length]):
            vectors[batch] = self._run([windows[index] for index in batch])
        return vectors

    def _run(self, windows: Sequence[Encoding]) -> Vectors:
        hidden, mask = self._hidden(windows)
        return normalise(pool(hidden, mask, self.card.pooling))

    def _hidden(self, windows: Sequence[Encoding]) -> tuple[Vectors, npt.NDArray[np.int64]]:
        """(n, tokens, dimension), and which tokens are real."""
        width = max(len(window.ids) for window in windows)
        ids = np.zeros((len(windows), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, {name: inputs[name] for name in self._inputs})[0]
        return cast(Vectors, hidden), mask


def close_reading(
    window: Encoding, vector: Vectors, tokens: Vectors, *, prompt_chars: int
) -> CloseReading:
    """Without the tokens that the model adds, and those of its prompt."""
    kept = [
        index
        for index, (start, end) in enumerate(window.offsets)
        if end > start and start >= prompt_chars
    ]
    return CloseReading(
        vector=vector,
        tokens=normalise(tokens[kept]),
        spans=tuple(
            (window.offsets[index][0] - prompt_chars, window.offsets[index][1] - prompt_chars)
            for index in kept
        ),
    )


def batches(order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Cuts `order` (ascending lengths) where a batch's padded size would pass BATCH_TOKENS."""
    result: list[list[int]] = [[]]
    for index, length in zip(order, lengths, strict=True):
        if result[-1] and (len(result[-1]) + 1) * length > BATCH_TOKENS:
            result.append([])
        result[-1].append(index)
    return result if result[-1] else []


def pool(hidden: Vectors, mask: npt.NDArray[np.int64], mode: str) -> Vectors:
    """(n, tokens, dimension) to (n, dimension): the mean over real tokens, or the first token."""
    if mode == "cls":
        return hidden[:, 0]
    weights = mask[:, :, None].astype(np.float32)
    return cast(Vectors, (hidden * weights).sum(axis=1) / weights.sum(axis=1))


def normalise(vectors: Vectors) -> Vectors:
    return cast(Vectors, vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))


class LoadedModels:
    """The embedders of this process. Which one answers, the database is asked once: whoever finds
    out that it was swapped forgets it (`forget_active_space`)."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._by_name: dict[str, OnnxEmbedder] = {}
        self._name_of: dict[int, str] = {}  # by space
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
        embedder = copy(self._load(name))
        embedder.space = space
        return embedder

    def _load(self, name: str) -> OnnxEmbedder:
        """0.3 s, or an export when nobody has done it. The last two stay: a question that was read
        before a swap is answered to its end."""
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
    """The embedder of the active space, as this process knows it; or of a space that it has used,
    for what hangs on a vector that it made. One query when it does not know."""
    return loaded_models.active() if space is None else loaded_models.of(space)


def embedder_in(space: EmbeddingSpace) -> Embedder:
    """Of a space that need not be active."""
    return loaded_models.in_space(space)


def forget_active_space() -> None:
    """The next `get_embedder` asks the database which space is active."""
    loaded_models.forget_active()
