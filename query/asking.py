"""What a question asks for: its words that count, the names and numbers in it, the kind of answer
that it expects, and whether it is put in the negative. Spanish and English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from sources.language.terms import content_words, word_terms
from sources.language.words import Language, fold, function_words, information, tokenize


class Kind(Enum):
    """Of answer."""

    MONEY = "money"
    WEIGHT = "weight"
    DISTANCE = "distance"
    DURATION = "duration"
    TIME = "time"
    NUMBER = "number"
    NAME = "name"


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# They ask, and tell nothing about what is asked.
ASKING_WORDS = words(
    "how many much what when where who whom whose which why does did do is are was were can could "
    "would should will may might often old far long que cual cuales cuanto cuanta cuantos cuantas "
    "cuando donde quien quienes como por para cuyo cuya"
)
# What the answer is ("which year"): a text that answers seldom says it.
KIND_WORDS = words(
    "year date month day time kind type name number percentage percent amount people person "
    "country city place company term word thing example way part called known named "
    "año fecha mes dia hora tipo clase nombre numero porcentaje cantidad personas gente persona "
    "pais ciudad lugar empresa compañia termino palabra cosa ejemplo forma manera parte llamado "
    "llama conoce"
)
KIND_WORD_SHARE = 0.3  # of its information that a word of these counts with

# The first that fits counts: "how much does it cost" asks for money, not for any number.
ASKS_FOR = {
    Kind.MONEY: re.compile(
        r"\b(how much (does|do|did|is|are|was|will|would)\b.*\b(cost|charge|pay|rent|rental|fee)"
        r"|(price|prices|cost|costs|fee|deposit|cu[aá]nto (cuesta|vale|cobr\w+|pag\w+|abon\w+)"
        r"|precio|precios|importe|tarifa|salario|sueldo|salary|fianza)\b)",
        re.IGNORECASE,
    ),
    Kind.WEIGHT: re.compile(
        r"\b(how (heavy|much does .* weigh)|weight|cu[aá]nto pesa\w*|qu[eé] peso)\b", re.IGNORECASE
    ),
    Kind.DISTANCE: re.compile(
        r"\b(how (far|tall|high|deep)|cu[aá]nto mide\w*|cu[aá]ntos kil[oó]metros"
        r"|qu[eé] (altura|distancia))\b",
        re.IGNORECASE,
    ),
    Kind.DURATION: re.compile(
        r"\b(how (long|many (minutes|hours|days|weeks|months|years))|qu[eé] plazo"
        r"|cu[aá]nto (tiempo|tarda\w*|dura\w*)|cu[aá]nt[oa]s (minutos|horas|d[ií]as|semanas|meses"
        r"|a[nñ]os))\b",
        re.IGNORECASE,
    ),
    Kind.TIME: re.compile(
        r"\b(when|what (year|date|time|day|month|decade|century)|which (year|days?|month|century)"
        r"|cu[aá]ndo|qu[eé] (a[nñ]o|fecha|d[ií]as?|mes|hora|horario|siglo|d[eé]cada)"
        r"|cu[aá]l (a[nñ]o|fecha))\b",
        re.IGNORECASE,
    ),
    Kind.NUMBER: re.compile(
        r"\b(how (many|much|old|often|large|big|fast)|cu[aá]nt[oa]s?|percentage|porcentaje"
        r"|what (number|amount|percent|age)|qu[eé] (descuento|edad|cantidad|n[uú]mero))\b",
        re.IGNORECASE,
    ),
    Kind.NAME: re.compile(
        r"\b(who|whom|whose|qui[eé]n(es)?|where|d[oó]nde"
        r"|(which|what) (country|city|person|company|state|town|river|name|team|group)"
        r"|qu[eé] (pa[ií]s|ciudad|persona|empresa|estado|r[ií]o|nombre|equipo|grupo))\b",
        re.IGNORECASE,
    ),
}
UNITS = {
    Kind.MONEY: re.compile(
        r"[€$£]|\b(eur|euros?|usd|dollars?|pounds?|cents?|free|d[oó]lares|libras|pesos"
        r"|c[eé]ntimos|gratis|gratuit[oa]s?|precio|price|million|billion|millones)\b",
        re.IGNORECASE,
    ),
    Kind.WEIGHT: re.compile(
        r"\b(kg|g|grams?|kilos?|kilogra\w+|gramos?|tons?|tonnes?|toneladas?|lbs?|pounds?|libras)\b",
        re.IGNORECASE,
    ),
    Kind.DISTANCE: re.compile(
        r"\b(km|m|cm|mm|kilomet\w+|kil[oó]metros?|met(er|re)s?|metros?|miles?|millas?|feet|foot"
        r"|inch(es)?|pies|pulgadas?|cent[ií]met\w+)\b",
        re.IGNORECASE,
    ),
    Kind.DURATION: re.compile(
        r"\b(h|min|s|seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|century|centuries"
        r"|segundos?|minutos?|horas?|d[ií]as?|semanas?|mes(es)?|a[nñ]os?|d[eé]cadas?|siglos?)\b",
        re.IGNORECASE,
    ),
}
# Figures and their words, as far as texts write them out.
NUMBERS = {
    "1": "one un una uno once",
    "2": "two dos twice",
    "3": "three tres third tercio",
    "4": "four cuatro quarter cuarto",
    "5": "five cinco",
    "6": "six seis",
    "7": "seven siete",
    "8": "eight ocho",
    "9": "nine nueve",
    "10": "ten diez",
    "11": "eleven once",
    "12": "twelve doce dozen docena",
    "15": "fifteen quince",
    "20": "twenty veinte",
    "30": "thirty treinta",
    "40": "forty cuarenta",
    "50": "fifty cincuenta half mitad",
    "60": "sixty sesenta",
    "70": "seventy setenta",
    "80": "eighty ochenta",
    "90": "ninety noventa",
    "100": "hundred cien ciento",
    "1000": "thousand mil",
    "1000000": "million millon millones",
    "1000000000": "billion",
}
NUMBER_WORDS = words(" ".join(NUMBERS.values())) - {"un", "una"}
TIME = re.compile(
    r"\b(1\d{3}|20\d\d|\d{3,4}s?|\d{1,2}:\d\d|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|septiembre|octubre|noviembre|diciembre|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|century|siglo)\b",
    re.IGNORECASE,
)
NAME = re.compile(r"\b[A-ZÁÉÍÓÚÑ][\w'-]+")
NEGATION = re.compile(
    r"\b(not|never|no|none|nobody|nothing|without|except|non|neither|nor|least"
    r"|nunca|sin|ni|ning[uú]n[oa]?|nadie|excepto|tampoco|menos)\b|n['’]t\b",
    re.IGNORECASE,
)
# A question written all in capitals, or as a title, does not tell its names.
NAMES_MAX_SHARE = 0.6


@dataclass(frozen=True)
class Asked:
    """`words`: information by folded content word. `names` and `numbers` are some of them."""

    words: dict[str, float]
    language: Language
    tokens: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    kind: Kind | None
    is_negated: bool


def read_asked(text: str, language: Language) -> Asked:
    counted = {
        word: information(word, language) * (KIND_WORD_SHARE if word in KIND_WORDS else 1)
        for word in content_words(text, language)
        if word not in ASKING_WORDS
    }
    return Asked(
        words=counted,
        language=language,
        tokens=frozenset(tokenize(text)),
        names=frozenset(names_in(text)) & counted.keys(),
        numbers=frozenset(word for word in counted if any(char.isdigit() for char in word)),
        kind=next((kind for kind, pattern in ASKS_FOR.items() if pattern.search(text)), None),
        is_negated=negates(text),
    )


def names_in(text: str) -> set[str]:
    """Folded words with a capital, but the one that the question begins with."""
    parts = text.split()
    capitals = sum(part[:1].isupper() for part in parts)
    if capitals > NAMES_MAX_SHARE * len(parts):
        return set()
    begin = len(text) - len(text.lstrip("¿¡ \"'«“"))
    found = [match[0] for match in NAME.finditer(text) if match.start() > begin]
    return {word for name in found for word in tokenize(name)}


def has_kind(text: str, asked: Asked) -> bool:
    """Whether `text` holds something of the kind asked for that is not in the question; True when
    the question asks for none."""
    match asked.kind:
        case None:
            return True
        case Kind.TIME:
            return any(fold(match[0]) not in asked.tokens for match in TIME.finditer(text))
        case Kind.NAME:
            found = (match[0] for match in NAME.finditer(text) if match.start() > 0)
            return any(fold(name) not in asked.tokens for name in found)
        case kind:
            has_unit = kind not in UNITS or bool(UNITS[kind].search(text))
            return has_unit and (holds_number(text, asked) or "free" in text or "gratis" in text)


def holds_number(text: str, asked: Asked) -> bool:
    return any(
        (any(char.isdigit() for char in word) or word in NUMBER_WORDS) and word not in asked.tokens
        for word in tokenize(text)
    )


def missing_numbers(asked: Asked, held: set[str]) -> list[str]:
    """Also "80" is there when the text says "eighty"."""
    return [
        word
        for word in missing_words(asked, held)
        if word in asked.numbers
        and held.isdisjoint(f"={name}" for name in NUMBERS.get(word, "").split())
    ]


def negates(text: str) -> bool:
    return bool(NEGATION.search(text))


@lru_cache(4096)
def terms_of_word(word: str, language: Language) -> frozenset[str]:
    return frozenset(word_terms(word, language))


def missing_words(asked: Asked, held: set[str]) -> list[str]:
    """The question's words that have no counterpart among the terms of a text."""
    return [word for word in asked.words if held.isdisjoint(terms_of_word(word, asked.language))]


def share_held(asked: Asked, held: set[str]) -> float:
    """0 … 1: of what the question's words say, how much these terms say too."""
    total = sum(asked.words.values())
    lost = sum(asked.words[word] for word in missing_words(asked, held))
    return 1 - lost / total if total else 0.0


def counted_words(text: str, language: Language) -> list[tuple[tuple[int, int], float]]:
    """Where the words that count stand in a text, and their information."""
    return [
        (match.span(), information(word, language) * (KIND_WORD_SHARE if word in KIND_WORDS else 1))
        for match in re.finditer(r"\w+", text)
        if (word := fold(match[0])) not in ASKING_WORDS and word not in function_words(language)
    ]
