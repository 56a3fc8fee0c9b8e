"""Does a message show the wish to buy? Spanish, of Spain and America, and English; without a model.

Signs add up in a clause: a wish ("quiero contratar") counts for, a purchase already made ("my
order") against. Some things settle it for the whole message: a joke, a seller, somebody who looks
for work, words put into our mouth. Precision comes first: a person who asks what something costs is
answered, and not asked for an address. Measured with bench/evaluation/score_leads.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from language.message import Message
from language.numerals import usual_name
from language.word_lists import lines, pattern
from language.words import LANGUAGES

ENOUGH = 2  # signs of a clause, summed up
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
SEVERAL = (*range(2, 11), 12, 15, 20, 30, 40, 50)
MANY_FROM = 10
NO_YEAR = r"(?!(?:19|20)\d\d\b)"


def any_of(*alternatives: str) -> str:
    """A pattern for one of these patterns, at word boundaries."""
    return rf"\b(?:{'|'.join(alternatives)})\b"


def numerals(least: int, figures: str) -> str:
    """A pattern for a number from `least` on, in words or `figures`."""
    named = [usual_name(value, one) for one in LANGUAGES for value in SEVERAL if value >= least]
    return f"(?:{'|'.join(named)}|{usual_name(100, 'es')}|a hundred|{NO_YEAR}{figures})"


def read_parts() -> dict[str, str]:
    """The patterns that signs are made of, by their names in the lists."""
    parts = {
        f"{name}_{language}": any_of(pattern(f"buying.{name}", language))
        for name in ("want", "buy", "try", "ask", "offer")
        for language in LANGUAGES
    }
    parts |= {name: any_of(pattern(f"buying.{name}")) for name in ("goods", "own_place", "price")}
    parts |= {name: pattern(f"buying.{name}") for name in ("adverbs", "not_to_buy", "no_goods")}
    return parts | {
        "gap_es": pattern("buying.gap"),  # "I want to know how to cancel" is not a wish to buy
        "craft": rf"(?:{pattern('buying.craft')})\w*",
        "several": numerals(SEVERAL[0], r"[1-9]\d{0,4}"),
        "many": numerals(MANY_FROM, r"[1-9]\d{1,4}"),
    }


def read_signs() -> Iterator[tuple[int, re.Pattern[str]]]:
    """The signs for and against a wish to buy, each with its score."""
    parts = read_parts()
    for line in lines("buying.signs"):
        score, _, sign = line.partition(" ")
        yield int(score), re.compile(PLACEHOLDER.sub(lambda name: parts[name[1]], sign))


SIGNS = tuple(read_signs())
# These settle it for the whole message: jokes, sellers, who looks for work, words for us to say.
NO_BUYER = re.compile(any_of(pattern("buying.no_buyer")))
CLAUSE_END = re.compile(r"[.!?¿¡;\n]+\s*|\b(?:pero|sino|aunque|but|although)\b")


def shows_intent(message: Message) -> bool:
    """Tells whether the writer wants to buy something, now and from us."""
    plain = message.own_words
    if NO_BUYER.search(plain):
        return False
    return any(weigh(clause) >= ENOUGH for clause in CLAUSE_END.split(plain))


def weigh(clause: str) -> int:
    """The strongest sign for an intent, and all that speaks against it."""
    found = [score for score, sign in SIGNS if sign.search(clause)]
    return max((0, *found)) + sum(score for score in found if score < 0)
