"""Texts to vectors with an exported model: onnxruntime and tokenizers only, no torch, no database.

A text that is longer than the model's window is cut into windows, each with a vector of its own: a
truncated one would hide the end of every long paragraph (measured: 41 to 45 % of
Spanish ones).
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Encoding, Tokenizer

from language.words import WORDS_REMEMBERED, Language, fold, function_words
from sources.embedding.close_reading import Bits, Vectors, around, pack_signs

Numbers = npt.NDArray[np.int64]

# Padded tokens a batch: of larger ones, what lies between two steps leaves the processor's cache
BATCH_TOKENS = 512
# onnxruntime joins an addition and the normalisation behind it into a step of its own, which takes
# eight times as long as the two do, a tenth of the whole.
SLOW_STEPS = ["SkipLayerNormFusion"]
# A sentence on the border of two windows is read whole in one of them.
WINDOW_OVERLAP_TOKENS = 24
MAX_WINDOWS_PER_TEXT = 16  # bounds the work that one passage can cause
# A question is read while its person waits, and the time grows with its length.
QUERY_MAX_TOKENS = 256
WORD = re.compile(r"\w+")
BACKGROUND_FILE = "background.npz"
BACKGROUNDS_LOADED = 2  # as many as there are models at a time, before and after a swap


@dataclass(frozen=True)
class ModelCard:
    """The facts about an exported model that the runtime needs; stored beside it as
    `model.json`."""

    name: str
    dimension: int
    max_tokens: int
    pooling: str  # "mean" or "cls"
    query_prompt: str
    passage_prompt: str
    is_english_only: bool


@dataclass(frozen=True)
class ModelText:
    """A passage as a model reads it: its heading, which may be "", then its sentences, a line each.
    `language` is that of the words that the model sees."""

    parts: tuple[str, ...]
    language: Language

    @property
    def whole(self) -> str:
        return "\n".join(self.parts)


@dataclass(frozen=True)
class ReadPassage:
    """`windows` (n ≥ 1, dimension) float32, L2-normalised; `counts` and `bits` as in
    CloseReading."""

    windows: Vectors
    counts: tuple[int, ...]
    bits: Bits


@dataclass(frozen=True)
class ReadQuestion:
    """`vector` (dimension,), L2-normalised. `tokens` (n, dimension) around the centre of all words,
    L2-normalised, and where each stands in the text."""

    vector: Vectors
    tokens: Vectors
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Background:
    """The reading of texts about the world at large: the `centre` (dimension,) of their words'
    vectors, and the texts' own `vectors` (n, dimension), L2-normalised, by language."""

    centre: Vectors
    vectors: dict[Language, Vectors]


