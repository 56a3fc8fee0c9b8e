"""OpenDocument and books."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from functools import partial
from typing import Any

from reading.tests.files.corpus.made import MadeFile

NAMES = (
    "office",
    "text",
    "table",
    "draw",
    "presentation",
    "style",
    "number",
    "form",
    "chart",
    "config",
)
SPACES = " ".join(
    [
        *(
            f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{"drawing" if name == "draw" else "datastyle" if name == "number" else name}:1.0"'
            for name in NAMES
        ),
        'xmlns:dc="http://purl.org/dc/elements/1.1/"',
        'xmlns:xlink="http://www.w3.org/1999/xlink"',
        'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
        'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"',
    ]
)
KINDS = {"odt": "text", "ods": "spreadsheet", "odp": "presentation"}


def package(mimetype: str, members: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", mimetype, zipfile.ZIP_STORED)
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def document(
    kind: str,
    body: str,
    *,
    automatic: str = "",
    master: str = "",
    more: Mapping[str, str] | None = None,
) -> bytes:
    mimetype = f"application/vnd.oasis.opendocument.{KINDS[kind]}"
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {SPACES} office:version="1.3"><office:automatic-styles>{automatic}'
        f"</office:automatic-styles><office:body><office:{KINDS[kind]}>{body}</office:{KINDS[kind]}></office:body></office:document-content>"
    )
    styles = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-styles {SPACES} office:version="1.3"><office:automatic-styles>'
        '<style:page-layout style:name="pm1"/></office:automatic-styles><office:master-styles><style:master-page style:name="Standard" '
        f'style:page-layout-name="pm1">{master}</style:master-page></office:master-styles></office:document-styles>'
    )
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" '
        f'manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:media-type="{mimetype}"/><manifest:file-entry '
        'manifest:full-path="content.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="styles.xml" '
        'manifest:media-type="text/xml"/></manifest:manifest>'
    )
    return package(
        mimetype,
        {
            "content.xml": content,
            "styles.xml": styles,
            "META-INF/manifest.xml": manifest,
            **(more or {}),
        },
    )


def odt(name: str, about: str, body: str, says: str, *, master: str = "", **more: Any) -> MadeFile:
    make = partial(document, "odt", f"<text:p>{INTRO}</text:p>{body}", master=master)
    return MadeFile(f"{name}.odt", about, make, f"{INTRO} {says}", is_of_issue=True, **more)


def ods(name: str, about: str, sheets: str, says: str, **more: Any) -> MadeFile:
    return MadeFile(
        f"{name}.ods", about, partial(document, "ods", sheets, automatic=HIDDEN), says, **more
    )


def odp(name: str, about: str, slides: str, says: str, **more: Any) -> MadeFile:
    return MadeFile(f"{name}.odp", about, partial(document, "odp", slides), says, **more)


def heading(text: str, depth: int) -> str:
    return f'<text:h text:outline-level="{depth}">{text}</text:h>'


def text_cell(text: str, attributes: str = "") -> str:
    return f'<table:table-cell office:value-type="string" {attributes}><text:p>{text}</text:p></table:table-cell>'


def number_cell(value: float, shown: str) -> str:
    return f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{shown}</text:p></table:table-cell>'


def rows(*lines: tuple[str, ...]) -> str:
    return "".join(f"<table:table-row>{''.join(cells)}</table:table-row>" for cells in lines)


def slide(title: str, *frames: str) -> str:
    boxes = "".join(
        f'<draw:frame svg:x="1cm" svg:y="{4 + number}cm">{frame}</draw:frame>'
        for number, frame in enumerate(frames)
    )
    return (
        f'<draw:page draw:name="{title}" draw:master-page-name="Standard"><draw:frame presentation:class="title" svg:x="1cm" svg:y="1cm">'
        f"<draw:text-box><text:p>{title}</text:p></draw:text-box></draw:frame>{boxes}</draw:page>"
    )


def book(
    *chapters: tuple[str, str], nav: str = "", encryption: str = "", reverse: bool = False
) -> bytes:
    """`chapters`: title and body. `reverse`: members stand in another order than the spine's."""
    items = "".join(
        f'<item id="c{number}" href="text/c{number}.xhtml" media-type="application/xhtml+xml"/>'
        for number in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    opf = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">urn:x</dc:identifier><dc:title>Handbook</dc:title><dc:language>en'
        f'</dc:language></metadata><manifest>{items}<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        f"</manifest><spine>{spine}</spine></package>"
    )
    opening = '<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body>'
    pages = {
        f"OPS/text/c{number}.xhtml": f"{opening}<h1>{title}</h1>{body}</body></html>"
        for number, (title, body) in enumerate(chapters)
    }
    container = (
        '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile '
        'full-path="OPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    members = {
        "META-INF/container.xml": container,
        "OPS/content.opf": opf,
        "OPS/nav.xhtml": f"{opening}<nav><ol><li>{nav or 'Contentslist'}</li></ol></nav></body></html>",
        **dict(reversed(pages.items()) if reverse else pages),
    }
    if encryption:
        members["META-INF/encryption.xml"] = encryption
    return package("application/epub+zip", members)


