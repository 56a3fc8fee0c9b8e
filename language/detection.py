"""Spanish or English? By the words' frequencies in both languages (a unigram model, as language
identifiers use).

A library for 50 or more languages is wrong too often on a question of four words; between two it is
easy.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from language.chat import chat_words
from language.words import WORDS_REMEMBERED, Language, fold, typed_zipf, zipf

WORDS_READ = 200  # enough to be sure, and bounded
EVIDENCE_PER_WORD = 3.0  # so that one rare word does not outweigh a sentence
SURE = 3.0
HINT = 0.5  # of a message that nothing came before
# Of a word that neither language knows: a name, or mistyped.
SHAPE_EVIDENCE = 0.75
SPANISH_SHAPE = re.compile(r"(?:[aeo]|[aeo]s|[ae]is|cion|ez|dad|[aei]r)$")
ENGLISH_SHAPE = re.compile(r"(?:ing|ed|ly|th|sh|ght|[bcdfghkmptvwy])s?$")
SPANISH_SIGNS = re.compile(r"[¿¡ñ]", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+")


def detect_language(text: str, default: Language = "en") -> Language:
    """The language of `text`; `default` when its words do not tell (names, numbers, other
    languages)."""
    return tell(spanish_evidence(text), sure=SURE) or default


def tell(evidence: float, *, sure: float) -> Language | None:
    """The language that the evidence tells; None where it is less than `sure`."""
    if abs(evidence) < sure:
        return None
    return "es" if evidence > 0 else "en"


def detect_message_language(text: str, default: Language = "en") -> Language:
    """The likelier language of a message that nothing came before: one word ("hola") is never sure,
    and must be answered in its language all the same. `default` when its words are of both ("wifi",
    "ok")."""
    return tell(message_evidence(text), sure=HINT) or default


def detect_main_language(texts: Sequence[str]) -> Language:
    """The language of a document, from samples of its texts."""
    return "es" if sum(spanish_evidence(text) for text in texts[:WORDS_READ]) > 0 else "en"


def spanish_evidence(text: str) -> float:
    """A score above 0 for Spanish and below 0 for English; it grows with the number of telling
    words."""
    words = WORD.findall(text.lower())[:WORDS_READ]
    by_words = sum(map(word_leaning, words))
    return by_words + EVIDENCE_PER_WORD * len(SPANISH_SIGNS.findall(text))


@lru_cache(WORDS_REMEMBERED)
def word_leaning(word: str) -> float:
    leaning = zipf(word, "es") - zipf(word, "en")
    return max(-EVIDENCE_PER_WORD, min(EVIDENCE_PER_WORD, leaning))


def message_evidence(text: str) -> float:
    """The score of spanish_evidence for a chat message: without accents, and with shortened words.
    A document's «q» or "u" is a letter; a message's is a word."""
    words = WORD.findall(text.lower())[:WORDS_READ]
    by_words = sum(word_evidence(word) for word in words)
    return by_words + EVIDENCE_PER_WORD * len(SPANISH_SIGNS.findall(text))


def word_evidence(word: str) -> float:
    is_spanish, is_english = (fold(word) in chat_words(language) for language in ("es", "en"))
    if is_spanish != is_english:
        return EVIDENCE_PER_WORD if is_spanish else -EVIDENCE_PER_WORD
    spanish, english = typed_zipf(word, "es"), typed_zipf(word, "en")
    if not spanish and not english:
        return shape_evidence(fold(word))
    evidence = spanish - english
    return max(-EVIDENCE_PER_WORD, min(EVIDENCE_PER_WORD, evidence))


def shape_evidence(word: str) -> float:
    is_spanish, is_english = (
        shape.search(word) is not None for shape in (SPANISH_SHAPE, ENGLISH_SHAPE)
    )
    return SHAPE_EVIDENCE * (is_spanish - is_english)
