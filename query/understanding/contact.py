"""Questions of where, when and how a company is reached: «¿dónde estáis?» shares no word with the
line that answers it.

What such a line is called («dirección», «horario») is put behind the question for the search, in
brackets, where the sources hold the word; the visitor's words stay theirs. contact.toml has the
words of such questions, `[reaching]` of the language's word lists those within longer ones.
"""

from __future__ import annotations

import re
import tomllib
import uuid
from collections.abc import Sequence, Set
from enum import Enum
from itertools import pairwise
from pathlib import Path

from accounts.models import Tenant
from language.message import Message
from language.terms import question_terms
from language.word_lists import patterns
from language.words import LANGUAGES, Language
from sources.models import SourceTerm

WORDS_MAX = 12  # of a question that is about this alone
# The first that fits counts: by what it asks, what the line is called.
CALLED = {
    language: {
        name: re.compile(asks, re.IGNORECASE)
        for name, asks in patterns("reaching", language).items()
    }
    for language in LANGUAGES
}


class Way(Enum):
    """A way in which a company is reached; where a question is of two, the first is meant. PERSON:
    whichever of phone and e-mail there is."""

    DIRECTIONS = "directions"
    HOURS = "hours"
    WHATSAPP = "whatsapp"
    PHONE = "phone"
    EMAIL = "email"
    ADDRESS = "address"
    PERSON = "person"


WORDS = tomllib.loads(Path(__file__).with_name("contact.toml").read_text(encoding="utf-8"))
AROUND = frozenset(WORDS["all"]["around"].split())
KEYS = {way: frozenset(WORDS[way.value]["keys"].split()) for way in Way}
ALLOWED = {way: KEYS[way] | AROUND | frozenset(WORDS[way.value]["around"].split()) for way in Way}
EVERY_KEY = frozenset().union(*KEYS.values())
EVERY = frozenset().union(*ALLOWED.values())
NAMES: dict[Language, dict[Way, str]] = {
    "es": {
        Way.DIRECTIONS: "cómo llegar",
        Way.HOURS: "horario",
        Way.WHATSAPP: "WhatsApp",
        Way.PHONE: "teléfono",
        Way.EMAIL: "correo electrónico",
        Way.ADDRESS: "dirección",
        Way.PERSON: "contacto",
    },
    "en": {
        Way.DIRECTIONS: "directions",
        Way.HOURS: "opening hours",
        Way.WHATSAPP: "WhatsApp",
        Way.PHONE: "phone",
        Way.EMAIL: "email",
        Way.ADDRESS: "address",
        Way.PERSON: "contact",
    },
}


def ways_of(words: Sequence[str]) -> frozenset[Way]:
    """Return the ways that these folded words are about, if they are about nothing else."""
    held = set(words)
    told = held.union(map("_".join, pairwise(words)))
    return frozenset(way for way in Way if told & KEYS[way] and held <= ALLOWED[way])


def meant(ways: Set[Way]) -> Way | None:
    return next((way for way in Way if way in ways), None)


def is_about_reaching(words: Sequence[str]) -> bool:
    """Tells whether these folded words name a place for all of this: «Contacto y horario»."""
    held = set(words)
    return not EVERY_KEY.isdisjoint(held.union(map("_".join, pairwise(words)))) and held <= EVERY


def name_line(
    tenant: Tenant, message: Message, *, source_ids: Sequence[uuid.UUID] | None
) -> Message:
    """Adds the name of the line that answers: «¿dónde estáis?» becomes «¿dónde estáis?
    (dirección)». One query, for such questions alone."""
    text, language = message.text, message.language
    called = name_of_line(message)
    if called is None or called in text.lower():
        return message
    terms = SourceTerm.objects.for_tenant(tenant).filter(term__in=question_terms(called, language))
    if source_ids is not None:
        terms = terms.filter(source__in=source_ids)
    return message.reworded(f"{text} ({called})") if terms.exists() else message


def name_of_line(message: Message) -> str | None:
    """Return what the line that answers is called; None where the question is about other things
    too."""
    if len(message.text.split()) > WORDS_MAX:
        return None
    found = (name for name, asks in CALLED[message.language].items() if asks.search(message.text))
    way = meant(ways_of(message.content.heading))
    return next(found, None) or (NAMES[message.language][way] if way else None)
