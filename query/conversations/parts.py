"""Two questions in one message, each a question of its own: «¿A qué hora abrís y cuánto cuesta la
entrada?», "Do you ship to Malta? And what does it cost?".

A message is parted only where both sides ask: behind a question mark, and before "and" with a
question word. Where that cannot be told ("what does it include and how much is it?"), it stays one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from language import word_lists
from language.message import Message, read_message
from language.words import LANGUAGES, WORD, Language, fold
from query.conversations.follow_ups import (
    ASKING,
    AUXILIARIES,
    COMPANY_ATTRIBUTES,
    SELF,
    complete_question,
    has_verb,
    leans_on_the_last,
    topic_words,
    without_opening,
)
from query.understanding.asked_for import has_kind, read_asked
from query.understanding.turns import Turn

PARTS_MAX = 3  # each is searched for
TEXT_PARTED_MAX_CHARS = 400  # of a message: a longer one tells a story
WORDS_MIN = 2  # of a question: "Really?" asks nothing
MARKS_END = re.compile(r"(?<=\?)(?!\?)\s*")
# "and" before a question word; in Spanish one with its accent, or any in a text without accents.
JOINT = {
    language: re.compile(word_lists.pattern("parts.joint", language), re.IGNORECASE)
    for language in LANGUAGES
}
PLAIN_JOINT = re.compile(word_lists.pattern("parts.plain_joint", "es"), re.IGNORECASE)
BETWEEN = word_lists.words("parts.between")
ARTICLES = word_lists.words("parts.articles")
CHOICE = word_lists.words("parts.choice")  # "Are you open? Or closed?" is one question


@dataclass(frozen=True)
class QuestionPart:
    """A question of a message. `name`: as the visitor wrote it, without its marks and the "and"
    before it; `question`: with the words that it leaves out; `leans`: it leaves some out, and is
    about the same as the question before it."""

    name: str
    question: Message
    leans: bool = False


def complete_parts(message: Message, turns: Sequence[Turn]) -> list[QuestionPart]:
    """The questions of a message, completed from the turns and from the questions before them."""
    parts: list[QuestionPart] = []
    for part in part_questions(message):
        leaves_out = bool(parts) and not names_its_topic(part)
        question = complete_question(part, turns, always=leaves_out)
        turns = (*turns, Turn(question.text, "", language=question.language))
        parts.append(
            QuestionPart(name_part(part), question, leans=bool(parts) and question != part)
        )
    return parts


def part_questions(message: Message) -> list[Message]:
    """The questions that the message consists of, in their order; the message alone where it is
    one, or where it is not clear that there are more."""
    if message.small_talk or len(message.text) > TEXT_PARTED_MAX_CHARS:
        return [message]
    texts = [
        text
        for sentence in MARKS_END.split(message.text)
        for text in halves(sentence.strip(" \t\n,;"), message)
        if text
    ]
    if len(texts) == 1:  # it has been read
        return [message]
    parts = [read_message(text, message.likely).spoken_in(message.language) for text in texts]
    parts = [part for part in parts if not part.small_talk]
    is_clear = 1 < len(parts) <= PARTS_MAX and all(map(asks, parts))
    return parts if is_clear else [message]


def halves(sentence: str, message: Message) -> list[str]:
    """The sentence, parted where it joins two questions of which the first stands on its own."""
    joint = JOINT[message.language].search(sentence)
    if joint is None and message.language == "es" and fold(message.text) == message.text.lower():
        joint = PLAIN_JOINT.search(sentence)
    if joint is None:
        return [sentence]
    first, second = sentence[: joint.start()], sentence[joint.end() :]
    before = read_message(first, message.likely).spoken_in(message.language)
    stands_alone = asks(before) and asks_directly(before) and not leans_on_the_last(before)
    return [first, second] if stands_alone and is_whole(second, message.language) else [sentence]


def asks_directly(part: Message) -> bool:
    """Tells whether a question word begins the question, or none is in it: "do you know where" goes
    on behind the "and"."""
    words = WORD.findall(re.split(r"[¿,.:!]", part.plain)[-1])
    asking = [place for place, word in enumerate(words) if word in ASKING[part.language]]
    return BETWEEN.isdisjoint(words) and (not asking or asking[0] <= 1)


def is_whole(second: str, language: Language) -> bool:
    """Tells whether what follows the "and" is a question: not "and why?", and in English not "and
    what you offer", whose verb does not stand before who does it."""
    words = WORD.findall(fold(second))
    asks_so = language == "es" or not AUXILIARIES["en"].isdisjoint(words[:-1])
    return len(words) >= WORDS_MIN and asks_so


def asks(part: Message) -> bool:
    """Tells whether this is a question of its own, perhaps about what was named before it."""
    words, language = WORD.findall(part.plain), part.language
    if len(words) < WORDS_MIN or words[0] in CHOICE:
        return False
    says = bool(topic_words(part.plain, language)) or has_verb(words, part.plain, language)
    is_asked = "?" in part.text or "¿" in part.text or not ASKING[language].isdisjoint(words)
    return is_asked and (says or not ASKING[language].isdisjoint(words))


def is_answered_by(text: str, parts: Sequence[QuestionPart]) -> bool:
    """Tells whether one text answers all the parts: it holds the kind of thing, a price, a time,
    that each one asks for which leans on another."""
    return all(has_kind(text, read_asked(part.question)) for part in parts if part.leans)


def names_its_topic(part: Message) -> bool:
    """Tells whether a question behind another one is about something of its own: the company, or a
    thing with its article. "Which hours?" is about what the one before it was about."""
    words, language = WORD.findall(part.plain), part.language
    things = COMPANY_ATTRIBUTES[language].union(topic_words(part.plain, language))
    has_thing = any(before in ARTICLES and word in things for before, word in pairwise(words))
    is_of_company = bool(SELF[language].search(part.plain))
    return has_thing or (is_of_company and not things.isdisjoint(words))


def name_part(part: Message) -> str:
    bare = part.text.strip(" \t\n¿?¡!.,;:")
    return without_opening(bare, fold(bare), part.language)
