"""Reads what a question asks for: its words that count, the names and numbers in it, the kind of
answer that it expects, and whether it is put in the negative. Spanish and English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from language.periods import Period, holds_period, read_periods
from language.quantities import Quantity, read_quantities, satisfies, within_bounds
from language.terms import content_words, word_terms
from language.words import Language, fold, function_words, information, tokenize


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
    "llama conoce "
    "years dates months days hours hour times minutes minute weeks week types kinds names numbers "
    "amounts countries cities places companies terms things examples ways "
    "años fechas meses dias horas minuto minutos semana semanas tipos clases nombres numeros "
    "cantidades paises ciudades lugares empresas terminos palabras cosas ejemplos formas maneras "
    "partes llamados llamada llamadas"
)
KIND_WORD_SHARE = 0.3  # of its information that a word of these counts with

# Of what "how much …" asks for beside money
MEASURED = (
    r"(?:weigh\w*|hold\w*|take[sn]?|last\w*|measure\w*|needs?|needed|use[sd]?|consumes?|produces?"
    r"|saves?|generates?|covers?|covered|fits?|contain\w*|carry|bring|store|lift|know|notice|include[sd]?"
    r"|allowed|left|discount|grow|reduce|drop|free|water|time|space|room|power|speed|memory|data"
    r"|luggage|capacity|bigger|longer|earlier|faster|older|younger)"
)
MEDIDO = (
    r"(?:de(?:l|sde)?|descuento|tiempo|potencia|capacidad|espacio|distancia|altura|peso|edad"
    r"|permitid[oa]|necesari[oa])"
)
HOW_MUCH = re.compile(
    rf"\bhow much(?!\W+{MEASURED}\b)(?: (?:extra|more|in total|altogether))?"
    r"(?:\W*$|[?,;:]|['’]s\b|\W+(?:is|are|was|were|for|to|per|would|will|do|does|did|should|must)\b"
    rf"(?![^?.!]*\b{MEASURED}\b))"
    r"|\b(?:a |por )?cu[aá]nto (?:(?:me|te|se|nos|os|le|les) )?"
    r"(?:(?:va|van|puede|pueden|suele|suelen|podr[ií]a) (?:a )?)?"
    r"(?:cuest\w+|cost\w+|val(?:e|en|er|dr\w+|[ií]an?)|cobr\w+|pag\w+|abon\w+|deb(?:o|emos)"
    r"|sal(?:e|en|ir|dr\w+|[ií]an?))\b(?! de\b)"
    r"|\bcu[aá]nto (?:por|(?:hay|tengo|tenemos|tendr[ií]a) que (?:pagar|dejar|abonar|poner))\b"
    rf"|\b(?:a )?cu[aá]nto (?:es|son|est[aá]n?|ser[ií]an?|ser[aá]n?)\b"
    rf"(?!(?: (?:el|la|los|las))? (?:\d|{MEDIDO}\b))"
    r"|(?:^[\W]*(?:(?:hola|y|pero|oye|entonces) )?que|\bqué) (?:(?:me|te|nos|os) )?"
    r"(?:cuesta|cuestan|costar[ií]a|vale|valen|cobr[aá]is|cobr[aá]n?)\b",
    re.IGNORECASE,
)
PRICE = re.compile(
    r"\b(price|prices|cost|costs|fees?|deposit|precio|precios|importe|tarifas?|salario|sueldo|salary"
    r"|fianza)\b",
    re.IGNORECASE,
)
# A question word before such a noun decides, unless the noun is what it asks for.
ASKS_OTHERWISE = re.compile(
    r"\b(when|how (?:long|many|do|can|soon|far|often)|what (?:time|day|date)|which days?|where"
    r"|who|why|can|could|may|cu[aá]ndo|cu[aá]nt[oa]s|cu[aá]nto (?:tiempo|tard\w+|dur\w+)"
    r"|qu[eé] (?:d[ií]as?|plazo|hora)|d[oó]nde|qui[eé]n|c[oó]mo|por qu[eé]|se pueden?"
    r"|puedo|podemos|podr[ií]a)\b",
    re.IGNORECASE,
)
ASKS_FOR_IT = re.compile(
    r"\b(?:what|which|what['’]?s|qu[eé]|cu[aá]l(?:es)?)(?: (?:is|are|es|son|ser[ií]a|the|your|a"
    r"|el|la|los|las|vuestr[oa]s?|su|un|una))* $",
    re.IGNORECASE,
)

# The first that fits counts, before and behind those that ask for a price.
ASKS_FOR = {
    AnswerKind.EMAIL: re.compile(r"\b(e-?mails?|correo( electr[oó]nico)?)\b", re.IGNORECASE),
    AnswerKind.PHONE: re.compile(
        r"\b((tele)?phone|tel[eé]fono|tfno|tlf|whats ?app|wh?ats[au]p+|wasap|guasap"
        r"|(what|which) number|qu[eé] n[uú]mero (llam|marc)\w*)\b",
        re.IGNORECASE,
    ),
    AnswerKind.LINK: re.compile(
        r"\b(websites?|web ?page|link|url|(p[aá]gina|sitio) web|qu[eé] (web|p[aá]gina)|enlace)\b",
        re.IGNORECASE,
    ),
    AnswerKind.ADDRESS: re.compile(
        r"\b(your address|what address|where are (you|your)|where is (the|your) (shop|office|branch"
        r"|clinic|store)|where (can|do) i find you|how (do|can) i (get there|find you)"
        r"|direcci[oó]n|d[oó]nde (est[aá]is|qued[aá]is|queda|os encontr\w+|ten[eé]is"
        r"|est[aá] (la|el|vuestr[oa]) (tienda|local|taller|oficina|cl[ií]nica|centro))"
        r"|c[oó]mo (llego|llegar|se llega))\b",
        re.IGNORECASE,
    ),
    AnswerKind.WEIGHT: re.compile(
        r"\b(how (heavy|much (weight|does .* weigh))|weight|max(imum)? load"
        r"|cu[aá]nto pes[ao]\w*|qu[eé] peso|carga m[aá]xima)\b",
        re.IGNORECASE,
    ),
    AnswerKind.DISTANCE: re.compile(
        r"\b(how (far|tall|high|deep)|cu[aá]nto mide\w*|cu[aá]ntos kil[oó]metros"
        r"|qu[eé] (altura|distancia))\b",
        re.IGNORECASE,
    ),
    AnswerKind.TEMPERATURE: re.compile(
        r"\b((what|which) temperatures?|how (hot|cold|warm)|qu[eé] temperaturas?"
        r"|cu[aá]ntos grados)\b",
        re.IGNORECASE,
    ),
    AnswerKind.SPEED: re.compile(
        r"\b((what|which|top|maximum|max) speed|velocidad m[aá]xima|qu[eé] velocidad)\b",
        re.IGNORECASE,
    ),
    AnswerKind.DURATION: re.compile(
        r"\b(how (long|many (minutes|hours|days|weeks|months|years))|qu[eé] plazo"
        r"|cu[aá]nto (tiempo|tarda\w*|dura\w*)|cu[aá]nt[oa]s (minutos|horas|d[ií]as|semanas|meses"
        r"|a[nñ]os))\b",
        re.IGNORECASE,
    ),
    AnswerKind.TIME: re.compile(
        r"\b(when|what (year|date|time|day|month|decade|century)|which (year|days?|month|century)"
        r"|cu[aá]ndo|qu[eé] (a[nñ]o|fecha|d[ií]as?|mes|hora|horario|siglo|d[eé]cada)"
        r"|cu[aá]l (a[nñ]o|fecha))\b",
        re.IGNORECASE,
    ),
    AnswerKind.NUMBER: re.compile(
        r"\b(how (many|much|old|often|large|big|fast)|cu[aá]nt[oa]s?|percentage|porcentaje"
        r"|what (number|amount|percent|age)|qu[eé] (descuento|edad|cantidad|n[uú]mero))\b",
        re.IGNORECASE,
    ),
    AnswerKind.NAME: re.compile(
        r"\b(who|whom|whose|qui[eé]n(es)?|where|d[oó]nde"
        r"|(which|what) (country|city|person|company|state|town|river|name|team|group)"
        r"|qu[eé] (pa[ií]s|ciudad|persona|empresa|estado|r[ií]o|nombre|equipo|grupo))\b",
        re.IGNORECASE,
    ),
}
UNITS = {
    AnswerKind.MONEY: re.compile(
        r"[€$£]|\b(eur|euros?|usd|dollars?|pounds?|cents?|free|d[oó]lares|libras|pesos"
        r"|c[eé]ntimos|gratis|gratuit[oa]s?|precio|price|million|billion|millones)\b",
        re.IGNORECASE,
    ),
    AnswerKind.WEIGHT: re.compile(
        r"\b(kg|g|grams?|kilos?|kilogra\w+|gramos?|tons?|tonnes?|toneladas?|lbs?|pounds?|libras)\b",
        re.IGNORECASE,
    ),
    AnswerKind.DISTANCE: re.compile(
        r"\b(km|m|cm|mm|kilomet\w+|kil[oó]metros?|met(er|re)s?|metros?|miles?|millas?|feet|foot"
        r"|inch(es)?|pies|pulgadas?|cent[ií]met\w+)\b",
        re.IGNORECASE,
    ),
    AnswerKind.TEMPERATURE: re.compile(
        r"°|º ?[CF]\b|\b(degrees|celsius|fahrenheit|grados|centígrados)\b", re.IGNORECASE
    ),
    AnswerKind.SPEED: re.compile(r"\b(km/h|kph|mph|m/s|rpm|knots?|nudos?)\b", re.IGNORECASE),
    AnswerKind.DURATION: re.compile(
        r"\b(h|min|s|seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|century|centuries"
        r"|segundos?|minutos?|horas?|d[ií]as?|semanas?|mes(es)?|a[nñ]os?|d[eé]cadas?|siglos?)\b",
        re.IGNORECASE,
    ),
}
# What such an answer looks like
SHAPES = {
    AnswerKind.EMAIL: re.compile(r"\S@\S"),
    AnswerKind.PHONE: re.compile(r"\+?\d(?:[ .-]?\d){5,}"),
    AnswerKind.LINK: re.compile(r"https?://|\bwww\.|\b[a-z0-9-]+\.(?:com|es|org|net|eu|example)\b"),
    AnswerKind.ADDRESS: re.compile(
        r"\b(c/|calle|avenida|avda|plaza|paseo|carretera|camino|pol[ií]gono|street|road|avenue"
        r"|square|\d{5})\b",
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
    # A year, or so many days; no price and no length
    r"(?<![€$£.,])\b(1\d{3}|20\d\d|\d{3,4}s?)\b(?! ?[€$£%]|[.,]\d| (?:eur|euros?|dollars?|pounds?"
    r"|k?m|kg|g|mm|cm|ml|w|people|personas|unidades|units)\b)"
    r"|\b(\d{1,2}:\d\d|\d+ (?:working |business )?(?:days?|weeks?|months?|hours?|d[ií]as?|semanas?"
    r"|meses|horas?)|january|february|march|april|may|june|july|august"
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
# A sentence that takes something back: who asks whether has to hear it.
EXCEPTION = re.compile(
    r"^\W*(?:but|however|except|unless|pero|sin embargo|no obstante|excepto|salvo"
    r"|otherwise|thereafter|after (?:that|this)|beyond (?:that|this)|from then on|later on"
    r"|si no|de lo contrario|en caso contrario|despu[eé]s|m[aá]s tarde"
    r"|pasad[oa]s? (?:es[eao]s?|est[eao]s?|dich[oa]s?)|a partir de (?:entonces|ah[ií]|ese|esa))\b"
    r"|\b(?:unless|except (?:for|when|if)"
    r"|(?:is|are) not (?:\w+ )?(?:covered|included|accepted|allowed|valid|possible)"
    r"|do(?:es)? not (?:apply|cover|include)|a menos que|salvo que|excepto"
    r"|no (?:est[aá]n?|queda[n]?) (?:\w+ )?(?:cubiert|inclu|permitid)\w*"
    r"|no (?:se )?(?:cubren?|incluyen?|aplican?|admiten?|aceptan?|permiten?))\b",
    re.IGNORECASE,
)
WHAT_TO_DO = re.compile(
    r"\b(?:qu[eé] (?:hago|hacemos|hay que hacer|(?:debo|debemos|tengo que|puedo) hacer)"
    r"|what (?:do|should|must|can|shall) (?:i|we) do|what now)\b",
    re.IGNORECASE,
)
CONTRACTED = re.compile(r"['’](?:ve|ll|re|d|m|s|t)\b", re.IGNORECASE)
# A question written all in capitals, or as a title, does not tell its names.
NAMES_MAX_SHARE = 0.6


@dataclass(frozen=True)
class Asked:
    """The parts of a question. `words`: information by folded content word. `names` and `numbers`
    are some of them."""

    words: dict[str, float]
    language: Language
    tokens: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    kind: AnswerKind | None
    is_negated: bool
    quantities: tuple[Quantity, ...] = ()
    periods: tuple[Period, ...] = ()

    @property
    def codes(self) -> frozenset[str]:
        """Codes: letters with a number behind them, «P2», "E21", but not "10kg"."""
        return frozenset(word for word in self.numbers if word[0].isalpha())

    @property
    def terms(self) -> set[str]:
        """All terms of the question's words that a text may hold: no others need to be
        looked for."""
        named = {f"={name}" for word in self.numbers for name in NUMBERS.get(word, "").split()}
        return named.union(*(terms_of_word(word, self.language) for word in self.words))


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
        kind=kind_of(text),
        is_negated=negates(text),
        quantities=read_quantities(text, language),
        periods=read_periods(text),
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


def compare_quantities(asked: Asked, text: str, language: Language) -> tuple[bool, bool]:
    """Compares quantities and times of the year in `text` with the question's: the first flag is
    True when one satisfies («somos doce», "10 to 15 people"; «en agosto», «del 1 de julio al 15 de
    septiembre»), the second when those of a kind rule one out. What fits one thing that is asked
    does not make up for another."""
    verdicts = []
    if asked.quantities:
        offered = within_bounds(read_quantities(text, language))
        verdicts += [
            any_verdict(satisfies(one, other) for other in offered) for one in asked.quantities
        ]
    if asked.periods:
        named = read_periods(text)
        verdicts += [
            any_verdict(holds_period(one, other) for other in named) for one in asked.periods
        ]
    return True in verdicts and False not in verdicts, False in verdicts


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
        if word in asked.numbers
        and held.isdisjoint(f"={name}" for name in NUMBERS.get(word, "").split())
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
    return [word for word in asked.words if held.isdisjoint(terms_of_word(word, asked.language))]


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
