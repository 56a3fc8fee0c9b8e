"""How the words of a question stand in a passage. What it finds orders the passages
(query/search/ordering.py) and judges them (query/search/relevance.py).

A word counts by its information. It stands in a text when one of its terms does
(sources/language/terms.py: the word, its stem, or its concept, so in the other language too), each
with a grade; and partly when only the beginning is the same («árbol», «arbóreo»).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise

from query.search.candidates import Match, Question, RetrievedChunk
from query.search.passage_words import PassageWords, WantedTerms, beginning_of, read_words
from sources.language.terms import question_words, term_number, word_terms
from sources.language.words import Language, information

BEGINNING_MIN_CHARS = 6  # of the question's word: «casa» and «casarse» begin alike by accident
# How much of a word a term of it is: the word, its Spanish stem, its concept, how it begins.
TERM_GRADES = {"=": 1.0, "s": 0.95, "c": 0.9, "^": 0.4}
# Two words that follow each other in the question: how much their distance in the passage counts.
DISTANCE_GRADES = ((1, 1.0), (3, 0.5))

Grades = tuple[float, ...]  # of each of the question's words, 0 (not there) … 1
Hit = tuple[int, float]  # the number of a word of the question, with a grade
Hits = tuple[Hit, ...]
Place = tuple[int, Hits]  # a position in a text that holds some


@dataclass(frozen=True)
class AskedWord:
    text: str
    terms: frozenset[str]
    information: float

    @property
    def beginnings(self) -> tuple[str, ...]:
        is_long = len(self.text) >= BEGINNING_MIN_CHARS and self.text.isalpha()
        return (beginning_of(self.text),) if is_long else ()


class Matcher:
    """Matches passages with one question."""

    def __init__(self, question: Question) -> None:
        language = question.language
        self.asked = tuple(
            AskedWord(word, frozenset(word_terms(word, language)), information(word, language))
            for word in question_words(question.text, language)
        )
        self.total = sum(asked.information for asked in self.asked)
        self._hits = hits_by(
            (term, (number, TERM_GRADES[term[0]]))
            for number, asked in enumerate(self.asked)
            for term in (*asked.terms, *asked.beginnings)
        )
        self._wanted = WantedTerms(self._hits)

    def match(self, chunk: RetrievedChunk) -> Match:
        words = chunk.words
        found = self.find(words)
        titles = f"{chunk.document_title}\n{chunk.section_title}"
        (in_titles,) = self.find(read_words(titles, ((0, len(titles)),), chunk.language))
        title = self.grades(in_titles)
        in_sentences = [self.grades(places) for places in found]
        text = best_of(in_sentences, len(self.asked))
        titled = [best_of([sentence, title], len(self.asked)) for sentence in in_sentences]
        return Match(
            sentence=max(map(self.share, in_sentences), default=0.0),
            titled_sentence=max(map(self.share, titled), default=0.0),
            title=self.share(title),
            adjacency=self.adjacency(join_places(found, words.lengths), text),
            information=self.amount(best_of([text, title], len(self.asked))),
            words=sum(words.lengths),
        )

    def find(self, words: PassageWords) -> list[list[Place]]:
        """Where words of the question stand in each sentence."""
        found: list[dict[int, dict[int, float]]] = [{} for _ in words.lengths]
        for one in self._wanted.find(words):
            grades = found[one.sentence].setdefault(one.position, {})
            for number, grade in self._hits[one.term]:
                grades[number] = max(grades.get(number, 0.0), grade)
        return [
            [(position, tuple(grades.items())) for position, grades in places.items()]
            for places in found
        ]

    def asks_for(self, word: str, language: Language) -> bool:
        """Whether this folded word of a passage is one of the question's."""
        return not self._hits.keys().isdisjoint((*word_terms(word, language), beginning_of(word)))

    def grades(self, places: list[Place]) -> Grades:
        grades = [0.0] * len(self.asked)
        for _, hits in places:
            for number, grade in hits:
                grades[number] = max(grades[number], grade)
        return tuple(grades)

    def amount(self, grades: Grades) -> float:
        return sum(
            asked.information * value for asked, value in zip(self.asked, grades, strict=True)
        )

    def share(self, grades: Grades) -> float:
        return self.amount(grades) / self.total if self.total else 0.0

    def adjacency(self, places: list[Place], grades: Grades) -> float:
        """Each word stands where it is at its best: `grades`."""
        positions: list[list[int]] = [[] for _ in self.asked]
        for position, hits in places:
            for number, grade in hits:
                if grade == grades[number]:
                    positions[number].append(position)
        near = total = 0.0
        for first, second in pairwise(range(len(self.asked))):
            weight = self.asked[first].information + self.asked[second].information
            distance = min_distance(positions[first], positions[second])
            grade = next((value for reach, value in DISTANCE_GRADES if distance <= reach), 0.0)
            total += weight
            near += weight * grade * min(grades[first], grades[second])
        return near / total if total else 0.0


def measure_unheard(question: Question, heard: Collection[int]) -> float:
    """Question.unheard. `heard`: the numbers of those of its terms that the scope holds."""
    language = question.language
    weights = {
        word: information(word, language) for word in question_words(question.text, language)
    }
    unheard = [
        weight
        for word, weight in weights.items()
        if not any(term_number(term) in heard for term in word_terms(word, language))
    ]
    return sum(unheard) / sum(weights.values()) if unheard else 0.0


def join_places(sentences: list[list[Place]], lengths: Iterable[int]) -> list[Place]:
    """Positions within the whole passage."""
    starts = accumulate(lengths, initial=0)
    return [
        (start + position, hits)
        for start, places in zip(starts, sentences, strict=False)
        for position, hits in places
    ]


def hits_by(pairs: Iterable[tuple[str, Hit]]) -> dict[str, list[Hit]]:
    hits: dict[str, list[Hit]] = defaultdict(list)
    for term, hit in pairs:
        hits[term].append(hit)
    return dict(hits)


def best_of(grades: list[Grades], size: int) -> Grades:
    return tuple(map(max, zip(*grades, strict=True))) if grades else (0.0,) * size


def min_distance(first: list[int], second: list[int]) -> float:
    """Of the nearest two; infinite when one list is empty. Both ascend; time grows with their
    sum."""
    nearest = float("inf")
    left = right = 0
    while left < len(first) and right < len(second):
        nearest = min(nearest, abs(first[left] - second[right]))
        if first[left] <= second[right]:
            left += 1
        else:
            right += 1
    return nearest
