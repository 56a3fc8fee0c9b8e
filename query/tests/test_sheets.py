"""Questions about workbooks, from the file to the answer: what a sheet shows, and which of its
cells belong together."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from openpyxl import Workbook

from accounts.models import Tenant
from query.models import Outcome
from query.tests.factories import ask
from sources.models import Chunk
from sources.services.uploads import ingest_file

pytestmark = pytest.mark.django_db

Row = Sequence[Any]


def upload(
    tenant: Tenant,
    *rows: Row,
    formats: Mapping[str, str] | None = None,
    merged: Sequence[str] = (),
    title: str = "Tarifas",
) -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = title
    for row in rows:
        sheet.append(list(row))
    for cell, code in (formats or {}).items():
        sheet[cell].number_format = code
    for cells in merged:
        sheet.merge_cells(cells)
    buffer = io.BytesIO()
    workbook.save(buffer)
    name = f"{title.lower()}.xlsx"
    ingest_file(tenant, file=SimpleUploadedFile(name, buffer.getvalue()), filename=name)


def told(tenant: Tenant, question: str) -> str:
    answer = ask(tenant, question)
    assert answer.outcome == Outcome.ANSWERED
    return answer.text


COURSES: list[Row] = [
    ["Curso", "Precio", "Teléfono", "Empieza"],
    ["Iniciación al kayak", 0, 600_123_456, 46_447],
    ["Vela ligera", 119.996, 600_987_654, 46_478],
    ["Buceo nocturno", 250, 600_555_444, 46_508],
]
COURSE_FORMATS = {
    **{f"B{row}": '0.00 "€";-0.00 "€";"sin coste"' for row in (2, 3, 4)},
    **{f"C{row}": "000 000 000" for row in (2, 3, 4)},
    **{f"D{row}": "mmmm yyyy" for row in (2, 3, 4)},
}


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("¿Cuánto cuesta la iniciación al kayak?", "sin coste"),
        ("¿Cuánto cuesta la vela ligera?", "120 €"),
        ("¿Cuál es el teléfono del buceo nocturno?", "600 555 444"),
        ("¿Cuándo empieza la vela ligera?", "04/2027"),
        ("¿Cuál es el curso más caro?", "El más caro es Buceo nocturno: 250 €"),
        ("¿Cuál es el curso más barato?", "El más barato es Iniciación al kayak: sin coste"),
    ],
)
def test_values_are_answered_as_the_sheet_shows_them(tenant: Tenant, question: str, value: str):
    upload(tenant, *COURSES, formats=COURSE_FORMATS)
    assert value in told(tenant, question)


BIKES: list[Row] = [
    ["Bike", "Summer", None, "Winter", None, None, "Locker", "Height (cm)"],
    [None, "Day", "Week", "Day", "Week", None, "L1", 120],
    ["Children's bikes", None, None, None, None, None, "L2", 95],
    ["Robin 16", 9, 40, 6, 28, None, "L5", 180],
    ["Robin 20", 11, 49, 8, 35],
    ["Mountain bikes"],
    ["Kestrel", 24, 110, 17, 80],
    ["Falcon", 31, 140, None, None],
]


def upload_bikes(tenant: Tenant) -> None:
    formats = {f"{column}{row}": '0 "€"' for column in "BCDE" for row in range(3, 9)}
    merged = ("A1:A2", "B1:C1", "D1:E1", "A3:E3", "A6:E6")
    upload(tenant, *BIKES, formats=formats, merged=merged, title="Rates")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How much is the Robin 20 for a day in winter?", "8"),
        ("How much is the Kestrel for a week in summer?", "110"),
        ("How high is locker L5?", "180"),
        ("Which is the cheapest mountain bike for a day in summer?", "Kestrel"),
        ("How many children's bikes do you have?", "2: Robin 16 and Robin 20"),
    ],
)
def test_rows_are_answered_under_their_headers_and_labels(
    tenant: Tenant, question: str, value: str
):
    upload_bikes(tenant)
    assert value in told(tenant, question)


ROOMS: list[Row] = [
    ["Sala", "Precio", "Aforo", None, "Monitora", "Edad"],
    ["Sala Brisa", 40, 12, None, "Nerea", 31],
    ["Sala Marea", 55, 20, None, "Irune", 45],
]
ROUTES: list[Row] = [
    ["Ruta", "Distancia (km)", None, None, None],
    ["Ruta del Faro", 12, None, "Refugio", "Camas"],
    ["Ruta del Molino", 7, None, "Refugio Alto", 14],
    [None, None, None, "Refugio Viejo", 22],
    [None, None, None, "Refugio del Río", 9],
]


@pytest.mark.parametrize(
    ("rows", "question", "subject", "foreign"),
    [
        (BIKES, "Which locker does the Robin 16 have?", "Robin 16", ("L1", "L2", "L5")),
        (ROOMS, "¿Qué monitora tiene la Sala Marea?", "Sala Marea", ("Nerea", "Irune")),
        (ROUTES, "¿Qué refugio tiene la Ruta del Molino?", "Molino", ("Alto", "Viejo", "Río")),
    ],
)
def test_what_stands_beside_a_row_by_chance_is_not_told_of_it(
    tenant: Tenant, rows: Sequence[Row], question: str, subject: str, foreign: Sequence[str]
):
    if rows is BIKES:
        upload_bikes(tenant)
    else:
        upload(tenant, *rows)
    texts = Chunk.objects.for_tenant(tenant).filter(text__contains=subject)
    answer = ask(tenant, question)
    assert [each.text for each in texts]
    assert not any(name in each.text for each in texts for name in foreign)
    assert answer.outcome != Outcome.ANSWERED or not any(name in answer.text for name in foreign)
