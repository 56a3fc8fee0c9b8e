"""Of documents and headings that differ in a year alone, the year that is asked about is told, or
the one that is valid today."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import openpyxl
import pytest

from accounts.models import Tenant
from query.models import Outcome
from query.search.versions import asked_years, choose_years, plain_name, versions_of
from query.tests.factories import ask, make_chunk
from query.tests.test_translations import ingest
from reading.tests.sample_files import Text, make_docx, make_html, make_markdown, saved

TODAY = datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("query.understanding.dates.timezone.now", lambda: TODAY)


def fees(year: int) -> Text:
    """The fees of a rowing club rise by two euros a year."""
    paid = 40 + 2 * (year - 2026)
    sections = (
        ("Cuota", f"La cuota mensual del club de remo es de {paid} euros."),
        ("Matrícula", f"La matrícula cuesta {paid + 60} euros y se paga una sola vez."),
    )
    return Text("es", "", sections, (("", ""),))


@pytest.mark.parametrize(("make", "ending"), [(make_markdown, "md"), (make_docx, "docx")])
def test_of_three_files_the_year_asked_or_the_present_one_is_told(tenant: Tenant, make, ending):
    for year in (2025, 2026, 2027):
        ingest(tenant, make(fees(year)), f"Tarifas {year}.{ending}")

    for question, told in (
        ("¿Cuánto es la cuota mensual del club?", "Tarifas 2026: La cuota mensual"),
        ("¿Cuánto es la cuota mensual del club en 2027?", "Tarifas 2027: La cuota mensual"),
        ("¿Cuánto costaba la matrícula en 2025?", "Tarifas 2025: La matrícula cuesta 98"),
    ):
        answer = ask(tenant, question)
        assert answer.outcome == Outcome.ANSWERED
        assert answer.text.startswith(told)
        assert len({source.source_file for source in answer.sources}) == 1


@pytest.mark.parametrize(
    "question",
    ["¿Cuánto será la matrícula en 2027?", "¿Cuánto será la matrícula el año que viene?"],
)
def test_the_name_is_told_once_where_it_is_not_certain(tenant: Tenant, question: str):
    for year in (2026, 2027):
        ingest(tenant, make_markdown(fees(year)), f"Tarifas {year}.md")

    answer = ask(tenant, question)

    assert answer.outcome == Outcome.UNSURE
    assert answer.text.count("Tarifas 2027") == 1
    assert "102 euros" in answer.text


def test_of_headings_of_one_page_too(tenant: Tenant):
    sections = tuple(
        (f"Moorings {year}", f"A mooring at the outer pier costs {price} euros a month.")
        for year, price in ((2025, 70), (2026, 75), (2027, 80))
    )
    ingest(tenant, make_html(Text("en", "Harbour", sections, (("", ""),))), "harbour.html")

    for question, told in (
        ("How much is a mooring at the outer pier?", "Moorings 2026: A mooring at the outer pier"),
        ("How much is a mooring at the outer pier in 2027?", "Moorings 2027: A mooring"),
        ("What did a mooring at the outer pier cost last year?", "Moorings 2025: A mooring"),
    ):
        answer = ask(tenant, question)
        assert answer.text.startswith(told)


def test_of_headings_in_a_document_whose_own_name_has_a_year(tenant: Tenant):
    sections = tuple(
        (f"Amarres {year}", f"Un amarre en el muelle exterior cuesta {price} euros al mes.")
        for year, price in ((2026, 75), (2027, 80))
    )
    ingest(tenant, make_markdown(Text("es", "", sections, (("", ""),))), "Guía 2026.md")

    answer = ask(tenant, "¿Cuánto cuesta un amarre en el muelle exterior en 2027?")

    assert answer.text.startswith("Amarres 2027: Un amarre")
    assert "75" not in answer.text


def test_what_only_the_version_before_says_is_answered_from_there(tenant: Tenant):
    ingest(tenant, make_markdown(fees(2026)), "tarifas_2026.md")
    older = fees(2025)
    sections = (*older.sections, ("Taquillas", "Una taquilla cuesta 15 euros al año."))
    ingest(tenant, make_markdown(Text("es", "", sections, (("", ""),))), "tarifas_2025.md")

    answer = ask(tenant, "¿Cuánto cuesta una taquilla?")

    assert "15 euros" in answer.text


PRICES = (("Service", "Price"), ("Haircut", "€{0}"), ("Hair colouring", "€{1}"))


def make_prices(*prices: int) -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.create_sheet("Prices", 0)
    for row in PRICES:
        sheet.append([cell.format(*prices) for cell in row])
    return saved(workbook.save)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How much is a haircut?", "Prices 2026: Haircut: €22"),
        ("How much will a haircut be in 2027?", "Prices 2027: Haircut: €24"),
        ("What is the cheapest service?", "Prices 2026: The cheapest is Haircut: €22"),
    ],
)
def test_of_sheets_too(tenant: Tenant, question: str, told: str):
    for year, prices in ((2025, (20, 60)), (2026, (22, 64)), (2027, (24, 70))):
        ingest(tenant, make_prices(*prices), f"Prices {year}.xlsx")

    assert ask(tenant, question).text.startswith(told)


@pytest.mark.parametrize(
    ("years", "asked", "chosen"),
    [
        ([(2025,), (2026,), (2027,)], [], (2026,)),
        ([(2024,), (2025,)], [], (2025,)),
        ([(2027,), (2028,)], [], None),
        ([(2025,), (2026,)], [2025], (2025,)),
        ([(2025,), (2026,)], [2025, 2026], None),
        ([(2025,), (2026,)], [2023], None),
        ([(2024, 2025), (2025, 2026)], [], (2025, 2026)),
        ([(2025, 2026), (2026, 2027)], [], None),
        ([(2025, 2026), (2026, 2027)], [2027], (2026, 2027)),
    ],
)
def test_the_years_that_are_meant(
    years: Sequence[tuple[int, ...]], asked: Sequence[int], chosen: tuple[int, ...] | None
):
    assert choose_years(years, asked, 2026) == chosen


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("¿Y en 2027?", {2027}),
        ("¿Cuánto cuesta este año?", {2026}),
        ("What was it last year?", {2025}),
        ("La temporada 2026-27", {2026, 2027}),
        ("Llamad al 6202612345", set()),
    ],
)
def test_the_years_of_a_question(text: str, years: set[int]):
    assert asked_years(text, 2026) == years


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Tarifas_2026 (nueva).pdf", "tarifas"),
        ("deposit-policy-2023-OLD.txt", "deposit policy"),
        ("Cuotas 2025-26.xlsx", "cuotas"),
        ("menu 2026-11.pdf", "menu 11"),
    ],
)
def test_a_name_without_its_year(name: str, plain: str):
    assert plain_name(name) == plain


@pytest.mark.parametrize("name", ["2026.pdf", "tarifas.pdf", "pedido 320261.pdf"])
def test_names_that_tell_no_version(name: str):
    assert list(versions_of(make_chunk(source_file=name, document_title=""))) == []
