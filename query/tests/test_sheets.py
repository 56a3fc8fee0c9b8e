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
