"""Tells whether a passage states a fact about something other than the sentence does: «Adults pay 7
euros, children 5» holds all words of "children pay 7 euros".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from language.terms import word_terms
from query.answering.checking.clauses import Clause, join_clauses
from query.answering.checking.facts import Fact, FactKind, competes, is_same
from query.answering.checking.vocabulary import PRICE_WORDS


def is_said_of_another(fact: Fact, clause: Clause, passage: Sequence[Clause]) -> bool:
    """Tells whether the fact, wherever the passage states it, is said of something else. False
    where it stands in the heading."""
    places = [at for at, other in enumerate(passage) if other.states(fact, clause.language)]
    return bool(places) and all(is_anothers(fact, at, clause, passage) for at in places)


def is_anothers(fact: Fact, at: int, clause: Clause, passage: Sequence[Clause]) -> bool:
    """Tells whether something that the clause says stands beside a competing fact instead, and the
    text here says something that the clause does not."""
    place = passage[at]
    stated = next((other for other in place.facts if is_same(fact, other)), fact)  # with its unit
    here = surroundings(stated, at, passage, besides=clause)
    strange = Strangers(clause, here)
    if not strange or not says_more(here, stated, clause):
        return False
    return any(
        strange.stand_in(surroundings(rival, rival_at, passage))
        for rival_at, rival_place in enumerate(passage)
        for rival in rival_place.facts
        if any(is_rival(rival, rival_place, one, place, here) for one in (fact, stated))
        and not clause.states(rival, clause.language)
    )


class Strangers:
    """The facts that the clause says and `here` does not, and its words, except those of
    a price."""

    def __init__(self, clause: Clause, here: Clause) -> None:
        self._language = clause.language
        self._words = [
            word
            for word in clause.words
            if not here.holds(word, clause.language)
            and PRICE_WORDS.isdisjoint(word_terms(word, clause.language))
        ]
        self._facts = [fact for fact in clause.facts if not here.states(fact, clause.language)]

    def __bool__(self) -> bool:
        return bool(self._words or self._facts)

    def stand_in(self, there: Clause) -> bool:
        return any(there.holds(word, self._language) for word in self._words) or any(
            there.states(fact, self._language) for fact in self._facts
        )


def is_rival(rival: Fact, rival_place: Clause, fact: Fact, place: Clause, here: Clause) -> bool:
    """Tells whether two facts compete. Names compete from sentence to sentence, as rows of a table
    do; within one sentence they belong together."""
    if fact.kind is FactKind.NAME:
        is_elsewhere = rival_place.sentence != place.sentence
        return (
            rival.kind is FactKind.NAME and is_elsewhere and not here.states(rival, here.language)
        )
    return competes(fact, rival)


def says_more(here: Clause, fact: Fact, clause: Clause) -> bool:
    return any(not clause.holds(word, here.language) for word in here.words) or any(
        any(competes(other, own) for own in clause.facts)
        for other in here.facts
        if not competes(fact, other) and not clause.states(other, here.language)
    )


def surroundings(
    fact: Fact, at: int, passage: Sequence[Clause], *, besides: Clause | None = None
) -> Clause:
    """The clause joined with the clauses of its sentence that belong to the fact: those before it
    back to one with a competing fact, unless `besides` states that too («los martes y jueves»); and
    those behind it, if no competing fact follows, for they would belong to that."""

    def is_own(place: Clause) -> bool:
        return not any(
            competes(fact, rival) and not (besides and besides.states(rival, place.language))
            for rival in place.facts
        )

    before = list(takewhile(is_own, reversed(beside(at, passage, range(at)))))
    behind = beside(at, passage, range(at + 1, len(passage)))
    own = list(takewhile(is_own, behind))
    if len(own) < len(behind):
        own = []
    return join_clauses([*before, passage[at], *own], passage[at].language)


def beside(at: int, passage: Sequence[Clause], positions: range) -> list[Clause]:
    """The clauses of the same sentence at these positions."""
    return [
        passage[other] for other in positions if passage[other].sentence == passage[at].sentence
    ]