class OnnxModel:
    """The exported model on the CPU. Thread-safe: onnxruntime sessions are, and tokenizing is
    guarded.

    `threads`: batches that one call reads at once, each on one thread; 0: as many as there are
    processors. Two threads of one batch wait for each other at each step: where others use the
    processors too, they took twice the time of processor of one.
    """

    def __init__(self, folder: Path, *, threads: int) -> None:
        self.card = card_in(folder)
        self._folder = folder
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 1
        self.threads = threads
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=SLOW_STEPS,
        )
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._tokenizer_lock = threading.Lock()
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()

    @property
    def background(self) -> Background:
        return load_background(self._folder)

    def read_passages(self, texts: Sequence[ModelText]) -> list[ReadPassage]:
        """Returns vectors and words of one run of the model, in the order of `texts`."""
        prompt = self.card.passage_prompt
        windows = self._tokenize([prompt + text.whole for text in texts], self.card.max_tokens)
        flat = [(number, window) for number, part in enumerate(windows) for window in part]
        vectors = np.empty((len(flat), self.card.dimension), dtype=np.float32)
        bits: list[Bits] = [np.empty(0, np.uint8)] * len(flat)
        for batch, pooled, signs in self._read_batches([window for _, window in flat]):
            vectors[batch] = pooled
            for row, index in enumerate(batch):
                bits[index] = signs[row]
        of_text: list[list[int]] = [[] for _ in texts]
        for index, (number, _) in enumerate(flat):
            of_text[number].append(index)
        return [
            ReadPassage(
                vectors[indexes],
                *keep_words(
                    text,
                    [(flat[index][1], bits[index]) for index in indexes],
                    prompt_chars=len(prompt),
                ),
            )
            for text, indexes in zip(texts, of_text, strict=True)
        ]

    def read_question(self, text: str) -> ReadQuestion:
        prompt = self.card.query_prompt
        limit = min(self.card.max_tokens, QUERY_MAX_TOKENS)
        window = self._tokenize([prompt + text], limit)[0][0]
        hidden, pooled = self._run([window])
        kept = [
            index
            for index, (start, end) in enumerate(window.offsets)
            if end > start and start >= len(prompt)
        ]
        return ReadQuestion(
            vector=pooled[0],
            tokens=around(normalise(hidden[0][kept]), self.background.centre),
            spans=tuple(
                (window.offsets[index][0] - len(prompt), window.offsets[index][1] - len(prompt))
                for index in kept
            ),
        )

    def read_background(self, texts: Sequence[tuple[Language, str]]) -> Background:
        """Makes from pairs (language, text) the value that `background` returns once it is saved
        beside the model."""
        languages = sorted({language for language, _ in texts})
        total, words = np.zeros(self.card.dimension, dtype=np.float64), 0
        vectors: dict[Language, Vectors] = {}
        for wanted in languages:
            prompts = [
                self.card.passage_prompt + text for language, text in texts if language == wanted
            ]
            windows = [part[0] for part in self._tokenize(prompts, self.card.max_tokens)]
            found = np.empty((len(windows), self.card.dimension), dtype=np.float32)
            for batch in batches_of(windows):
                hidden, found[batch] = self._run([windows[index] for index in batch])
                for row, index in enumerate(batch):
                    size = len(windows[index].ids)
                    total += normalise(hidden[row, 1 : size - 1]).sum(axis=0)
                    words += size - 2
            vectors[wanted] = found
        return Background((total / max(words, 1)).astype(np.float32), vectors)

    def _tokenize(self, texts: Sequence[str], max_tokens: int) -> list[list[Encoding]]:
        with self._tokenizer_lock:
            self._tokenizer.enable_truncation(
                max_length=max_tokens, stride=min(WINDOW_OVERLAP_TOKENS, max_tokens // 4)
            )
            encodings = self._tokenizer.encode_batch(list(texts))
        return [[encoding, *encoding.overflowing][:MAX_WINDOWS_PER_TEXT] for encoding in encodings]

    def _read_batches(
        self, windows: Sequence[Encoding]
    ) -> Iterator[tuple[list[int], Vectors, Bits]]:
        """Batches of windows of similar length: their numbers, their vectors (n, dimension),
        L2-normalised, and the signs of their tokens' (n, tokens, bytes of a vector)."""
        read = partial(self._read_batch, windows, self.background.centre)
        found = batches_of(windows)
        count = self.threads or len(os.sched_getaffinity(0))
        if count == 1 or len(found) < 2:
            yield from map(read, found)
            return
        threads = ThreadPoolExecutor(count)
        try:
            yield from threads.map(read, found)
        finally:
            threads.shutdown(cancel_futures=True)  # at a time limit, those under way are the last

    def _read_batch(
        self, windows: Sequence[Encoding], centre: Vectors, batch: list[int]
    ) -> tuple[list[int], Vectors, Bits]:
        hidden, pooled = self._run([windows[index] for index in batch])
        return batch, pooled, pack_signs(normalise(hidden), centre)

    def _run(self, windows: Sequence[Encoding]) -> tuple[Vectors, Vectors]:
        """The vectors of their tokens (n, tokens, dimension), and their own (n, dimension),
        L2-normalised."""
        hidden, mask = self._hidden(windows)
        return hidden, normalise(pool(hidden, mask, self.card.pooling))

    def _hidden(self, windows: Sequence[Encoding]) -> tuple[Vectors, Numbers]:
        width = max(len(window.ids) for window in windows)
        ids = np.zeros((len(windows), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, {name: inputs[name] for name in self._inputs})[0]
        return cast(Vectors, hidden), mask


def card_in(folder: Path) -> ModelCard:
    return ModelCard(**json.loads((folder / "model.json").read_text()))


def save_background(background: Background, folder: Path) -> None:
    np.savez(
        folder / BACKGROUND_FILE,
        centre=background.centre,
        es=background.vectors["es"].astype(np.float16),
        en=background.vectors["en"].astype(np.float16),
    )


@lru_cache(BACKGROUNDS_LOADED)
def load_background(folder: Path) -> Background:
    """Loads the background, once for all embedders of a model: each space has one of its own."""
    with np.load(folder / BACKGROUND_FILE) as saved:
        languages: tuple[Language, ...] = ("es", "en")
        return Background(
            saved["centre"].astype(np.float32),
            {language: saved[language].astype(np.float32) for language in languages},
        )


def keep_words(
    text: ModelText, windows: Sequence[tuple[Encoding, Bits]], *, prompt_chars: int
) -> tuple[tuple[int, ...], Bits]:
    """Returns how many words of each part are kept, and their signs. A word that two windows share
    is taken from the first."""
    part_starts = list(accumulate((len(part) + 1 for part in text.parts[:-1]), initial=0))
    telling = telling_chars(text.whole, text.language)
    starts: list[Numbers] = []
    rows: list[Bits] = []
    seen = -1
    for window, bits in windows:
        offsets = np.array(window.offsets, dtype=np.int64) - prompt_chars
        words = np.flatnonzero((offsets[:, 1] > offsets[:, 0]) & (offsets[:, 0] > seen))
        first, last = offsets[words, 0], offsets[words, 1] - 1
        if not words.size:
            continue
        reached = np.maximum.accumulate(first)
        is_new = np.diff(reached, prepend=seen) > 0  # of two tokens of one character, the first
        kept = is_new & (telling[first] | telling[last])
        starts.append(first[kept])
        rows.append(bits[words[kept]])
        seen = int(reached[-1])
    if not sum(map(len, starts)):
        return (0,) * len(text.parts), np.empty((0, 0), np.uint8)
    parts = np.searchsorted(part_starts, np.concatenate(starts), side="right") - 1
    counts = np.bincount(parts, minlength=len(text.parts))
    return tuple(counts.tolist()), np.concatenate(rows)


def telling_chars(text: str, language: Language) -> npt.NDArray[np.bool_]:
    """Tells for each character whether it stands in a word that has a meaning of its own."""
    telling = np.zeros(len(text), dtype=np.bool_)
    for match in WORD.finditer(text):
        telling[match.start() : match.end()] = not is_function_word(match[0], language)
    return telling


@lru_cache(WORDS_REMEMBERED)
def is_function_word(word: str, language: Language) -> bool:
    return fold(word) in function_words(language)


def batches_of(windows: Sequence[Encoding]) -> list[list[int]]:
    """Batches of the windows' numbers, those of similar length together."""
    lengths = [len(window) for window in windows]
    order = sorted(range(len(windows)), key=lengths.__getitem__)
    return batches(order, [lengths[index] for index in order])


def batches(order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Cuts `order` (ascending lengths) where a batch's padded size would pass BATCH_TOKENS."""
    result: list[list[int]] = [[]]
    for index, length in zip(order, lengths, strict=True):
        if result[-1] and (len(result[-1]) + 1) * length > BATCH_TOKENS:
            result.append([])
        result[-1].append(index)
    return result if result[-1] else []


def pool(hidden: Vectors, mask: Numbers, mode: str) -> Vectors:
    """(n, tokens, dimension) to (n, dimension): the mean over real tokens, or the first token."""
    if mode == "cls":
        return hidden[:, 0]
    weights = mask[:, :, None].astype(np.float32)
    return cast(Vectors, (hidden * weights).sum(axis=1) / weights.sum(axis=1))


def normalise(vectors: Vectors) -> Vectors:
    return cast(
        Vectors, vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)
    )
