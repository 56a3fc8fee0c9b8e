"""The passages that bear out a sentence: each of its clauses, in words, and strictly in its facts.

Rules and not a score, so that each refusal has a reason. bench/citations.jsonl holds the labelled
sentences that they were made with, and those that they were judged by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from language.words import INTERROGATIVES, Language
from query.answering.checking.attribution import is_said_of_another
from query.answering.checking.clauses import Clause, all_terms, join_clauses, read_clauses
from query.answering.checking.facts import Fact, FactKind
from query.answering.checking.vocabulary import MEASURES, MONEY, PRICES, TIME, WEIGHT

WINDOW_SENTENCES = 3  # of a passage, in a row, that may bear out a clause together
# Read off the labelled sentences of "dev": shares of .6 to .75, and 2 to 5 for a fact, do alike.
MIN_SHARE = 0.65  # of a clause's information that the window must hold
FACT_INFORMATION = 3.0  # of a fact that is stated; a common word has 1 to 3
TOUCHED_SHARE = 0.8  # of the most that a clause of the passage shares: it speaks of the same
YEAR_DIGITS = 4  # of a number in a heading: shorter ones count its sections
SHORT_WORDS = 1  # that a clause has beside those of a price: it does not say of what it speaks
TELLING_WORDS = 2  # facts included: so many tell what a clause is about, without the rest


class Fault(Enum):
    """The reason why a passage does not bear a clause out."""

    FACT = "a fact that is not stated"
    SIDE = "before for after, most for least"
    WORDS = "words that are nowhere"
    NEGATION = "turned round"
    ATTRIBUTION = "a fact that is stated of something else"


@dataclass(frozen=True)
class Finding:
    """`share`: 0 … 1, of a clause's information that the passage holds. `tells`: it says enough to
    be borne out by a passage of its own."""

    share: float
    fault: Fault | None
    tells: bool = False


@dataclass(frozen=True)
class CheckedPassage:
    """A passage as sentences are held against it. `heading`: of its document and section."""

    heading: str
    text: str
    language: Language

    @cached_property
    def clauses(self) -> list[Clause]:
        return read_clauses(self.text, self.language)

    @cached_property
    def windows(self) -> list[Clause]:
        """Neighbouring sentences joined into one clause, each time with the heading."""
        head = [
            without_bare_numbers(clause) for clause in read_clauses(self.heading, self.language)
        ]
        last = self.clauses[-1].sentence if self.clauses else 0
        return [
            join_clauses(
                [
                    *head,
                    *(
                        clause
                        for clause in self.clauses
                        if first <= clause.sentence < first + WINDOW_SENTENCES
                    ),
                ],
                self.language,
            )
            for first in range(max(1, last - WINDOW_SENTENCES + 2))
        ]

    def judge(self, clause: Clause, context: Clause) -> Finding:
        """The finding of the window that bears the clause out best. `context`: the text that a
        short clause is said of."""
        findings = [self._judge(clause, context, window) for window in self.windows]
        return max(findings, key=lambda finding: (finding.fault is None, finding.share))

    def _judge(self, clause: Clause, context: Clause, window: Clause) -> Finding:
        found = {word for word in clause.words if window.holds(word, clause.language)}
        share = share_found(clause, found)
        fault = self._fault(clause, window, found, share)
        if fault is None and any(
            is_said_of_another(fact, context, self.clauses) for fact in clause.facts
        ):
            fault = Fault.ATTRIBUTION
        return Finding(share, fault, tells=len(found) + len(clause.facts) >= TELLING_WORDS)

    def _fault(self, clause: Clause, window: Clause, found: set[str], share: float) -> Fault | None:
        if not all(window.bears_out(fact, clause.language) for fact in clause.facts):
            return Fault.FACT
        if is_other_side(clause, window):
            return Fault.SIDE
        if share < MIN_SHARE:
            return Fault.WORDS
        return Fault.NEGATION if found and self._turns_round(clause, found) else None

    def _turns_round(self, clause: Clause, found: set[str]) -> bool:
        """Tells whether all clauses of the passage about the same thing deny what this one says, or
        say what it denies."""
        overlaps = [overlap(clause, found, other) for other in self.clauses]
        least = TOUCHED_SHARE * max(overlaps, default=0.0)
        touched = [
            other
            for other, shared in zip(self.clauses, overlaps, strict=True)
            if shared and shared >= least
        ]
        if not touched or clause.denies is None:
            return False
        if clause.speaks_of_price and not clause.is_free and all(one.is_free for one in touched):
            return True
        return all(other.denies == (not clause.denies) for other in touched)


def share_found(clause: Clause, found: set[str]) -> float:
    """The share (0 … 1) of a clause's information that was found, its facts being stated. Names do
    not count: what is said of them must be found."""
    names = {fact.value for fact in clause.facts if fact.kind is FactKind.NAME}
    measured = {word for fact in clause.facts for word in measuring_words(fact)}
    kinds = {(fact.kind, fact.unit) for fact in clause.facts if fact.kind is not FactKind.NAME}
    facts = FACT_INFORMATION * len(kinds)  # "from Tuesday to Sunday" is one
    counted = {word: weight for word, weight in clause.words.items() if word not in names}
    total = facts + sum(counted.values())
    held = sum(weight for word, weight in counted.items() if word in found or word in measured)
    return (facts + held) / total if total else 1.0


def measuring_words(fact: Fact) -> frozenset[str]:
    """The words that say no more than the number does: "lasts" in "it lasts 3 hours"."""
    if fact.kind in (FactKind.CLOCK, FactKind.CONTACT):
        return MEASURES[fact.kind.value]
    kinds = (("money", MONEY), ("time", TIME), ("weight", WEIGHT))
    return next((MEASURES[name] for name, units in kinds if fact.unit in units), frozenset())


def without_bare_numbers(clause: Clause) -> Clause:
    """Drops short numbers without a unit: the 7 of "Section 7" is not a price."""
    facts = (
        fact
        for fact in clause.facts
        if fact.kind is not FactKind.NUMBER or fact.unit or len(fact.value) >= YEAR_DIGITS
    )
    return replace(clause, facts=frozenset(facts))


def overlap(clause: Clause, found: set[str], other: Clause) -> float:
    """The information that a clause of the passage shares with one of the sentence."""
    words = sum(clause.words[word] for word in found if other.holds(word, clause.language))
    facts = sum(other.states(fact, clause.language) for fact in clause.facts)
    return words + FACT_INFORMATION * facts


def is_other_side(clause: Clause, window: Clause) -> bool:
    """Tells whether one says "before" and the other only "after"."""
    pairs = {side.pair for side in window.sides}
    return any(side not in window.sides and side.pair in pairs for side in clause.sides)


def find_support(
    text: str,
    language: Language,
    cited: Sequence[int],
    passages: Sequence[CheckedPassage],
    *,
    asked: str = "",
) -> tuple[int, ...]:
    """Indexes of the passages that together bear the sentence out, those `cited` first; () when one
    of its clauses is not borne out by any passage, or when it states nothing. `asked`: the
    question, which a short answer, "45 euros", is said of. A question in another language helps
    less: fewer of its words are found."""
    claims = read_statement(text, language, asked)
    if not claims or not passages:
        return ()
    cited_findings = {index: judge_all(claims, passages[index]) for index in cited}
    bearing = tuple(
        index
        for index, row in cited_findings.items()
        if any(finding.fault is None for finding in row)
    )
    if any(all_borne_out(cited_findings[index]) for index in bearing):
        return bearing
    if bearing and is_borne_together([cited_findings[index] for index in bearing]):
        return bearing
    return choose(
        [
            cited_findings[index] if index in cited_findings else judge_all(claims, passage)
            for index, passage in enumerate(passages)
        ],
        [passage.language == language for passage in passages],
    )


def is_question(text: str) -> bool:
    return text.rstrip(" \"'»”)*_").endswith("?")


def read_statement(text: str, language: Language, asked: str) -> list[tuple[Clause, Clause]]:
    """Pairs each clause with the text it is said of: itself; where it is short, the whole sentence;
    where that is short, the question too, whose words the passage then has to share. [] for a
    question, which states nothing."""
    clauses = [clause for clause in read_clauses(text, language) if clause.words or clause.facts]
    if is_question(text):
        return []
    sentence = join_clauses(clauses, language)
    if not is_short(sentence):
        return [(clause, sentence if is_short(clause) else clause) for clause in clauses]
    question = join_clauses(read_clauses(asked, language), language)
    words = {
        word: weight
        for word, weight in question.words.items()
        if word not in INTERROGATIVES[language] and PRICES not in all_terms(word, language)
    }
    terms = {term for word in words for term in all_terms(word, language)}
    complete = [
        replace(clause, words={**words, **clause.words}, terms=clause.terms | terms)
        for clause in clauses
    ]
    return [(clause, clause) for clause in complete]


def is_short(clause: Clause) -> bool:
    words = [word for word in clause.words if PRICES not in all_terms(word, clause.language)]
    return len(words) <= SHORT_WORDS


def judge_all(claims: Sequence[tuple[Clause, Clause]], passage: CheckedPassage) -> list[Finding]:
    return [passage.judge(clause, context) for clause, context in claims]


def all_borne_out(row: Sequence[Finding]) -> bool:
    return all(finding.fault is None for finding in row)


def choose(
    findings: Sequence[Sequence[Finding]], are_of_language: Sequence[bool]
) -> tuple[int, ...]:
    """The one passage that bears out all clauses best, among equals the one in the sentence's
    language; otherwise the passages that do so together. `findings` has a row for each passage."""
    alone = [index for index, row in enumerate(findings) if all_borne_out(row)]
    if alone:
        shares = {index: sum(one.share for one in findings[index]) for index in alone}
        return (max(alone, key=lambda index: (round(shares[index], 6), are_of_language[index])),)
    return choose_together(findings) if is_borne_together(findings) else ()


def is_borne_together(rows: Sequence[Sequence[Finding]]) -> bool:
    """Tells whether each clause is borne out by one of these passages, and says what it is about:
    "costs 7 euros" alone may be said of anything."""
    return all(
        any(finding.fault is None and finding.tells for finding in of_clause)
        for of_clause in zip(*rows, strict=True)
    )


def choose_together(findings: Sequence[Sequence[Finding]]) -> tuple[int, ...]:
    """The passages that bear out the clauses together: for each clause the best one, unless a
    passage already chosen bears it out."""
    chosen: list[int] = []
    for at in range(len(findings[0])):
        bearing = [index for index, row in enumerate(findings) if row[at].fault is None]
        if not any(index in chosen for index in bearing):
            chosen.append(max(bearing, key=lambda index: findings[index][at].share))
    return tuple(chosen)
