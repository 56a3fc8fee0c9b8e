"""Reads a question with a passage: how much each sentence answers it.

A sequence is `<s> question </s></s> title </s> sentence sentence … </s>`, a passage each, through
the encoder of multilingual-e5-small as bench/reader has trained it. A score is a logarithm of odds
against "nothing here answers".
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime

from query.search.candidates import ReadScores, RetrievedChunk
from reading.sentences import split_sentences
from sources.embedding.e5_file import open_words, tokenizer_of
from sources.embedding.embedding_model import MULTILINGUAL_MODEL, bundled_files

Floats = npt.NDArray[np.float32]

GRAPH = Path(__file__).with_name("reader.onnx")
# Tokens, of which what is beyond is not read. bench/reader trains with the same.
QUESTION_TOKENS = 48
TITLE_TOKENS = 24
SEQUENCE_TOKENS = 320
# Of Spanish and English, and what stands in names: with all that the model knows, the tokenizer
# would take 40 MB more.
WRITTEN = re.compile(
    r"[▁a-zA-Z0-9áéíóúüñÁÉÍÓÚÜÑàèìòùâêîôûçÇïëäöºª!-/:-@\[-`{-~¿¡€£$°«»“”‘’–—…·•×½¼²³%]+"
)


# An address or a number that somebody leaves beside the question is not asked about.
CONTACT = re.compile(r"\S@\S+\.\w|(?!\d{4}-\d\d-\d\d)(?<!\d)\+?\d(?:[ ().-]?\d){8}")


class Reader:
    """The reader model. Thread-safe: onnxruntime's sessions are, and tokenizing is guarded. One
    thread a passage."""

    def __init__(self, graph: Path = GRAPH) -> None:
        """Raises ImproperlyConfigured where the words' vectors are missing or altered."""
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )
        self._words = open_words(bundled_files(MULTILINGUAL_MODEL), kept=is_written)
        self._tokenizer = tokenizer_of(self._words)
        self._tokenizer_lock = threading.Lock()

    def read(self, question: str, chunks: Sequence[RetrievedChunk]) -> list[ReadScores]:
        """Scores each chunk's sentences, in order; None for a sentence beyond SEQUENCE_TOKENS."""
        titles = [title_of(chunk) for chunk in chunks]
        sentences = [sentence for chunk in chunks for sentence in chunk.sentences]
        with self._tokenizer_lock:
            encoded = self._tokenizer.encode_batch(
                [without_contacts(question), *titles, *sentences], add_special_tokens=False
            )
        tokens = iter([one.ids for one in encoded])
        asked = next(tokens)[:QUESTION_TOKENS]
        heads = [next(tokens)[:TITLE_TOKENS] for _ in chunks]
        return [
            self._score(asked, head, [next(tokens) for _ in chunk.sentences])
            for head, chunk in zip(heads, chunks, strict=True)
        ]

    def _score(
        self, asked: list[int], title: list[int], sentences: Sequence[list[int]]
    ) -> ReadScores:
        begin, end, *_ = self._words.special
        sequence = [begin, *asked, end, end, *title, end]
        spans = []
        for sentence in sentences:
            room = SEQUENCE_TOKENS - 1 - len(sequence)
            spans.append((len(sequence), len(sequence) + min(room, len(sentence))))
            sequence += sentence[:room]
        sequence.append(end)
        shares = np.zeros((1, len(sentences), len(sequence)), np.float32)
        for number, (first, last) in enumerate(spans):
            shares[0, number, first:last] = 1 / max(1, last - first)
        words: Floats = self._words.vectors(sequence)[None]
        (scores,) = self._session.run(None, {"words": words, "shares": shares})
        return tuple(
            float(score) if last > first else None
            for score, (first, last) in zip(scores[0], spans, strict=True)
        )


def is_written(piece: str) -> bool:
    return WRITTEN.fullmatch(piece) is not None


def without_contacts(question: str) -> str:
    """Drops the sentences that hold an e-mail address or a phone number, unless none would be
    left."""
    kept = [text for text in split_sentences(question) if not CONTACT.search(text)]
    return " ".join(kept) or question


def title_of(chunk: RetrievedChunk) -> str:
    """The document's title and the section's, joined as in the lessons."""
    parts = (chunk.document_title, chunk.section_title)
    return " > ".join(re.sub(r"\s+", " ", part).strip() for part in parts if part)


@cache
def get_reader() -> Reader:
    return Reader()
