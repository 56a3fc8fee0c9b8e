"""A passage and its translation are one candidate: the one in the question's language.

Companies that write in two languages say everything twice. As a rival, the translation takes the
certainty from the answer; as a source, it is quoted beside it. Two texts say the same where they
are in two languages, hold the same numbers and share their words, through the glossary. 64 passages
and their translations (of an encyclopedia, and of invented companies) share at least two fifths of
the words of each; of 3,112 other pairs, those with the same numbers share a fifth at most, unless
they are rows of one table, of which each has a better partner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from language.detection import detect_language
from language.figures import read_figures
from language.message import Word
from language.terms import term_number
from language.words import Language
from query.search.candidates import Question, RetrievedChunk
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

COMPARED = 12  # of the candidates, the first in order: the others are no rivals
SHARED_WORDS = 0.33  # the least share of the words of each that the other one says
SHARED_FIGURES = 0.6  # the least share of all the numbers that the two hold
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
            if said[self.sentences == sentence].mean() < SHARED_WORDS
        }


def fold_translations(question: Question, chunks: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """Return `chunks`, best first, without the passages in the other language that a passage in the
    question's language translates; that one has the better place and score of the two."""
    folded = find_translations(question, chunks[:COMPARED])
    places = {place: place for place in range(len(chunks)) if place not in folded}
    for foreign, own in folded.items():
        places[own] = min(places[own], foreign)
    return [
        replace(chunks[place], score=chunks[taken].score)
        for place, taken in sorted(places.items(), key=lambda item: item[1])
    ]


def find_translations(question: Question, chunks: Sequence[RetrievedChunk]) -> dict[int, int]:
    """Return the places of the passages in the other language, each with the place of the passage
    in the question's language that says the same. A passage has one translation in a document: the
    likeliest."""
    found: dict[int, int] = {}
    taken: set[tuple[int, object, str]] = set()
    for _, foreign, own in sorted(alike(question, chunks), reverse=True):
        document = own, chunks[foreign].source_id, chunks[foreign].source_file
        if foreign not in found and document not in taken:
            found[foreign] = own
            taken.add(document)
    return found


def alike(question: Question, chunks: Sequence[RetrievedChunk]) -> Iterator[tuple[float, int, int]]:
    """Yield the pairs that may be translations: how much they share, the place of the passage in
    the other language and that of the one in the question's."""
    if len({chunk.language for chunk in chunks}) < 2:
        return
    words = question.message.content.words
    wordings = [read_passage(chunk) for chunk in chunks]
    for place, other in enumerate(wordings):
        for own_place, own in enumerate(wordings):
            if own.language != question.language or other.language == question.language:
                continue
            shared = shared_words(own, other)
            if shared and not other.says_more(words, own):
                yield shared, place, own_place


def translated_sentences(question: Question, chunk: RetrievedChunk) -> frozenset[int]:
    """Return the places of the sentences in the other language in a passage that says the same in
    both; none where all are of one language, or each language says something else."""
    languages = [detect_language(text, default=chunk.language) for text in chunk.sentences]
    foreign = [place for place, told in enumerate(languages) if told != question.language]
    own = [place for place, told in enumerate(languages) if told == question.language]
    if not (own and foreign):
        return frozenset()
    other = read_sentences([chunk.sentences[place] for place in foreign], languages[foreign[0]])
    same = read_sentences([chunk.sentences[place] for place in own], question.language)
    if not shared_words(same, other):
        return frozenset()
    untold = other.untold(question.message.content.words, same)
    return frozenset(place for number, place in enumerate(foreign) if number not in untold)


def shared_words(one: Wording, other: Wording) -> float:
    """Return how much two texts in two languages share (0 … 1); 0 where they do not say the
    same."""
    figures = one.figures | other.figures
    if len(one.figures & other.figures) < SHARED_FIGURES * len(figures):
        return 0.0
    shares = one.share_in(other), other.share_in(one)
    return sum(shares) / 2 if min(shares) >= SHARED_WORDS else 0.0


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
