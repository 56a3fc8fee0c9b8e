"""A follow-up as a question of its own: "¿y cuánto cuesta?" needs what was asked before.

Told by its words, without a model: pronouns that nothing in the message explains, beginnings such
as "and" or "what about", and questions without a topic. bench/follow_ups.jsonl holds labelled
pairs, a test counts how many of them are told right.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from language import word_lists
from language.calendar import MONTH_NUMBERS, WEEKDAY_NUMBERS, WEEKDAYS
from language.glossary import to_english
from language.message import Message, WrittenWord, read_message
from language.words import LANGUAGES, WORD, Language, fold, function_words
from query.models import TEXT_MAX_CHARS
from query.understanding.turns import Turn

WORDS_CARRIED = 8  # of the question before, those that say most
NAME_WORDS_CARRIED = 3  # of the answer before, for "when was she born?"
LEANING_MAX_WORDS = 20  # a longer message says what it is about


# Tables are of folded words (language.words: fold): without accents, but with ñ.


Patterns = dict[Language, re.Pattern[str]]
Words = dict[Language, frozenset[str]]


def patterns_of(key: str) -> Patterns:
    weekdays = "|".join(map(fold, WEEKDAYS["es"]))
    return {
        language: re.compile(
            word_lists.pattern(f"follow_ups.{key}", language).replace("{weekdays}", weekdays)
        )
        for language in LANGUAGES
    }


def words_of(key: str) -> Words:
    return {language: word_lists.words(f"follow_ups.{key}", language) for language in LANGUAGES}


OPENING, CONTINUING, DEPENDING, STANDING = map(
    patterns_of, ("opening", "continuing", "depending", "standing")
)
# The company is asked about itself, or somebody says what they want.
SELF = patterns_of("company")
HE = re.compile(r"\bél\b", re.IGNORECASE)
SHE_OR_HE = re.compile(r"\b(he|she|him|his|her|hers|él|ella)\b", re.IGNORECASE)
NAME = re.compile(r"\b[A-ZÁÉÍÓÚÑ]\w+(?:[ \t][A-ZÁÉÍÓÚÑ]\w+)+")

ASKING = words_of("asking")
# Alone they are asked of the company: "opening hours?", «horario sábados».
COMPANY_NOUNS = word_lists.words("follow_ups.company_nouns")
INDEFINITE = word_lists.words("follow_ups.indefinite")
# What is asked of a topic, and no topic itself: of the company, and of what it offers.
COMPANY_ATTRIBUTES, OFFER_ATTRIBUTES = words_of("of_company"), words_of("of_offer")
ATTRIBUTES = {
    language: COMPANY_ATTRIBUTES[language] | OFFER_ATTRIBUTES[language] for language in LANGUAGES
}
AUXILIARIES = words_of("auxiliaries")
GENERIC = words_of("generic")  # verbs that take their meaning from what goes with them
# Before them stands what a question is about; behind them, under which conditions.
ADJUNCTS = words_of("adjuncts")
DIRECTIONS = word_lists.words("follow_ups.directions")
OBJECT_FOLLOWS, ARTICLES = (
    word_lists.words("follow_ups.object_follows"),
    word_lists.words("follow_ups.articles"),
)
VERBS = words_of("verbs")
DAYS = word_lists.words("kinds.days").union(WEEKDAY_NUMBERS)
SEASONS = word_lists.words("kinds.seasons").union(MONTH_NUMBERS)
HOURS, SIZES, COLOURS = (
    word_lists.words("kinds.hours"),
    word_lists.words("kinds.sizes"),
    word_lists.words("kinds.colours"),
)
# One of a kind takes another's place: "¿y los domingos?" after "¿abre los sábados?"
KINDS = (
    DAYS,
    SEASONS,
    HOURS,
    SIZES,
    COLOURS,
    word_lists.words("kinds.ages"),
    word_lists.words("kinds.grades"),
)
TOMORROW = re.compile(r"(?<!\bla )(?<!\besta )\bmañana\b")  # else it is the morning
ONE_OF = re.compile(r"\b(?:el|la|los|las) de \w")
ORIGIN = re.compile(r"\b(?:de|del) (\w+)")
QUALITIES = SIZES | COLOURS
TIMES = DAYS | SEASONS | HOURS
UNITS = word_lists.words("follow_ups.units")


def complete_question(message: Message, turns: Sequence[Turn], *, always: bool = False) -> Message:
    """The message with the words it leaves out, taken from the turns. Without turns, or when it
    stands on its own, it stays as it was. `always`: it is taken to leave some out."""
    if not turns:
        return message
    previous = turns[-1]
    before = read_message(previous.understood, message.likely)
    before = before.spoken_in(previous.language or before.language)
    message = message.after(before.language)
    if message.small_talk or not (always or leans_on_the_last(message)):
        return message
    meant, language = message.written_out, message.language
    # Whom the answer named is what it is about now: beside the words that led to the name, the
    # passage with these words is found again.
    carried = name_words(previous.answer) if SHE_OR_HE.search(meant) else []
    carried = carried or carried_words(before, message)
    return message.reworded(join(without_opening(meant, message.plain, language), carried))


def join(text: str, carried: Sequence[str]) -> str:
    """The text with the carried words behind it; the text alone when both are longer than
    TEXT_MAX_CHARS."""
    complete = f"{text} {' '.join(carried)}"
    return complete if len(complete) <= TEXT_MAX_CHARS else text


# --- Does it lean? --------------------------------------------------------------------------------


def leans_on_the_last(message: Message) -> bool:
    text, folded, language = message.written_out, message.plain, message.language
    words = WORD.findall(folded)
    if not words or len(words) > LEANING_MAX_WORDS:
        return False
    if CONTINUING[language].fullmatch(folded):
        return True
    if STANDING[language].search(folded):
        return False
    return (
        refers_back(text, folded, language)
        or begins_in_the_middle(folded, language)
        or lacks_topic(folded, language)
    )


def begins_in_the_middle(folded: str, language: Language) -> bool:
    """Tells whether a message begins in the middle, as "and the green one?" or "to France?"; not
    "and do you take cards?"."""
    words = WORD.findall(folded)
    begins = OPENING[language].search(folded) or words[0] in ADJUNCTS[language] | DIRECTIONS
    return bool(begins) and not has_verb(words, folded, language)


def refers_back(text: str, folded: str, language: Language) -> bool:
    """Tells whether a pronoun stands in the message that nothing before it explains."""
    found = DEPENDING[language].search(folded)
    if found is None:
        return language == "es" and (HE.search(text) is not None or has_bare_quality(folded))
    clauses = re.split(r"[,.;!?]|\b(?:and|but|y|pero)\b", folded[: found.start()])
    return not any(topic_words(clause, language) for clause in clauses[:-1])


def has_bare_quality(folded: str) -> bool:
    """Tells whether a quality stands where the noun would stand: "¿El grande tiene luz?", "la
    verde"."""
    words = WORD.findall(folded)
    return any(
        article in ARTICLES and word in QUALITIES for article, word in itertools.pairwise(words)
    )


