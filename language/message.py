"""A message, read once: its language, its small talk, its words with the information that each
carries, its quantities and its times of the year. It is made where a message comes in and is handed
on; code that needs to know something about the text asks the Message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import dropwhile

from language import word_lists
from language.chat import write_out
from language.dates import DateRange, read_asked_dates, terms_of_dates
from language.detection import HINT, SURE, message_evidence, tell
from language.periods import Period, find_periods
from language.quantities import Quantity, read_quantities
from language.small_talk import SmallTalk, small_talk_of
from language.terms import term_number, word_terms
from language.weekdays import Days, read_weekdays
from language.words import (
    INTERROGATIVES,
    WORD,
    Language,
    fold,
    function_words,
    information,
    split_words,
    tokenize,
)

QUOTED = re.compile(r"«[^»]*»|“[^”]*”|\"[^\"]*\"")
IN_BRACKETS = re.compile(r"\s*\([^()]*\)\W*$")  # put behind it for the search
REMARK = re.compile(r"\([^()]{0,80}\)")
GREETINGS = word_lists.words("small_talk.greetings")


@dataclass(frozen=True)
class Word:
    """A folded word that carries the topic. `numbers`: those of its terms (language/terms.py).
    `is_asking`: it only asks, as "which" does."""

    text: str
    terms: tuple[str, ...]
    numbers: tuple[int, ...]
    information: float
    is_asking: bool


@dataclass(frozen=True)
class WrittenWord:
    text: str
    folded: str
    information: float


@dataclass(frozen=True)
class Content:
    """What is searched for. `tokens`: all words folded, and codes once more without separators.
    `content`: the words that carry the topic, each once; `words`: those of them that do not only
    ask, or all when there are no others. `heading`: its words as a heading would have them."""

    folded: str
    tokens: tuple[str, ...]
    content: tuple[Word, ...]
    words: tuple[Word, ...]
    heading: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    periods: tuple[Period, ...]
    weekdays: Days
    dates: tuple[DateRange, ...]

    @property
    def numbers(self) -> list[int]:
        """The numbers of the words' terms, each once."""
        return list(dict.fromkeys(number for word in self.words for number in word.numbers))


@dataclass(frozen=True)
class Message:
    """The text of a message, and what was read of it.

    `language` is the one that it is answered in. `told`: the language that its own words tell, None
    where they are of both ("ok", "wifi"); `sure`: the same where they are certain enough to change
    the language of a conversation. `likely`: the language where they do not tell. `small_talk`
    None: it says or asks something. `own_words`: the text without what it quotes, folded, its chat
    words written out.
    """

    text: str
    language: Language
    likely: Language = "en"
    told: Language | None = None
    sure: Language | None = None
    small_talk: SmallTalk | None = None
    own_words: str = ""

    def after(self, before: Language) -> Message:
        """The message behind others in the language `before`: its words must be certain to change
        it."""
        return self.spoken_in(self.sure or before)

    def spoken_in(self, language: Language) -> Message:
        return self if language == self.language else replace(self, language=language)

    def reworded(self, text: str, small_talk: SmallTalk | None = None) -> Message:
        """The message as it was meant: what it left out added, its slips undone, the day named."""
        return self if text == self.text else replace(self, text=text, small_talk=small_talk)

    @cached_property
    def written_out(self) -> str:
        """The text with what its chat words stand for."""
        return write_out(self.text, self.language)

    @cached_property
    def plain(self) -> str:
        """`written_out`, folded."""
        return fold(self.written_out)

    @cached_property
    def written_words(self) -> tuple[WrittenWord, ...]:
        """All words of `written_out`, each once, in their order."""
        return tuple(
            WrittenWord(word, folded := fold(word), information(folded, self.language))
            for word in dict.fromkeys(WORD.findall(self.written_out))
        )

    @cached_property
    def content(self) -> Content:
        folded = fold(self.text)
        tokens = tuple(split_words(folded))
        dates = read_asked_dates(folded, self.language)
        content = tuple(self._words(tokens, terms_of_dates(folded, dates)))
        return Content(
            folded=folded,
            tokens=tokens,
            content=content,
            words=tuple(word for word in content if not word.is_asking) or content,
            heading=heading_words(folded),
            quantities=read_quantities(self.text, self.language),
            periods=find_periods(folded),
            # «hoy, martes (de lunes a viernes)» means Tuesday
            weekdays=read_weekdays(REMARK.sub(" ", folded)) or read_weekdays(folded),
            dates=dates,
        )

    def _words(
        self, tokens: Sequence[str], other_forms: Mapping[str, frozenset[str]]
    ) -> Iterator[Word]:
        aside = function_words(self.language)
        for word in dict.fromkeys(tokens):
            if word not in aside:
                terms = (*word_terms(word, self.language), *sorted(other_forms.get(word, ())))
                yield Word(
                    word,
                    terms,
                    tuple(map(term_number, terms)),
                    information(word, self.language),
                    word in INTERROGATIVES[self.language],
                )


def read_message(text: str, likely: Language = "en") -> Message:
    """Reads a message that nothing came before. `likely`: its language where its words do not
    tell."""
    evidence = message_evidence(text)
    told = tell(evidence, sure=HINT)
    return Message(
        text,
        language=told or likely,
        likely=likely,
        told=told,
        sure=tell(evidence, sure=SURE),
        small_talk=small_talk_of(text),
        own_words=read_own_words(text, told or "en"),
    )


def read_own_words(text: str, language: Language) -> str:
    own = QUOTED.sub(" ", text).replace("’", "'").lower()
    return re.sub(r"[^\S\n]+", " ", fold(write_out(own, language)))


def heading_words(folded: str) -> tuple[str, ...]:
    """The words of a question as a heading has them: without a greeting, and without what was put
    behind it in brackets for the search."""
    words = split_words(IN_BRACKETS.sub("", folded))
    return tuple(dropwhile(GREETINGS.__contains__, map(without_tilde, words)))


def plain_words(text: str) -> list[str]:
    """The folded words, with «ñ» as "n", as many people type it."""
    return [without_tilde(word) for word in tokenize(text)]


def without_tilde(word: str) -> str:
    return word.replace("ñ", "n")
