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

from language.detection import detect_language
from query.search.candidates import Question, RetrievedChunk
from query.search.wordings import (
    Pair,
    Wording,
    best_pairs,
    fold_passages,
    read_passage,
    read_sentences,
)

COMPARED = 12  # of the candidates, the first in order: the others are no rivals
SHARED_WORDS = 0.33  # the least share of the words of each that the other one says
SHARED_FIGURES = 0.6  # the least share of all the numbers that the two hold


def fold_translations(question: Question, chunks: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """Return `chunks`, best first, without the passages in the other language that a passage in the
    question's language translates; that one has the better place and score of the two."""
    compared = chunks[:COMPARED]
    return fold_passages(chunks, best_pairs(alike(question, compared), compared))


def alike(question: Question, chunks: Sequence[RetrievedChunk]) -> Iterator[Pair]:
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
