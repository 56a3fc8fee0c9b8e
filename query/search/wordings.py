"""The words of a passage, to compare it with another: its translation, or another year's version.
One of two passages that say the same is folded into the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from language.figures import read_figures
from language.message import Word
from language.terms import term_number
from language.words import Language
from query.search.candidates import RetrievedChunk
from query.search.passage_words import (
    KEY,
    POSITION,
    SENTENCE,
    Numbers,
    beginning_of,
    read_line,
    read_words,
)
from reading.passages import ChunkLevel

SAID_WORDS = 0.33  # the least share of a sentence's words in a passage that says it
SAID_BY_ONE = 0.2  # of a row: the share of the question in words that the other row does not say
HEADING = -1  # in the place of a sentence's number

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Wording:
    """The words of a text under its heading. `keys`: the terms of its content words, word by word;
    `starts`: where each word begins among them; `sentences`: the number of each word's sentence."""

    text: str
    language: Language
    is_row: bool
    keys: Numbers
    starts: Numbers
    sentences: Numbers

    @cached_property
    def figures(self) -> frozenset[float]:
        return read_figures(self.text, self.language)

    @cached_property
    def distinct(self) -> Numbers:
        """The places of the words, each word once: a page on schools says "school" in each
        sentence. The first of a word's terms is the word itself."""
        return np.unique(self.keys[self.starts], return_index=True)[1].astype(np.int32)

    def among(self, keys: Sequence[int] | Numbers) -> Flags:
        """Tells of each word whether one of its terms is among `keys`."""
        if not len(self.keys):
            return np.empty(0, np.bool_)
        return np.asarray(np.logical_or.reduceat(np.isin(self.keys, keys), self.starts))

    def share_in(self, other: Wording) -> float:
        """Return the share of these words (0 … 1) that `other` says, in its own language."""
        said = self.among(other.keys)
        return float(said[self.distinct].mean()) if len(said) else 0.0

    def says_more(self, words: Sequence[Word], other: Wording) -> bool:
        """Tells whether a sentence that holds one of the question's `words` is not said by `other`;
        of a row, in which each word counts, whether such a word is not."""
        if not self.is_row:
            return bool(self.untold(words, other))
        told = [(word, terms_of(word)) for word in words]
        alone = sum(
            word.information
            for word, terms in told
            if np.isin(terms, self.keys).any() and not np.isin(terms, other.keys).any()
        )
        return alone > SAID_BY_ONE * sum(word.information for word in words)

    def untold(self, words: Sequence[Word], other: Wording) -> set[int]:
        """Return the numbers of the sentences that hold one of the question's `words`, and that
        `other` does not say."""
        said = self.among(other.keys)
        asked = self.among([number for word in words for number in terms_of(word)])
        return {
            sentence
            for sentence in set(self.sentences[asked].tolist()) - {HEADING}
            if said[self.sentences == sentence].mean() < SAID_WORDS
        }


Pair = tuple[float, int, int]  # how much they share, the place of the one to fold, and of the other


def best_pairs(pairs: Iterable[Pair], chunks: Sequence[RetrievedChunk]) -> dict[int, int]:
    """Return the places of the passages to fold, each with the place of the one that stays. A
    passage has one partner in a document: the likeliest."""
    found: dict[int, int] = {}
    taken: set[tuple[int, object, str]] = set()
    for _, folded, kept in sorted(pairs, reverse=True):
        document = kept, chunks[folded].source_id, chunks[folded].source_file
        if folded not in found and document not in taken:
            found[folded] = kept
            taken.add(document)
    return found


def fold_passages(
    chunks: Sequence[RetrievedChunk], folded: Mapping[int, int]
) -> list[RetrievedChunk]:
    """Return `chunks`, best first, without those at the `folded` places; the one that each is
    folded into has the better place and score of the two."""
    places = {place: place for place in range(len(chunks)) if place not in folded}
    for gone, kept in folded.items():
        places[kept] = min(places[kept], gone)
    return [
        replace(chunks[place], score=chunks[taken].score)
        for place, taken in sorted(places.items(), key=lambda item: item[1])
    ]


def read_passage(chunk: RetrievedChunk) -> Wording:
    heading = read_line(chunk.section_title, chunk.language).lines.copy()
    heading[SENTENCE] = HEADING
    lines = np.concatenate([heading, chunk.words.lines], axis=1)
    text = f"{chunk.section_title}\n{chunk.text}"
    return to_wording(text, chunk.language, lines, is_row=chunk.level == ChunkLevel.ROW)


def read_sentences(sentences: Sequence[str], language: Language) -> Wording:
    text = "\n".join(sentences)
    ends = np.cumsum([len(sentence) + 1 for sentence in sentences]).tolist()
    spans = tuple((end - len(one) - 1, end - 1) for one, end in zip(sentences, ends, strict=True))
    return to_wording(text, language, read_words(text, spans, language).lines, is_row=False)


def to_wording(text: str, language: Language, lines: Numbers, *, is_row: bool) -> Wording:
    """`lines` as of PassageWords."""
    places = lines[[SENTENCE, POSITION]]
    begins = np.any(places[:, 1:] != places[:, :-1], axis=0)
    starts = np.concatenate([[0], np.flatnonzero(begins) + 1])[: lines.shape[1]]
    return Wording(text, language, is_row, lines[KEY], starts, lines[SENTENCE, starts])


def terms_of(word: Word) -> list[int]:
    """Return the numbers of the word's terms, and of how it begins: «devolver», «devoluciones»."""
    return [*word.numbers, term_number(beginning_of(word.text))]
