"""Opening hours: the line of the day that is asked about, or the whole list; never a part of it
that reads as the whole."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from accounts.models import Tenant
from query.models import Outcome
from query.tests.factories import ask, index_texts, judging_by
from reading.passages import ChunkLevel

LISTA = "- Lunes: cerrado\n- Martes a jueves: de 9:30 a 18:00\n- Viernes y sábado: de 8:00 a 22:00"
SENTENCES = (
    "Monday: closed. Tuesday: closed. Wednesday: 12:00 to 20:00. Thursday: 12:00 to 20:00."
    " Friday: 12:00 to 23:00. Saturday: 10:00 to 23:00. Sunday: closed."
)
TABLE = (
    "Day: Mon-Fri; Hours: 10:00-22:00\nDay: Saturday; Hours: 9:00-20:00\nDay: Sunday; Hours: closed"
)
PDF = "Lunes - Viernes 8:00 - 15:00\nSábados 9:00 - 13:00\nDomingos y festivos cerrado"
LINES = "Monday to Friday\n9:00 – 13:00\n16:00 – 20:00\nSaturdays\n10:00 – 14:00\nSundays\nClosed"
FINDE = "L-V: 9:00-14:00 y 17:00-20:00.\nSáb: 10:00-14:00.\nDom y festivos: cerrado."


@pytest.fixture
def wednesday(monkeypatch: pytest.MonkeyPatch) -> None:
    """25 November 2026."""
    moment = datetime(2026, 11, 25, 10, tzinfo=UTC)
    monkeypatch.setattr("django.utils.timezone.now", lambda: moment)


@pytest.mark.usefixtures("wednesday")
@pytest.mark.parametrize(
    ("text", "heading", "question", "told"),
    [
        (LISTA, "Horario", "¿abrís el lunes?", "Lunes: cerrado"),
        (
            LISTA,
            "Horario del taller Brea",
            "¿a qué hora cerráis los miércoles?",
            "Martes a jueves: de 9:30 a 18:00",
        ),
        (LISTA, "Horario", "¿abrís hoy?", "Martes a jueves: de 9:30 a 18:00"),
        (
            SENTENCES,
            "Opening hours",
            "Are you open on Sundays?",
            "Sunday: closed.",
        ),
        (
            SENTENCES,
            "Opening hours",
            "are you open today?",
            "Wednesday: 12:00 to 20:00.",
        ),
        (
            SENTENCES,
            "Opening hours",
            "open tomorrow?",
            "Thursday: 12:00 to 20:00.",
        ),
        (TABLE, "Opening hours", "Are you open on Wednesday?", "Mon-Fri: 10:00-22:00."),
        (TABLE, "Opening hours", "are you open on Sunday?", "Sunday: closed."),
        (PDF, "Horario", "¿abrís los jueves?", "Lunes - Viernes 8:00 - 15:00"),
        (
            PDF,
            "Horario",
            "¿qué horario tenéis el domingo?",
            "Domingos y festivos cerrado",
        ),
        (
            LINES,
            "Opening hours",
            "are you open on Tuesday?",
            "Monday to Friday\n9:00 – 13:00\n16:00 – 20:00",
        ),
        (LINES, "Opening hours", "are you open on Sunday?", "Sundays\nClosed"),
        (FINDE, "Horario", "¿abrís el finde?", "Sáb: 10:00-14:00. Dom y festivos: cerrado."),
        (FINDE, "Horario", "¿abrís mañana?", "L-V: 9:00-14:00 y 17:00-20:00."),
    ],
)
def test_the_line_of_the_day_is_told_alone(
    tenant: Tenant, text: str, heading: str, question: str, told: str
) -> None:
    index_texts(tenant, text, section_title=heading, level=ChunkLevel.SECTION)

    answer = ask(tenant, question)

    assert (answer.outcome, answer.text) == (Outcome.ANSWERED, f"{told} [1]")


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        (LISTA, "¿cuál es vuestro horario?", LISTA),
        (SENTENCES, "what are your opening hours?", SENTENCES),
        (PDF, "¿a qué hora abrís?", PDF),
        (SENTENCES, "when are you open?", SENTENCES),
        (LISTA, "¿abrís los domingos?", LISTA),  # no line tells of them
    ],
)
def test_the_whole_list_is_told_where_no_line_is_that_of_the_day(
    tenant: Tenant, text: str, question: str, told: str
) -> None:
    index_texts(tenant, text, section_title="Horario, opening hours", level=ChunkLevel.SECTION)

    assert ask(tenant, question).text == f"{told} [1]"


SEASONS = (
    ("Summer opening hours", TABLE),
    ("Winter opening hours", TABLE.replace("closed", "10:00-16:00")),
)
SHOPS = (
    "- Lunes a viernes: 9:00-14:00\n- Sábado: cerrado",
    "- Lunes a sábado: 10:00-21:00\n- Domingo: cerrado",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "what time do you open on Sunday?",
            {
                "Summer opening hours:\nSunday: closed.",
                "Winter opening hours:\nSunday: 10:00-16:00.",
            },
        ),
        ("are you open on Sunday in winter?", {"Sunday: 10:00-16:00."}),
    ],
)
def test_of_two_lists_each_is_told_under_its_heading_or_the_one_that_is_meant(
    tenant: Tenant, question: str, told: set[str]
) -> None:
    for heading, text in SEASONS:
        index_texts(
            tenant, text, name="hours.html", section_title=heading, level=ChunkLevel.SECTION
        )

    answer = ask(tenant, question)

    assert answer.outcome == Outcome.ANSWERED
    assert {part.strip() for part in answer.text.replace("[2]", "[1]").split("[1]")} == {*told, ""}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("¿a qué hora abrís los sábados en julio?", "Sábados: 10:00-22:00"),
        ("what time do you close on Saturday in January?", "Sábados: cerrado"),
    ],
)
def test_of_two_seasons_the_one_of_the_month_is_told(
    tenant: Tenant, question: str, told: str
) -> None:
    for heading, hours in (
        ("Verano (junio a septiembre)", "10:00-22:00"),
        ("Invierno (octubre a mayo)", "cerrado"),
    ):
        text = f"- Lunes a viernes: 9:00-20:00\n- Sábados: {hours}"
        index_texts(tenant, text, name="horario.md", section_title=f"Horario > {heading}")

    answer = ask(tenant, question)

    assert (answer.outcome, answer.text.partition(" [")[0]) == (Outcome.ANSWERED, told)


def test_lists_under_lines_of_one_passage_are_told_apart(tenant: Tenant) -> None:
    index_texts(
        tenant,
        f"Tienda de la plaza:\n{SHOPS[0]}\nTienda del puerto:\n{SHOPS[1]}",
        name="horario.txt",
    )

    assert ask(tenant, "¿abrís el sábado?").text == (
        "Tienda de la plaza:\nSábado: cerrado\nTienda del puerto:\nLunes a sábado: 10:00-21:00 [1]"
    )
    assert ask(tenant, "¿abre el sábado la tienda del puerto?").text.startswith("Lunes a sábado")


@pytest.mark.usefixtures("wednesday")
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("¿abrís el miércoles?", "Miércoles: abre 7:15; cierra 21:45."),
        ("¿abrís hoy?", "Miércoles: abre 7:15; cierra 21:45."),
    ],
)
def test_of_a_sheet_the_row_of_the_day_is_told(tenant: Tenant, question: str, told: str) -> None:
    days = ("Lunes", "Martes", "Miércoles", "Jueves", "Viernes")
    rows = [
        f"Día: {day}; Abre: 7:{n}5; Cierra: 21:{n + 3}5" for n, day in enumerate(days, -1) if n >= 0
    ]
    index_texts(
        tenant,
        "Día: Lunes; Abre: 8:00; Cierra: 21:00",
        *rows,
        name="gimnasio.csv",
        level=ChunkLevel.ROW,
    )

    assert ask(tenant, question).text.partition(" [")[0] == told


@pytest.mark.parametrize("question", ["¿cuál es el horario?", "¿a qué hora abrís?", "horario"])
def test_of_a_sheet_all_rows_are_told_where_no_day_is_asked_about(
    tenant: Tenant, question: str
) -> None:
    days = ("Lunes", "Martes", "Miércoles", "Jueves", "Viernes", "Sábado")
    rows = [f"Día: {day}; Abre: {n}:00; Cierra: 21:00" for n, day in enumerate(days, 6)]
    index_texts(
        tenant, *rows, "Día: Domingo; Abre: cerrado", name="gimnasio.csv", level=ChunkLevel.ROW
    )

    answer = ask(tenant, question)

    assert answer.outcome == Outcome.ANSWERED
    lines = [f"{day}: abre {n}:00; cierra 21:00." for n, day in enumerate(days, 6)]
    assert answer.text.rpartition(" [")[0].startswith("\n".join([*lines, "Domingo: "]))


def test_rows_of_one_sheet_need_no_heading(tenant: Tenant) -> None:
    rows = (
        "Oficina: Centro; Días: Lunes a viernes; Horario: 9:00-14:00",
        "Oficina: Centro; Días: Sábado; Horario: cerrado",
        "Oficina: Norte; Días: Lunes a jueves; Horario: 8:00-15:00",
        "Oficina: Norte; Días: Viernes; Horario: 8:00-14:00",
    )
    index_texts(tenant, *rows, name="oficinas.csv", level=ChunkLevel.ROW)

    answer = ask(tenant, "¿abrís el viernes?")

    assert set(re.sub(r" \[\d\]", "", answer.text).splitlines()) == {
        "Centro, Lunes a viernes: 9:00-14:00.",
        "Norte, Viernes: 8:00-14:00.",
    }


def test_of_a_row_with_a_column_for_each_day_that_of_the_day_is_told(tenant: Tenant) -> None:
    rows = (
        f"Tienda: {name}; Calle: Real {n}; Lunes a jueves: 9:00-1{n}:00; Viernes: 9:00-20:00;"
        " Sábado: cerrado"
        for n, name in enumerate(("Centro", "Puerto"), 3)
    )
    index_texts(tenant, *rows, name="tiendas.csv", level=ChunkLevel.ROW)

    answer = ask(tenant, "¿abre la tienda Puerto el miércoles?")

    assert answer.text == "Puerto: Lunes a jueves 9:00-14:00. [1]"


def test_what_is_left_out_of_a_list_is_marked(tenant: Tenant) -> None:
    text = (
        "For the beach picnic bring a towel:\n- a towel for the beach picnic"
        "\n- sandals and a hat with a brim"
        "\n- water, two litres for each of you, and nothing that has to be kept cold on the way"
        "\n- a rug for the beach picnic"
    )
    index_texts(tenant, text)
    with judging_by(sentences={"coverage": 10.0}, certainty={"bias": 1.0}):
        answer = ask(tenant, "beach picnic towel rug")
    assert "\n…\n- a rug" in answer.text


def test_a_list_in_the_question_s_language_is_told_without_its_translation(tenant: Tenant) -> None:
    index_texts(tenant, "- Lunes: cerrado\n- Martes a domingo: 9:00-14:00", section_title="Horario")
    index_texts(tenant, "- Monday: closed\n- Tuesday to Sunday: 9:00-14:00", section_title="Hours")

    assert ask(tenant, "¿abrís los lunes?").text.partition(" [")[0] == "Lunes: cerrado"
    assert ask(tenant, "are you open on Mondays?").text.partition(" [")[0] == "Monday: closed"


def test_a_question_of_something_else_is_not_answered_with_hours(tenant: Tenant) -> None:
    index_texts(
        tenant, LISTA, "La revisión de una bicicleta cuesta 38 euros.", section_title="Taller Brea"
    )

    assert "38 euros" in ask(tenant, "¿cuánto cuesta la revisión de una bicicleta el lunes?").text
