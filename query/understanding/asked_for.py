"""Reads what a question asks for: its words that count, the names and numbers in it, the kind of
answer that it expects, and whether it is put in the negative. Spanish and English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from itertools import chain

from language.calendar import MONTHS, WEEKDAY_NUMBERS, WEEKDAYS
from language.dates import DateRange, Order, read_dates
from language.message import Message
from language.numerals import names_of
from language.periods import Period, holds_period, read_periods
from language.quantities import Quantity, read_quantities, satisfies, within_bounds
from language.terms import word_terms
from language.weekdays import NO_DAYS, Days
from language.word_lists import groups, pattern, words
from language.words import LANGUAGES, Language, fold, function_words, information, tokenize


class AnswerKind(Enum):
    """The kind of answer that a question asks for."""

    MONEY = "money"
    WEIGHT = "weight"
    DISTANCE = "distance"
    TEMPERATURE = "temperature"
    SPEED = "speed"
    DURATION = "duration"
    TIME = "time"
    NUMBER = "number"
    PHONE = "phone"
    EMAIL = "email"
    LINK = "link"
    ADDRESS = "address"
    NAME = "name"


def any_of(place: str) -> str:
    """A pattern of whole words, of the alternatives at this place of the word lists."""
    return rf"\b(?:{pattern(place)})\b"


def fill(place: str, language: Language) -> str:
    measured = pattern("asking.measured", language)
    return pattern(place, language).replace("{measured}", f"(?:{measured})")


def names_of_numbers() -> dict[str, list[str]]:
    """The words of both languages for a figure, as far as texts write them out."""
    names = {str(value): names_of(value) for value in WRITTEN_OUT}
    for figure, words_too in groups("asking.numbers_too"):
        names[figure] = [*names.get(figure, ()), *words_too]
    return names


ASKING_WORDS = words("asking.asking")  # they ask, and tell nothing about what is asked
# What the answer is ("which year"): a text that answers seldom says it.
KIND_WORDS = words("asking.kinds")
HOURS_WORDS = words("calendar.hours_asked")
# They may be missing in what a date is asked of
AROUND_DATE = words("dates.around_date") | WEEKDAY_NUMBERS.keys()
UNSAID_MAX = 1.0  # of information that is missing beside a date that is named
KIND_WORD_SHARE = 0.3  # of its information that a word of these counts with

HOW_MUCH = re.compile(
    "|".join(fill("asking.how_much", language) for language in LANGUAGES), re.IGNORECASE
)
PRICE = re.compile(any_of("asking.price"), re.IGNORECASE)
# A question word before such a noun decides, unless the noun is what it asks for.
ASKS_OTHERWISE = re.compile(any_of("asking.otherwise"), re.IGNORECASE)
ASKS_FOR_IT = re.compile(pattern("asking.for_it"), re.IGNORECASE)
# The first that fits counts, before and behind those that ask for a price.
ASKS_FOR = {
    kind: re.compile(any_of(f"asks_for.{kind.value}"), re.IGNORECASE)
    for kind in (
        AnswerKind.EMAIL,
        AnswerKind.PHONE,
        AnswerKind.LINK,
        AnswerKind.ADDRESS,
        AnswerKind.WEIGHT,
        AnswerKind.DISTANCE,
        AnswerKind.TEMPERATURE,
        AnswerKind.SPEED,
        AnswerKind.DURATION,
        AnswerKind.TIME,
        AnswerKind.NUMBER,
        AnswerKind.NAME,
    )
}
UNITS = {
    kind: re.compile("|".join((*signs, any_of(f"answer_units.{kind.value}"))), re.IGNORECASE)
    for kind, *signs in (
        (AnswerKind.MONEY, "[€$£]"),
        (AnswerKind.WEIGHT,),
        (AnswerKind.DISTANCE,),
        (AnswerKind.TEMPERATURE, "°", r"º ?[CF]\b"),
        (AnswerKind.SPEED,),
        (AnswerKind.DURATION,),
    )
}
# What such an answer looks like
SHAPES = {
    AnswerKind.EMAIL: re.compile(r"\S@\S"),
    AnswerKind.PHONE: re.compile(r"\+?\d(?:[ .-]?\d){5,}"),
    AnswerKind.LINK: re.compile(r"https?://|\bwww\.|\b[a-z0-9-]+\.(?:com|es|org|net|eu|example)\b"),
    AnswerKind.ADDRESS: re.compile(rf"{any_of('asking.streets')}|\b\d{{5}}\b", re.IGNORECASE),
}
WRITTEN_OUT = (*range(1, 13), 15, *range(20, 101, 10), 1000, 10**6)
NUMBERS = names_of_numbers()
NUMBER_WORDS = frozenset(chain(*NUMBERS.values())) - {"un", "una"}
CALENDAR_NAMES = "|".join(
    "".join(f"[{fold(sign)}{sign}]" if fold(sign) != sign else sign for sign in name.lower())
    for name in chain(*MONTHS.values(), *WEEKDAYS.values())
)
TIME = re.compile(
    # A year, or so many days; no price and no length
    r"(?<![€$£.,])\b(1\d{3}|20\d\d|\d{3,4}s?)\b(?! ?[€$£%]|[.,]\d| (?:eur|euros?|dollars?|pounds?"
    r"|k?m|kg|g|mm|cm|ml|w|people|personas|unidades|units)\b)"
    r"|\b(\d{1,2}:\d\d|\d+ (?:working |business )?(?:days?|weeks?|months?|hours?|d[ií]as?|semanas?"
    rf"|meses|horas?)|{CALENDAR_NAMES}|century|siglo)\b",
    re.IGNORECASE,
)
NAME = re.compile(r"\b[A-ZÁÉÍÓÚÑ][\w'-]+")
NEGATION = re.compile(rf"{any_of('asking.negations')}|n['’]t\b", re.IGNORECASE)
# A sentence that takes something back: who asks whether has to hear it.
EXCEPTION = re.compile(
    rf"^\W*{any_of('asking.exception_begins')}|{any_of('asking.exceptions')}", re.IGNORECASE
)
WHAT_TO_DO = re.compile(any_of("asking.what_to_do"), re.IGNORECASE)
CONTRACTED = re.compile(r"['’](?:ve|ll|re|d|m|s|t)\b", re.IGNORECASE)
# A question written all in capitals, or as a title, does not tell its names.
NAMES_MAX_SHARE = 0.6


@dataclass(frozen=True)
class Asked:
    """The parts of a question. `words`: information by folded content word. `names` and `numbers`
    are some of them. `forms`: by word, the terms that a text may hold in its place."""

    words: dict[str, float]
    language: Language
    tokens: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    kind: AnswerKind | None
    is_negated: bool
    quantities: tuple[Quantity, ...] = ()
    periods: tuple[Period, ...] = ()
    weekdays: Days = NO_DAYS
    dates: tuple[DateRange, ...] = ()
    forms: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def may_ask_hours(self) -> bool:
        return bool(self.weekdays) or not HOURS_WORDS.isdisjoint(self.tokens)

    @property
    def codes(self) -> frozenset[str]:
        """Codes: letters with a number behind them, «P2», "E21", but not "10kg"."""
        return frozenset(word for word in self.numbers if word[0].isalpha())

    @property
    def terms(self) -> set[str]:
        """All terms of the question's words that a text may hold: no others need to be
        looked for."""
        named = {f"={name}" for word in self.numbers for name in NUMBERS.get(word, ())}
        return named.union(*map(self.terms_of, self.words))

    def terms_of(self, word: str) -> frozenset[str]:
        """The terms of which a text has to hold one to hold the word."""
        return self.forms.get(word) or terms_of_word(word, self.language)


def read_asked(message: Message) -> Asked:
    text, content = message.text, message.content
    words = {word.text: word for word in content.content if word.text not in ASKING_WORDS}
    return Asked(
        words={
            text: word.information * (KIND_WORD_SHARE if text in KIND_WORDS else 1)
            for text, word in words.items()
        },
        language=message.language,
        tokens=frozenset(content.tokens),
        names=frozenset(names_in(text)) & words.keys(),
        numbers=frozenset(word for word in words if any(char.isdigit() for char in word)),
        kind=kind_of(text),
        is_negated=negates(text),
        quantities=content.quantities,
        periods=content.periods,
        weekdays=content.weekdays,
        dates=content.dates,
        forms={text: frozenset(word.terms) for text, word in words.items()},
    )


def kind_of(text: str) -> AnswerKind | None:
    """The kind of answer asked for: an address, then a price, then the rest. "How much does it
    cost" asks for money, not for any number, "when is the deposit due" for a time."""
    found = next((kind for kind, pattern in ASKS_FOR.items() if pattern.search(text)), None)
    is_contact = found in (AnswerKind.EMAIL, AnswerKind.PHONE, AnswerKind.LINK, AnswerKind.ADDRESS)
    return AnswerKind.MONEY if not is_contact and asks_for_money(text) else found


