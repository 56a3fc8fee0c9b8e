"""Numbers with units, as people and price lists write them."""

import math
import random
from functools import partial

import pytest

from language.quantities import Quantity, read_quantities, satisfies
from language.tests.processor_time import processor_seconds

INFINITE = math.inf


def above(value: float) -> float:
    return math.nextafter(value, INFINITE)


def below(value: float) -> float:
    return math.nextafter(value, 0.0)


def read(text, language="es"):
    return [(one.low, one.high, one.unit) for one in read_quantities(text, language)]


# --- Ranges and bounds ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("es", "de 10 a 15 personas", (10, 15, "person")),
        ("es", "10-15 pax", (10, 15, "person")),
        ("es", "entre 2 y 4", (2, 4, "")),
        ("en", "between two and four weeks", (14, 28, "day")),
        ("es", "2 o 3 personas", (2, 3, "person")),
        ("es", "de 5 kg a 10 kg", (5, 10, "kg")),
        ("es", "de los 6 a los 12 años", (6, 12, "year")),
        ("es", "de 6 meses a 2 años", (6, 24, "month")),
        ("en", "5-10 working days", (5, 10, "day")),
        ("es", "en 24 a 48 h", (24, 48, "hour")),
        ("es", "más de 30", (above(30), INFINITE, "")),
        ("es", "15+", (15, INFINITE, "")),
        ("en", "from 20", (20, INFINITE, "")),
        ("en", "at least ten people", (10, INFINITE, "person")),
        ("es", "a partir de 6 años", (6, INFINITE, "age")),
        ("es", "mínimo 10 uds", (10, INFINITE, "piece")),
        ("es", "5 kg o más", (5, INFINITE, "kg")),
        ("es", "hasta 5 kg", (0, 5, "kg")),
        ("en", "no more than 5 kg", (0, 5, "kg")),
        ("es", "8 personas como máximo", (0, 8, "person")),
        ("es", "capacidad: 20 personas", (0, 20, "person")),
        ("es", "menos de 24 h", (0, below(24), "hour")),
        ("es", "≥ 30 kg", (30, INFINITE, "kg")),
        ("en", "< 3 miles", (0, below(3 * 1.609344), "km")),
    ],
)
def test_a_range_has_its_bounds(language, text, found):
    assert read(text, language) == [found]


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("es", "menores de 12", (0, below(12), "age")),
        ("es", "Edad mínima: 6", (6, INFINITE, "age")),
        ("es", "niños de 3 a 6", (3, 6, "age")),
        ("es", "mi hijo tiene 7 años", (7, 7, "age")),
        ("en", "under 12s go free", (0, below(12), "age")),
        ("en", "children under 12", (0, below(12), "age")),
        ("en", "a 7-year-old boy", (7, 7, "age")),
        ("en", "my son is seven", (7, 7, "age")),
        ("en", "ages 6 to 12", (6, 12, "age")),
        ("es", "somos doce", (12, 12, "person")),
        ("es", "mesa para 4", (4, 4, "person")),
        ("en", "a party of six", (6, 6, "person")),
        ("en", "there are 8 of us", (8, 8, "person")),
        ("en", "we're twenty-five", (25, 25, "person")),
        ("en", "we may be 12 people", (12, 12, "person")),
    ],
)
def test_ages_and_numbers_of_people_need_no_unit(language, text, found):
    assert read(text, language) == [found]


# --- Numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text", "value", "unit"),
    [
        ("es", "1.200,50 €", 1200.5, "eur"),
        ("en", "1.200,50 €", 1200.5, "eur"),
        ("en", "€1,200.50", 1200.5, "eur"),
        ("es", "1,200.50 €", 1200.5, "eur"),
        ("es", "1.200 kg", 1200, "kg"),
        ("en", "1,200 kg", 1200, "kg"),
        ("en", "1.200 kg", 1.2, "kg"),
        ("es", "1.234.567 €", 1_234_567, "eur"),
        ("en", "1.234.567 €", 1_234_567, "eur"),
        ("es", "1\u202f500 €", 1500, "eur"),
        ("es", "0.250 kg", 0.25, "kg"),
        ("es", "12.5 €", 12.5, "eur"),
        ("es", "3,5kg", 3.5, "kg"),
        ("es", "treinta y cinco euros", 35, "eur"),
        ("es", "dos mil quinientos euros", 2500, "eur"),
        ("en", "two hundred and fifty people", 250, "person"),
        ("en", "20k people", 20_000, "person"),
        ("es", "media docena de personas", 6, "person"),
        ("es", "una persona", 1, "person"),
        ("es", "medio kilo", 0.5, "kg"),
        ("es", "hora y media", 1.5, "hour"),
        ("es", "dos horas y media", 2.5, "hour"),
        ("en", "two and a half hours", 2.5, "hour"),
        ("en", "half an hour", 0.5, "hour"),
        ("es", "tres cuartos de hora", 0.75, "hour"),
        ("es", "2½ kg", 2.5, "kg"),
        ("es", "1/2 kg", 0.5, "kg"),
        ("es", "12 h", 12, "hour"),
        ("es", "30 min", 0.5, "hour"),
        ("es", "45 m²", 45, "m2"),
        ("es", "30 metros cúbicos", 30, "m3"),
        ("es", "300 litros", 0.3, "m3"),
        ("es", "20 %", 20, "percent"),
        ("es", "10 por ciento", 10, "percent"),
        ("es", "24 ºC", 24, "degree"),
        ("en", "eleven nights", 11, "night"),
    ],
)
def test_a_number_is_read_as_its_language_writes_it(language, text, value, unit):
    assert read(text, language) == [(value, value, unit)]


