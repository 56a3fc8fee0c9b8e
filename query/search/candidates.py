"""A question as the search sees it, and the passages that it finds, with what is known of each.

Values alone: query/search/retrieval.py finds them, matching.py, closeness.py and ordering.py fill
them in.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np

from language.message import Message
from language.small_talk import SmallTalk
from language.words import Language
from query.search.passage_words import PassageWords, read_words
from query.understanding.asked_for import Asked, read_asked
from query.understanding.contact import Way, ways_of
from sources.embedding.close_reading import CloseReading, Span, Vectors

FILE_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
NO_VECTOR: Vectors = np.empty(0, np.float32)


# Of each sentence the logarithm of odds that it answers, against nothing that does; None: not read
ReadScores = tuple[float | None, ...]


@dataclass(frozen=True)
class AskedWords:
    """The question's words that count: their information (n,) and vectors (n, dimension) around the
    centre of all words, L2-normalised."""

    weights: Vectors
    vectors: Vectors


class SentenceCloseness(NamedTuple):
    """The closeness of a sentence to a question. `mean`: over the question's words, of the nearest
    cosine, weighted by their information; `weakest`: the least near of the telling words, the
    heading read with the sentence; `window` and `window_weakest`: the same with the sentences
    before and behind it."""

    mean: float = 0.0
    weakest: float = 0.0
    window: float = 0.0
    window_weakest: float = 0.0


@dataclass(frozen=True)
class Closeness:
    """The closeness of a passage with its heading, read as one sentence; and of each of its
    sentences."""

    mean: float = 0.0
    weakest: float = 0.0
    sentences: tuple[SentenceCloseness, ...] = ()

    @property
    def nearest_sentence(self) -> float:
        return max((sentence.mean for sentence in self.sentences), default=0.0)

    @property
    def nearest_window(self) -> float:
        return max((sentence.window for sentence in self.sentences), default=0.0)


FAR = Closeness()
NO_WORDS = AskedWords(np.empty(0, np.float32), np.empty((0, 0), np.float32))


@dataclass(frozen=True)
class Match:
    """Shares are 0 … 1 of the question's information.

    `sentence` is of the passage's best sentence, `titled_sentence` the same when what the titles
    hold counts for each sentence, `title` of the document's and the section's title; `adjacency` is
    of the question's pairs of words that stand near each other. `information` is the amount that
    text and titles hold together, `words` the number of content words of the text.
    """

    sentence: float = 0.0
    titled_sentence: float = 0.0
    title: float = 0.0
    adjacency: float = 0.0
    information: float = 0.0
    words: int = 0


@dataclass(frozen=True)
class Question:
    """A question as the search sees it. `vector` (dimension,) float32, L2-normalised, of the
    EmbeddingSpace `space`: compare it with vectors of `get_embedder(question.space)` alone. Small
    talk is not searched for: it has NO_VECTOR. `unheard`, set by the search: the share of the
    question's information (0 … 1) in words of which no passage in scope says the word, its stem or
    its translation, as when «una pizza a domicilio» is asked of a vet who visits homes."""

    message: Message
    vector: Vectors
    space: int = 1
    words: AskedWords = NO_WORDS
    unheard: float = 0.0

    @property
    def text(self) -> str:
        return self.message.text

    @property
    def language(self) -> Language:
        return self.message.language

    @property
    def small_talk(self) -> SmallTalk | None:
        return self.message.small_talk

    @cached_property
    def asked(self) -> Asked:
        """The parts of the question, read once for all that answer it."""
        return read_asked(self.message)

    @cached_property
    def ways(self) -> frozenset[Way]:
        """The ways of reaching the company that the question asks for; none where it asks for
        anything else too."""
        return ways_of(self.message.content.heading)


@dataclass(frozen=True)
class RetrievedChunk:
    """A passage and how near it is.

    `similarity` is the cosine cut to 0 … 1; `mean` and `deviation` are those of the cosines of all
    `neighbours`, the vectors in its language that were searched. `lexical` is BM25, ≥ 0 and without
    an upper bound; `score` orders, and nothing else: larger is better, within one question. `match`
    and `closeness` tell how the question's words stand in it (query/search/matching.py,
    query/search/closeness.py). `read`: what the reader says of its sentences; None: it was not
    read. `apart`: its headings, as far as they tell its values from those of the document's other
    passages that were found (query/search/siblings.py); "" where they need not be told.
    """

    chunk_id: int
    source_id: uuid.UUID
    source_file: str  # what people know the document by: its place, its file's name, its address
    document_title: str
    text: str
    location: str
    section_title: str
    level: str
    language: Language
    synced_at: datetime
    similarity: float
    lexical: float
    score: float
    mean: float = 0.0
    deviation: float = 0.0
    neighbours: int = 0
    link: str = ""  # where people open the document; "" where source_file or location says so
    reading: CloseReading | None = field(default=None, repr=False, compare=False)
    match: Match = Match()
    closeness: Closeness = FAR
    read: ReadScores | None = None
    apart: str = ""

    @property
    def name(self) -> str:
        """The name of the passage's source in a sentence: its title, or its file's name without
        what only computers read."""
        name = self.document_title.strip() or self.source_file
        stem = FILE_ENDING.sub("", name)
        return name if stem == name else stem.replace("_", " ").replace("-", " ").strip()

    @property
    def spans(self) -> tuple[Span, ...]:
        """The places of its sentences, as they were told apart when it was indexed."""
        return ((0, len(self.text)),) if self.reading is None else self.reading.spans

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(self.text[start:end] for start, end in self.spans)

    @property
    def words(self) -> PassageWords:
        return read_words(self.text, self.spans, self.language)