def asks_for_money(text: str) -> bool:
    if HOW_MUCH.search(text):
        return True
    noun = PRICE.search(text)
    if noun is None:
        return False
    before = re.split(r"[?.,;:!]", text[: noun.start()])[-1]  # in its clause
    return not ASKS_OTHERWISE.search(before) or bool(ASKS_FOR_IT.search(before))


def compare_quantities(
    asked: Asked, text: str, language: Language, order: Order = "day"
) -> tuple[bool, bool]:
    """Compares quantities and times of the year in `text` with the question's: the first flag is
    True when one satisfies («somos doce», "10 to 15 people"; «en agosto», «del 1 de julio al 15 de
    septiembre»), the second when those of a kind rule one out. What fits one thing that is asked
    does not make up for another. `order`: of the numbers of a date."""
    verdicts = []
    if asked.quantities:
        offered = within_bounds(read_quantities(text, language))
        verdicts += [
            any_verdict(satisfies(one, other) for other in offered) for one in asked.quantities
        ]
    verdicts += compare_times(asked, text, order)
    return True in verdicts and False not in verdicts, False in verdicts


def compare_times(asked: Asked, text: str, order: Order) -> list[bool | None]:
    """For each time of the year that is asked about, whether one in `text` fits it; one verdict for
    all, where it is a date that may be read in two ways."""
    if not (asked.periods or asked.dates):
        return []
    named = read_periods(text)
    verdicts = [any_verdict(holds_period(one, other) for other in named) for one in asked.periods]
    if not asked.dates:
        return verdicts
    return [any_verdict([*verdicts, *compare_dates(asked, text, order)])]


