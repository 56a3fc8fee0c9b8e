"""The words around numbers, Spanish and English, folded (language.words: fold): units,
number words, and what tells a bound, an age, a number of people, a time of day."""

from __future__ import annotations

import re

from language.words import Language


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def units(unit: str, size: float, names: str) -> dict[str, tuple[str, float]]:
    """`size`: how many `unit` one of these is."""
    return dict.fromkeys(names.split(), (unit, size))


# By each word that names it: the unit that it is told in, and how many of that it is.
UNITS: dict[str, tuple[str, float]] = {
    **units(
        "person",
        1,
        "persona personas pax gente comensal comensales asistente asistentes invitado invitados"
        " huesped huespedes viajero viajeros pasajero pasajeros alumno alumnos alumna alumnas"
        " participante participantes plaza plazas empleado empleados trabajador trabajadores"
        " usuario usuarios niño niños niña niñas adulto adultos chico chicos amigo amigos amigas"
        " jugador jugadores chaval chavales"
        " person persons people guest guests attendee attendees diner diners participant"
        " participants passenger passengers traveller travellers traveler travelers student"
        " students pupil pupils seat seats employee employees worker workers user users child"
        " children kid kids adult adults friend friends player players",
    ),
    **units("kg", 1, "kg kgs kilo kilos kilogramo kilogramos kilogram kilograms"),
    **units("kg", 1 / 1000, "g gr grs gramo gramos gram grams"),
    **units("kg", 1000, "tonelada toneladas tonne tonnes ton tons"),
    **units("m3", 1, "m3"),
    **units("m3", 1 / 1000, "l litro litros litre litres liter liters dm3"),
    **units("m3", 1 / 1_000_000, "ml mililitro mililitros cm3 cc"),
    **units("m2", 1, "m2"),
    **units("km", 1, "km kms kilometro kilometros kilometre kilometres kilometer kilometers"),
    **units("km", 1 / 1000, "m metro metros mts metre metres meter meters"),
    **units("km", 1 / 100_000, "cm cms centimetro centimetros centimetre centimetres centimeter"),
    **units("km", 1 / 1_000_000, "mm milimetro milimetros millimetre millimetres"),
    **units("km", 1.609344, "mile miles milla millas"),
    **units("hour", 1, "h hs hr hrs hora horas hour hours"),
    **units("hour", 1 / 60, "min mins minuto minutos minute minutes"),
    **units("hour", 1 / 3600, "segundo segundos second seconds"),
    **units("day", 1, "dia dias day days"),
    **units("day", 7, "semana semanas week weeks"),
    **units("night", 1, "noche noches night nights"),
    **units("month", 1, "mes meses month months mensualidad mensualidades"),
    **units("month", 3, "trimestre trimestres quarter quarters"),
    **units("year", 1, "año años year years yr yrs anualidad anualidades"),
    **units("age", 1, "edad edades age ages"),
    **units("eur", 1, "€ eur euro euros"),
    **units("eur", 1 / 100, "centimo centimos"),
    **units("usd", 1, "$ usd dolar dolares dollar dollars"),
    **units("gbp", 1, "£ gbp pound pounds libra libras quid"),
    **units("percent", 1, "% ciento percent"),
    **units("piece", 1, "ud uds unidad unidades pieza piezas unit units pcs piece pieces"),
    **units("gb", 1, "gb gigas"),
    **units("gb", 1 / 1000, "mb megas"),
    **units("kw", 1, "kw kilovatio kilovatios kilowatt kilowatts"),
    **units("degree", 1, "° oc grado grados degree degrees"),
}


# Two words that are one unit, and the unit.
COMPOUND_UNITS = (
    (re.compile(r"\bmetros? cubicos?\b|\bcubic met(?:re|er)s?\b"), "m3"),
    (re.compile(r"\bmetros? cuadrados?\b|\bsquare met(?:re|er)s?\b"), "m2"),
)


def cardinals(names: str, *values: int) -> dict[str, int]:
    return dict(zip(names.split(), values, strict=True))


CARDINALS: dict[Language, dict[str, int]] = {
    "es": {
        **cardinals("un una uno", 1, 1, 1),
        **cardinals("dos tres cuatro cinco seis siete ocho nueve diez once", *range(2, 12)),
        **cardinals("doce trece catorce quince dieciseis diecisiete", *range(12, 18)),
        **cardinals("dieciocho diecinueve veinte veintiuno veintidos", *range(18, 23)),
        **cardinals("veintitres veinticuatro veinticinco veintiseis", *range(23, 27)),
        **cardinals("veintisiete veintiocho veintinueve treinta", *range(27, 31)),
        **cardinals("veintiun veintiuna", 21, 21),
        **cardinals("cuarenta cincuenta sesenta setenta ochenta noventa", *range(40, 91, 10)),
        **cardinals("cien ciento doscientos trescientos cuatrocientos", 100, 100, 200, 300, 400),
        **cardinals("quinientos seiscientos setecientos ochocientos", 500, 600, 700, 800),
        **cardinals("novecientos doscientas trescientas quinientas", 900, 200, 300, 500),
    },
    "en": {
        **cardinals("one two three four five six seven eight nine ten", *range(1, 11)),
        **cardinals("eleven twelve thirteen fourteen fifteen sixteen", *range(11, 17)),
        **cardinals("seventeen eighteen nineteen twenty", *range(17, 21)),
        **cardinals("thirty forty fifty sixty seventy eighty ninety", *range(30, 91, 10)),
    },
}
MULTIPLIERS: dict[Language, dict[str, int]] = {
    "es": {"mil": 1000, "millon": 10**6, "millones": 10**6, "docena": 12, "docenas": 12,
           "decena": 10, "decenas": 10},
    "en": {"hundred": 100, "thousand": 1000, "million": 10**6, "dozen": 12, "dozens": 12},
}  # fmt: skip
HALVES = {"medio": 0.5, "media": 0.5, "half": 0.5, "cuarto": 0.25, "quarter": 0.25}
QUARTERS = words("cuarto cuartos quarter quarters")
QUALIFIERS = frozenset(
    {"working", "business", "calendar", "full", "more"}
)  # of units: "working days"
NEED_A_UNIT = words("un una uno one")  # alone they are articles and pronouns

