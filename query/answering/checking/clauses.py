"""Cuts a text into clauses: what each says in words, its hard facts, and whether it denies.

A sentence of a model is judged by its weakest clause, and a passage is searched clause by clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from language.calendar import MONTH_NUMBERS, WEEKDAY_NUMBERS
from language.terms import word_terms
from language.words import WORD, Language, fold, function_words, rarity
from query.answering.checking.facts import (
    Fact,
    FactKind,
    find_facts,
    find_units,
    is_counted_so,
    is_stated,
    without_contacts,
)
from query.answering.checking.rewriting import rewrite
from query.answering.checking.vocabulary import (
    BEING,
    CLOSED,
    CLOSING,
    EMPTY,
    FREE_OF_CHARGE,
    NEGATION,
    NEGATION_PATTERNS,
    PRICES,
    SIDES,
    SYNONYMS,
    UNITS,
    Side,
)
from reading.sentences import split_sentences

LIST_MARKER = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•–])\s+")
# "Yes," and "No," are said of the question.
LEADING = re.compile(
    r"^\W*(?:yes|no|sí|si|claro|of course|por supuesto|sure)\s?[,.!:;]\s*", re.IGNORECASE
)
BORDER = re.compile(
    r"(?:[;:,]\s+|\s[–—-]\s|[()]|\s)(?:as well as|along with|together with|así como|junto con|and"
    r"|or|nor|but|plus|while|whereas|which|so|because|including|with|y|e|o|u|ni|pero|aunque|mientras"
    r"|además|incluyendo|con|sino)\s|[;:,]\s+|\s[–—-]\s|[()]",
    re.IGNORECASE,
)
TURN = re.compile(r"\b(?:but|while|whereas|pero|aunque|sino|mientras)\b|;", re.IGNORECASE)
CONDITION = re.compile(r"\b(?:if|unless|si|salvo que|a menos que)\b", re.IGNORECASE)
CARRIED_WORDS = 3  # content words of a clause that the "not" of another reaches
INFORMATION_MAX = 5.0  # of a word: a rare one weighs no more than two others
# Words of one stem by sight: «empadronarte», «empadronamiento».
ALIKE_MIN_CHARS = 6
ALIKE_SHARE = 0.55  # of the longer one, in common from the beginning


@dataclass(frozen=True)
class Clause:
    """A clause as it is compared. `sentence`: its position among those of its text. `words`:
    information by folded content word; `terms`: what they are found by, with concepts and synonyms.
    `denies` None: it cannot be told."""

    sentence: int
    words: dict[str, float] = field(repr=False)
    terms: frozenset[str] = field(repr=False)
    facts: frozenset[Fact]
    units: frozenset[str]
    sides: frozenset[Side]
    denies: bool | None
    is_condition: bool
    language: Language

    @property
    def speaks_of_price(self) -> bool:
        return PRICES in self.terms

    @property
    def is_free(self) -> bool:
        return any(fact.unit == FREE_OF_CHARGE for fact in self.facts)

    def holds(self, word: str, language: Language) -> bool:
        """Tells whether the clause says a word of a text in `language`, in this word or another."""
        return not self.terms.isdisjoint(all_terms(word, language)) or (
            len(word) >= ALIKE_MIN_CHARS
            and any(are_alike(word, term[1:]) for term in self.terms if term[0] == "=")
        )

    def states(self, fact: Fact, language: Language) -> bool:
        return is_stated(fact, self.facts, self.terms, language)

    def bears_out(self, fact: Fact, language: Language) -> bool:
        """Tells whether the clause states the fact, and in the same unit."""
        return self.states(fact, language) and is_counted_so(fact, self.facts, self.units)


def are_alike(word: str, other: str) -> bool:
    if word[:ALIKE_MIN_CHARS] != other[:ALIKE_MIN_CHARS]:
        return False
    pairs = enumerate(zip(word, other, strict=False))
    common = next((at for at, (one, two) in pairs if one != two), min(len(word), len(other)))
    return common >= ALIKE_SHARE * max(len(word), len(other))


def join_clauses(clauses: Sequence[Clause], language: Language) -> Clause:
    """A clause that says what all of these say together. It denies nothing."""
    return Clause(
        sentence=-1,
        words={word: weight for clause in clauses for word, weight in clause.words.items()},
        terms=frozenset().union(*(clause.terms for clause in clauses)),
        facts=frozenset().union(*(clause.facts for clause in clauses)),
        units=frozenset().union(*(clause.units for clause in clauses)),
        sides=frozenset().union(*(clause.sides for clause in clauses)),
        denies=False,
        is_condition=False,
        language=language,
    )


def read_clauses(text: str, language: Language) -> list[Clause]:
    """The text's clauses in order. Clauses without content words and facts are left out."""
    return [
        clause
        for position, sentence in enumerate(split_sentences(text))
        for clause in read_sentence(sentence, language, position)
    ]


