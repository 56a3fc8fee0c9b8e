"""How the words of a question stand in a passage. What it finds orders the passages
(query/ordering.py) and judges them (query/relevance.py).

A word counts by its information. It stands in a text when one of its terms does
(sources/language/terms.py: the word, its stem or its concept, so in the other language too), and
partly when only the beginning is the same («árbol», «arbóreo»).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from sources.ingestion.sentences import split_sentences
from sources.language.terms import content_words, question_words, word_terms
from sources.language.words import Language, information
from sources.models import ChunkLevel

if TYPE_CHECKING:
    from query.retrieval import Question, RetrievedChunk

BEGINNING_CHARS = 5
BEGINNING_MIN_CHARS = 6  # of the question's word: «casa» and «casarse» begin alike by accident
BEGINNING_GRADE = 0.4  # a word that only begins alike counts this much of one that is there
# Two words that follow each other in the question: how much their distance in the passage counts.
DISTANCE_GRADES = ((1, 1.0), (3, 0.5))

Grades = tuple[float, ...]  # of each of the question's words, 0 (not there) … 1


@dataclass(frozen=True)
class AskedWord:
    text: str
    terms: frozenset[str]
    information: float


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


class Matcher:
    """Matches passages with one question. Remembers each word that it has seen."""

    def __init__(self, question: Question) -> None:
        language = question.language
        self.asked = tuple(
            AskedWord(word, frozenset(word_terms(word, language)), information(word, language))
            for word in question_words(question.text, language)
        )
        self._by_term = numbers_by(
            (term, number) for number, asked in enumerate(self.asked) for term in asked.terms
        )
        self._by_beginning = numbers_by(
            (asked.text[:BEGINNING_CHARS], number)
            for number, asked in enumerate(self.asked)
            if len(asked.text) >= BEGINNING_MIN_CHARS and asked.text.isalpha()
        )
        self._found: dict[tuple[str, Language], dict[int, float]] = {}

    def match(self, chunk: RetrievedChunk) -> Match:
        language = chunk.language
        sentences = [content_words(text, language) for text in read_sentences(chunk)]
        words = [word for sentence in sentences for word in sentence]
        titles = f"{chunk.document_title}\n{chunk.section_title}"
        title = self.grades(content_words(titles, language), language)
        in_sentences = [self.grades(sentence, language) for sentence in sentences]
        text = best_of(in_sentences, len(self.asked))
        titled = [best_of([sentence, title], len(self.asked)) for sentence in in_sentences]
        return Match(
            sentence=max(map(self.share, in_sentences), default=0.0),
            titled_sentence=max(map(self.share, titled), default=0.0),
            title=self.share(title),
            adjacency=self.adjacency(words, text, language),
            information=self.amount(best_of([text, title], len(self.asked))),
            words=len(words),
        )

    def grades(self, words: list[str], language: Language) -> Grades:
        grades = [0.0] * len(self.asked)
        for word in words:
            for number, grade in self.find(word, language).items():
                grades[number] = max(grades[number], grade)
        return tuple(grades)

    def find(self, word: str, language: Language) -> dict[int, float]:
        """Which of the question's words this word of a passage is, with grades."""
        key = (word, language)
        if key not in self._found:
            begin_alike = self._by_beginning.get(word[:BEGINNING_CHARS], ())
            found = dict.fromkeys(begin_alike, BEGINNING_GRADE)
            for term in word_terms(word, language):
                found |= dict.fromkeys(self._by_term.get(term, ()), 1.0)
            self._found[key] = found
        return self._found[key]

    def amount(self, grades: Grades) -> float:
        return sum(
            asked.information * value for asked, value in zip(self.asked, grades, strict=True)
        )

    def share(self, grades: Grades) -> float:
        total = sum(asked.information for asked in self.asked)
        return self.amount(grades) / total if total else 0.0

    def adjacency(self, words: list[str], grades: Grades, language: Language) -> float:
        positions: list[list[int]] = [[] for _ in self.asked]
        for position, word in enumerate(words):
            for number in self.find(word, language):
                positions[number].append(position)
        near = total = 0.0
        for first, second in pairwise(range(len(self.asked))):
            weight = self.asked[first].information + self.asked[second].information
            total += weight
            near += (
                weight
                * distance_grade(positions[first], positions[second])
                * min(grades[first], grades[second])
            )
        return near / total if total else 0.0


def read_sentences(chunk: RetrievedChunk) -> list[str]:
    """A table row is one sentence: its headers are in it."""
    return [chunk.text] if chunk.level == ChunkLevel.ROW else split_sentences(chunk.text)


def numbers_by(pairs: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for key, number in pairs:
        numbers[key].append(number)
    return dict(numbers)


def best_of(grades: list[Grades], size: int) -> Grades:
    return tuple(map(max, zip(*grades, strict=True))) if grades else (0.0,) * size


def distance_grade(first: list[int], second: list[int]) -> float:
    """Of the nearest two positions; both lists ascend."""
    distance = min_distance(first, second)
    return next((value for reach, value in DISTANCE_GRADES if distance <= reach), 0.0)


def min_distance(first: list[int], second: list[int]) -> float:
    """Infinite when one list is empty. Both ascend; time grows with their sum."""
    nearest = float("inf")
    left = right = 0
    while left < len(first) and right < len(second):
        nearest = min(nearest, abs(first[left] - second[right]))
        if first[left] <= second[right]:
            left += 1
        else:
            right += 1
    return nearest
