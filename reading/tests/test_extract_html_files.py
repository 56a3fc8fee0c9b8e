"""HTML files: all that their reader sees, the furniture of a page included."""

from pathlib import Path

import pytest

from reading.extractors.html.document import extract
from reading.file_types import HTML
from reading.passages import Block
from reading.tests.confined import extract_document
from reasons import Reason

LONG = "The workshop repairs bicycles of every make while you wait, from Monday to Saturday. "


def blocks(page: str) -> list[Block]:
    return list(extract(page.encode()).blocks)


def texts(page: str) -> list[str]:
    return [block.text for block in blocks(page)]


def test_navigation_header_footer_and_margin_stay():
    page = (
        "<header>Taller Xaloc</header><nav><a href=a>Precios</a> <a href=b>Horario</a></nav>"
        f"<main><h1>Guía</h1><p>{LONG * 9}</p></main>"
        "<aside>Oferta de abril</aside><footer>Calle Mayor 1</footer>"
    )
    assert texts(page) == [
        "Taller Xaloc",
        "Precios Horario",
        "Guía",
        (LONG * 9).strip(),
        "Oferta de abril",
        "Calle Mayor 1",
    ]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<noscript>sin programas</noscript>", "sin programas"),
        ("<dialog>aviso</dialog>", "aviso"),
        ("<button>Reservar</button>", "Reservar"),
        ("<form><label>Nombre <input value='Ana'></label></form>", "Nombre Ana"),
        ("<form><input placeholder='Su nombre'></form>", "Su nombre"),
        ("<textarea>Una nota</textarea>", "Una nota"),
        ("<select><option>rojo<option>azul</select>", "rojo azul"),
        ("<p>Logo <img src=a.png alt=Xaloc>.</p>", "Logo Xaloc."),
        ("<figure><img src=a.png alt=foto.png><figcaption>El taller</figcaption></figure>",)
        + ("El taller",),
        ("<svg><title>no</title><text>Norte</text><text>Sur</text></svg>", "Norte Sur"),
        ("<object data=a.pdf>Véase el anexo</object>", "Véase el anexo"),
        ("<p>Cuesta <del>20</del> <s>18</s> 15 €</p>", "Cuesta 15 €"),
        ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>", "漢 (kan)"),
        ("<p>x<math><mi>y</mi><mo>=</mo><mn>2</mn></math></p>", "xy=2"),
        ("<p aria-hidden=true>visible</p>", "visible"),
        ("<p hidden=until-found>hallado</p>", "hallado"),
        ("<iframe srcdoc='&lt;p&gt;dentro&lt;/p&gt;'></iframe>", "dentro"),
        ("<frameset><noframes>Sin marcos</noframes></frameset>", "Sin marcos"),
        ("<p>uno</p><p>uno</p>", "uno uno"),
    ],
)
def test_what_a_reader_sees_is_text(content: str, text: str):
    assert " ".join(texts(f"<h1>T</h1>{content}")) == f"T {text}"


@pytest.mark.parametrize(
    "content",
    [
        "<script>nada()</script><style>p {}</style>",
        "<template>nada</template>",
        "<p style='display: none'>nada</p>",
        "<input type=hidden value=nada><input type=password value=nada>",
        "<p hidden>nada</p>",
    ],
)
def test_what_no_reader_sees_is_none(content: str):
    assert texts(f"<h1>T</h1>{content}") == ["T"]


def test_hidden_text_is_told_when_it_is_more_than_a_label():
    page = "<p>Hola a todos</p><div hidden>{}</div>"
    assert list(extract(page.format("no " * 5).encode()).warnings) == []
    assert list(extract(page.format("secreto " * 9).encode()).warnings) == [
        Reason("hidden_parts_left_out")
    ]


def test_title_stands_above_a_page_that_has_no_heading_of_its_own():
    page = "<title>Tarifas 2024</title><h2>Alquiler</h2><p>Veinte euros.</p>"
    assert blocks(page)[-1].section_title == "Tarifas 2024 > Alquiler"
    assert texts(page.replace("h2", "h1"))[0] == "Alquiler"


@pytest.mark.parametrize(
    "stray",
    ["<table><div>suelto</div>{}</table>", "<table>{}<tr>suelto</tr></table>"],
)
def test_text_of_a_table_that_stands_in_no_cell_is_not_lost(stray: str):
    rows = "<tr><th>A<th>B<tr><td>1<td>2"
    assert "suelto" in " ".join(texts(stray.format(rows)))
    assert "1" in " ".join(texts(stray.format(rows)))


def test_cells_beyond_the_widest_span_are_not_lost():
    cells = "".join(f"<td>c{number}</td>" for number in range(400))
    found = " ".join(texts(f"<table><tr>{cells}</tr><tr>{cells}</tr></table>"))
    assert "c399" in found


def test_table_that_cannot_be_laid_out_is_read_cell_by_cell(monkeypatch: pytest.MonkeyPatch):
    def fail(_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("reading.extractors.html.blocks.table_texts", fail)
    page = "<p>Antes</p><table><tr><th>A<th>B<tr><td>1<td>2</table><p>Después</p>"
    assert texts(page) == ["Antes", "A", "B", "1", "2", "Después"]


def test_file_is_read_whole_where_files_are_read(tmp_path: Path):
    path = tmp_path / "stored"
    path.write_text(f"<html><nav><a href=a>Precios</a></nav><main><p>{LONG * 9}</p></main>")
    document = extract_document(path, content_type=HTML, title="x")
    assert [block.text for block in document.blocks] == ["Precios", (LONG * 9).strip()]


@pytest.mark.parametrize(
    "opening", ["<?xml version='1.0'?>", "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0'>"]
)
@pytest.mark.parametrize("empty", ["<script src='a.js'/>", "<title/>", "<textarea rows='2' />"])
def test_empty_elements_of_xhtml_take_nothing_with_them(opening: str, empty: str):
    page = (
        f"{opening}<html xmlns='http://www.w3.org/1999/xhtml'><head/><body>{empty}<p>Año</p></body>"
    )
    assert texts(page) == ["Año"]