INTRO = "The workshop repairs bicycles."
HIDDEN = (
    '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style>'
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>'
)
GRID = rows(
    (text_cell("Route"), text_cell("Climb")),
    (text_cell("Coast"), text_cell("180")),
    (text_cell("Ridge"), text_cell("940")),
)
SAYS, ROWS = "Route Climb Coast 180 Ridge 940", ("Route Coast Climb 180", "Route Ridge Climb 940")
SHEET = rows(
    (text_cell("Route"), text_cell("Climb")),
    (text_cell("Coast"), number_cell(180, "180")),
    (text_cell("Ridge"), number_cell(940, "940")),
)
DRM = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod '
    'Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference URI="OPS/text/c0.xhtml"/></CipherData></EncryptedData></encryption>'
)
FILES = (
    odt(
        "headings-in-a-row",
        "three headings in a row",
        heading("Fares", 1)
        + heading("Children", 2)
        + heading("Groups", 3)
        + "<text:p>Half price.</text:p>"
        + heading("Dogs", 1)
        + heading("Cats", 1)
        + "<text:p>Free.</text:p>",
        "Fares Children Groups Half price. Dogs Cats Free.",
        headings=("Fares", "Children", "Groups", "Dogs", "Cats"),
    ),
    odt(
        "table",
        "a table",
        f'<table:table table:name="T"><table:table-column table:number-columns-repeated="2"/>{GRID}</table:table>',
        SAYS,
        rows=ROWS,
    ),
    odt(
        "spaces",
        "spaces, tabs and breaks that are elements",
        '<text:p>one<text:s text:c="3"/>two<text:tab/>three<text:line-break/>four</text:p>',
        "one two three four",
    ),
    odt(
        "list",
        "lists within lists",
        "<text:list><text:list-item><text:p>Lift</text:p><text:list><text:list-item><text:p>gently</text:p></text:list-item></text:list>"
        "</text:list-item></text:list>",
        "Lift gently",
    ),
    odt(
        "footnote",
        "a footnote",
        '<text:p>Five percent<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>For members '
        "alone</text:p></text:note-body></text:note>.</text:p>",
        "Five percent For members alone",
    ),
    odt(
        "comment",
        "a comment",
        "<text:p>Four weeks<office:annotation><dc:creator>Vega</dc:creator><text:p>Confirmed by the carrier</text:p></office:annotation>.</text:p>",
        "Four weeks Confirmed by the carrier",
    ),
    odt(
        "tracked-changes",
        "deletions are not read",
        '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><text:p>forty</text:p></text:deletion>'
        '</text:changed-region></text:tracked-changes><text:p>Sixty days<text:change text:change-id="c1"/></text:p>',
        "Sixty days",
        hides="forty",
    ),
    odt(
        "text-box",
        "a text box",
        "<text:p><draw:frame><draw:text-box><text:p>Helmets are lent free</text:p></draw:text-box></draw:frame></text:p>",
        "Helmets are lent free",
    ),
    odt(
        "header-and-footer",
        "a header and a footer",
        "<text:p>Body.</text:p>",
        "Body. Insurance ALPHA-7731 Extension 4402 answers",
        master="<style:header><text:p>Insurance ALPHA-7731</text:p></style:header><style:footer><text:p>Extension 4402 answers</text:p></style:footer>",
    ),
    odt(
        "spans",
        "words cut into spans, and a link",
        "<text:p>Trans<text:span>mis</text:span>sion <text:a>belts</text:a></text:p>",
        "Transmission belts",
    ),
    odt(
        "section",
        "a section, and one that is hidden",
        '<text:section text:name="A"><text:p>Shown clause</text:p></text:section><text:section text:name="B" text:display="none">'
        "<text:p>concealed</text:p></text:section>",
        "Shown clause",
        hides="concealed",
    ),
    ods(
        "table",
        "a table",
        f'<table:table table:name="Routes" table:style-name="ta1">{SHEET}</table:table>',
        SAYS,
        rows=ROWS,
        is_of_issue=True,
    ),
    ods(
        "hidden-sheet",
        "a hidden sheet: left out, and said",
        f'<table:table table:name="Routes" table:style-name="ta1">{SHEET}</table:table><table:table table:name="Margins" '
        f'table:style-name="ta2">{rows((text_cell("Undisclosed"),))}</table:table>',
        SAYS,
        hides="Undisclosed",
    ),
    ods(
        "repeated",
        "cells and rows that are stored once",
        '<table:table table:name="A" table:style-name="ta1"><table:table-row>'
        + text_cell("Slot")
        + text_cell("State")
        + '</table:table-row><table:table-row table:number-rows-repeated="3">'
        + text_cell("booked", 'table:number-columns-repeated="2"')
        + "</table:table-row><table:table-row "
        'table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row></table:table>',
        "Slot State booked booked booked",
    ),
    ods(
        "values",
        "percentages, money, dates and truth",
        '<table:table table:name="A" table:style-name="ta1">'
        + rows(
            (text_cell("Kind"), text_cell("Value")),
            (
                text_cell("opened"),
                '<table:table-cell office:value-type="date" office:date-value="2025-03-14"><text:p>14/03/25</text:p></table:table-cell>',
            ),
            (text_cell("stock"), number_cell(1417, "1417")),
        )
        + "</table:table>",
        "Kind Value opened 2025 stock 1417",
    ),
    odp(
        "slides",
        "titles, a list and a table",
        slide(
            "Bookings",
            "<draw:text-box><text:list><text:list-item><text:p>Groups phone</text:p></text:list-item></text:list></draw:text-box>",
        )
        + slide("Routes", f"<table:table>{GRID}</table:table>"),
        f"Bookings Groups phone Routes {SAYS}",
        headings=("Bookings", "Routes"),
        rows=ROWS,
        is_of_issue=True,
    ),
    odp(
        "notes",
        "a speaker's notes",
        slide("Bookings").replace(
            "</draw:page>",
            '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>Mention the strike</text:p></draw:text-box>'
            "</draw:frame></presentation:notes></draw:page>",
        ),
        "Bookings Mention the strike",
    ),
    odp(
        "group",
        "shapes within groups",
        '<draw:page draw:name="p"><draw:g><draw:g><draw:custom-shape><text:p>Inner canal path</text:p></draw:custom-shape></draw:g></draw:g></draw:page>',
        "Inner canal path",
    ),
    MadeFile(
        "chapters.epub",
        "chapters in the spine's order, stored in another; no list of contents",
        partial(
            book,
            ("Brakes", "<p>Pads wear out.</p>"),
            ("Wheels", "<p>Rims bend.</p>"),
            ("Bells", "<p>They ring.</p>"),
            reverse=True,
        ),
        "Brakes Pads wear out. Wheels Rims bend. Bells They ring.",
        hides="Contentslist",
        headings=("Brakes", "Wheels", "Bells"),
        is_of_issue=True,
    ),
    MadeFile(
        "table.epub",
        "a table within a chapter",
        partial(
            book,
            (
                "Routes",
                "<table><tr><th>Route</th><th>Climb</th></tr><tr><td>Coast</td><td>180</td></tr><tr><td>Ridge</td><td>940</td></tr></table>",
            ),
        ),
        f"Routes {SAYS}",
        rows=ROWS,
    ),
    MadeFile(
        "damaged-chapter.epub",
        "a chapter that is no XML is read as HTML",
        partial(
            book, ("Brakes", "<p>Pads wear out.</p>"), ("Wheels", "<p>Rims &nbsp; bend<br>often.")
        ),
        "Brakes Pads wear out. Wheels Rims bend often.",
    ),
    MadeFile(
        "protected.epub",
        "a book that a shop protected: that is said",
        partial(book, ("Brakes", "<p>Pads wear out.</p>"), encryption=DRM),
        "Brakes Pads wear out.",
        is_told=True,
    ),
)
