"""Passages of one document that say the same kind of thing of different things: the prices of three
models, each under its model's heading. Their values say nothing without the heading.

Two sentences are alike when they are written in the same words and differ in their figures, or in a
word or two. That is told by the passages alone, in any language and for any question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, product

from language.message import Message
from language.terms import content_words, terms_of, word_terms
from language.words import WORD, Language, fold
from query.search.candidates import RetrievedChunk
from reading.extractors.prose import SECTION_SEPARATOR

WORDS_SHARED = 0.6  # of the longer one's, by sentences that are alike
# By sentences without figures, which may be alike by accident: "Yes." and "Yes, of course."
WORDS_SHARED_MIN = 3
SENTENCES_COMPARED = 12  # of each passage, the first ones: each is compared with each
SENTENCES_REMEMBERED = 4096
HEADING_MAX_CHARS = 90  # a longer one is no name

Passages = Sequence[RetrievedChunk]
# The passage and its siblings, by the passage's id; of those that have siblings.
Families = Mapping[int, Passages]


@dataclass(frozen=True)
class Likeness:
    """What is compared of a sentence: its words without figures, and whether it has figures."""

    text: str
    words: frozenset[str]
    has_figures: bool

    def is_like(self, other: Likeness) -> bool:
        if self.has_figures != other.has_figures or self.text == other.text:
            return False
        shared, longer = len(self.words & other.words), max(len(self.words), len(other.words))
        least = 0 if self.has_figures else WORDS_SHARED_MIN
        return shared >= least and shared >= WORDS_SHARED * longer


@lru_cache(SENTENCES_REMEMBERED)
def likeness_of(text: str) -> Likeness:
    words = frozenset(WORD.findall(fold(text)))
    plain = frozenset(word for word in words if not any(map(str.isdigit, word)))
    return Likeness(text, plain, has_figures=plain != words)


def are_alike(one: str, other: str) -> bool:
    """Tells whether two sentences say the same kind of thing of different things."""
    return likeness_of(one).is_like(likeness_of(other))


def find_families(chunks: Passages) -> Families:
    """Returns the passages that have siblings among `chunks`: of the same document, under another
    heading, with a sentence that is alike."""
    likenesses = [
        [likeness_of(text) for text in chunk.sentences[:SENTENCES_COMPARED]] for chunk in chunks
    ]
    families: dict[int, list[RetrievedChunk]] = defaultdict(list)
    for (chunk, told), (other, told_there) in combinations(zip(chunks, likenesses, strict=True), 2):
        if stand_apart(chunk, other) and any(
            one.is_like(another) for one, another in product(told, told_there)
        ):
            families[chunk.chunk_id].append(other)
            families[other.chunk_id].append(chunk)
    return {
        chunk.chunk_id: (chunk, *families[chunk.chunk_id])
        for chunk in chunks
        if chunk.chunk_id in families
    }


def stand_apart(one: RetrievedChunk, other: RetrievedChunk) -> bool:
    """Tells whether two passages stand under different headings of one document."""
    is_same_document = (one.source_id, one.source_file) == (other.source_id, other.source_file)
    return is_same_document and one.section_title != other.section_title


# --- The headings that tell which is which --------------------------------------------------------


def with_headings(chunks: Passages, families: Families) -> tuple[RetrievedChunk, ...]:
    """The passages, those with siblings with the headings that tell which is which, behind the name
    of the year's version where one was chosen."""
    return tuple(
        replace(chunk, apart=", ".join(filter(None, (chunk.apart, heading_of(chunk, family)))))
        if (family := families.get(chunk.chunk_id))
        else chunk
        for chunk in chunks
    )


def heading_of(chunk: RetrievedChunk, family: Passages) -> str:
    """As few of the passage's headings, innermost first, as tell it from its siblings; "" where
    none do, or where they are a question, which an answer need not repeat, or too long for a
    name."""
    path = path_of(chunk)
    others = [path_of(one) for one in family if one is not chunk]
    least = next((n for n in range(1, len(path)) if path[-n:] not in last(n, others)), len(path))
    heading = ", ".join(level.rstrip(" :.") for level in path[-least:])
    is_name = len(heading) <= HEADING_MAX_CHARS and not heading.endswith("?")
    return heading if is_name else ""


def path_of(chunk: RetrievedChunk) -> tuple[str, ...]:
    return tuple(filter(None, chunk.section_title.split(SECTION_SEPARATOR)))


def last(levels: int, paths: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [path[-levels:] for path in paths]


# --- The heading that is asked for ----------------------------------------------------------------


def named_alone(
    question: Message, sources: Passages, families: Families
) -> tuple[RetrievedChunk, ...]:
    """`sources` with the sibling whose heading the question names in the place of those whose
    headings it does not. What the visitor wrote goes before what was added from earlier
    messages."""
    chosen: dict[int, RetrievedChunk] = {}
    for source in sources:
        family = families.get(source.chunk_id, ())
        named = named_words(question.own_words, question.language, family)
        if not any(named.values()):
            named = named_words(question.text, question.language, family)
        better = better_named(source, family, named)
        kept = better[0] if better else source
        chosen[kept.chunk_id] = kept
    return tuple(chosen.values())


def better_named(
    chunk: RetrievedChunk, family: Passages, named: Mapping[int, frozenset[str]]
) -> list[RetrievedChunk]:
    """The siblings of whose headings the question names the same words and more."""
    own = named.get(chunk.chunk_id, frozenset())
    return [one for one in family if own < named[one.chunk_id]]


def named_words(text: str, language: Language, family: Passages) -> dict[int, frozenset[str]]:
    """The words of each passage's headings that the text names, by its id. What most of the
    headings hold names none of them, and a figure alone may be the figure of another thing."""
    words_of = {one.chunk_id: frozenset(heading_words(one)) for one in family}
    frequency = Counter(word for words in words_of.values() for word in words)
    asked = terms_of(content_words(text, language), language)
    found: dict[int, frozenset[str]] = {}
    for one in family:
        words = words_of[one.chunk_id]
        said = {word for word in words if not asked.isdisjoint(word_terms(word, one.language))}
        is_sure = said == words or not all(map(str.isdigit, said))
        telling = (word for word in said if frequency[word] <= len(family) / 2)
        found[one.chunk_id] = frozenset(telling) if is_sure else frozenset()
    return found


def heading_words(chunk: RetrievedChunk) -> list[str]:
    return content_words(chunk.section_title, chunk.language)


def without_other_headings(question: Message, chunks: Passages) -> Message:
    """A question that was completed from an earlier one, without the heading that the earlier one
    named, where the visitor names another one now: "and the Heron?", after a question about the
    Kingfisher."""
    own = set(WORD.findall(question.own_words))
    added = {word for word in WORD.findall(question.text) if fold(word) not in own}
    if not added:
        return question
    dropped: set[str] = set()
    kept: set[str] = set()
    for family in find_families(chunks).values():
        named = named_words(question.own_words, question.language, family)
        for one in family if any(named.values()) else ():
            terms = terms_of(heading_words(one), one.language)
            (dropped if better_named(one, family, named) else kept).update(terms)
    left_out = {
        word
        for word in added
        if not (dropped - kept).isdisjoint(word_terms(fold(word), question.language))
    }
    words = (word for word in question.text.split() if left_out.isdisjoint(WORD.findall(word)))
    return question.reworded(" ".join(words)) if left_out else question