def has_verb(words: Sequence[str], folded: str, language: Language) -> bool:
    return not VERBS[language].isdisjoint(words) or bool(SELF[language].search(folded))


def lacks_topic(folded: str, language: Language) -> bool:
    """Tells whether a question does not name what it is about: "until what time?", "¿caduca?"."""
    words = WORD.findall(folded)
    topics = topic_words(folded, language)
    if SELF[language].search(folded):
        # "How much do you charge?"; "when do you open?" is about the company.
        is_about_an_offer = COMPANY_ATTRIBUTES[language].isdisjoint(words) and not OFFER_ATTRIBUTES[
            language
        ].isdisjoint(words)
        return not topics and is_about_an_offer
    if not COMPANY_NOUNS.isdisjoint(words) and not has_verb(words, folded, language):
        return False
    if language == "en":
        return not topics
    # A word alone without a question mark is what somebody looks for.
    asks = not topics or "?" in folded or not ASKING["es"].isdisjoint(words)
    return len(topics) < 2 and asks and not has_object(folded, topics)


def has_object(folded: str, topics: Sequence[str]) -> bool:
    """Tells whether the message names what it asks about. In Spanish a verb alone can be a
    question; a noun has an article, or "hay" before it."""
    words = WORD.findall(folded)
    return any(
        word in topics and (words[index - 1] in ARTICLES or words[index - 1] in OBJECT_FOLLOWS)
        for index, word in enumerate(words)
        if index
    )


def topic_words(folded: str, language: Language) -> list[str]:
    """The content words outside adjuncts that are not attributes."""
    none = GENERIC[language] | ATTRIBUTES[language] | ASKING[language] | TIMES | UNITS
    topics = []
    in_adjunct = False
    for word in WORD.findall(folded):
        if word in ADJUNCTS[language]:
            in_adjunct = True
        elif word not in function_words(language):
            if not in_adjunct and word not in none and len(word) > 1:
                topics.append(word)
            in_adjunct = False
    return topics


# --- What does it lean on? ------------------------------------------------------------------------


def carried_words(before: Message, message: Message) -> list[str]:
    """The words of the earlier question that the message lacks, in their order and as written."""
    folded, language = message.plain, message.language
    is_fragment = not asks_itself(folded, language)
    dropped = replaced_words(before.plain, before.language, folded, language)
    dropped |= set(WORD.findall(folded))
    if is_fragment and names_another_thing(folded, language):
        dropped |= thing_asked_of(before.plain, before.language)
    lacking = [
        word
        for word in before.written_words
        if word.folded not in dropped and says_something(word.folded, before.language, is_fragment)
    ]
    return translate(most_informative(lacking, before.language), before.language, language)


