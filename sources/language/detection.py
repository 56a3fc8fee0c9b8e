"""Spanish or English? By the words' frequencies in both languages (a unigram model, as language
identifiers use).

A library for 50 or more languages is wrong too often on a question of four words; between two it is
easy.
"""

import re
from collections.abc import Sequence

from sources.language.words import Language, zipf

WORDS_READ = 200  # enough to be sure, and bounded
EVIDENCE_PER_WORD = 3.0  # so that one rare word does not outweigh a sentence
SURE = 3.0
SPANISH_SIGNS = re.compile(r"[¿¡ñ]", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+")


def detect_language(text: str, default: Language = "en") -> Language:
    """The language of `text`; `default` when its words do not tell (names, numbers, other
    languages)."""
    evidence = spanish_evidence(text)
    if abs(evidence) < SURE:
        return default
    return "es" if evidence > 0 else "en"


def detect_message_language(text: str, default: Language = "en") -> Language:
    """The likelier language of a message that nothing came before: one word ("hola") is never sure,
    and must be answered in its language all the same. `default` when its words say nothing."""
    evidence = spanish_evidence(text)
    if not evidence:
        return default
    return "es" if evidence > 0 else "en"


def detect_main_language(texts: Sequence[str]) -> Language:
    """The language of a document, from samples of its texts."""
    return "es" if sum(spanish_evidence(text) for text in texts[:WORDS_READ]) > 0 else "en"


def spanish_evidence(text: str) -> float:
    """Above 0 for Spanish, below for English; its size grows with the number of telling words."""
    words = WORD.findall(text.lower())[:WORDS_READ]
    by_words = sum(
        max(-EVIDENCE_PER_WORD, min(EVIDENCE_PER_WORD, zipf(word, "es") - zipf(word, "en")))
        for word in words
    )
    return by_words + EVIDENCE_PER_WORD * len(SPANISH_SIGNS.findall(text))
