"""What was not read of a file is told from its upload on to the status and the history, and of a
file that was read whole, nothing is told.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from openpyxl import Workbook
from rest_framework.test import APIClient

from accounts.models import Tenant
from reading.tests import office_files
from reading.tests.container_files import make_eml
from reading.tests.old_office_files import FILES, container, make_ppt, text, text_box
from reading.tests.open_documents import make_odf, row, table
from reading.tests.sample_files import (
    SPANISH,
    make_csv,
    make_docx,
    make_html,
    make_markdown,
    make_pdf,
    make_pptx,
    make_txt,
    make_xlsx,
)
from sources.models import Source

DEMO_FILES = Path(__file__).parents[2] / "demo" / "files"
SEALED = b"-----BEGIN PGP MESSAGE-----\n\nhQ\n-----END PGP MESSAGE-----\n"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_worker")]


def hidden_sheet() -> bytes:
    workbook = Workbook()
    workbook.create_sheet("Oculta").sheet_state = "hidden"
    workbook.worksheets[0].append(["Modelo", "Xaloc"])
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def embedded_workbook() -> bytes:
    return office_files.make_docx(office_files.paragraph("Año"), package="")


def embedded_object() -> bytes:
    shapes = text_box(text("Año", 4))
    return make_ppt([(b"", shapes)], objects=container(0x0FCC))


def wide_sheet() -> bytes:
    far = '<table:table-cell table:number-columns-repeated="5000"/>'
    return make_odf("spreadsheet", table(row("a", far, "b"), row("c", "d")))


@pytest.mark.parametrize(
    ("filename", "make", "told"),
    [
        ("a.xlsx", hidden_sheet, "Hidden sheets were left out: Oculta."),
        ("a.ods", wide_sheet, "Cells beyond column 2,000 were left out (1) in these sheets:"),
        ("a.docx", embedded_workbook, "Embedded objects (such as workbooks) were not read (1)."),
        ("a.ppt", embedded_object, "Embedded objects (such as workbooks) were not read (1)."),
        (
            "b.xls",
            (FILES / "book.xls").read_bytes,
            "Hidden sheets were left out: Oculta.",
        ),
        ("b.ppt", (FILES / "deck.ppt").read_bytes, "Hidden slides were left out: 3."),
        ("a.html", lambda: b"<p>A<p hidden>" + b"Nobody sees. " * 9, "Hidden parts of this page"),
        (
            "a.eml",
            lambda: make_eml("Hola", attached={"a.asc": SEALED}),
            "Part of this message was not read: it is encrypted",
        ),
    ],
)
def test_what_was_not_read_is_told_in_status_and_history(
    admin_api: APIClient, tenant: Tenant, filename: str, make: Callable[[], bytes], told: str
):
    response = upload(admin_api, filename, make())
    source = Source.objects.for_tenant(tenant).get()
    [warning] = warnings_of(admin_api, source)
    latest = admin_api.get(f"/ingest/sources/{source.pk}/history").json()[0]

    assert (response.status_code, response.json()["sync_status"]) == (201, "synced")
    assert warning.startswith(f"{filename}: {told}")
    assert told in str(latest["details"])


@pytest.mark.parametrize(
    ("filename", "make"),
    [
        *((path.name, path.read_bytes) for path in sorted(DEMO_FILES.iterdir())),
        ("a.pdf", lambda: make_pdf(SPANISH)),
        ("a.docx", lambda: make_docx(SPANISH)),
        ("a.xlsx", lambda: make_xlsx(SPANISH)),
        ("a.pptx", lambda: make_pptx(SPANISH)),
        ("a.csv", lambda: make_csv(SPANISH)),
        ("a.txt", lambda: make_txt(SPANISH)),
        ("a.md", lambda: make_markdown(SPANISH)),
        ("a.html", lambda: make_html(SPANISH)),
        ("a.eml", make_eml),
        ("letter.doc", (FILES / "letter.doc").read_bytes),
    ],
)
def test_of_a_file_that_was_read_whole_nothing_is_told(
    admin_api: APIClient, tenant: Tenant, filename: str, make: Callable[[], bytes]
):
    upload(admin_api, filename, make())
    assert warnings_of(admin_api, Source.objects.for_tenant(tenant).get()) == []


def upload(client: APIClient, filename: str, content: bytes):
    file = SimpleUploadedFile(filename, content)
    return client.post("/ingest/sources/upload", {"file": file}, format="multipart")


def warnings_of(client: APIClient, source: Source) -> list[str]:
    warnings: list[str] = client.get(f"/ingest/sources/{source.pk}/status").json()["details"][
        "warnings"
    ]
    return warnings