def asks_itself(folded: str, language: Language) -> bool:
    """Tells whether the message says what it asks. Otherwise that, "how much", comes from the
    question before too."""
    rest = WORD.findall(without_opening(folded, folded, language))
    asking = ASKING[language] | ATTRIBUTES[language] | VERBS[language]
    return not asking.isdisjoint(rest) or bool(SELF[language].search(folded))


def says_something(word: str, language: Language, with_asking: bool) -> bool:
    """Tells whether a word is worth carrying over. `with_asking`: the words that ask are carried
    too, for the same is asked of something else."""
    if word in ASKING[language] | ATTRIBUTES[language]:
        return with_asking
    return word not in function_words(language) and word not in AUXILIARIES[language]


def replaced_words(before: str, language: Language, folded: str, now: Language) -> set[str]:
    """The words that the message puts something else in the place of: "to Portugal" replaces "to
    France"; «el de Colombia» replaces «el café de Etiopía»."""
    words = set(WORD.findall(folded)) | ({"tomorrow"} if TOMORROW.search(folded) else set())
    same_kind = {word for kind in KINDS if kind & words for word in kind}
    if DAYS & words and TOMORROW.search(before):
        same_kind.add("mañana")
    if ONE_OF.search(folded):
        same_kind.update(ORIGIN.findall(before))
    prepositions = {one for one, word in adjuncts(folded, now) if is_topic(word, now)}
    return same_kind | {
        word
        for preposition, word in adjuncts(before, language)
        if preposition in prepositions and is_topic(word, language)
    }


def names_another_thing(folded: str, language: Language) -> bool:
    """Tells whether a message turns to another thing: "and a filling?", after one treatment, does;
    "and the deposit?" may be a part of the same, and "and a double?" one of its kinds."""
    begins = WORD.findall(without_opening(folded, folded, language))[:1]
    topics = set(topic_words(folded, language))
    is_kind = any(kind & topics for kind in KINDS)
    return not INDEFINITE.isdisjoint(begins) and bool(topics) and not is_kind


def thing_asked_of(folded: str, language: Language) -> set[str]:
    """The thing that "how much is a root canal?" asks about: its only noun, of one or two words."""
    words = WORD.findall(folded)
    places = [words.index(topic) for topic in topic_words(folded, language)]
    asks_of_it = not (ASKING[language] | ATTRIBUTES[language]).isdisjoint(words)
    is_one_thing = len(places) == 1 or (len(places) == 2 and places[1] - places[0] == 1)
    return {words[place] for place in places} if asks_of_it and is_one_thing else set()


def adjuncts(folded: str, language: Language) -> Iterator[tuple[str, str]]:
    """Yields each preposition with its first content word: ("to", "portugal")."""
    preposition = ""
    for word in WORD.findall(folded):
        if word in ADJUNCTS[language] or word in DIRECTIONS:
            preposition = word
        elif word in ASKING[language]:
            preposition = ""
        elif preposition and word not in function_words(language):
            yield preposition, word
            preposition = ""


def is_topic(word: str, language: Language) -> bool:
    return word not in ATTRIBUTES[language] and word not in TIMES


def most_informative(words: Sequence[WrittenWord], language: Language) -> list[WrittenWord]:
    """The words with the most information, in their order. Words that ask come along
    beside them."""
    topics = [word for word in words if word.folded not in ASKING[language]]
    best = sorted(topics, key=lambda word: -word.information)[:WORDS_CARRIED]
    return [word for word in words if word in best or word.folded in ASKING[language]]


def translate(words: Sequence[WrittenWord], before: Language, now: Language) -> list[str]:
    """Translates Spanish words for an English question. English words stay: a Spanish question
    knows them by itself (language.terms: concepts)."""
    if (before, now) != ("es", "en"):
        return [word.text for word in words]
    return [word.text if word.text[0].isupper() else to_english(word.folded)[0] for word in words]


def name_words(answer: str) -> list[str]:
    """The first name of several words in an answer: most likely a person's."""
    found = NAME.search(answer)
    return found[0].split()[:NAME_WORDS_CARRIED] if found else []


def without_opening(text: str, folded: str, language: Language) -> str:
    """The text without its opening: "and on Sundays?" becomes "on Sundays?". The whole text when
    nothing else is in it. `folded`: the same text."""
    found = OPENING[language].search(folded)
    if found is None or found.start() or len(folded) != len(text):
        return text
    return text[found.end() :].lstrip(" ,") or text
