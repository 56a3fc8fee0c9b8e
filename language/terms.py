"""Text to weighted terms: what lexical search compares.

A text gives three kinds of terms, so that each question finds its words whatever they look like:
the folded word ("="), the Spanish stem ("s"), and the concept ("c"): an English stem, for Spanish
words through the glossary. Measured on eval/wiki, the three together beat each alone in both
languages, and the concept carries across them.

Weights follow BM25 (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009) with its two
sides apart: a passage stores the saturated term frequency, the question brings the idf of its own
tenant's scope.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from language import TERM_DIMENSIONS
from language.glossary import to_english
from language.words import (
    INTERROGATIVES,
    WORDS_REMEMBERED,
    Language,
    function_words,
    stem,
    tokenize,
)

K1 = 1.2  # BM25's usual saturation and length normalisation
B = 0.75
# A constant, not the tenant's mean: weights then depend on their passage alone, and indexing one
# source never makes another's weights stale. Passages are cut to similar lengths anyway.
AVERAGE_CONTENT_WORDS = 60
MAX_TERMS_PER_PASSAGE = 900  # a sparsevec row must fit a page


@lru_cache(WORDS_REMEMBERED)
def concepts(word: str, language: Language) -> tuple[str, ...]:
    """English stems for a folded word, without function words; likeliest meaning first."""
    meanings = to_english(word) if language == "es" else (word,)
    stems = [
        stem(part, "en")
        for meaning in meanings
        for part in meaning.split()
        if part not in function_words("en")
    ]
    return tuple(dict.fromkeys(stems))


def content_words(text: str, language: Language) -> list[str]:
    """Folded words that carry the topic, in order, with repetitions."""
    return [word for word in tokenize(text) if word not in function_words(language)]


def question_words(text: str, language: Language) -> list[str]:
    """The content words of a question without those that only ask, each once; all of them when it
    has no others."""
    words = list(dict.fromkeys(content_words(text, language)))
    return [word for word in words if word not in INTERROGATIVES[language]] or words


@lru_cache(WORDS_REMEMBERED)
def word_terms(word: str, language: Language) -> tuple[str, ...]:
    terms = [f"={word}", *(f"c{concept}" for concept in concepts(word, language))]
    if language == "es":
        terms.append(f"s{stem(word, 'es')}")
    return tuple(terms)


@lru_cache(WORDS_REMEMBERED)
def term_number(term: str) -> int:
    """1 … TERM_DIMENSIONS, by a hash.

    Among the 200 terms of a passage, two share a number in one passage of 50,000 (200² / 2 / 10⁹):
    its weight is then a little off, and nothing else.
    """
    digest = hashlib.blake2b(term.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % TERM_DIMENSIONS + 1


def passage_weights(text: str, language: Language) -> dict[int, float]:
    """BM25 weight without idf by term number, for a passage; {} when it has no content word."""
    words = content_words(text, language)
    counts = Counter(term for word in words for term in word_terms(word, language))
    norm = K1 * (1 - B + B * len(words) / AVERAGE_CONTENT_WORDS)
    heaviest = counts.most_common(MAX_TERMS_PER_PASSAGE)
    return {term_number(term): count * (K1 + 1) / (count + norm) for term, count in heaviest}


def question_terms(text: str, language: Language) -> list[int]:
    """The term numbers of a question, each once."""
    words = question_words(text, language)
    return list(
        dict.fromkeys(term_number(term) for word in words for term in word_terms(word, language))
    )


def terms_of(words: Iterable[str], language: Language) -> set[str]:
    return {term for word in words for term in word_terms(word, language)}


def idf(passages: int, with_term: int) -> float:
    """BM25's idf; retrieval computes it in SQL, this is its definition for tests and reports."""
    return math.log(1 + (passages - with_term + 0.5) / (with_term + 0.5))
