"""How the words of a question stand in a passage. What it finds orders the passages
(query/search/ordering.py) and judges them (query/search/relevance.py).

A word counts by its information. It stands in a text when one of its terms does
(language/terms.py: the word, its stem, or its concept, so in the other language too), each
with a grade; and partly when only the beginning is the same («árbol», «arbóreo»).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from language.message import Word
from language.terms import word_terms
from language.words import Language
from query.search.candidates import Match, Question, RetrievedChunk
from query.search.passage_words import FoundTerm, WantedTerms, beginning_of, read_line

BEGINNING_MIN_CHARS = 6  # of the question's word: «casa» and «casarse» begin alike by accident
# How much of a word a term of it is: the word, its Spanish stem, its concept, how it begins.
TERM_GRADES = {"=": 1.0, "s": 0.95, "c": 0.9, "^": 0.4}
# Two words that follow each other in the question: how much their distance in the passage counts.
DISTANCE_GRADES = ((1, 1.0), (3, 0.5))

Grades = npt.NDArray[np.float64]
Hit = tuple[int, float]  # the number of a word of the question, with a grade


class Matcher:
    """Matches passages with one question."""

    def __init__(self, question: Question) -> None:
        self.asked = question.message.content.words
        self._information = np.array([asked.information for asked in self.asked])
        # Where all are the commonest of words, nothing of what they say is anywhere.
        self.total = float(self._information.sum()) or 1.0
        self._hits = hits_by(
            (term, (number, TERM_GRADES[term[0]]))
            for number, asked in enumerate(self.asked)
            for term in (*asked.terms, *beginnings(asked))
        )
        self._wanted = WantedTerms(self._hits)

    def match(self, chunks: Sequence[RetrievedChunk]) -> list[Match]:
        """A match for each chunk, in their order."""
        if not (chunks and self.asked):
            return [Match(words=sum(chunk.words.lengths)) for chunk in chunks]
        texts = [chunk.words for chunk in chunks]
        titles = [
            read_line(f"{chunk.document_title}\n{chunk.section_title}", chunk.language)
            for chunk in chunks
        ]
        found = self._wanted.find([*texts, *titles])
        # A row also where no sentence stands
        sizes = np.array([max(1, len(words.lengths)) for words in texts], np.int64)
        starts = np.cumsum(sizes, dtype=np.int64) - sizes
        sentences = self.grades(found[: len(texts)], starts.tolist(), int(sizes.sum()))
        title = self.grades(found[len(texts) :], range(len(titles)), len(titles))
        text = np.maximum.reduceat(sentences, starts, axis=0)
        # A price list names its product in the title and the price in the row
        titled = np.maximum(sentences, np.repeat(title, sizes, axis=0))
        best = np.maximum.reduceat(self.amount(sentences), starts) / self.total
        best_titled = np.maximum.reduceat(self.amount(titled), starts) / self.total
        information = self.amount(np.maximum(text, title)).tolist()
        return [
            Match(
                sentence=sentence,
                titled_sentence=titled_sentence,
                title=in_titles,
                adjacency=self.adjacency(terms, words.lengths, grades),
                information=amount,
                words=sum(words.lengths),
            )
            for sentence, titled_sentence, in_titles, terms, words, grades, amount in zip(
                best.tolist(),
                best_titled.tolist(),
                (self.amount(title) / self.total).tolist(),
                found,
                texts,
                text.tolist(),
                information,
                strict=False,  # behind the texts the titles are found
            )
        ]

    def grades(
        self, found: Sequence[Sequence[FoundTerm]], starts: Iterable[int], size: int
    ) -> Grades:
        """How well each word stands in each sentence: (sentences of all passages, words of the
        question), 0 (not there) … 1. `starts`: the first sentence of each passage; `size`: the
        number of all sentences."""
        grades = [[0.0] * len(self.asked) for _ in range(size)]
        for terms, start in zip(found, starts, strict=True):
            for one in terms:
                row = grades[start + one.sentence]
                for number, grade in self._hits[one.term]:
                    row[number] = max(row[number], grade)
        return np.array(grades)

    def asks_for(self, word: str, language: Language) -> bool:
        """Tells whether this folded word of a passage is one of the question's."""
        return not self._hits.keys().isdisjoint((*word_terms(word, language), beginning_of(word)))

    def amount(self, grades: Grades) -> Grades:
        """The information that each row of grades holds: (n, words of the question) to (n,)."""
        return np.asarray(grades @ self._information)

    def adjacency(
        self, found: Sequence[FoundTerm], lengths: Sequence[int], grades: Sequence[float]
    ) -> float:
        """The share of the question's pairs of words that stand near each other. A word's places
        are those where it has its best grade in the passage: `grades`."""
        starts = [*accumulate(lengths, initial=0)]
        positions: list[list[int]] = [[] for _ in self.asked]
        for one in found:
            for number, grade in self._hits[one.term]:
                # A word that is there itself is not also where another merely begins alike
                if grade == grades[number]:
                    positions[number].append(starts[one.sentence] + one.position)
        near = total = 0.0
        for first, second in pairwise(range(len(self.asked))):
            weight = self.asked[first].information + self.asked[second].information
            distance = min_distance(positions[first], positions[second])
            grade = next((value for reach, value in DISTANCE_GRADES if distance <= reach), 0.0)
            total += weight
            near += weight * grade * min(grades[first], grades[second])
        return near / total if total else 0.0


def measure_unheard(question: Question, heard: Set[int]) -> float:
    """Measures Question.unheard. `heard`: the numbers of those of its terms that the
    scope holds."""
    words = question.message.content.words
    unheard = [word.information for word in words if heard.isdisjoint(word.numbers)]
    return sum(unheard) / sum(word.information for word in words) if unheard else 0.0


def beginnings(word: Word) -> tuple[str, ...]:
    """How a long word begins, as a term: a text may hold another word that begins alike."""
    is_long = len(word.text) >= BEGINNING_MIN_CHARS and word.text.isalpha()
    return (beginning_of(word.text),) if is_long else ()


def hits_by(pairs: Iterable[tuple[str, Hit]]) -> dict[str, list[Hit]]:
    hits: dict[str, list[Hit]] = defaultdict(list)
    for term, hit in pairs:
        hits[term].append(hit)
    return dict(hits)


def min_distance(first: list[int], second: list[int]) -> float:
    """The distance of the nearest two positions; infinite when one list is empty. Both ascend; time
    grows with the sum of their lengths."""
    nearest = float("inf")
    left = right = 0
    while left < len(first) and right < len(second):
        nearest = min(nearest, abs(first[left] - second[right]))
        if first[left] <= second[right]:
            left += 1
        else:
            right += 1
    return nearest
