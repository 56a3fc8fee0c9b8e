"""Workbooks."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from reading.tests.files.corpus.made import MadeFile
from reading.tests.files.corpus.packages import changed, pack, saved, strict, unpack, with_part

Write = Callable[[Worksheet], object]
NAMES = ("Model", "Colour", "Price")
ROWS: Sequence[Sequence[Any]] = (NAMES, ("Xaloc", "grey", 899), ("Garbí", "green", 1249))
SAYS = "Model Colour Price Xaloc grey 899 Garbí green 1249"
KEPT = ("Model Xaloc Colour grey Price 899", "Model Garbí Colour green Price 1249")


def make(*writes: Write, rows: Sequence[Sequence[Any]] = ROWS, title: str = "Catalogue") -> bytes:
    workbook = Workbook()
    sheet = workbook.active
    assert isinstance(sheet, Worksheet)
    sheet.title = title
    for row in rows:
        sheet.append(list(row))
    for write in writes:
        write(sheet)
    return saved(workbook.save)


def chart(sheet: Worksheet) -> None:
    """openpyxl caches no values: those are the sheet's."""
    drawn = BarChart()
    drawn.title = "Prices by model"
    drawn.add_data(Reference(sheet, min_col=3, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(drawn, "F2")


def stored_members() -> bytes:
    """Not compressed, as some programs write."""
    members = unpack(make())
    return pack(members, stored=tuple(members))


def without_references() -> bytes:
    """Rows and cells that do not say where they are, as the standard allows."""
    members = unpack(make())
    import re

    name = "xl/worksheets/sheet1.xml"
    plain = re.sub(rb' (r|spans)="[^"]*"', b"", members[name])
    return pack({**members, name: re.sub(rb"<dimension[^>]*/>", b"", plain)})


def comment(sheet: Worksheet) -> None:
    sheet["C2"].comment = Comment("Negotiated with the importer", "Vega")


def hidden_parts(sheet: Worksheet) -> None:
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["B"].hidden = True


def hidden_sheet(sheet: Worksheet) -> None:
    assert sheet.parent is not None
    other = sheet.parent.create_sheet("Margins")
    other.append(("Supplier", "Undisclosed"))
    other.sheet_state = "hidden"


def side_by_side(sheet: Worksheet) -> None:
    for row, texts in enumerate((("Depot", "Town"), ("North", "Vic"), ("South", "Reus")), 1):
        for column, text in enumerate(texts, 6):
            sheet.cell(row, column, text)


def two_below(sheet: Worksheet) -> None:
    for row in ((), ("Service", "Hours"), ("Brakes", 2), ("Wheels", 3)):
        sheet.append(row)


def list_object(sheet: Worksheet) -> None:
    sheet.add_table(Table(displayName="Bikes", ref="A1:C3"))


def merged(sheet: Worksheet) -> None:
    sheet.merge_cells("A4:A5")
    for place, value in (
        ("A4", "Mestral"),
        ("B4", "red"),
        ("C4", 640),
        ("B5", "blue"),
        ("C5", 655),
    ):
        sheet[place] = value


def text_box() -> bytes:
    drawing = (
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:absoluteAnchor><xdr:pos x="0" y="0"/>'
        '<xdr:ext cx="9" cy="9"/><xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="Box"/><xdr:cNvSpPr txBox="1"/></xdr:nvSpPr>'
        "<xdr:spPr/><xdr:txBody><a:bodyPr/><a:p><a:r><a:t>All prices without tax</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
        "<xdr:clientData/></xdr:absoluteAnchor></xdr:wsDr>"
    )
    members = unpack(make(comment))  # it has relations
    content = with_part(
        pack(members),
        "xl/worksheets/sheet1.xml",
        "xl/drawings/drawing1.xml",
        drawing.encode(),
        kind="drawing",
        content_type="application/vnd.openxmlformats-officedocument.drawing+xml",
    )
    members = unpack(content)
    name = "xl/worksheets/sheet1.xml"
    mark = b'<drawing xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rIdMade"/><legacyDrawing'
    return pack({**members, name: members[name].replace(b"<legacyDrawing", mark, 1)})


def phonetic() -> bytes:
    """A reading of the ideographs, which is not shown."""
    members = unpack(make(rows=(("City", "Riders"), ("PLACEHOLDER", 31))))
    name = "xl/worksheets/sheet1.xml"
    reading = '<t>大阪</t><rPh sb="0" eb="2"><t>オオサカ</t></rPh>'.encode()
    return pack({**members, name: members[name].replace(b"<t>PLACEHOLDER</t>", reading)})


def shared_strings() -> bytes:
    """As Excel writes texts; openpyxl writes them into their cells."""
    members = unpack(make(rows=(("City", "Riders"), ("Lleida", 31))))
    name = "xl/worksheets/sheet1.xml"
    sheet = members[name]
    for number, text in enumerate((b"City", b"Riders", b"Lleida")):
        inline = b' t="inlineStr"><is><t>' + text + b"</t></is>"
        sheet = sheet.replace(inline, b' t="s"><v>%d</v>' % number)
    items = "<si><t>City</t></si><si><r><t>Rid</t></r><r><rPr><b/></rPr><t>ers</t></r></si><si><t>Lleida</t></si>"
    return with_part(
        pack({**members, name: sheet}),
        "xl/workbook.xml",
        "xl/sharedStrings.xml",
        f'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{items}</sst>'.encode(),
        kind="sharedStrings",
        content_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml",
    )


def damaged(part: str) -> bytes:
    return changed(make(comment), **{part: b"<broken"})


def bulk(count: int = 3000) -> Sequence[Sequence[Any]]:
    return [
        ("Code", "Part", "Stock"),
        *((f"K{number:05d}", f"part{number * 7}", number * 3) for number in range(count)),
    ]


def epoch_of_1904() -> bytes:
    from openpyxl.utils.datetime import CALENDAR_MAC_1904

    workbook = Workbook()
    workbook.epoch = CALENDAR_MAC_1904
    sheet = workbook.active
    assert isinstance(sheet, Worksheet)
    sheet.append(("Event", "Date"))
    sheet.append(("Opening", datetime.date(2025, 3, 14)))
    return saved(workbook.save)


RICH = CellRichText("Frame of ", TextBlock(InlineFont(b=True), "carbon"), " fibre")
DAMAGED = {
    "styles": "the part of styles is no XML",
    "theme1": "the part of the theme is no XML",
    "comment1": "the part of comments is no XML",
}
FILES = (
    *(
        MadeFile(
            f"damaged-{part}.xlsx",
            f"a side part is damaged: {about}",
            partial(damaged, part),
            SAYS,
            rows=KEPT,
            is_of_issue=True,
        )
        for part, about in DAMAGED.items()
        if part != "comment1"
    ),
    MadeFile(
        "strict.xlsx",
        "strict Open XML (ISO 29500-1)",
        lambda: strict(make()),
        SAYS,
        rows=KEPT,
        is_of_issue=True,
    ),
    MadeFile("table.xlsx", "a table with names of columns", make, SAYS, rows=KEPT),
    MadeFile(
        "rows.xlsx",
        "three thousand rows, each whole",
        lambda: make(rows=bulk()),
        " ".join(str(cell) for row in bulk() for cell in row),
        rows=tuple(f"Code {code} Part {part} Stock {stock}" for code, part, stock in bulk()[1:]),
        is_of_issue=True,
    ),
    MadeFile("stored.xlsx", "members that are not compressed", stored_members, SAYS, rows=KEPT),
    MadeFile(
        "no-references.xlsx",
        "cells that do not say where they are",
        without_references,
        SAYS,
        rows=KEPT,
    ),
    MadeFile(
        "chart.xlsx",
        "a chart with a title of its own",
        partial(make, chart),
        f"{SAYS} Prices by model",
        rows=KEPT,
    ),
    MadeFile(
        "comment.xlsx",
        "a comment on a cell",
        partial(make, comment),
        f"{SAYS} Negotiated with the importer",
        rows=KEPT,
    ),
    MadeFile(
        "hidden-rows.xlsx",
        "hidden rows and columns are read",
        partial(make, hidden_parts),
        SAYS,
        rows=KEPT,
    ),
    MadeFile(
        "hidden-sheet.xlsx",
        "a hidden sheet: left out, and said",
        partial(make, hidden_sheet),
        SAYS,
        hides="Undisclosed",
        rows=KEPT,
    ),
    MadeFile(
        "side-by-side.xlsx",
        "two tables side by side",
        partial(make, side_by_side),
        f"{SAYS} Depot Town North Vic South Reus",
        rows=(*KEPT, "Depot North Town Vic", "Depot South Town Reus"),
    ),
    MadeFile(
        "two-tables.xlsx",
        "two tables, one below the other",
        partial(make, two_below),
        f"{SAYS} Service Hours Brakes 2 Wheels 3",
        rows=(*KEPT, "Service Brakes Hours 2", "Service Wheels Hours 3"),
    ),
    MadeFile(
        "list-object.xlsx",
        "a table that says it is one",
        partial(make, list_object),
        SAYS,
        rows=KEPT,
    ),
    MadeFile(
        "merged.xlsx",
        "a cell merged over two rows",
        partial(make, merged),
        f"{SAYS} Mestral red 640 blue 655",
        rows=(*KEPT, "Model Mestral Colour red Price 640", "Model Mestral Colour blue Price 655"),
    ),
    MadeFile(
        "rich-text.xlsx",
        "a cell in several types",
        lambda: make(rows=(("Part", "Material"), ("Main", RICH))),
        "Part Material Main Frame of carbon fibre",
    ),
    MadeFile(
        "text-box.xlsx",
        "a text box on the sheet",
        text_box,
        f"{SAYS} Negotiated with the importer All prices without tax",
        rows=KEPT,
    ),
    MadeFile(
        "phonetic.xlsx",
        "readings of ideographs, which are not shown",
        phonetic,
        "City Riders 大阪 31",
        hides="オオサカ",
    ),
    MadeFile(
        "shared-strings.xlsx",
        "texts in a part of their own, one in two types",
        shared_strings,
        "City Riders Lleida 31",
        rows=("City Lleida Riders 31",),
    ),
    MadeFile(
        "epoch-1904.xlsx",
        "dates counted from 1904",
        epoch_of_1904,
        "Event Date Opening 2025-03-14",
        rows=("Event Opening Date 2025-03-14",),
    ),
    MadeFile(
        "values.xlsx",
        "truth values, errors, times and long numbers",
        lambda: make(
            rows=(
                ("Kind", "Value"),
                ("flag", True),
                ("error", "#N/A"),
                ("time", datetime.time(17, 45)),
                ("account", "00417733"),
                ("large", 123456789012),
            )
        ),
        "Kind Value flag error time 17 45 account 00417733 large 123456789012",
    ),
    MadeFile(
        "no-header.xlsx",
        "figures alone, without names",
        lambda: make(rows=((11, 21, 31), (12, 22, 32))),
        "11 21 31 12 22 32",
    ),
    MadeFile(
        "empty-names.xlsx",
        "a column without a name",
        lambda: make(rows=(("Item", None, "Price"), ("Bell", "brass", 7))),
        "Item Price Bell brass 7",
        rows=("Item Bell brass Price 7",),
    ),
    MadeFile(
        "formula.xlsx",
        "formulas whose results were never stored: that is said",
        lambda: make(rows=(("Item", "Total"), ("Bell", "=7*3"), ("Lamp", "=SUM(1,2)"))),
        "Item Total Bell 21 Lamp 3",
        is_told=True,
    ),
    MadeFile(
        "macros.xlsm",
        "a workbook with macros",
        lambda: pack(
            {
                **unpack(make()),
                "[Content_Types].xml": unpack(make())["[Content_Types].xml"].replace(
                    b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
                    b"application/vnd.ms-excel.sheet.macroEnabled.main+xml",
                ),
            }
        ),
        SAYS,
        rows=KEPT,
    ),
)