def read_sentence(sentence: str, language: Language, position: int) -> Iterator[Clause]:
    plain = rewrite(LEADING.sub("", LIST_MARKER.sub("", sentence)), language)
    parts, borders = split_clauses(plain)
    clauses = [
        read_clause(part, language, position, begins=number == 0)
        for number, part in enumerate(parts)
    ]
    for number, clause in enumerate(clauses):
        if clause.words or clause.facts or clause.units:
            yield replace(clause, denies=denies_with_others(number, clauses, borders))


def split_clauses(text: str) -> tuple[list[str], list[str]]:
    """The clauses, and the words or marks that join each to the one before."""
    parts, borders, at = [], [""], 0
    for found in BORDER.finditer(text):
        parts.append(text[at : found.start()])
        borders.append(found[0])
        at = found.end()
    return [*parts, text[at:]], borders


def denies_with_others(
    number: int, clauses: Sequence[Clause], borders: Sequence[str]
) -> bool | None:
    """Tells whether a clause is denied, by its own "not" or by that of a clause before it: "not
    chains, tyres or pads". None, for it cannot be told, for a few words before a denied clause
    ("chains and pads are not covered") and for a condition that denies."""
    if clauses[number].denies and clauses[number].is_condition:
        return None
    for at in range(number, -1, -1):
        if clauses[at].denies and not clauses[at].is_condition:
            return True
        if len(clauses[at].words) > CARRIED_WORDS or TURN.search(borders[at]):
            break
    following = number + 1
    if following == len(clauses) or len(clauses[number].words) > CARRIED_WORDS:
        return False
    is_reached = clauses[following].denies and not TURN.search(borders[following])
    return None if is_reached else False


def read_clause(text: str, language: Language, sentence: int, *, begins: bool) -> Clause:
    facts = find_facts(text, language, begins=begins)
    tokens = WORD.findall(fold(without_contacts(text)))
    words = {
        word: min(INFORMATION_MAX, rarity(word, language))
        for word in tokens
        if is_content(word, language)
    }
    return Clause(
        sentence=sentence,
        words=words,
        terms=frozenset(term for word in words for term in all_terms(word, language)),
        facts=facts,
        units=find_units(text),
        sides=frozenset(SIDES[word] for word in tokens if word in SIDES),
        denies=denies(text, tokens, facts),
        is_condition=bool(CONDITION.search(text)),
        language=language,
    )


def denies(text: str, tokens: Sequence[str], facts: frozenset[Fact]) -> bool:
    """Tells whether a clause denies. "Closes" counts unless the clause states hours, and "closed"
    only at the beginning or behind "to be": a closed bag is only a bag."""
    has_hours = any(fact.kind is FactKind.CLOCK for fact in facts)
    return (
        any(word in NEGATION or (word in CLOSING and not has_hours) for word in tokens)
        or any(
            word in CLOSED and (at == 0 or not BEING.isdisjoint(tokens[max(0, at - 2) : at]))
            for at, word in enumerate(tokens)
        )
        or bool(NEGATION_PATTERNS.search(text))
    )


@lru_cache(16_384)
def is_content(word: str, language: Language) -> bool:
    return len(word) > 1 and not (
        word[0].isdigit()
        or word in function_words(language)
        or any(word in known for known in (EMPTY, NEGATION, UNITS, MONTH_NUMBERS, WEEKDAY_NUMBERS))
    )


@lru_cache(16_384)
def all_terms(word: str, language: Language) -> tuple[str, ...]:
    """The terms of the word itself, and those of the synonym lines it belongs to."""
    own = word_terms(word, language)
    return (*own, *sorted({line for term in own for line in SYNONYMS.get(term, ())}))
