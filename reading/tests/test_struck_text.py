"""Text that its author has struck out is no text, in whatever format it stands."""

import io

import openpyxl
import pptx
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from pptx.util import Cm

from reading.extractors.books import epub
from reading.extractors.html import document, page
from reading.extractors.interface import Extractor
from reading.extractors.legacy import rtf
from reading.extractors.office import docx, xlsx
from reading.extractors.office import pptx as slides
from reading.extractors.opendocument import odp, ods, odt
from reading.extractors.text import markdown
from reading.tests import open_documents as odf
from reading.tests.books import make_epub
from reading.tests.office_files import heading, make_docx, paragraph


def texts(extract: Extractor, data: bytes) -> list[str]:
    return [block.text for block in extract(data).blocks]


# --- HTML and Markdown ----------------------------------------------------------------------------


@pytest.mark.parametrize("extract", [document.extract, page.extract])
@pytest.mark.parametrize(
    "old",
    [
        "<s>640 EUR</s>",
        "<strike>640 EUR</strike>",
        "<del datetime=2027-01-04>640 EUR</del>",
        "<span style='color:red;text-decoration:line-through'>640 EUR</span>",
        "<span style='text-decoration: 2px solid red LINE-THROUGH'>640 EUR</span>",
        "<span style='text-decoration-line : underline line-through'>640 EUR</span>",
        "<span class='price old'>640 EUR</span>",
        "<b class=gone>640 EUR</b>",
        "<tt>640 EUR</tt>",
    ],
)
def test_html_by_element_by_style_and_by_the_rules_of_the_page(extract: Extractor, old: str):
    rules = (
        "/* prices */ .new{color:red} .sale .x, .old , b.gone {text-decoration:line-through}"
        " @media screen { tt { text-decoration-line: line-through; } }"
    )
    shown = f"<main><h1>Tandem</h1><p>A tandem costs {old} 590 EUR in winter.</p></main>"
    data = f"<html><head><style>{rules}</style></head><body>{shown}</body></html>".encode()
    assert texts(extract, data) == ["Tandem", "A tandem costs 590 EUR in winter."]


@pytest.mark.parametrize(
    "kept",
    [
        "<i class=x>640 EUR</i>",  # the rule asks for what stands around it
        "<i class=gone>640 EUR</i>",  # the rule is for another element
        "<i style='text-decoration: underline'>640 EUR</i>",
        "<ins>640 EUR</ins>",
    ],
)
def test_html_that_is_not_struck_out_stays(kept: str):
    rules = "<style>.sale .x, b.gone{text-decoration:line-through}</style>"
    data = f"{rules}<h1>Tandem</h1><p>It costs {kept}.</p>".encode()
    assert texts(document.extract, data) == ["Tandem", "It costs 640 EUR."]


def test_a_whole_paragraph_and_an_item_of_a_list():
    data = (
        b"<style>li.done{text-decoration:line-through}</style><del><p>Closed on Mondays.</p></del>"
        b"<p>Open daily.</p><ul><li class=done>Bring a lock<li>Bring a lamp</ul>"
    )
    assert texts(document.extract, data) == ["Open daily.", "- Bring a lamp"]


def test_a_chapter_of_a_book():
    data = make_epub({"one": "<h1>Routes</h1><p>The climb takes <s>four</s> five hours.</p>"})
    assert "The climb takes five hours." in texts(epub.extract, data)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("It costs ~~20 €~~ 15 €.", "It costs 15 €."),
        ("~~Open at nine.~~\n\nOpen at ten.", "Open at ten."),
        ("It costs <del>20 €</del> **15 €**.", "It costs 15 €."),
        ("About ~~ 20 € is left open", "About ~~ 20 € is left open"),
        ("~~~\nls ~\n~~~", "ls ~"),
        ("From ~5 to ~7 km", "From ~5 to ~7 km"),
    ],
)
def test_markdown_between_two_marks_and_no_other(source: str, text: str):
    assert texts(markdown.extract, source.encode()) == [text]


def test_rows_of_a_table_in_markdown():
    source = "| Boat | Price |\n|---|---|\n| Skiff | ~~90 €~~ 70 € |\n| ~~Gig~~ | ~~60 €~~ |\n"
    assert texts(markdown.extract, source.encode()) == ["Boat: Skiff; Price: 70 €"]


# --- Office files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "properties",
    [
        "<w:strike/>",
        '<w:dstrike w:val="true"/>',
        '<w:rStyle w:val="Old"/>',
        '<w:rStyle w:val="Older"/>',
    ],
)
def test_word_by_the_run_or_by_its_style(properties: str):
    styles = (
        '<w:style w:type="character" w:styleId="Old"><w:rPr><w:strike/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="Older"><w:basedOn w:val="Old"/></w:style>'
    )
    runs = (
        "<w:p><w:r><w:t>A night costs </w:t></w:r>"
        f"<w:r><w:rPr>{properties}</w:rPr><w:t>90 EUR</w:t></w:r>"
        '<w:r><w:rPr><w:strike w:val="0"/></w:rPr><w:t> 75 EUR.</w:t></w:r></w:p>'
    )
    assert texts(docx.extract, make_docx(runs, styles=styles)) == ["A night costs 75 EUR."]


