"""Words as they are typed in chats, «q», «xq», "u", "thx", and what they stand for.

chat_words.tsv is our own: a line each of language, the word as typed, its meaning, and, where it is
a word of its own too, the words of which one has to stand right before it ("hrs sat?").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from language.word_lists import words
from language.words import Language, fold

FILE = Path(__file__).with_name("chat_words.tsv")
# A whole word: not a part of an address, a code, a number with its unit or "what's".
PLAIN_WORD = re.compile(r"(?<![\w@#/&.'’+-])[^\W\d_]+(?![\w@/&'’+]|[.-]\w)")
# A letter behind one of these is a name: «vitamina d», "gate k". Folded.
NAMED_BY_LETTER = words("chat.named_by_letter")


@dataclass(frozen=True)
class ChatWord:
    """A chat abbreviation's meaning. `behind`: words of which one must precede it; empty: any word
    may."""

    meaning: str
    behind: frozenset[str]


@cache
def chat_words(language: Language) -> dict[str, ChatWord]:
    """The chat words of a language, by the folded word as people type it."""
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        spoken, typed, meaning, *behind = line.split("\t")
        if spoken == language:
            found[fold(typed)] = ChatWord(meaning, frozenset(" ".join(behind).split()))
    return found


def write_out(text: str, language: Language) -> str:
    """The text with what its chat words stand for; the rest stays as it is."""
    is_loud = text.isupper()

    def meaning(match: re.Match[str]) -> str:
        word = match[0]
        is_name = not word.islower() and not is_loud and bool(text[: match.start()].strip(" ¿¡"))
        return word if is_name else meaning_of(word, word_before(match), language)

    return PLAIN_WORD.sub(meaning, text)


def meaning_of(word: str, before: str, language: Language) -> str:
    """The word itself where it stands for nothing else. `before`: the folded word before it."""
    typed = chat_words(language).get(fold(word))
    if typed is None or (typed.behind and before not in typed.behind):
        return word
    is_letter = len(word) == 1 and (before in NAMED_BY_LETTER or before.isdigit())
    return word if is_letter else typed.meaning


def word_before(match: re.Match[str]) -> str:
    """Folded; "" at the beginning, and behind a sign."""
    found = re.search(r"(\w+)[ \t]+$", match.string[max(0, match.start() - 40) : match.start()])
    return fold(found[1]) if found else ""
