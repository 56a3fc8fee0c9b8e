"""PDFs."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from functools import partial

from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from reading.tests.drawn_pages import TYPE, draw_page
from reading.tests.files.corpus.made import MadeFile
from reading.tests.files.corpus.packages import saved

WIDTH, HEIGHT = 595, 842
LEFT, TOP, LEADING, SIZE = 60, 780, 15, 11
BODY, BOLD = "Helvetica", "Helvetica-Bold"
Draw = Callable[[Canvas], object]
PARAGRAPH = (
    "Bicycles are rented by the day or by the week, and every",
    "rental includes a helmet, a lock and a repair kit. Whoever",
    "returns a bicycle late pays one more day at the usual price.",
)
SAYS = " ".join(PARAGRAPH)


def make(*pages: Draw, encryption: StandardEncryption | None = None, pack: int = 1) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT), encrypt=encryption, pageCompression=pack)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def lines(
    *texts: str, font: str = BODY, size: int = SIZE, top: int = TOP, left: int = LEFT
) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, size)
        for number, text in enumerate(texts):
            canvas.drawString(left, top - number * LEADING, text)

    return draw


def together(*draws: Draw) -> Draw:
    return lambda canvas: [draw(canvas) for draw in draws]


def row(top: int, *cells: tuple[int, str], font: str = BODY) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, SIZE)
        for x, text in cells:
            canvas.drawString(x, top, text)

    return draw


TABLE = together(
    row(600, (LEFT, "Concept"), (300, "January"), (420, "February"), font=BOLD),
    row(585, (LEFT, "Thousands of euros, not audited")),
    row(570, (LEFT, "Rentals"), (300, "1,204"), (420, "1,388")),
    row(555, (LEFT, "Repairs"), (300, "877"), (420, "915")),
)


def table_with_words_first() -> bytes:
    return make(together(lines(*PARAGRAPH), TABLE))


def raw(
    objects: Sequence[bytes], *, trailer: bytes = b"/Root 1 0 R", header: bytes = b"%PDF-1.7\n"
) -> bytes:
    """Object 1 is the catalogue. No library writes what these files are about."""
    out, offsets = bytearray(header), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return bytes(
        out
        + b"trailer\n<</Size %d %s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    )


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d %s>>\nstream\n%s\nendstream" % (len(content), entries, content)


def drawn(*texts: str, top: int = TOP) -> bytes:
    shown = b"".join(b"(%s) Tj 0 -15 Td\n" % text.encode("cp1252") for text in texts)
    return b"BT /F1 11 Tf %d %d Td\n%sET" % (LEFT, top, shown)


FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"


def one_page(
    content: bytes,
    *,
    page: bytes = b"",
    catalogue: bytes = b"",
    font: bytes = FONT,
    more: Sequence[bytes] = (),
    resources: bytes = b"",
) -> bytes:
    """Objects 1 to 5 are the catalogue, the pages, the page, its content and its font; `more`: from 6 on."""
    return raw(
        (
            b"<</Type/Catalog/Pages 2 0 R %s>>" % catalogue,
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>%s>>%s>>"
            % (resources, page),
            stream(content),
            font,
            *more,
        )
    )


def form() -> bytes:
    fields = (
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(Applicant)/TU(Name of the applicant)/V(Montserrat Ferrer)/Rect[60 700 300 720]>>",
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(Town)/V(Figueres)/Rect[60 670 300 690]>>",
    )
    return one_page(
        drawn("Application for a season ticket"),
        page=b"/Annots[6 0 R 7 0 R]",
        catalogue=b"/AcroForm<</Fields[6 0 R 7 0 R]/DA(/Helv 0 Tf)>>",
        more=fields,
    )


def with_notes() -> bytes:
    notes = (
        b"<</Type/Annot/Subtype/Text/Contents(The landlord has not agreed yet)/T(Vega)/Rect[60 700 80 720]>>",
        b"<</Type/Annot/Subtype/FreeText/Contents(Valid from Easter)/DA(/Helv 9 Tf)/Rect[60 640 300 660]>>",
    )
    return one_page(drawn("Draft of the lease"), page=b"/Annots[6 0 R 7 0 R]", more=notes)


def outside_the_page() -> bytes:
    content = (
        drawn("On this page the prices of summer stand")
        + b"\n"
        + drawn("Invisible neighbour beyond the crop", top=1500)
    )
    return one_page(content, page=b"/CropBox[0 0 595 842]").replace(
        b"/MediaBox[0 0 595 842]", b"/MediaBox[0 0 595 1684]"
    )


def off_layer() -> bytes:
    content = (
        drawn("Seen by everybody")
        + b"\n/OC /L1 BDC\n"
        + drawn("Switchedoff layer", top=600)
        + b"\nEMC"
    )
    return one_page(
        content,
        resources=b"/Properties<</L1 6 0 R>>",
        more=(b"<</Type/OCG/Name(Hidden)>>",),
        catalogue=b"/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]/Order[]>>>>",
    )


def twice(canvas: Canvas) -> None:
    """Bold by drawing again a little to the right."""
    for shift in (0, 0.4):
        canvas.setFont(BODY, 16)
        canvas.drawString(LEFT + shift, TOP, "Municipal swimming pool")
    lines(*PARAGRAPH, top=TOP - 40)(canvas)


def letter_by_letter(canvas: Canvas) -> None:
    """Each letter drawn twice before the next, which is how some printers' drivers write bold."""
    x = float(LEFT)
    for letter in "Municipal":
        for shift in (0, 0.4):
            canvas.setFont(BODY, 16)
            canvas.drawString(x + shift, TOP, letter)
        x += canvas.stringWidth(letter, BODY, 16)
    lines(*PARAGRAPH, top=TOP - 40)(canvas)


