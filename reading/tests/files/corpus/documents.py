"""Word documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import docx
from docx.document import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from reading.tests.files.corpus.made import MadeFile
from reading.tests.files.corpus.packages import (
    CHART_ROWS,
    CHART_SAYS,
    changed,
    chart_xml,
    pack,
    saved,
    strict,
    unpack,
    with_part,
)

Write = Callable[[Document], object]
MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
SHAPES = (
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"'
)
INTRO = "The workshop repairs bicycles of every make."


def make(write: Write, *, intro: bool = True) -> bytes:
    document = docx.Document()
    if intro:
        document.add_paragraph(INTRO)
    write(document)
    return saved(document.save)


def raw(xml: str, *, more: str = "") -> Write:
    """`xml`: an element of the body."""

    def write(document: Document) -> None:
        opening, mark, rest = xml.partition(" " if " " in xml.partition(">")[0] else ">")
        element = parse_xml(f"{opening} {nsdecls('w', 'a', 'r', 'wp', 'pic')} {more}{mark}{rest}")
        document.element.body.insert(-1, element)

    return write


def run(inner: str) -> str:
    return f"<w:p><w:r>{inner}</w:r></w:p>"


def says(text: str) -> str:
    return f"{INTRO} {text}"


def with_chart() -> bytes:
    drawing = (
        '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="5000000" cy="3000000"/><wp:docPr id="1" name="Chart 1"/><a:graphic>'
        '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">'
        '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="rIdMade"/>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    content = with_part(
        make(raw(drawing)),
        "word/document.xml",
        "word/charts/chart1.xml",
        chart_xml(),
        kind="chart",
        content_type="application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
    )
    workbook = "word/embeddings/Microsoft_Excel_Sheet1.xlsx"
    stored = {"xl/workbook.xml": b"<workbook/>", "xl/worksheets/sheet1.xml": b"<worksheet/>"}
    members = unpack(content)
    types = "[Content_Types].xml"
    members[types] = members[types].replace(
        b"<Override",
        b'<Default Extension="xlsx" ContentType="application/vnd.openxmlformats-officedocument.'
        b'spreadsheetml.sheet"/><Override',
        1,
    )
    inner = pack(stored, stored=tuple(stored))
    return pack({workbook: inner, **members}, stored=(workbook,))


def header_and_footer(document: Document) -> None:
    section = document.sections[0]
    section.header.paragraphs[0].text = "Insurance policy number ALPHA-7731"
    section.footer.paragraphs[0].text = "Questions are answered at extension 4402"


def three_headings(document: Document) -> None:
    for depth, text in enumerate(("Rental terms", "Electric models", "Battery deposit"), 1):
        document.add_heading(text, depth)
    document.add_paragraph("Ninety euros are held until the battery returns.")
    for text in ("Lost keys", "Stolen wheels", "Broken spokes"):
        document.add_heading(text, 1)
    document.add_paragraph("Each is charged at cost.")


def comments(document: Document) -> None:
    paragraph = document.add_paragraph("Delivery takes four weeks.")
    document.add_comment(paragraph.runs, text="Confirmed by the carrier on Tuesday", author="Vega")


def notes() -> bytes:
    body = make(
        raw(
            '<w:p><w:r><w:t>The discount is five percent.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        )
    )
    root = f'<w:footnotes {nsdecls("w")}><w:footnote w:id="2">{run("<w:t>Only for members of the cooperative</w:t>")}'
    return with_part(
        body,
        "word/document.xml",
        "word/footnotes.xml",
        f"{root}</w:footnote></w:footnotes>".encode(),
        kind="footnotes",
        content_type="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml",
    )


def embedded_html() -> bytes:
    return with_part(
        make(raw('<w:altChunk r:id="rIdMade"/>')),
        "word/document.xml",
        "word/chunk.html",
        b"<html><body><p>Pasted from the intranet: lockers cost eleven euros.</p></body></html>",
        kind="aFChunk",
        content_type="text/html",
    )


def smart_art() -> bytes:
    drawing = (
        '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="5000000" cy="3000000"/><wp:docPr id="1" name="Diagram 1"/><a:graphic>'
        '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram">'
        '<dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="rIdMade"/>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    points = "".join(
        f'<dgm:pt modelId="{number}"><dgm:t><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for number, text in enumerate(("Receive the order", "Weigh the parcel"))
    )
    data = (
        '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
        f' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>'
    )
    return with_part(
        make(raw(drawing)),
        "word/document.xml",
        "word/diagrams/data1.xml",
        data.encode(),
        kind="diagramData",
        content_type="application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml",
    )


def prices(document: Document) -> None:
    table = document.add_table(3, 3)
    rows = (("Model", "Day", "Week"), ("Xaloc", "19", "95"), ("Garbí", "27", "140"))
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text


def nested_table(document: Document) -> None:
    cell = document.add_table(1, 2).rows[0].cells[0]
    cell.text = "Outer cell about saddles"
    inner = cell.add_table(1, 2)
    inner.rows[0].cells[0].text = "Inner gel"
    inner.rows[0].cells[1].text = "Inner leather"


def merged_cells(document: Document) -> None:
    table = document.add_table(4, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Opening times of the depot"
    for row, texts in enumerate(
        (("Day", "Hours"), ("Monday", "8 to 15"), ("Friday", "8 to 13")), 1
    ):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text


def odd_names() -> bytes:
    members = unpack(make(prices))
    relations = "word/_rels/document.xml.rels"
    members["_rels/.rels"] = members["_rels/.rels"].replace(
        b'"word/document.xml"', b'"/Word/Document.xml"'
    )
    members["word/Document.xml"] = members.pop("word/document.xml")
    members["word/_rels/Document.xml.rels"] = members.pop(relations)
    types = "[Content_Types].xml"
    members[types] = members[types].replace(b"/word/document.xml", b"/Word/Document.xml")
    return pack(
        {
            name.replace("word/", "Word/", 1) if name.startswith("word/") else name: content
            for name, content in members.items()
        }
    )


def macro_kind() -> bytes:
    members = unpack(make(prices))
    types = "[Content_Types].xml"
    members[types] = members[types].replace(
        b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
        b"application/vnd.ms-word.document.macroEnabled.main+xml",
    )
    return pack(members)


PRICE_ROWS = ("Model Xaloc Day 19 Week 95", "Model Garbí Day 27 Week 140")
PRICES = "Model Day Week Xaloc 19 95 Garbí 27 140"
TEXT_BOX = (
    '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><a:graphic><a:graphicData uri="x">'
    "<wps:wsp><wps:txbx><w:txbxContent><w:p><w:r><w:t>Helmets are lent free</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp>"
    "</a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r>"
    "<w:t>Helmets are lent free</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
)
FILES = (
    MadeFile(
        "chart.docx",
        "a chart whose workbook is stored uncompressed",
        with_chart,
        says(CHART_SAYS),
        rows=CHART_ROWS,
        is_of_issue=True,
    ),
    MadeFile(
        "header-only.docx",
        "text in header and footer alone",
        partial(make, header_and_footer, intro=False),
        "Insurance policy number ALPHA-7731 Questions are answered at extension 4402",
        is_of_issue=True,
    ),
    MadeFile(
        "header-and-body.docx",
        "header and footer beside a body",
        partial(make, header_and_footer),
        f"Insurance policy number ALPHA-7731 {INTRO} Questions are answered at extension 4402",
        is_of_issue=True,
    ),
    MadeFile(
        "comments.docx",
        "comments",
        partial(make, comments),
        says("Delivery takes four weeks. Confirmed by the carrier on Tuesday"),
        is_of_issue=True,
    ),
    MadeFile(
        "headings-in-a-row.docx",
        "three headings in a row, nested and alike",
        partial(make, three_headings),
        says(
            "Rental terms Electric models Battery deposit Ninety euros are held until the battery returns. "
            "Lost keys Stolen wheels Broken spokes Each is charged at cost."
        ),
        headings=(
            "Rental terms",
            "Electric models",
            "Battery deposit",
            "Lost keys",
            "Stolen wheels",
            "Broken spokes",
        ),
        is_of_issue=True,
    ),
    MadeFile(
        "strict.docx",
        "strict Open XML (ISO 29500-1)",
        lambda: strict(make(prices)),
        says(PRICES),
        rows=PRICE_ROWS,
        is_of_issue=True,
    ),
    MadeFile(
        "table.docx",
        "a table with names of columns",
        partial(make, prices),
        says(PRICES),
        rows=PRICE_ROWS,
    ),
    MadeFile(
        "damaged-styles.docx",
        "a styles part that is no XML",
        lambda: changed(make(prices), styles=b"<w:styles><broken"),
        says(PRICES),
        rows=PRICE_ROWS,
    ),
    MadeFile(
        "no-styles.docx",
        "no styles part",
        lambda: changed(make(prices), styles=None),
        says(PRICES),
        rows=PRICE_ROWS,
    ),
    MadeFile(
        "footnotes.docx",
        "footnotes",
        notes,
        says("The discount is five percent. Only for members of the cooperative"),
    ),
    MadeFile(
        "text-box.docx",
        "a text box, with its fallback for old readers: once",
        partial(make, raw(TEXT_BOX, more=SHAPES)),
        says("Helmets are lent free"),
    ),
    MadeFile(
        "content-control.docx",
        "a content control",
        partial(
            make,
            raw(
                f"<w:sdt><w:sdtPr/><w:sdtContent>{run('<w:t>Signed by Núria Pons</w:t>')}</w:sdtContent></w:sdt>"
            ),
        ),
        says("Signed by Núria Pons"),
    ),
    MadeFile(
        "tracked-changes.docx",
        "insertions are read, deletions are not",
        partial(
            make,
            raw(
                '<w:p><w:ins w:id="1" w:author="a"><w:r><w:t>Sixty days apply</w:t></w:r></w:ins>'
                '<w:del w:id="2" w:author="a"><w:r><w:delText>forty</w:delText></w:r></w:del></w:p>'
            ),
        ),
        says("Sixty days apply"),
        hides="forty",
    ),
    MadeFile(
        "hidden-text.docx",
        "text that is hidden",
        partial(
            make,
            raw(
                "<w:p><w:r><w:t>Visible clause</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t> concealed</w:t></w:r></w:p>"
            ),
        ),
        says("Visible clause"),
        hides="concealed",
    ),
    MadeFile(
        "fields.docx",
        "results of fields, not their codes",
        partial(
            make,
            raw(
                '<w:p><w:fldSimple w:instr=" DOCPROPERTY Client "><w:r><w:t>Acme Tyres</w:t></w:r></w:fldSimple><w:r><w:fldChar '
                'w:fldCharType="begin"/></w:r><w:r><w:instrText>FILLIN Wrongword</w:instrText></w:r><w:r><w:fldChar '
                'w:fldCharType="separate"/></w:r><w:r><w:t> of Girona</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
            ),
        ),
        says("Acme Tyres of Girona"),
        hides="Wrongword FILLIN",
    ),
    MadeFile(
        "math.docx",
        "a formula (Office Math)",
        partial(
            make,
            raw(
                "<w:p><w:r><w:t>Torque is </w:t></w:r><m:oMath><m:r><m:t>force</m:t></m:r><m:r><m:t> times radius</m:t></m:r></m:oMath></w:p>",
                more=MATH,
            ),
        ),
        says("Torque is force times radius"),
    ),
    MadeFile(
        "embedded-html.docx",
        "HTML as a part of its own (altChunk)",
        embedded_html,
        says("Pasted from the intranet: lockers cost eleven euros."),
    ),
    MadeFile("smart-art.docx", "SmartArt", smart_art, says("Receive the order Weigh the parcel")),
    MadeFile(
        "nested-table.docx",
        "a table in a table's cell",
        partial(make, nested_table),
        says("Outer cell about saddles Inner gel Inner leather"),
    ),
    MadeFile(
        "merged-cells.docx",
        "a title merged over a table's columns",
        partial(make, merged_cells),
        says("Opening times of the depot Day Hours Monday 8 to 15 Friday 8 to 13"),
        rows=("Day Monday Hours 8 to 15", "Day Friday Hours 8 to 13"),
    ),
    MadeFile(
        "split-runs.docx",
        "words cut into runs, and a smart tag",
        partial(
            make,
            raw(
                "<w:p><w:r><w:t>Transmi</w:t></w:r><w:r><w:t>ssion </w:t></w:r><w:smartTag><w:r><w:t>belts</w:t></w:r></w:smartTag></w:p>"
            ),
        ),
        says("Transmission belts"),
    ),
    MadeFile(
        "characters.docx",
        "tabs, breaks and hyphens that are elements",
        partial(
            make,
            raw(
                "<w:p><w:r><w:t>first</w:t><w:tab/><w:t>second</w:t><w:br/><w:t>third</w:t><w:cr/><w:t>non</w:t><w:noBreakHyphen/>"
                "<w:t>stop</w:t></w:r></w:p>"
            ),
        ),
        says("first second third non stop"),
    ),
    MadeFile(
        "ruby.docx",
        "a reading above ideographs",
        partial(
            make,
            raw(
                "<w:p><w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby>"
                "</w:r></w:p>"
            ),
        ),
        says("東京"),
    ),
    MadeFile(
        "form.docx",
        "a drop-down list's choice",
        partial(
            make,
            raw(
                '<w:p><w:r><w:t>Size: </w:t></w:r><w:sdt><w:sdtPr><w:dropDownList><w:listItem w:value="9"/></w:dropDownList></w:sdtPr>'
                "<w:sdtContent><w:r><w:t>Large frame</w:t></w:r></w:sdtContent></w:sdt></w:p>"
            ),
        ),
        says("Size: Large frame"),
    ),
    MadeFile(
        "odd-names.docx",
        "parts named in another case, targets from the root",
        odd_names,
        says(PRICES),
        rows=PRICE_ROWS,
    ),
    MadeFile("macros.docm", "a document with macros", macro_kind, says(PRICES), rows=PRICE_ROWS),
)
