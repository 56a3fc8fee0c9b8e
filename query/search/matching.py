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
from sources.language.terms import content_words, question_words, term_number, word_terms
from sources.language.words import Language, information

BEGINNING_CHARS = 5
BEGINNING_MIN_CHARS = 6  # of the question's word: «casa» and «casarse» begin alike by accident
# How much of a word a term of it is: the word, its Spanish stem, its concept.
TERM_GRADES = {"=": 1.0, "s": 0.95, "c": 0.9}
BEGINNING_GRADE = 0.4  # of a word that only begins alike
# Two words that follow each other in the question: how much their distance in the passage counts.
DISTANCE_GRADES = ((1, 1.0), (3, 0.5))

Grades = tuple[float, ...]  # of each of the question's words, 0 (not there) … 1
Hits = tuple[tuple[int, float], ...]  # numbers of the question's words, with grades
Place = tuple[int, Hits]  # a position in a text that holds some


@dataclass(frozen=True)
class AskedWord:
    text: str
    terms: frozenset[str]
    information: float


class Matcher:
    """Matches passages with one question. Remembers each word that it has seen."""

    def __init__(self, question: Question) -> None:
        language = question.language
        self.asked = tuple(
            AskedWord(word, frozenset(word_terms(word, language)), information(word, language))
            for word in question_words(question.text, language)
        )
        self.total = sum(asked.information for asked in self.asked)
        self._by_term = numbers_by(
            (term, number) for number, asked in enumerate(self.asked) for term in asked.terms
        )
        self._by_beginning = numbers_by(
            (asked.text[:BEGINNING_CHARS], number)
            for number, asked in enumerate(self.asked)
            if len(asked.text) >= BEGINNING_MIN_CHARS and asked.text.isalpha()
        )
        self._seen: dict[Language, dict[str, Hits]] = {"es": {}, "en": {}}

    def match(self, chunk: RetrievedChunk) -> Match:
        language = chunk.language
        sentences = [content_words(text, language) for text in chunk.sentences]
        found = [self.find(sentence, language) for sentence in sentences]
        titles = content_words(f"{chunk.document_title}\n{chunk.section_title}", language)
        title = self.grades(self.find(titles, language))
        in_sentences = [self.grades(places) for places in found]
        text = best_of(in_sentences, len(self.asked))
        titled = [best_of([sentence, title], len(self.asked)) for sentence in in_sentences]
        lengths = [len(sentence) for sentence in sentences]
        return Match(
            sentence=max(map(self.share, in_sentences), default=0.0),
            titled_sentence=max(map(self.share, titled), default=0.0),
            title=self.share(title),
            adjacency=self.adjacency(join_places(found, lengths), text),
            information=self.amount(best_of([text, title], len(self.asked))),
            words=sum(lengths),
        )

    def find(self, words: list[str], language: Language) -> list[Place]:
        """Where words of the question stand among `words`."""
        seen = self._seen[language]
        places = []
        for position, word in enumerate(words):
            hits = seen.get(word)
            if hits is None:
                hits = seen[word] = self.look_up(word, language)
            if hits:
                places.append((position, hits))
        return places

    def look_up(self, word: str, language: Language) -> Hits:
        """Which of the question's words this word of a passage is."""
        beginning, terms = word[:BEGINNING_CHARS], word_terms(word, language)
        if beginning not in self._by_beginning and self._by_term.keys().isdisjoint(terms):
            return ()  # as nearly all of them
        grades = dict.fromkeys(self._by_beginning.get(beginning, ()), BEGINNING_GRADE)
        for term in terms:
            for number in self._by_term.get(term, ()):
                grades[number] = max(grades.get(number, 0.0), TERM_GRADES[term[0]])
        return tuple(grades.items())

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


def join_places(sentences: list[list[Place]], lengths: list[int]) -> list[Place]:
    """Positions within the whole passage."""
    starts = accumulate(lengths, initial=0)
    return [
        (start + position, hits)
        for start, places in zip(starts, sentences, strict=False)
        for position, hits in places
    ]


def numbers_by(pairs: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for key, number in pairs:
        numbers[key].append(number)
    return dict(numbers)


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
