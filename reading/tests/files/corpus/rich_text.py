"""Rich text (RTF), and what old Office programs wrote.

`files/` is by LibreOffice 7.4 (soffice --convert-to), out of documents made by python-docx, openpyxl and
python-pptx: nothing that we may use writes these formats.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from reading.tests.files.corpus.made import MadeFile

FILES_FOLDER = Path(__file__).resolve().parent / "files"
HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fswiss\fcharset204 Arial Cyr;}}"
    r"{\colortbl;\red0\green0\blue0;}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 heading 2;}}"
    r"{\info{\title Hiddentitle}}"
)
INTRO = "The workshop repairs bicycles."


def rtf(
    name: str,
    about: str,
    body: str,
    says: str,
    *,
    hides: str = "Hiddentitle Arial",
    rows: tuple[str, ...] = (),
    headings: tuple[str, ...] = (),
    is_of_issue: bool = False,
) -> MadeFile:
    content = f"{HEAD}\\pard {INTRO}\\par {body}}}"
    return MadeFile(
        f"{name}.rtf",
        about,
        lambda: content.encode("cp1252"),
        f"{INTRO} {says}",
        hides=hides,
        rows=rows,
        headings=headings,
        is_of_issue=is_of_issue,
    )


def stored(
    name: str,
    about: str,
    says: str,
    *,
    hides: str = "",
    rows: tuple[str, ...] = (),
    headings: tuple[str, ...] = (),
) -> MadeFile:
    path = FILES_FOLDER / f"{name}.gz"
    return MadeFile(
        name,
        about,
        lambda: gzip.decompress(path.read_bytes()),
        says,
        hides=hides,
        rows=rows,
        headings=headings,
        is_of_issue=True,
    )


def table_row(*cells: str) -> str:
    edges = "".join(rf"\cellx{2000 * (number + 1)}" for number in range(len(cells)))
    return rf"\trowd{edges}" + "".join(rf"\intbl {cell}\cell" for cell in cells) + r"\row "


TERMS = (
    "Rental terms La señora Núñez pagó la reparación en Logroño. Deposit Ninety euros are held until the battery returns. "
    "Model Day Week Xaloc 19 95 Garbí 27 140 Bells are included Lamps cost extra Insurance policy ALPHA-7731 Extension 4402 answers"
)
TERMS_ROWS = ("Model Xaloc Day 19 Week 95", "Model Garbí Day 27 Week 140")
FILES = (
    rtf(
        "accents",
        "letters as bytes of a code page",
        r"Se\'f1or N\'fa\'f1ez pag\'f3 5 \'80",
        "Señor Núñez pagó 5",
        is_of_issue=True,
    ),
    rtf(
        "unicode",
        "letters as Unicode, with what old readers show",
        r"\uc1 Caf\u233?  \u26481?\u20140? \uc2\u8364\'80\'80 end",
        "Café 東京 end",
    ),
    rtf(
        "cyrillic",
        "a font whose character set is another",
        r"{\f1 \'cf\'f0\'ee\'ea\'e0\'f2} bikes",
        "Прокат bikes",
    ),
    rtf(
        "table",
        "a table",
        table_row("Route", "Climb")
        + table_row("Coast", "180")
        + table_row("Ridge", "940")
        + r"\pard After.\par",
        "Route Climb Coast 180 Ridge 940 After.",
        rows=("Route Coast Climb 180", "Route Ridge Climb 940"),
    ),
    rtf(
        "headings-in-a-row",
        "three headings in a row",
        r"\pard\s1\outlinelevel0 Fares\par\pard\s2\outlinelevel1 Children\par"
        r"\pard\s2\outlinelevel1 Dogs\par\pard\s0 Half price.\par",
        "Fares Children Dogs Half price.",
        headings=("Fares", "Children", "Dogs"),
    ),
    rtf(
        "header-and-footer",
        "a header and a footer",
        r"{\header \pard Insurance ALPHA-7731\par}{\footer \pard Extension 4402\par}Body.\par",
        "Insurance ALPHA-7731 Extension 4402 Body.",
    ),
    rtf(
        "footnote",
        "a footnote",
        r"The discount is five percent.{\footnote \pard For members alone\par}\par",
        "The discount is five percent. For members alone",
    ),
    rtf(
        "hidden",
        "hidden and deleted text",
        r"Visible {\v concealed }{\deleted struck }clause\par",
        "Visible clause",
        hides="concealed struck Hiddentitle",
    ),
    rtf(
        "field",
        "a field's result",
        r'{\field{\*\fldinst HYPERLINK "http://wrong.example"}{\fldrslt the tariff}}\par',
        "the tariff",
        hides="wrong HYPERLINK",
    ),
    rtf(
        "picture",
        "a picture's bytes, which are no text",
        r"{\pict\pngblip 89504e470d0a1a0a0000deadbeef}Plan.\par",
        "Plan.",
        hides="deadbeef 89504e470d0a1a0a0000deadbeef",
    ),
    rtf(
        "characters",
        "dashes, quotes, tabs and breaks that are words of the language",
        r"one\tab two\line three\emdash four\~five\ldblquote six\rdblquote\par",
        "one two three four five six",
    ),
    rtf(
        "unknown-group",
        "groups that a reader need not know",
        r"{\*\generator Riched20 10.0}{\*\unheardof secret}Plain.\par",
        "Plain.",
        hides="Riched20 secret",
    ),
    rtf(
        "nested",
        "three hundred groups within each other",
        "{" * 300 + "Deep." + "}" * 300 + r"\par",
        "Deep.",
    ),
    stored(
        "terms.rtf",
        "as LibreOffice writes it",
        TERMS,
        rows=TERMS_ROWS,
        headings=("Rental terms", "Deposit"),
    ),
    stored(
        "terms.doc",
        "Word 97: headings, a table, a list, header and footer",
        TERMS,
        rows=TERMS_ROWS,
        headings=("Rental terms", "Deposit"),
    ),
    stored(
        "prices.xls",
        "Excel 97: dates, prices, a hidden sheet",
        "Model Colour Price Since Xaloc grey 899 2025-03-14 Garbí green 1249.5 "
        "2024-11-02 North depot in Vic",
        hides="Undisclosed",
        rows=(
            "Model Xaloc Colour grey Price 899 Since 2025-03-14",
            "Model Garbí Colour green Price 1249.5 Since 2024-11-02",
        ),
    ),
    stored(
        "slides.ppt",
        "PowerPoint 97: titles, a list, notes, a table",
        "Bookings Groups book by phone Families book online Mention the ferry "
        "strike Routes Route Climb Coast 180 m",
        headings=("Bookings", "Routes"),
    ),
)
