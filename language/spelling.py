"""A message as it was meant: chat words written out, accents restored, slips of the finger undone.

It is what is searched; what the visitor wrote is what is shown and remembered. A word that a
language knows, or that stands in what is searched, is never changed; nor are names beside them,
codes, numbers and addresses. bench/typed_questions.jsonl has questions with what was meant, and
questions with rare names that have to stay: a test counts both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from language.chat import PLAIN_WORD, write_out
from language.message import Message
from language.small_talk import small_talk_of
from language.terms import term_number, word_terms
from language.words import Language, fold, stem, typed_zipf, with_accents, zipf

WORDS_REMEMBERED = 64  # one question asks for the same three times
MAX_WORDS = 4  # of a question, that are looked up
MIN_CHARS = 4
MAX_CHARS = 20
ALPHABET = "abcdefghijklmnopqrstuvwxyzñ"
CLEARLY = 2  # times as often as the next candidate
# Of a word that may be meant although nothing that is searched holds it, and ten slips more likely.
COMMON_ZIPF = 4.5
CLEARLY_ZIPF = 0.3  # the same, of words of the language
# How much likelier each slip is than another letter anywhere in the word.
TURNED, ALIKE, MISSING, EXTRA, OTHER = 30, 10, 10, 3, 1
SOUND_ALIKE = ("bv", "csz", "ckq", "gj", "yl", "nm", "nñ", "ei", "ou", "ae", "xs")
DIGRAPHS = (("ll", "y"), ("y", "ll"), ("k", "qu"), ("qu", "k"), ("f", "ph"), ("ph", "f"))
KEYBOARD = ("qwertyuiop", "asdfghjklñ", "zxcvbnm")
VERB_ENDING = re.compile(
    r"(?:[ae]is|is|[aei]mos|[aeiou]?steis|ab(?:a|as|ais|amos|an)|i(?:a|as|ais|amos|an)|ando|iendo"
    r"|[aei]r(?:l[aeo]s?|me|te|nos|os|se|mel[ao]s?|[ae]n?|[ao]s|emos|eis|ia[ns]?|iais|iamos)"
    r"|ad[ao]s?|id[ao]s?|ad|ed|id|ase|ese|iera|ara)$"
)
QUOTED = re.compile(r"«[^»]*»|“[^”]*”|\"[^\"]*\"")

CountTerms = Callable[[Sequence[int]], Mapping[int, int]]


@dataclass(frozen=True)
class Strange:
    """A word that the question's language does not know, and where it stands. `is_name`: it has a
    capital that its place does not explain. `is_foreign`: the other language knows it."""

    word: str
    start: int
    is_name: bool
    is_foreign: bool


def correct_message(message: Message, count_terms: CountTerms) -> Message:
    """The message without slips of the finger. Behind one, small talk may be seen."""
    text = correct_text(message.text, message.language, count_terms)
    return message if text == message.text else message.reworded(text, small_talk_of(text))


def correct_text(text: str, language: Language, count_terms: CountTerms) -> str:
    """The text without slips of the finger. `count_terms` tells in how many passages each of these
    terms stands; those that stand in none may be missing."""
    written_out = write_out(restore_accents(text, language), language)
    strange = list(strange_words(written_out, language))[:MAX_WORDS]
    if strange:  # most are names, which stand in the sources
        held = Vocabulary.of_words(strange, language, count_terms)
        strange = [one for one in strange if not held.holds(fold(one.word))]
    if not strange:
        return written_out
    found = Vocabulary.of_near_words(strange, language, count_terms)
    for one in reversed(strange):
        meant = found.correct(one)
        written_out = written_out[: one.start] + meant + written_out[one.start + len(one.word) :]
    return written_out


def restore_accents(text: str, language: Language) -> str:
    """Restores accents: «devolucion» becomes «devolución». Names and words in capitals stay, and so
    does a text whose writer uses accents."""
    if fold(text) != text.lower():
        return text

    def restored(match: re.Match[str]) -> str:
        word = match[0]
        return with_accents(word, language) if word.islower() and word.isascii() else word

    return PLAIN_WORD.sub(restored, text)


def strange_words(text: str, language: Language) -> Iterator[Strange]:
    """The unknown words in their order, also words of the other language ("accesible" is Spanish).
    Quoted words and abbreviations in capitals are left out."""
    quoted = [match.span() for match in QUOTED.finditer(text)]
    is_loud = text.isupper()
    for match in PLAIN_WORD.finditer(text):
        word = match[0]
        if not MIN_CHARS <= len(word) <= MAX_CHARS or is_known(word, language):
            continue
        if any(begin < match.start() < end for begin, end in quoted):
            continue
        if word.islower() or is_loud or word == word.capitalize():
            begins = is_loud or not text[: match.start()].strip(" ¿¡")
            yield Strange(
                word,
                match.start(),
                is_name=not word.islower() and not begins,
                is_foreign=is_known(word, "en" if language == "es" else "es"),
            )


def is_known(word: str, language: Language) -> bool:
    """Tells whether the language has the word, with or without its accents."""
    lower, folded = word.lower(), fold(word)
    if zipf(lower, language) or typed_zipf(folded, language):
        return True
    return language == "es" and is_verb_form(folded)


def is_verb_form(word: str) -> bool:
    """Tells whether this is a form of a Spanish verb: «reparáis» is not in the list of frequent
    words, «reparar» is."""
    found = VERB_ENDING.search(word)
    if found is None:
        return False
    root = word[: found.start()]
    return any(zipf(root + ending, "es") for ending in ("ar", "er", "ir"))


# --- What may be meant ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Vocabulary:
    """The words that the sources hold. `counts`: passages by term, of the terms that were asked for
    and stand in some."""

    language: Language
    counts: Mapping[str, int]

    @classmethod
    def of_words(
        cls, strange: Sequence[Strange], language: Language, count_terms: CountTerms
    ) -> Vocabulary:
        words = (fold(one.word) for one in strange)
        terms = (term for word in words for term in word_terms(word, language))
        return cls.of_terms(terms, language, count_terms)

    @classmethod
    def of_near_words(
        cls, strange: Sequence[Strange], language: Language, count_terms: CountTerms
    ) -> Vocabulary:
        """The vocabulary of all words that these may be."""
        near = {near for one in strange for near in near_words(fold(one.word))}
        terms = (f"={form}" for word in near for form in numbers_of(word))
        return cls.of_terms(terms, language, count_terms)

    @classmethod
    def of_terms(
        cls, terms: Iterable[str], language: Language, count_terms: CountTerms
    ) -> Vocabulary:
        # Not remembered: a thousand at once would push all others out.
        by_number = {term_number.__wrapped__(term): term for term in terms}
        found = count_terms(sorted(by_number))
        counts = {term: found[number] for number, term in by_number.items() if number in found}
        return cls(language, counts)

    def holds(self, word: str) -> bool:
        """Tells whether a passage holds the word or another form of it."""
        return any(term in self.counts for term in word_terms(word, self.language))

    def correct(self, one: Strange) -> str:
        """The word that is meant; as it was written, when nothing is clearly meant."""
        word = fold(one.word)
        meant = self.best_in_scope(word, one)
        if not (meant or one.is_name or one.is_foreign):
            meant = self.best_of_language(word)
        return with_accents(meant, self.language) if meant else one.word

    def best_in_scope(self, word: str, one: Strange) -> str:
        """The candidate that most passages hold; "" when two are as good. A name can only be
        another name mistyped, and a foreign word only a likely slip."""
        weights = {
            near: self.passages(near) * weight
            for near, weight in near_words(word).items()
            if self.passages(near)
            and not (one.is_name and is_known(near, self.language))
            and not (one.is_foreign and weight < MISSING)
        }
        return self.clear_winner(weights, lambda best, next_one: best >= CLEARLY * next_one)

    def passages(self, word: str) -> int:
        """The number of passages that hold the word, in the singular or the plural, the larger of
        both."""
        return max(self.counts.get(f"={form}", 0) for form in numbers_of(word))

    def best_of_language(self, word: str) -> str:
        """The common word that a slip of fingers or ears turned into this; "" for another form of a
        known word ("compiles")."""
        known = {
            near: size + math.log10(weight)
            for near, weight in near_words(word).items()
            if weight >= MISSING and (size := typed_zipf(near, self.language))
        }
        root = stem(word, self.language)
        if any(stem(near, self.language) == root for near in known):
            return ""
        common = {near: size for near, size in known.items() if size >= COMMON_ZIPF}
        return self.clear_winner(common, lambda best, next_one: best >= next_one + CLEARLY_ZIPF)

    def clear_winner(
        self, weights: Mapping[str, float], is_clear: Callable[[float, float], bool]
    ) -> str:
        """The word with the largest weight, or "" when another comes too close. Forms of one word
        do not compete."""
        ranked = sorted(
            weights, key=lambda one: (-weights[one], -typed_zipf(one, self.language), one)
        )
        if not ranked:
            return ""
        best, root = ranked[0], stem(ranked[0], self.language)
        others = [one for one in ranked[1:] if stem(one, self.language) != root]
        return best if not others or is_clear(weights[best], weights[others[0]]) else ""


def numbers_of(word: str) -> tuple[str, ...]:
    """The word, and its plural or its possible singulars."""
    if word.endswith(("nes", "res", "les", "dades")):
        return word, word[:-1], word[:-2]
    return word, word[:-1] if word.endswith("s") else f"{word}s"


# --- One slip away --------------------------------------------------------------------------------


@lru_cache(WORDS_REMEMBERED)
def near_words(word: str) -> Mapping[str, int]:
    """Folded words at a Damerau-Levenshtein distance of 1, with the weight of the likeliest slip
    that makes `word` of them. Few slips are made at a word's first letter: only those that sound
    alike count there."""
    found: dict[str, int] = {}
    for weight, candidates in (
        (OTHER, other_letters(word)),
        (EXTRA, extra_letters(word)),
        (MISSING, missing_letters(word)),
        (ALIKE, alike_letters(word)),
        (TURNED, turned_letters(word)),
    ):
        if weight > OTHER or len(word) > MIN_CHARS:
            found.update(dict.fromkeys(candidates, weight))
    found.pop(word, None)
    return {one: weight for one, weight in found.items() if len(one) >= MIN_CHARS - 1}


def other_letters(word: str) -> Iterator[str]:
    for place in range(1, len(word)):
        for sign in ALPHABET:
            yield word[:place] + sign + word[place + 1 :]


def extra_letters(word: str) -> Iterator[str]:
    for place in range(1, len(word)):
        yield word[:place] + word[place + 1 :]


def missing_letters(word: str) -> Iterator[str]:
    for place in range(1, len(word) + 1):
        for sign in ALPHABET:
            yield word[:place] + sign + word[place:]


def alike_letters(word: str) -> Iterator[str]:
    """Yields the word with one letter changed: for one that sounds alike or lies beside it, single
    for double, a silent h."""
    for place, sign in enumerate(word):
        before, behind = word[:place], word[place + 1 :]
        for other in CONFUSED.get(sign, ()):
            yield before + other + behind
        for spelt, sound in DIGRAPHS:
            if word.startswith(spelt, place):
                yield before + sound + word[place + len(spelt) :]
        yield before + sign + sign + behind
        yield before + "h" + sign + behind
        if sign == "h" or behind[:1] == sign:
            yield before + behind


def turned_letters(word: str) -> Iterator[str]:
    for place in range(len(word) - 1):
        yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def confused_with(sign: str) -> set[str]:
    groups = [group for group in SOUND_ALIKE if sign in group]
    row = next(row for row in KEYBOARD if sign in row)
    place = row.index(sign)
    return set("".join(groups) + row[max(0, place - 1) : place + 2]) - {sign}


CONFUSED = {sign: confused_with(sign) for sign in ALPHABET}