def shifted_font() -> bytes:
    """A font of its own encoding, each letter three places on, and nothing that maps it back."""
    pdfmetrics.registerFont(TTFont("Vera", str(TYPE)))
    content = make(lines(*PARAGRAPH, font="Vera", size=12), pack=0)
    # The font's subset has codes of its own: without the map, they are letters of nothing
    return re.sub(rb"/ToUnicode (\d+ 0 R)", rb"/Nothing__ \1", content)


def chart(canvas: Canvas) -> None:
    lines("Guests by month")(canvas)
    canvas.line(100, 400, 100, 700)
    canvas.line(100, 400, 450, 400)
    canvas.setFont(BODY, 9)
    for step, label in enumerate(("0", "125", "250", "375")):
        canvas.drawRightString(95, 400 + step * 80, label)
    for step, label in enumerate(("April", "May", "June")):
        canvas.drawString(130 + step * 100, 385, label)
        canvas.rect(130 + step * 100, 400, 30, 60 + step * 50, fill=1)


def two_columns(canvas: Canvas) -> None:
    for left, texts in (
        (
            50,
            (
                "Left column begins with the",
                "opening hours of the depot,",
                "which closes at eight daily.",
            ),
        ),
        (
            320,
            (
                "Right column goes on with",
                "the deposit of fifty euros,",
                "returned without damage.",
            ),
        ),
    ):
        lines(*texts, left=left)(canvas)


def header_and_footer(number: int) -> Draw:
    return together(
        lines("Statutes of the Rowing Club", top=815),
        lines(f"Article {('one', 'two', 'three', 'four')[number]} binds members.", *PARAGRAPH),
        lines(f"Page {number + 1} of 4", top=30),
    )


def scan(*texts: str) -> bytes:
    return saved(lambda buffer: draw_page(*texts).save(buffer, "PDF", resolution=150))


def searchable_scan(canvas: Canvas) -> None:
    """A picture with the words that were recognised below it, invisible."""
    canvas.drawImage(ImageReader(Image.new("L", (600, 800), 240)), 0, 0, WIDTH, HEIGHT)
    text = canvas.beginText(LEFT, TOP)
    text.setFont(BODY, SIZE)
    text.setTextRenderMode(3)
    for line in PARAGRAPH:
        text.textLine(line)
    canvas.drawText(text)


def rotated() -> bytes:
    """A portrait page that is shown turned: its lines run upwards."""
    shown = b"".join(b"(%s) Tj 0 -15 Td\n" % line.encode("cp1252") for line in PARAGRAPH)
    return one_page(b"BT /F1 11 Tf 0 1 -1 0 100 60 Tm\n%sET" % shown, page=b"/Rotate 90")


def ligatures() -> bytes:
    pdfmetrics.registerFont(TTFont("Vera", str(TYPE)))
    return make(lines("Beneﬁts of the ﬁrst ﬂoor.", *PARAGRAPH, font="Vera"))