RANGE_WORDS = words("- – — a al to o u or hasta")

# What stands right before a number, or right behind it and its unit. Neighbours are joined by one
# blank each, signs too: a comma or a full stop between them ends what they tell.
BOUND_BEFORE = re.compile(
    r"(?:^| )(?:"
    r"(?P<at_most>(?:no|not) (?:mas|more|over|older) (?:de|than)|hasta|(?:un )?maximo(?: de)?"
    r"|max(?: \.)?|como (?:maximo|mucho)|up to|at most|(?:a )?maximum(?: of)?|within|<=|≤"
    r"|(?:capacidad|aforo)(?: (?:maxim[oa]|total))?(?: (?:de|para|hasta|:))?"
    r"|capacity(?: (?:of|for|:))?|caben|maxim[oa] :|max :|maximum :)"
    r"|(?P<at_least>(?:no|not) (?:menos|less|fewer) (?:de|than)|a partir de|desde|(?:al|por lo)"
    r" menos|(?:un )?minimo(?: de)?|min(?: \.)?|como minimo|from|at least|(?:a )?minimum(?: of)?"
    r"|starting (?:at|from)|>=|≥|\+|minim[oa] :|min :|minimum :)"
    r"|(?P<above>mas de|pasan? de|superan?"
    r"|(?:mayor|superior)(?:es)? (?:de|que|a)|(?:more|older|greater) than|over"
    r"|above|over -|>)"
    r"|(?P<below>menos de|(?:menor|inferior)(?:es)? (?:de|que|a)|(?:less|fewer|younger) than|under"
    r"|below|under -|<)"
    r")(?: (?:los|las|the|€|\$|£|unos|unas))?$"
)
BOUND_AFTER = re.compile(
    r"(?P<at_least>\+|(?:o|y|or|and) (?:mas|more|up|over|above|older|upwards|superior)\b"
    r"|en adelante\b|(?:como |de )?minimo\b|minimum\b|at least\b)"
    r"|(?P<at_most>(?:o|or) (?:menos|less|fewer|under|below|younger|inferior)\b"
    r"|(?:como |de )?maximo\b|como mucho\b|maximum\b|max\b|at most\b|tops\b)"
)
AGES_BEFORE = re.compile(
    r"(?:^| )(?:(?:mayor|menor)(?:es)? de|a partir de|(?:de|con) edad|edad(?: \w+)?(?: :)?|aged"
    r"|ages?(?: :)?|tiene|tienen|tengo|cumple|cumplir|older than|younger than"
    r"|(?:hij[oa]s?|niñ[oa]s?|bebes?|personas|gente|adultos|jovenes) (?:de|entre|desde|hasta)"
    r"|(?:son|daughter|child|kid|boy|girl|she|he) (?:is|s|who is)"
    r"|(?:children|kids|child|kid|boys|girls|people|adults) (?:from|between|under|over|of)"
    r")(?: (?:los|las))?$"
)
OLD_AFTER = re.compile(r"(?:- )?old\b|olds\b|de edad\b|cumplidos\b|of age\b")
PEOPLE_BEFORE = re.compile(
    r"(?:^| )(?:somos|seriamos|seremos|vamos|vamos a ser|iriamos|iremos|vendremos|vendriamos"
    r"|we are|we re|we ll be|we will be|there (?:are|will be)|(?:un )?grupos? de|groups? of"
    r"|part(?:y|ies) of|(?:mesa|mesas|cena|comida|menu|reserva|reservar|table|tables|dinner|lunch"
    r"|reservation|booking)(?: \w+)? (?:para|for|de))(?: (?:unos|unas|solo|about|around|only))?$"
)
PEOPLE_AFTER = re.compile(r"of us\b|en total\b(?! \d)|de nosotros\b")
CLOCK_BEFORE = re.compile(r"(?:^| )(?:las|la una|at|hasta las|desde las|till|until)$")
CLOCK_AFTER = re.compile(
    r"(?:am|pm|a \. m|p \. m|o clock|oclock|de la (?:mañana|tarde|noche|madrugada)"
    r"|in the (?:morning|afternoon|evening))\b"
)

MONTHS = words(
    "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre"
    " diciembre january february march april may june july august september october november"
    " december jan feb mar apr jun jul aug sep sept oct nov dec ene abr ago dic"
)
WEEKDAYS = words(
    "lunes martes miercoles jueves viernes sabado sabados domingo domingos monday tuesday"
    " wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays"
    " saturdays sundays"
)
