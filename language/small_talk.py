"""Greetings, thanks, "ok" and emoji: what is said beside questions, and searched for by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from language.chat import chat_words
from language.word_lists import pattern, words
from language.words import LANGUAGES, WORD, fold


class SmallTalk(StrEnum):
    """The kinds of small talk; the reply depends on the kind."""

    GREETING = "greeting"
    THANKS = "thanks"
    AGREEMENT = "agreement"
    FAREWELL = "farewell"
    PROMPT = "prompt"  # a question mark alone
    ASSISTANT = "assistant"  # who are you?


# All of it reads folded text. The first kind of which there is a sign counts: "hi, thanks" are
# thanks.
SIGNS = {
    kind: re.compile(rf"\b(?:{pattern(f'small_talk.{kind}')})\b")
    for kind in (
        SmallTalk.ASSISTANT,
        SmallTalk.THANKS,
        SmallTalk.FAREWELL,
        SmallTalk.GREETING,
        SmallTalk.AGREEMENT,
    )
}
# What may stand beside them.
# Of thanks and farewells, words that nobody can list: "gracias, majos".
FRIENDLY_WORDS_MAX = 1
FILLER = words("small_talk.filler")
REPEATED = re.compile(r"(\w)\1{2,}")


def small_talk_of(text: str) -> SmallTalk | None:
    """The kind of small talk, when the text is small talk and nothing else: "hola, ¿cuánto cuesta
    el envío?" is a question."""
    plain = " ".join(plain_words(text))
    if not plain:
        return SmallTalk.PROMPT if "?" in text else SmallTalk.AGREEMENT
    kinds = [kind for kind, sign in SIGNS.items() if sign.search(plain)]
    for kind in kinds:
        plain = SIGNS[kind].sub(" ", plain)
    # "is it nice there?" asks for something, "how are you?" does not.
    asks = "?" in text and not {SmallTalk.GREETING, SmallTalk.ASSISTANT}.intersection(kinds)
    left = [word for word in plain.split() if asks or word not in FILLER]
    is_friendly = kinds[:1] in ([SmallTalk.THANKS], [SmallTalk.FAREWELL]) and "?" not in text
    allowed = FRIENDLY_WORDS_MAX if is_friendly and not any(map(str.isdigit, plain)) else 0
    return kinds[0] if kinds and len(left) <= allowed else None


def plain_words(text: str) -> Iterator[str]:
    """The folded words, «holaaa» as «hola», and «grax» as the word it stands for."""
    for typed in WORD.findall(REPEATED.sub(r"\1", fold(text))):
        yield from meant_by(typed)


def meant_by(word: str) -> list[str]:
    for language in LANGUAGES:
        typed = chat_words(language).get(word)
        if typed and not typed.behind and len(word) > 1:
            return WORD.findall(fold(typed.meaning))
    return [word]