def compare_dates(asked: Asked, text: str, order: Order) -> Iterator[bool | None]:
    """A date that does not fit rules out a row alone: in prose it may be the answer."""
    is_row = "; " in text and ": " in text
    offered = [one for one in read_dates(text, order) if one.is_closed]
    for one in asked.dates:
        if any(map(one.overlaps, offered)):
            yield True
        else:
            yield False if offered and is_row and not one.is_month else None


def asks_of_a_day(asked: Asked, *, unsaid: float) -> bool:
    """Tells whether the question names a day, and what names it too says all else of the question.
    `unsaid`: the information of the question's words that is not said."""
    aside = sum(weight for word, weight in asked.words.items() if word in AROUND_DATE)
    return any(one.is_day for one in asked.dates) and unsaid <= UNSAID_MAX + aside


def any_verdict(verdicts: Iterable[bool | None]) -> bool | None:
    """True if one verdict is True; False if none is and one is False; otherwise None."""
    found = set(verdicts)
    return True if True in found else False if False in found else None


def names_in(text: str) -> set[str]:
    """Folded words with a capital, except the one that the question begins with."""
    parts = text.split()
    capitals = sum(part[:1].isupper() for part in parts)
    if capitals > NAMES_MAX_SHARE * len(parts):
        return set()
    begin = len(text) - len(text.lstrip("¿¡ \"'«“"))
    found = [match[0] for match in NAME.finditer(text) if match.start() > begin]
    return {word for name in found for word in tokenize(CONTRACTED.sub("", name))}


def has_kind(text: str, asked: Asked) -> bool:
    """Tells whether `text` holds something of the kind asked for that is not in the question; True
    when the question asks for no kind."""
    match asked.kind:
        case None:
            return True
        case AnswerKind.TIME:
            return any(fold(match[0]) not in asked.tokens for match in TIME.finditer(text))
        case AnswerKind.NAME:
            found = (match[0] for match in NAME.finditer(text) if match.start() > 0)
            return any(fold(name) not in asked.tokens for name in found)
        case kind if kind in SHAPES:
            return bool(SHAPES[kind].search(text))
        case kind:
            has_unit = kind not in UNITS or bool(UNITS[kind].search(text))
            return has_unit and (holds_number(text, asked) or "free" in text or "gratis" in text)


def holds_number(text: str, asked: Asked) -> bool:
    return any(
        (any(char.isdigit() for char in word) or word in NUMBER_WORDS) and word not in asked.tokens
        for word in tokenize(text)
    )


def missing_numbers(asked: Asked, held: Set[str]) -> list[str]:
    """The question's numbers that are missing in the text. "80" is not missing when the text says
    "eighty"."""
    return [
        word
        for word in missing_words(asked, held)
        if word in asked.numbers and held.isdisjoint(f"={name}" for name in NUMBERS.get(word, ()))
    ]


def asks_what_to_do(text: str) -> bool:
    return bool(WHAT_TO_DO.search(text))


def takes_back(text: str) -> bool:
    """Tells whether `text` is an exception to what stands before it, or says what
    holds afterwards."""
    return bool(EXCEPTION.search(text))


def lost_names(asked: Asked, held: Set[str]) -> list[str]:
    """The names and codes of the question that a text with these terms lacks."""
    return [word for word in missing_words(asked, held) if word in asked.names | asked.codes]


def negates(text: str) -> bool:
    return bool(NEGATION.search(text))


@lru_cache(4096)
def terms_of_word(word: str, language: Language) -> frozenset[str]:
    return frozenset(word_terms(word, language))


def missing_words(asked: Asked, held: Set[str]) -> list[str]:
    """The question's words that have no counterpart among the terms of a text."""
    return [word for word in asked.words if held.isdisjoint(asked.terms_of(word))]


def share_held(asked: Asked, held: Set[str]) -> float:
    """The share (0 … 1) of the question's information that these terms say too."""
    total = sum(asked.words.values())
    lost = sum(asked.words[word] for word in missing_words(asked, held))
    return 1 - lost / total if total else 0.0


def counted_words(text: str, language: Language) -> list[tuple[tuple[int, int], float]]:
    """The places of the words that count in a text, and their information."""
    return [
        (match.span(), information(word, language) * (KIND_WORD_SHARE if word in KIND_WORDS else 1))
        for match in re.finditer(r"\w+", text)
        if (word := fold(match[0])) not in ASKING_WORDS and word not in function_words(language)
    ]
