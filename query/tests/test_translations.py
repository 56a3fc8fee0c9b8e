"""Companies that say everything in two languages are answered in the question's, with one source
for what is said twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Tenant
from config.tests.web_server import Site, serve_site
from connectors.tests.web.sites import make_web_source
from connectors.web import visits
from query.models import Outcome
from query.search.translations import fold_translations
from query.tests.factories import LANGUAGES, ask, index_texts, make_chunk, make_question
from query.tests.two_languages import PHYSIOTHERAPY, ROWING_CLUB, TEA_SHOP, Said
from reading.passages import ChunkLevel
from reading.tests.sample_files import Text, make_docx, make_html, make_markdown, saved
from sources.models import Source
from sources.services.uploads import ingest_file
from sources.syncing import runs, sync


def ingest(tenant: Tenant, content: bytes, name: str) -> None:
    ingest_file(tenant, file=SimpleUploadedFile(name, content), filename=name)


def text_of(company: Sequence[Said], number: int) -> Text:
    sections = tuple((one.headings[number], one.texts[number]) for one in company)
    return Text(LANGUAGES[number], "", sections, (("", ""),))


def wrong_answers(tenant: Tenant, company: Sequence[Said]) -> list[str]:
    """The questions that are not answered in their language, and from it alone."""
    wrong = []
    for one in company:
        for question, told, other in zip(one.questions, one.told, reversed(one.told), strict=True):
            answer = ask(tenant, question)
            is_mixed = other in answer.text and other != told
            if answer.outcome != Outcome.ANSWERED or told not in answer.text or is_mixed:
                wrong.append(f"{question} {answer.outcome} {answer.text}")
    return wrong


def test_two_markdown_files(tenant: Tenant):
    for number, language in enumerate(LANGUAGES):
        ingest(tenant, make_markdown(text_of(TEA_SHOP, number)), f"tienda_{language}.md")

    assert wrong_answers(tenant, TEA_SHOP) == []


def test_two_word_documents(tenant: Tenant):
    for number, language in enumerate(LANGUAGES):
        ingest(tenant, make_docx(text_of(ROWING_CLUB, number)), f"{language} club.docx")

    assert wrong_answers(tenant, ROWING_CLUB) == []


def test_one_file_with_one_language_behind_the_other(tenant: Tenant):
    both = [make_markdown(text_of(ROWING_CLUB, number)) for number in range(len(LANGUAGES))]
    ingest(tenant, b"\n\n".join(both), "club.md")

    assert wrong_answers(tenant, ROWING_CLUB) == []


def test_one_file_with_both_languages_in_each_section(tenant: Tenant):
    sections = [
        f"## {' / '.join(one.headings)}\n\n" + "\n\n".join(one.texts) for one in PHYSIOTHERAPY
    ]
    ingest(tenant, "\n\n".join(sections).encode(), "clinica.md")

    assert wrong_answers(tenant, PHYSIOTHERAPY) == []


@pytest.fixture
def site(settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(visits, "pause", lambda seconds: None)
    with serve_site() as site:
        settings.FETCH_ALLOWED_HOSTS = [site.host]
        yield site


def sync_site(tenant: Tenant, site: Site) -> Source:
    source = make_web_source(tenant, site.url)
    run_id = runs.begin_run(tenant, source.pk)
    assert run_id is not None
    sync.sync_source(tenant, source.pk, run_id=run_id)
    return source


def test_a_website_in_two_languages(tenant: Tenant, site: Site):
    links = []
    for number, language in enumerate(LANGUAGES):
        for place, one in enumerate(PHYSIOTHERAPY):
            path = f"/{language}/{place}"
            links.append(path)
            site.page(
                path,
                f'<!doctype html><html lang="{language}"><head><title>{one.headings[number]}'
                f"</title></head><body><main><h1>{one.headings[number]}</h1>"
                f"<p>{one.texts[number]}</p></main></body></html>",
            )
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    site.page("/", f"<!doctype html><html><body><main>{anchors}</main></body></html>")
    sync_site(tenant, site)

    assert wrong_answers(tenant, PHYSIOTHERAPY) == []


def test_two_web_pages_that_were_uploaded(tenant: Tenant):
    for number, language in enumerate(LANGUAGES):
        ingest(tenant, make_html(text_of(TEA_SHOP, number)), f"{language}.html")

    assert wrong_answers(tenant, TEA_SHOP) == []


PRICES: dict[str, tuple[tuple[str, ...], ...]] = {
    "Precios": (
        ("Producto", "Color", "Precio", "Entrega"),
        ("Silla Alba", "verde", "84 €", "5 días"),
        ("Mesa de roble", "natural", "310 €", "3 semanas"),
        ("Estantería de pared", "negra", "45,50 €", "2 días"),
        ("Alfombra de yute", "natural", "120 €", "5 días"),
        ("Lámpara de pie", "roja", "59,90 €", "1 semana"),
    ),
    "Prices": (
        ("Product", "Colour", "Price", "Delivery"),
        ("Alba chair", "green", "€84", "5 days"),
        ("Oak table", "natural", "€310", "3 weeks"),
        ("Wall shelf", "black", "€45.50", "2 days"),
        ("Jute rug", "natural", "€120", "5 days"),
        ("Floor lamp", "red", "€59.90", "1 week"),
    ),
}


@pytest.mark.parametrize("sheets", [[("Precios", "Prices")], [("Precios",), ("Prices",)]])
def test_tables_in_two_languages(tenant: Tenant, sheets: Sequence[Sequence[str]]):
    for names in sheets:
        workbook = openpyxl.Workbook()
        for name in names:
            sheet = workbook.create_sheet(name)
            for row in PRICES[name]:
                sheet.append(row)
        ingest(tenant, saved(workbook.save), f"{' '.join(names)}.xlsx")

    for question, told in (
        ("¿Cuánto cuesta la mesa de roble?", "Mesa de roble: 310 €. [1]"),
        ("How much is the oak table?", "Oak table: €310. [1]"),
        ("¿Cuál es el producto más caro?", "El más caro es Mesa de roble: 310 €. [1]"),
        ("What is the most expensive product?", "The most expensive is Oak table: €310. [1]"),
        ("¿Precio de la lámpara de pie?", "Lámpara de pie: 59,90 €. [1]"),
        ("How long does delivery of the wall shelf take?", "Wall shelf, delivery: 2 days. [1]"),
    ):
        assert ask(tenant, question).text == told


def test_what_one_language_alone_says_is_answered_from_there(tenant: Tenant):
    ingest(tenant, make_markdown(text_of(TEA_SHOP[:4], 0)), "tienda.md")
    ingest(tenant, make_markdown(text_of(TEA_SHOP, 1)), "shop.md")

    answer = ask(tenant, "¿Puedo meter la tetera de hierro en el lavavajillas?")

    assert "they rust" in answer.text
    assert [source.source_file for source in answer.sources][:1] == ["shop.md"]


def test_a_sentence_that_the_translation_leaves_out_is_found(tenant: Tenant):
    spanish = "Las bicicletas se alquilan por 18 euros al día, con casco y candado."
    english = "Bicycles are rented out for 18 euros a day, with a helmet and a lock."
    ingest(tenant, f"# Alquiler\n\n{spanish}\n".encode(), "alquiler.md")
    alone = "Tandems can be booked by telephone only."
    ingest(tenant, f"# Rental\n\n{english} {alone}\n".encode(), "rental.md")

    assert "by telephone only" in ask(tenant, "¿Cómo reservo un tándem?").text
    assert ask(tenant, "¿Cuánto cuesta alquilar una bicicleta?").text.startswith("Las bicicletas")


def test_another_row_with_the_same_numbers_is_no_translation(tenant: Tenant):
    index_texts(tenant, "Producto: Farol de mesa; Color: rojo; Precio: 39 €", level=ChunkLevel.ROW)
    index_texts(
        tenant, "Product: Table lantern; Colour: blue; Price: €39", level=ChunkLevel.ROW, name="b"
    )

    answer = ask(tenant, "¿Tenéis el farol de mesa en azul?")

    assert "blue" in answer.text


def test_a_price_that_differs_is_no_translation(tenant: Tenant):
    index_texts(tenant, "La visita guiada cuesta 7 euros.", name="visitas.txt")
    index_texts(tenant, "The guided visit costs 9 euros.", name="visits.txt")

    sources = ask(tenant, "¿Cuánto cuesta la visita guiada?").sources

    assert {source.source_file for source in sources} == {"visitas.txt", "visits.txt"}


def test_the_translation_gives_its_better_place(tenant: Tenant):
    question = make_question("¿Cuánto cuesta la visita guiada?", language="es")
    chunks = [
        make_chunk(chunk_id=1, text="The guided visit costs 7 euros.", score=3.0),
        make_chunk(chunk_id=2, text="Los perros van con correa.", language="es", score=2.0),
        make_chunk(chunk_id=3, text="La visita guiada cuesta 7 €.", language="es", score=1.0),
    ]

    found = fold_translations(question, chunks)

    assert [(chunk.chunk_id, chunk.score) for chunk in found] == [(3, 3.0), (2, 2.0)]
