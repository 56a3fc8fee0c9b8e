"""Questions to files whose text stands in columns, sideways, or from right to left: the answer is
what stands there, and of the one that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest
from django.core.files.base import ContentFile
from pptx import Presentation
from pptx.util import Cm
from reportlab.pdfgen.canvas import Canvas

from accounts.models import Tenant
from query.tests.factories import ask
from reading.tests.files.corpus.pages import SCRIPT_SIGN_WIDTH, in_any_script
from sources.services.uploads import ingest_file

BOXES = (
    (13.0, 7.0, "Costs 41 EUR a month\nThree moorings"),
    (1.0, 7.0, "Costs 17 EUR a month\nOne mooring"),
    (13.0, 5.0, "Plan Pelican"),
    (1.0, 5.0, "Plan Sandpiper"),
    (1.0, 1.0, "Plans of the Ardora marina"),
)


def slides() -> bytes:
    deck = Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    for left, top, text in BOXES:
        shapes.add_textbox(Cm(left), Cm(top), Cm(9), Cm(1)).text_frame.text = text
    written = BytesIO()
    deck.save(written)
    return written.getvalue()


def slides_as_pdf() -> bytes:
    written = BytesIO()
    canvas = Canvas(written, pagesize=(842, 595))
    for left, top, text in BOXES:
        for line, part in enumerate(text.splitlines()):
            canvas.setFont("Helvetica", {1.0: 24, 5.0: 16}.get(top, 11))
            canvas.drawString(28 * left, 560 - 28 * top - 20 * line, part)
    canvas.save()
    return written.getvalue()


@pytest.mark.parametrize(("name", "make"), [("a.pptx", slides), ("a.pdf", slides_as_pdf)])
@pytest.mark.parametrize(
    ("plan", "own", "other"), [("Sandpiper", "17 EUR", "41"), ("Pelican", "41 EUR", "17")]
)
def test_a_plan_has_its_own_price(
    tenant: Tenant, name: str, make: Callable[[], bytes], plan: str, own: str, other: str
) -> None:
    ingest_file(tenant, file=ContentFile(make()), filename=name)

    text = ask(tenant, f"How much does the plan {plan} cost?").text

    assert own in text
    assert other not in text


def test_a_footnote_is_not_quoted_with_the_section_above_it(tenant: Tenant) -> None:
    written = BytesIO()
    canvas = Canvas(written, pagesize=(595, 842))
    for size, top, text in (
        (16, 780, "Winter moorings"),
        (11, 750, "A winter mooring costs 410 EUR and includes water and power*."),
        (11, 60, "* The office of the marina is closed on Mondays."),
        (11, 40, "Page 1 of 1"),
    ):
        canvas.setFont("Helvetica", size)
        canvas.drawString(60, top, text)
    canvas.save()
    ingest_file(tenant, file=ContentFile(written.getvalue()), filename="moorings.pdf")

    text = ask(tenant, "How much does a winter mooring cost?").text

    assert "410 EUR" in text
    assert "Mondays" not in text
    assert "Page 1" not in text


def test_hebrew_lines_are_quoted_as_people_read_them(tenant: Tenant) -> None:
    line = "המרפאה פתוחה בימי ראשון"
    seen = f"17:00-{'ל'} 8:30 {line[::-1]}"
    page = in_any_script((535 - SCRIPT_SIGN_WIDTH * len(seen), 700, seen))
    ingest_file(tenant, file=ContentFile(page), filename="clinic.pdf")

    assert f"{line} 8:30 ל-17:00" in ask(tenant, "מתי המרפאה פתוחה").text