def test_word_by_the_style_of_the_paragraph_in_tables_and_notes():
    styles = (
        '<w:style w:type="paragraph" w:styleId="Gone"><w:rPr><w:strike/></w:rPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Ttulo1"><w:name w:val="heading 1"/></w:style>'
    )
    gone = paragraph("Pets are welcome.", properties='<w:pStyle w:val="Gone"/>')
    note = (
        '<w:footnote w:id="2"><w:p><w:r><w:rPr><w:strike/></w:rPr><w:t>Until 2025. </w:t></w:r>'
        "<w:r><w:t>Until 2027.</w:t></w:r></w:p></w:footnote>"
    )
    cell = paragraph("12 EUR", run="<w:strike/>") + paragraph("14 EUR")
    table = (
        f"<w:tbl><w:tr><w:tc>{paragraph('Meal')}</w:tc><w:tc>{paragraph('Price')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{paragraph('Lunch')}</w:tc><w:tc>{cell}</w:tc></w:tr></w:tbl>"
    )
    body = (
        heading("House rules")
        + gone
        + "<w:p><w:r><w:t>Pets stay at home.</w:t></w:r>"
        + '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        + table
    )
    assert texts(docx.extract, make_docx(body, styles=styles, footnotes=note)) == [
        "House rules",
        "Pets stay at home.",
        "Until 2027.",
        "Meal: Lunch; Price: 14 EUR",
    ]


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Lamps", 0)
    sheet.append(["Lamp", "Price", "Note"])
    sheet.append(["Beacon", 45, "old"])
    sheet.append(["Beacon", 38, "new"])
    sheet.append(["Torch", None, "battery"])
    sheet.append(["Lantern", 52, "oil"])
    for cell in sheet[2]:
        cell.font = Font(strike=True)
    sheet["B4"] = CellRichText(TextBlock(InlineFont(strike=True), "19 EUR"), " 16 EUR")
    sheet["C4"].font = Font(strike=True, bold=True)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_cells_and_parts_of_cells_in_a_workbook():
    assert texts(xlsx.extract, workbook()) == [
        "Lamp: Beacon; Price: 38; Note: new",
        "Lamp: Torch; Price: 16 EUR",
        "Lamp: Lantern; Price: 52; Note: oil",
    ]


@pytest.mark.parametrize("kind", ["sngStrike", "dblStrike"])
def test_runs_on_a_slide_and_in_its_table(kind: str):
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    box = slide.shapes.add_textbox(Cm(1), Cm(1), Cm(8), Cm(1)).text_frame.paragraphs[0]
    table = slide.shapes.add_table(2, 2, Cm(1), Cm(4), Cm(8), Cm(2)).table
    for column, name in enumerate(("Course", "Price")):
        table.cell(0, column).text = name
    table.cell(1, 0).text = "Sailing"
    for line in (box, table.cell(1, 1).text_frame.paragraphs[0]):
        for text, strike in (("320 EUR", kind), (" 280 EUR", "noStrike")):
            run = line.add_run()
            run.text = text
            run.font._element.set("strike", strike)
    buffer = io.BytesIO()
    deck.save(buffer)
    assert texts(slides.extract, buffer.getvalue()) == [
        "280 EUR",
        "Course: Sailing; Price: 280 EUR",
    ]


@pytest.mark.parametrize("word", ["strike", "striked1"])
def test_rich_text(word: str):
    body = rf"A key costs {{\{word} 9 EUR}} 7 EUR.\par \{word} No refund.\{word[:6]}0  Refunds.\par"
    body = body.replace(r"\strike0", r"\plain")
    assert texts(rtf.extract, rf"{{\rtf1\ansi {body}}}".encode()) == [
        "A key costs 7 EUR.",
        "Refunds.",
    ]


# --- OpenDocument ---------------------------------------------------------------------------------

STRUCK = (
    '<style:style style:name="T1" style:family="text"><style:text-properties'
    ' style:text-line-through-style="solid" style:text-line-through-type="single"/></style:style>'
    '<style:style style:name="T2" style:family="text"><style:text-properties'
    ' style:text-line-through-style="none"/></style:style>'
    '<style:style style:name="P1" style:family="paragraph"'
    ' style:parent-style-name="T1"/>'
    '<style:style style:name="ce1" style:family="table-cell"><style:text-properties'
    ' style:text-line-through-type="double"/></style:style>'
)
GONE = 'table:style-name="ce1" office:value-type="string"'
SPANS = '<text:span text:style-name="T1">30 EUR</text:span> 25 EUR'


def test_spans_and_paragraphs_of_an_open_text():
    kept = 'Gone, <text:span text:style-name="T2">but this stays.</text:span>'
    body = odf.p(f"A map costs {SPANS}.") + odf.p(kept, "P1") + odf.p("All gone.", "P1")
    data = odf.make_odf("text", body, styles=STRUCK)
    assert texts(odt.extract, data) == ["A map costs 25 EUR.", "but this stays."]


def test_cells_and_parts_of_cells_of_an_open_spreadsheet():
    sheet = odf.table(
        odf.row("Map", "Price", "Note"),
        odf.row(*[odf.cell("Coast", GONE)] * 3),
        odf.row("Coast", odf.cell(SPANS), "new"),
        odf.row("Hills", odf.cell("12 EUR", GONE), "old"),
    )
    data = odf.make_odf("spreadsheet", sheet, styles=STRUCK)
    assert texts(ods.extract, data) == [
        "Map: Coast; Price: 25 EUR; Note: new",
        "Map: Hills; Note: old",
    ]


def test_an_open_presentation():
    box = odf.framed(f"<draw:text-box>{odf.p(f'A map costs {SPANS}.')}</draw:text-box>")
    data = odf.make_odf("presentation", f"<draw:page>{box}</draw:page>", styles=STRUCK)
    assert texts(odp.extract, data) == ["A map costs 25 EUR."]
