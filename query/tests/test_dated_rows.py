"""Dates in questions meet dates in rows and sentences, in whatever form each is written."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from accounts.models import Tenant
from query.answers import Answer
from query.models import Outcome
from query.tests.factories import ask, index_texts
from reading.passages import ChunkLevel

# As the readers write a sheet, a page's table in one passage, items of a connector
TALLERES = (
    "Taller: Velas de cera; Fecha: 2027-03-04; Plazas: 8; Precio: 45 €",
    "Taller: Cestería; Fecha: 2027-04-03; Plazas: 6; Precio: 60 €",
    "Taller: Grabado; Fecha: 2027-05-21; Plazas: 10; Precio: 38 €",
    "Taller: Telares; Fecha: 2027-06-12; Plazas: 12; Precio: 25 €",
)
COURSES = (
    "Course: Dinghy basics; Start date: 04/03/2027; Price: £120\n"
    "Course: Charts; Start date: 25/03/2027; Price: £150\n"
    "Course: Radio licence; Start date: 03/04/2027; Price: £90"
)
AMERICAN = (
    "Event: Spring concert; Date: 03/04/2027; Room: Hall A",
    "Event: Book fair; Date: 04/03/2027; Room: Hall B",
    "Event: Craft market; Date: 05/21/2027; Room: Yard",
)
VIAJES = (
    "Viaje: Picos; Salida: 2 mar 2027; Vuelta: 6 mar 2027; Precio: 310 €\n"
    "Viaje: Somiedo; Salida: lunes, 12 de abril de 2027; Vuelta: 16 de abril de 2027;"
    " Precio: 280 €\n"
    "Viaje: Ancares; Salida: 3.5.27; Vuelta: 9.5.27; Precio: 350 €"
)
PROSE = (
    "The net-mending workshop is on 4 March 2027 in the boathouse.",
    "The open day of the harbour is on 3 April 2027, from 10:00 to 14:00.",
    "The crane is inspected every two years by an outside firm.",
)
ITEMS = (
    "title: Noche de gaitas\nstarts_at: 2027-03-04T20:30:00\nplace: Sala Norte",
    "title: Feria del queso\nstarts_at: 2027-04-03T10:00:00Z\nplace: Plaza Mayor",
)


VELAS = "Velas de cera: fecha 4 mar 2027; 8 plazas; 45 €."
BEFORE_APRIL = "Son 2: Velas de cera (4 mar 2027) y Cestería (3 abr 2027)."
FROM_MAY = "Son 2: Grabado (21 may 2027) y Telares (12 jun 2027)."
SOMIEDO = "Somiedo: salida: lunes, 12 de abril de 2027; vuelta 16 de abril de 2027; 280 €."
GAITAS = "title: Noche de gaitas\nstarts_at: 4 mar 2027, 20:30\nplace: Sala Norte"
QUESO = "title: Feria del queso\nstarts_at: 3 Apr 2027, 10:00 UTC\nplace: Plaza Mayor"
LATER = "There are 2: Charts (25 Mar 2027) and Radio licence (3 Apr 2027)."
MARCHA = "¿cuánto cuesta la inscripción de la marcha del 9 de mayo?"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, 2026, 11, 28)


def set_clock(monkeypatch: pytest.MonkeyPatch, year: int, month: int, day: int) -> None:
    moment = datetime(year, month, day, 11, tzinfo=UTC)
    monkeypatch.setattr("django.utils.timezone.now", lambda: moment)


def told(answer: Answer) -> str:
    """The text without its marks, of an answer that is none of the closest."""
    assert answer.outcome == Outcome.ANSWERED
    return answer.text.partition(" [")[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("¿qué taller hay el 4 de marzo de 2027?", VELAS),
        ("¿qué hay el 4/3/2027?", VELAS),
        ("taller del jueves 4 de marzo", VELAS),
        ("What workshop is on April 3rd?", "Cestería: fecha 3 Apr 2027; 6 plazas; 60 €."),
        ("what is on 21.5.27?", "Grabado: fecha 21 May 2027; 10 plazas; 38 €."),
        ("¿cuánto cuesta el taller del 3 de abril?", "Cestería: 60 €."),
        ("¿qué talleres hay en mayo?", "Grabado: fecha 21 may 2027; 10 plazas; 38 €."),
        ("¿qué talleres hay antes del 15 de abril?", BEFORE_APRIL),
        ("¿qué talleres hay después del 3 de abril de 2027?", FROM_MAY),
        (
            "which workshops are from 21 May 2027 on?",
            "There are 2: Grabado (21 May 2027) and Telares (12 Jun 2027).",
        ),
        ("el taller más barato hasta el 21 de mayo", "El más barato es Grabado: 38 €."),
        (
            "¿cuántos talleres hay antes de junio de 2027?",
            "Son 3: Velas de cera, Cestería y Grabado.",
        ),
    ],
)
def test_rows_of_a_sheet_are_chosen_by_their_date(
    tenant: Tenant, question: str, answer: str
) -> None:
    index_texts(tenant, *TALLERES, name="talleres.csv", level=ChunkLevel.ROW)

    assert told(ask(tenant, question)) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which course starts on 4 March 2027?", "Dinghy basics: start date 4 Mar 2027; £120."),
        ("which course starts on 4/3/2027?", "Dinghy basics: start date 4 Mar 2027; £120."),
        ("¿qué curso empieza el 3 de abril?", "Radio licence: start date 3 abr 2027; £90."),
        ("how much is the course on April 3rd?", "Radio licence: £90."),
        ("courses starting after 20 March", LATER),
        ("any course between 1 April and 30 April?", "Radio licence: start date 3 Apr 2027; £90."),
    ],
)
def test_rows_of_a_page_are_chosen_by_a_date_whose_order_its_column_tells(
    tenant: Tenant, question: str, answer: str
) -> None:
    index_texts(
        tenant, COURSES, name="courses.html", section_title="Courses", level=ChunkLevel.SECTION
    )

    assert told(ask(tenant, question)) == answer


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("what's on April 3, 2027?", "Book fair"),
        ("What is on March 4th?", "Spring concert"),
        ("Which event is on 4/3/2027?", "Book fair"),
        ("¿qué hay el 4/3/2027?", "Spring concert"),
    ],
)
def test_a_column_may_have_the_month_first(tenant: Tenant, question: str, name: str) -> None:
    index_texts(tenant, *AMERICAN, name="events.csv", level=ChunkLevel.ROW)

    assert told(ask(tenant, question)).startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("¿qué viaje sale el 12/4/2027?", SOMIEDO),
        ("¿cuánto cuesta el viaje que sale el 2 de marzo?", "Picos: 310 €."),
        ("¿qué viaje sale el 3 de mayo?", "Ancares: salida 3.5.27; vuelta 9.5.27; 350 €."),
    ],
)
def test_a_column_may_hold_dates_in_several_forms(
    tenant: Tenant, question: str, answer: str
) -> None:
    index_texts(
        tenant, VIAJES, name="viajes.docx", section_title="Viajes", level=ChunkLevel.SECTION
    )

    assert told(ask(tenant, question)) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What happens on 4/3/2027?", PROSE[0]),
        ("what is on 2027-04-03?", PROSE[1]),
        ("¿qué hay el 3 de abril?", PROSE[1]),
        ("is there anything on the 4th of March?", PROSE[0]),
    ],
)
def test_a_sentence_of_the_day_is_found_and_told(
    tenant: Tenant, question: str, answer: str
) -> None:
    index_texts(tenant, *PROSE)

    assert told(ask(tenant, question)) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("¿qué hay el 4 de marzo de 2027?", GAITAS),
        ("what's on 3 April 2027?", QUESO),
    ],
)
def test_an_item_of_the_day_is_told_whole_with_its_time(
    tenant: Tenant, question: str, answer: str
) -> None:
    for number, item in enumerate(ITEMS):
        index_texts(tenant, item, name=f"item-{number}.json", level=ChunkLevel.SECTION)

    assert told(ask(tenant, question)) == answer


def test_all_items_of_the_day_are_told(tenant: Tenant) -> None:
    for number, item in enumerate((*ITEMS, ITEMS[0].replace("Noche de gaitas", "Cine mudo"))):
        index_texts(tenant, item, name=f"item-{number}.json", level=ChunkLevel.SECTION)

    answer = ask(tenant, "¿qué hay el 4 de marzo de 2027?")

    assert answer.outcome == Outcome.ANSWERED
    assert {"Noche de gaitas", "Cine mudo"} == set(re.findall(r"title: ([^\n]+)", answer.text))


def test_all_rows_of_the_day_are_told_of_several_documents(tenant: Tenant) -> None:
    for number, row in enumerate((*TALLERES, TALLERES[0].replace("Velas de cera", "Jabones"))):
        index_texts(tenant, row, name=f"taller-{number}.csv", level=ChunkLevel.ROW)

    answer = ask(tenant, "¿qué taller hay el 4 de marzo de 2027?")

    assert answer.outcome == Outcome.ANSWERED
    assert {line.partition(": ")[0] for line in answer.text.splitlines()} == {
        "Velas de cera",
        "Jabones",
    }


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what course starts tomorrow?", "Dinghy basics: start date 4 Mar 2027; £120."),
        ("¿qué curso empieza mañana?", "Dinghy basics: start date 4 mar 2027; £120."),
    ],
)
def test_tomorrow_is_a_date_where_a_source_holds_it(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, question: str, answer: str
) -> None:
    set_clock(monkeypatch, 2027, 3, 3)
    index_texts(
        tenant, COURSES, name="courses.html", section_title="Courses", level=ChunkLevel.SECTION
    )

    assert told(ask(tenant, question)) == answer


def test_of_several_years_the_next_is_meant(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        f"Marcha: Edición {year}; Día: {year}-05-09; Inscripción: {year - 2015} €"
        for year in range(2025, 2029)
    ]
    index_texts(tenant, *rows, name="marcha.csv", level=ChunkLevel.ROW)

    assert told(ask(tenant, MARCHA)).endswith("12 €.")
    set_clock(monkeypatch, 2030, 1, 1)
    assert told(ask(tenant, MARCHA)).endswith("13 €.")


def test_a_day_between_two_columns_of_dates_is_within(tenant: Tenant) -> None:
    rows = (
        "Exposición: Mapas; Desde: 2027-01-10; Hasta: 2027-02-28",
        "Exposición: Faros; Desde: 2027-03-01; Hasta: 2027-04-30",
    )
    index_texts(tenant, *rows, name="exposiciones.ods", level=ChunkLevel.ROW)

    assert told(ask(tenant, "¿qué exposición hay el 20 de marzo?")).startswith("Faros: ")


@pytest.mark.parametrize(
    "question",
    [
        "¿hay guardería el 4 de marzo de 2027?",
        "¿qué tiempo hará el 4 de marzo?",
        "¿hay taller el 5 de marzo de 2027?",
        "who was born on 4 March 2027?",
    ],
)
def test_a_date_alone_answers_no_other_question(tenant: Tenant, question: str) -> None:
    index_texts(tenant, *TALLERES, name="talleres.csv", level=ChunkLevel.ROW)

    assert ask(tenant, question).outcome != Outcome.ANSWERED
