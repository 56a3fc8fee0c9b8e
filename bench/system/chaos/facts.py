"""Facts that can be asked for, and told apart: each has a code that stands nowhere else."""

from __future__ import annotations

import itertools
import random
import re
from dataclasses import dataclass

CODE = re.compile(r"\b[A-Z]{4}-\d{6}\b")
SYLLABLES = [
    "bal",
    "cor",
    "dun",
    "fel",
    "gor",
    "hin",
    "jul",
    "kes",
    "lom",
    "mir",
    "nod",
    "pel",
    "rud",
    "sil",
    "tor",
    "vun",
    "wex",
    "zan",
]
THINGS = [
    "lighthouse",
    "harbour",
    "garage",
    "workshop",
    "library",
    "museum",
    "theatre",
    "warehouse",
]
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Fact:
    """`word`: a name that no other fact has; `code`: the answer."""

    tenant: str
    word: str
    thing: str
    code: str

    @property
    def sentence(self) -> str:
        return f"The access code of the {self.word} {self.thing} is {self.code}."

    @property
    def question(self) -> str:
        return f"What is the access code of the {self.word} {self.thing}?"


def make_fact(tenant: str, chance: random.Random) -> Fact:
    number = next(_numbers)
    syllables = [chance.choice(SYLLABLES) for _ in range(2)]
    while number:
        number, rest = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[rest])
    word = "".join(syllables).capitalize()
    return Fact(tenant, word, chance.choice(THINGS), make_code(chance))


def make_code(chance: random.Random) -> str:
    return f"{''.join(chance.choices(LETTERS, k=4))}-{next(_numbers):06}"


def codes_in(text: str) -> list[str]:
    return list(dict.fromkeys(CODE.findall(text)))
