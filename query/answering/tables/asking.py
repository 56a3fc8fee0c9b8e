"""Reads what a question asks of a table: its largest or smallest, how many, which fit, or
a value."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile

from language.amounts import number_of, plain_text
from language.message import Message
from language.quantities import Quantity
from language.quantity_words import UNITS
from language.spelling import near_words
from language.words import WORD, Language, fold, function_words, typed_zipf
from query.answering.tables.vocabulary import (
    AGED,
    COLUMN_ASKED,
    CONDITION,
    COUNT,
    DIMENSIONS,
    FILLERS,
    FITS,
    FRAGMENT,
    HAS,
    HEIGHT,
    HOLDS,
    LIMIT,
    LIMIT_OF_TABLE,
    LISTED,
    NAMED,
    NEGATED,
    NO_NOUNS,
    NOT_COUNTED,
    OF_ANY,
    OF_COLUMN,
    ROOM_FOR,
    SEATED,
    SPELLED,
    SUPERLATIVES,
    THEN,
    THINGS,
    WHICH,
    WHO,
    WITHIN,
    WITHOUT,
    bounded,
)
from query.search.candidates import Question
from query.understanding.asked_for import NUMBER_WORDS, AnswerKind, Asked, read_asked

VALUED = (
    AnswerKind.MONEY,
    AnswerKind.WEIGHT,
    AnswerKind.DISTANCE,
    AnswerKind.DURATION,
    AnswerKind.NUMBER,
    AnswerKind.TEMPERATURE,
)
# «¿Cuántos polifenoles tiene?» asks for a value.
OF_ONE = re.compile(
    r"\b(?:tiene|trae|lleva|incluye|does (?:the|a|an|it|each|your)|has|is in|are in"
    r"|in (?:a|each|one)|per|(?:en|de|por) cada)\b"
)
NOT_NOUNS = frozenset(NUMBER_WORDS) | function_words("es") | function_words("en")
ARTICLE = re.compile(r"\b(?:lo|el|la|los|las) $")
ASKS_WHICH = re.compile(r"\b(?:cual|cuales|q|que (?!se|si|es |sale |cuesta ))\b")
ASKED_IN = re.compile(r"\b(?:en|in|by) (\w+)")
TALLEST_METRES = 3
SPELT_FROM_CHARS = 5  # shorter words are too near to others
FITTED = frozenset({"person", "age", "kg", "m2", "m3"})
WHICH_ONE = {
    "es": re.compile(r"\b(?:que|q|cual) (?P<noun>\w+)(?: (?:hay|teneis|tienes|tienen))?\W*$"),
    "en": re.compile(r"\b(?:which|what) (?P<noun>\w+)\W*$"),
}
ONE_WORD = re.compile(r"\W*(?P<noun>\w{4,}) ")
LARGEST_AND_SMALLEST = ((True, "largest"), (False, "smallest"))
NOUNS = r"(?: (?:de |of (?:the )?|the )?(?P<noun>[^\W\d]\w+))"


class Want(Enum):
    """The thing asked of the rows that meet the conditions."""

    EXTREME = "extreme"
    COUNT = "count"
    FITS = "fits"
    LIST = "list"  # all that are of a kind or within a bound: "anything under £4?"
    VALUE = "value"


@dataclass(frozen=True)
class TableQuestion:
    """A question put to a table. `phrase`: the superlative, or the words that ask for a fit, as it
    was written, folded; its words ask and do not name anything. `noun`: what is counted or listed,
    or the column whose value is asked for; `dimensions`: () where the noun names the column."""

    want: Want
    asked: Asked
    is_largest: bool = False
    dimensions: tuple[str, ...] = ()
    phrase: str = ""
    noun: str = ""
    is_of_column: bool = False  # "how noisy", "since when": the noun names no rows
    told: str = ""  # "cheapest", «barat@»; "" where a column's name is told
    before: str = ""  # the question up to the superlative, folded
    nouns: tuple[str, ...] = ()  # beside the superlative: «fianza más alta», "biggest monthly fee"

    plain: str = ""  # the question, folded
    without: frozenset[str] = frozenset()  # «sin proyector»: what a row may not have

    @property
    def may_be_of_any(self) -> bool:
        """Tells whether the superlative is a size that any column may have: the words beside it
        name the column."""
        return not self.dimensions or self.dimensions[0] in OF_ANY

    @property
    def units(self) -> frozenset[str]:
        """The units that the question names, with a number or without."""
        return frozenset(
            UNITS[word][0] for word in WORD.findall(plain_text(self.plain)) if word in UNITS
        )

    @property
    def unit_asked(self) -> frozenset[str]:
        """«La más larga en km»: by what is compared."""
        asked = ASKED_IN.findall(self.plain)
        return frozenset(UNITS[word][0] for word in asked if word in UNITS)

    @property
    def asks_room(self) -> bool:
        """«Para 6 personas» fits in what holds eight, too; a "6-seater" seats six."""
        is_meant = self.want is not Want.VALUE and bool(ROOM_FOR.search(self.plain))
        return self.want is Want.FITS or is_meant

    def is_said(self, word: str) -> bool:
        """Tells whether a word stands in the superlative's sentence, and not in another: the story
        around a question. True without a superlative."""
        if self.want is not Want.EXTREME:
            return True
        begin = max((self.before.rfind(mark) for mark in ".?!"), default=-1) + 1
        behind = re.split(r"[.?!](?:\s|$)", self.plain[begin:], maxsplit=1)[0]
        return word in WORD.findall(behind)

    def is_demanded(self, word: str, *, is_of_table: bool) -> bool:
        """True if a row has to have the word: «con cocina», "with a pool". `is_of_table`: what is
        compared was found, so that the word is not another name of it."""
        patterns = [f"{CONDITION}{word}", f"{LIMIT}{word}"]
        if is_of_table:
            phrase = re.escape(self.phrase)
            patterns += [
                f"{LIMIT_OF_TABLE}{word}",
                rf"\b{word} {phrase}",
                rf"{phrase} (?:\w+ )?{word}",
            ]
        return any(re.search(rf"{pattern}\b", self.plain) for pattern in patterns)

    @property
    def used(self) -> frozenset[str]:
        return frozenset(WORD.findall(self.phrase)) - {self.noun, *self.nouns}


def read_table_question(question: Question) -> TableQuestion | None:
    """The question as it is put to a table; None when it asks nothing of a table."""
    message = spell_superlatives(question.message)
    asked = question.asked if message is question.message else read_asked(message)
    plain, language = message.content.folded, message.language
    asked = with_units(asked, plain, language)
    found = (
        read_superlative(plain, language, asked)
        or read_count(plain, language, asked)
        or read_fits(plain, language, asked)
        or read_value(asked)
        or read_list(plain, language, asked)
        or read_column(plain, language, asked)
        or read_dated(plain, asked)
    )
    without = frozenset(match["word"] for match in WITHOUT.finditer(plain))
    return found and replace(found, plain=plain, without=without)


def spell_superlatives(message: Message) -> Message:
    """The message with the spelling of its superlatives mended, "cheepest"; all other words stay as
    they are."""
    language = message.language

    def spelt(match: re.Match[str]) -> str:
        word = fold(match[0])
        if len(word) < SPELT_FROM_CHARS or typed_zipf(word, language):
            return match[0]
        meant = SPELLED[language] & near_words(word).keys()
        return next(iter(meant)) if len(meant) == 1 else match[0]

    return message.reworded(WORD.sub(spelt, message.text))


def is_negated(plain: str) -> bool:
    """Otherwise than by «sin proyector», which a column may tell."""
    return bool(NEGATED.search(WITHOUT.sub(" ", plain)))


def read_superlative(plain: str, language: Language, asked: Asked) -> TableQuestion | None:
    for superlative in SUPERLATIVES:
        match = superlative.patterns[language].search(plain)
        if match and is_meant(plain, match, language):
            nouns = nouns_beside(plain, match, language)
            return TableQuestion(
                Want.EXTREME,
                asked,
                superlative.is_largest,
                superlative.dimensions,
                phrase=match[0],
                told=superlative.told[language],
                before=plain[: match.start()],
                nouns=nouns,
            )
    for is_largest, name in LARGEST_AND_SMALLEST:
        before = bounded(NAMED[f"{name}_{language}"]).pattern
        match = re.search(before + NOUNS, plain)
        if not match and f"{name}_after_{language}" in NAMED:
            after = bounded(NAMED[f"{name}_after_{language}"]).pattern
            match = re.search(rf"\b(?P<noun>\w+) {after}", plain)
        if match is None:  # «cuál gasta menos», "which uses least"
            match = re.search(rf"\b(?P<noun>\w+) {before}\W*$", plain)
        if match and match["noun"] not in NOT_NOUNS and is_meant(plain, match, language):
            return TableQuestion(
                Want.EXTREME, asked, is_largest, phrase=match[0], nouns=(match["noun"],)
            )
    return None


def nouns_beside(plain: str, match: re.Match[str], language: Language) -> tuple[str, ...]:
    if language == "es":
        return tuple(WORD.findall(plain[: match.start()])[-1:])
    behind = WORD.findall(plain[match.end() :])[:2]
    return tuple(takewhile(lambda word: word not in function_words("en"), behind))


def is_meant(plain: str, match: re.Match[str], language: Language) -> bool:
    """Tells whether a superlative is meant as one. False for «¿es más barato entre semana?» and
    "cheaper than"."""
    before, behind = plain[: match.start()], plain[match.end() :]
    if is_negated(plain):
        return False
    if language == "en":
        return not THEN["en"].match(behind)
    if HAS.match(behind) or ARTICLE.search(before) or ASKS_WHICH.search(before):
        return True
    # «Queso de cabra más barato», «temporada más cara»
    fragment = FRAGMENT["es"].match(before) or ONE_WORD.fullmatch(before)
    if fragment and fragment["noun"] not in NOT_NOUNS | NO_NOUNS:
        return not THEN["es"].match(behind)
    return not THEN["es"].match(behind) and bool(WHICH["es"].search(before))


def read_count(plain: str, language: Language, asked: Asked) -> TableQuestion | None:
    match = COUNT[language].search(plain)
    if match is None or match["noun"] in NOT_COUNTED or is_negated(plain):
        return None
    noun, behind_noun = match["noun"], plain[match.end() :]
    is_of_people = UNITS.get(noun, ("", 1.0))[0] == "person"
    if OF_ONE.search(behind_noun) or (is_of_people and HOLDS.search(behind_noun)):
        return None
    if noun in asked.words and language == "en":  # "autumn workshops"
        behind = WORD.findall(plain[match.end() :])[:1]
        noun = next((w for w in behind if w in asked.words and w not in FILLERS), noun)
        if noun in NOT_COUNTED:  # "square metres"
            return None
    return TableQuestion(Want.COUNT, asked, noun=noun)


def read_fits(plain: str, language: Language, asked: Asked) -> TableQuestion | None:
    if not asked.quantities or asked.kind in VALUED or is_negated(plain):
        return None
    money = DIMENSIONS["money"]
    if not (money.headers | money.aside).isdisjoint(WORD.findall(plain)):
        return None
    match = FITS[language].search(plain)
    if match and WHICH[language].search(plain):
        return TableQuestion(Want.FITS, asked, phrase=match[0])
    which = WHICH_ONE[language].search(plain)  # "we're 8 people, which van"
    if which is None or not any(one.unit in FITTED for one in asked.quantities):
        return None
    return TableQuestion(Want.FITS, asked, noun=which["noun"])


def read_value(asked: Asked) -> TableQuestion | None:
    return TableQuestion(Want.VALUE, asked) if asked.kind in VALUED else None


def read_list(plain: str, language: Language, asked: Asked) -> TableQuestion | None:
    """Reads a question for all that keeps within a bound: «¿algo de menos de 10 €?»."""
    listed, within = LISTED[language].search(plain), WITHIN[language].match(plain)
    # «Caben 50 personas» is no bound, though it reads as one.
    is_bound = any(
        one.low < one.high and one.unit not in ("", "person") for one in asked.quantities
    )
    if not (listed or within) or not is_bound or is_negated(plain):
        return None
    return TableQuestion(Want.LIST, asked, phrase=listed[0] if listed else "")


def read_column(plain: str, language: Language, asked: Asked) -> TableQuestion | None:
    """Reads a question for a named column: «¿de qué andén sale?», "what year is it". Where the noun
    does not name a column, rows are asked for: "which vans are automatic?", «salas con piano»."""
    if not is_negated(plain) and (match := OF_COLUMN[language].search(plain)):
        noun = match["noun"]
        return TableQuestion(Want.VALUE, asked, noun=noun, phrase=match[0], is_of_column=True)
    if not is_negated(plain) and (match := WHO[language].search(plain)):
        return TableQuestion(Want.VALUE, asked, noun=match["noun"], phrase=match["noun"])
    match = COLUMN_ASKED[language].search(plain) or FRAGMENT[language].match(plain)
    if match is None or match["noun"] in NOT_NOUNS | (FILLERS - THINGS) or is_negated(plain):
        return None
    return TableQuestion(Want.VALUE, asked, noun=match["noun"], phrase=match["asking"])


def read_dated(plain: str, asked: Asked) -> TableQuestion | None:
    """Reads a question for what there is at a time: «¿qué hay el 4 de marzo?», "courses after 1
    May"."""
    return TableQuestion(Want.LIST, asked) if asked.dates and not is_negated(plain) else None


def with_units(asked: Asked, plain: str, language: Language) -> Asked:
    """«Mido 1,58» is a height, in metres or centimetres, "6 seater" six people, "I'm 70" an age."""
    units: dict[float, Quantity] = {}
    for unit, patterns in (("person", SEATED), ("age", AGED), ("km", HEIGHT)):
        if match := patterns[language].search(plain):
            number = size = number_of(match["figures"], language)
            if unit == "km":
                size /= 1_000 if number < TALLEST_METRES else 100_000
            units[number] = Quantity(size, size, unit)
    quantities = tuple(
        units.get(one.low, one) if one == Quantity(one.low, one.low) else one
        for one in asked.quantities
    )
    return replace(asked, quantities=quantities)