def xfa_only() -> bytes:
    return one_page(
        drawn(
            "Please wait... If this message is not eventually replaced, your viewer cannot display this document."
        ),
        catalogue=b"/NeedsRendering true/AcroForm<</Fields[]/XFA 6 0 R>>",
        more=(stream(b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'><template/></xdp:xdp>"),),
    )


def attachment() -> bytes:
    return one_page(
        drawn("The annex is attached to this file"),
        catalogue=b"/Names<</EmbeddedFiles<</Names[(annex.txt) 6 0 R]>>>>",
        more=(
            b"<</Type/Filespec/F(annex.txt)/EF<</F 7 0 R>>>>",
            stream(b"Annexwords", b"/Type/EmbeddedFile"),
        ),
    )


def form_object() -> bytes:
    return one_page(
        b"/X1 Do",
        resources=b"/XObject<</X1 6 0 R>>",
        more=(
            stream(
                drawn(*PARAGRAPH),
                b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>",
            ),
        ),
    )


def damaged_page() -> bytes:
    content = make(
        lines("First page about frames and forks", *PARAGRAPH),
        lines("Broken page"),
        lines("Third page about wheels and spokes"),
    )
    second = [match.start() for match in re.finditer(rb"stream\r?\n", content)][2]
    return content[: second + 8] + b"\0" * 24 + content[second + 32 :]


def broken_table_of_objects() -> bytes:
    return re.sub(rb"startxref\s+\d+", b"startxref\n7", make(lines(*PARAGRAPH)))


def no_catalogue_type() -> bytes:
    return one_page(drawn(*PARAGRAPH)).replace(b"/Type/Catalog", b"/Typo/Catalog")


def pages_without_count() -> bytes:
    return one_page(drawn(*PARAGRAPH)).replace(b"/Count 1", b"/Count 0")


def no_trailer() -> bytes:
    return one_page(drawn(*PARAGRAPH)).partition(b"xref\n")[0]


def wrapped_cells(canvas: Canvas) -> None:
    for top, cells in (
        (700, ("Service", "What is done", "Price")),
        (680, ("Basic", "brakes, gears and a", "39 EUR")),
        (667, ("", "wash of the frame", "")),
        (645, ("Complete", "all of basic, wheels", "79 EUR")),
        (632, ("", "and the bottom bracket", "")),
    ):
        row(top, *zip((LEFT, 180, 400), cells, strict=True), font=BOLD if top == 700 else BODY)(
            canvas
        )


def headings(canvas: Canvas) -> None:
    for top, text, size in (
        (780, "Chapter of rentals", 20),
        (745, "Electric models", 16),
        (715, "Battery deposit", 13),
    ):
        lines(text, font=BOLD, size=size, top=top)(canvas)
    lines(*PARAGRAPH, top=690)(canvas)


def superscript(canvas: Canvas) -> None:
    lines("The area is 48 metres", top=TOP)(canvas)
    canvas.setFont(BODY, 7)
    canvas.drawString(LEFT + 112, TOP + 4, "squared")
    lines(*PARAGRAPH, top=TOP - 40)(canvas)


def hyphenated(canvas: Canvas) -> None:
    lines(
        "Every bicycle is checked for its road-",
        "worthiness before anybody rides it, and the trans-",
        "mission is oiled twice a month by our mechanics.",
    )(canvas)


OWNER = StandardEncryption("", ownerPassword="owner", canPrint=0)
ALIKE = tuple(lines(*PARAGRAPH) for _ in range(4))
NUMBERED = tuple(
    lines("Voucher for one day of rental", f"Number {number}") for number in range(701, 705)
)
TABLE_SAYS = (
    "Concept January February Thousands of euros, not audited Rentals 1,204 1,388 Repairs 877 915"
)
SCRIPT_SIGN_WIDTH = 0.6 * SIZE  # of Courier


def in_any_script(*texts: tuple[float, float, str], extra: bytes = b"") -> bytes:
    """Texts at their places (left, baseline), as they look from left to right, in a font whose signs are whatever its map says."""
    alphabet = sorted({sign for *_, text in texts for sign in text} - {" "})
    codes = {" ": 0x20, **{sign: 0x21 + index for index, sign in enumerate(alphabet)}}
    content = b"".join(
        b"BT /F1 %d Tf %.2f %.2f Td <%s> Tj ET\n"
        % (SIZE, left, bottom, bytes(codes[sign] for sign in text).hex().encode())
        for left, bottom, text in texts
    )
    entries = "".join(
        f"<{code:02x}> <{sign.encode('utf-16-be').hex()}>\n" for sign, code in codes.items()
    )
    mapping = (
        "/CIDInit /ProcSet findresource begin begincmap /CMapName /M def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{entries}endbfchar endcmap end"
    )
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>"
    return one_page(content + extra, font=font, more=(stream(mapping.encode()),))


def right_to_left() -> bytes:
    """As Chrome stores it: each line as it looks from left to right."""
    seen = ("םימעפ חותפה תיב", f"17:00-{'דע'} 8:30 {'ןיב'}", f"{'םילקש'} 320 {'ריחמ'}")
    return in_any_script(
        *(
            (535 - SCRIPT_SIGN_WIDTH * len(text), 700 - 30 * row, text)
            for row, text in enumerate(seen)
        )
    )


def sideways_table(canvas: Canvas) -> None:
    lines(*PARAGRAPH)(canvas)
    canvas.translate(500, 150)
    canvas.rotate(90)
    for number, (berth, summer, winter) in enumerate(
        (
            ("Berth", "Summer", "Winter"),
            ("Inner quay", "840", "410"),
            ("Outer pier", "1,260", "630"),
        )
    ):
        row(15 * -number, (0, berth), (150, summer), (300, winter))(canvas)


def slide_columns(canvas: Canvas) -> None:
    """A slide that was saved as a PDF."""
    lines("Plan Kestrel", size=16, top=700)(canvas)
    lines("Plan Heron", size=16, top=700, left=320)(canvas)
    for number, texts in enumerate(
        (("Nine euros a month.", "Twenty euros a month."), ("One bicycle.", "Three bicycles."))
    ):
        row(670 - 22 * number, (LEFT, texts[0]), (320, texts[1]))(canvas)


FILES = (
    MadeFile(
        "alike-pages.pdf", "pages that are alike", partial(make, *ALIKE), SAYS, is_of_issue=True
    ),
    MadeFile(
        "numbered-pages.pdf",
        "pages that differ in a number alone",
        partial(make, *NUMBERED),
        "Voucher for one day of rental Number 701 702 703 704",
        is_of_issue=True,
    ),
    MadeFile(
        "form.pdf",
        "values of a form's fields",
        form,
        "Application for a season ticket Montserrat Ferrer Figueres",
        is_of_issue=True,
    ),
    MadeFile(
        "annotations.pdf",
        "notes and free text on a page",
        with_notes,
        "Draft of the lease The landlord has not agreed yet Valid from Easter",
        is_of_issue=True,
    ),
    MadeFile(
        "words-before-amounts.pdf",
        "a row of words before a table's first amounts",
        table_with_words_first,
        f"{SAYS} {TABLE_SAYS}",
        is_of_issue=True,
    ),
    MadeFile(
        "axes.pdf",
        "numbers on a chart's axes",
        partial(make, chart),
        "Guests by month 0 125 250 375 April May June",
        is_of_issue=True,
    ),
    MadeFile(
        "outside.pdf",
        "text outside the page's box",
        outside_the_page,
        "On this page the prices of summer stand",
        hides="Invisible neighbour beyond crop",
        is_of_issue=True,
    ),
    MadeFile(
        "drawn-twice.pdf",
        "a line drawn twice with an offset",
        partial(make, twice),
        f"Municipal swimming pool {SAYS}",
        is_of_issue=True,
    ),
    MadeFile(
        "letters-twice.pdf",
        "letters drawn twice with an offset",
        partial(make, letter_by_letter),
        f"Municipal {SAYS}",
        hides="MMuunniicciippaall",
        is_of_issue=True,
    ),
    MadeFile(
        "shifted-font.pdf",
        "a font without a usable mapping: by OCR",
        shifted_font,
        SAYS,
        is_of_issue=True,
    ),
    MadeFile(
        "headings-in-a-row.pdf",
        "three headings in a row",
        partial(make, headings),
        f"Chapter of rentals Electric models Battery deposit {SAYS}",
        headings=("Chapter of rentals", "Electric models", "Battery deposit"),
        is_of_issue=True,
    ),
    MadeFile(
        "no-trailer.pdf", "neither table of objects nor trailer", no_trailer, SAYS, is_of_issue=True
    ),
    MadeFile(
        "typeless.pdf",
        "a catalogue that does not say it is one",
        no_catalogue_type,
        SAYS,
        is_of_issue=True,
    ),
    MadeFile(
        "countless.pdf", "a wrong number of pages", pages_without_count, SAYS, is_of_issue=True
    ),
    MadeFile(
        "wrong-startxref.pdf",
        "a table of objects that is not where it should be",
        broken_table_of_objects,
        SAYS,
    ),
    MadeFile("paragraph.pdf", "a paragraph", partial(make, lines(*PARAGRAPH)), SAYS),
    MadeFile(
        "two-columns.pdf",
        "two columns",
        partial(make, two_columns),
        "Left column begins with the opening hours of the depot, which closes at eight daily. "
        "Right column goes on with the deposit of fifty euros, returned without damage.",
    ),
    MadeFile(
        "running-header.pdf",
        "a header on every page: kept once",
        partial(make, *map(header_and_footer, range(4))),
        "Statutes of the Rowing Club Article one binds members. two three four",
    ),
    MadeFile("scan.pdf", "a scanned page", partial(scan, *PARAGRAPH), SAYS),
    MadeFile(
        "searchable-scan.pdf",
        "a scan with invisible words below it",
        partial(make, searchable_scan),
        SAYS,
    ),
    MadeFile("rotated.pdf", "a page turned by 90°", rotated, SAYS),
    MadeFile("ligatures.pdf", "ligatures", ligatures, f"Benefits of the first floor. {SAYS}"),
    MadeFile(
        "superscript.pdf",
        "a raised figure",
        partial(make, superscript),
        f"The area is 48 metres squared {SAYS}",
    ),
    MadeFile(
        "hyphenated.pdf",
        "words that a line's end breaks",
        partial(make, hyphenated),
        "Every bicycle is checked for its roadworthiness before anybody rides it, and the transmission is oiled twice a "
        "month by our mechanics.",
    ),
    MadeFile(
        "owner-password.pdf",
        "encrypted, open to everybody to read",
        partial(make, lines(*PARAGRAPH), encryption=OWNER),
        SAYS,
    ),
    MadeFile("form-object.pdf", "text in a form object", form_object, SAYS),
    MadeFile(
        "off-layer.pdf",
        "a layer that is switched off",
        off_layer,
        "Seen by everybody",
        hides="Switchedoff layer",
        known_fault="PDFium gives the text of layers that are switched off",
    ),
    MadeFile(
        "attachment.pdf",
        "a file within: that is said",
        attachment,
        "The annex is attached to this file",
    ),
    MadeFile("xfa.pdf", "a form that is XFA alone: that is said", xfa_only, "", is_told=True),
    MadeFile(
        "damaged-page.pdf",
        "one page of three is damaged: it costs itself, and that is said",
        damaged_page,
        f"First page about frames and forks {SAYS} Third page about wheels and spokes",
    ),
    MadeFile(
        "wrapped-cells.pdf",
        "a table whose cells are of several lines",
        partial(make, wrapped_cells),
        "Service What is done Price Basic brakes, gears and a wash of the frame 39 EUR Complete all of basic, wheels and the "
        "bottom bracket 79 EUR",
        rows=(
            "Basic brakes gears and a wash of the frame 39 EUR",
            "Complete all of basic wheels and the bottom bracket 79 EUR",
        ),
    ),
    MadeFile(
        "right-to-left.pdf",
        "Hebrew lines with numbers, stored as they look",
        right_to_left,
        "בית הפתוח פעמים בין 8:30 עד-17:00 מחיר 320 שקלים",
        is_of_issue=True,
    ),
    MadeFile(
        "sideways-table.pdf",
        "a table printed sideways on an upright page",
        partial(make, sideways_table),
        f"{SAYS} Berth Summer Winter Inner quay 840 410 Outer pier 1,260 630",
        rows=("Inner quay Summer 840 Winter 410", "Outer pier Summer 1,260 Winter 630"),
        is_of_issue=True,
    ),
    MadeFile(
        "slide-columns.pdf",
        "two plans as columns under their headings",
        partial(make, slide_columns),
        "Plan Kestrel Nine euros a month. One bicycle. Plan Heron Twenty euros a month. Three bicycles.",
        headings=("Plan Kestrel", "Plan Heron"),
        rows=("Plan Kestrel Nine euros One bicycle", "Plan Heron Twenty euros Three bicycles"),
        is_of_issue=True,
    ),
)