def test_a_row_tells_units_in_its_columns_names():
    text = "Personas: 10-15; Precio (EUR): 12.5; Peso (g): 250; Alto: 5-10 cm"
    assert read(text) == [
        (10, 15, "person"),
        (12.5, 12.5, "eur"),
        (0.25, 0.25, "kg"),
        (5 / 100_000, 10 / 100_000, "km"),
    ]


def test_one_length_is_one_number_in_whatever_unit():
    assert read("150 cm") == read("1,5 m") == read("1500 mm")


# --- What is none ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "a las 12:30, el 12/05/2026, el 2026-05-12"),
        ("es", "Lunes a viernes: 8:30 a 20:00"),
        ("es", "abrimos de 9 a 14 h"),
        ("es", "el viernes de 10 a 14"),
        ("es", "a las 5 de la tarde, hasta las 20 h"),
        ("en", "at 5 pm, at eight, 9am"),
        ("es", "el 5 de mayo y del 1 al 15 de agosto"),
        ("en", "on May 5th, 3 January 2026"),
        ("es", "en 2024 y desde 1998"),
        ("es", "Ref. VP-2159, modelo A4, tablón 4x4, 3ª planta, abierto 24/7"),
        ("es", "llama al 612345678 o al 612 345 678"),
        ("es", "es uno de los mejores, una ganga"),
        ("en", "which one is it, and once a week"),
        ("es", "¿tenéis wifi?"),
    ],
)
def test_times_dates_codes_and_pronouns_are_no_quantities(language, text):
    assert read(text, language) == []


# --- Does the offer fit? --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "offered", "fits"),
    [
        ("somos doce", "de 10 a 15 personas", True),
        ("somos doce", "de 4 a 9 personas", False),
        ("somos 30", "más de 30 personas", False),
        ("somos 31", "más de 30 personas", True),
        ("mi hija tiene 6 años", "a partir de 6 años", True),
        ("mi hija tiene 12 años", "menores de 12", False),
        ("18 meses", "a partir de 1 año", True),
        ("2 días", "en 24 a 48 h", True),
        ("hasta 50 €", "45 €", True),
        ("hasta 50 €", "55 €", False),
        ("5 kg", "10 kg", False),
        ("5 kg", "de 10 a 15 personas", None),
        ("de 8 a 12 personas", "de 10 a 15 personas", None),
        ("3", "4", None),
        ("3", "3", None),
        ("12", "10-15", True),
        ("12", "de 10 a 15 personas", None),
    ],
)
def test_what_is_asked_lies_in_what_is_offered_or_it_does_not(asked, offered, fits):
    (one,), (other,) = read_quantities(asked, "es"), read_quantities(offered, "es")
    assert satisfies(one, other) is fits


def test_a_quantity_satisfies_itself():
    assert satisfies(Quantity(5, 5, "kg"), Quantity(5, 5, "kg")) is True


# --- Time -----------------------------------------------------------------------------------------

PIECES = (
    "1 ", "1-", "0/0", "12:", "€", "y media ", "dos ", "dos mil ", "cien y ", "and a half ", "de ",
    "las ", "10 de ", "1,0", "1.", "1.200.", "x1", "-", "(", ":", "maximo ", "5 kg ", "entre ", "½",
    "m2 ", "12s ", "k", "9", "٣", "²", "ﬃ", "\n", "medio ", "millon ", "metros cubicos ",
)  # fmt: skip


def test_ten_thousand_characters_of_anything_are_read_at_once():
    chance = random.Random(7)  # noqa: S311 - no secret
    texts = [piece * (10_000 // len(piece)) for piece in PIECES]
    for _ in range(60):
        some = chance.sample(PIECES, 4)
        texts.append("".join(chance.choice(some) for _ in range(10_000))[:10_000])
    for number, text in enumerate(texts):
        read = partial(read_quantities, text, "es" if number % 2 else "en")
        assert all(0 <= one.low <= one.high for one in read()), text[:40]
        assert processor_seconds(read) < 0.15, text[:40]
