"""PDF pages that are pictures of text: read by OCR where it is set up, named where it is not."""

import io
import re
from collections.abc import Callable

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from reading.errors import UnreadableFile
from reading.extractors.images import recognition
from reading.extractors.pdf import document, scans
from reading.extractors.pdf.document import extract
from reading.extractors.pdf.layout import Cell, Line
from reading.extractors.pdf.words import Word
from reading.passages import Block
from reading.tests.drawn_pages import ENGLISH, SPANISH, TYPE, draw_page, photograph_of_a_bicycle
from reasons import Reason

pytestmark = pytest.mark.slow

Draw = Callable[[Canvas], None]
PAGE = (595, 842)
SPANISH_TEXT, ENGLISH_TEXT = " ".join(SPANISH), " ".join(ENGLISH)
LEFT_OUT = Reason("pages_without_ocr", places=Reason("places_page", numbers="2"))


def make_pdf(*pages: Draw) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=PAGE, pageCompression=0)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def scan(*lines: str, turned: int = 0) -> Draw:
    """The page as one picture, as a scanner makes it."""
    text = draw_page(*lines)
    page = Image.new("L", (text.width, round(text.width * PAGE[1] / PAGE[0])), 255)
    page.paste(text)
    return photograph(page.rotate(turned))


def photograph(picture: Image.Image) -> Draw:
    width, height = PAGE[0], PAGE[0] * picture.height / picture.width

    def draw(canvas: Canvas) -> None:
        image = ImageReader(picture.convert("RGB"))
        canvas.drawImage(image, 0, PAGE[1] - height, width, height)

    return draw


def typed(*lines: str, top: int = 780, is_seen: bool = True) -> Draw:
    """Text that is not seen is there for a search."""

    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(60, top)
        text.setFont("Helvetica", 11)
        text.setTextRenderMode(0 if is_seen else 3)
        for line in lines:
            text.textLine(line)
        canvas.drawText(text)

    return draw


def together(*draws: Draw) -> Draw:
    def draw(canvas: Canvas) -> None:
        for each in draws:
            each(canvas)

    return draw


def in_own_font(*lines: str) -> Draw:
    def draw(canvas: Canvas) -> None:
        pdfmetrics.registerFont(TTFont("Vera", str(TYPE)))
        canvas.setFont("Vera", 11)
        for number, line in enumerate(lines):
            canvas.drawString(60, 780 - 14 * number, line)

    return draw


def with_unknown_signs(data: bytes, known: bytes) -> bytes:
    """Its font says of all but the `known` letters that they are for private use."""

    def meaning(found: re.Match[bytes]) -> bytes:
        code = int(found[1], 16)
        return found[0] if code in known else b"<%02X> <E0%02X>" % (code, code)

    return re.sub(rb"<(..)> <00..>", meaning, data)


def with_shifted_letters(data: bytes) -> bytes:
    """Its font says of each letter that it is the third one after: "e" is "h"."""
    return re.sub(
        rb"<(..)> <00(..)>", lambda pair: b"<%b> <%04X>" % (pair[1], int(pair[2], 16) + 3), data
    )


def filling(picture: Image.Image) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(picture.convert("RGB")), 0, 0, *PAGE)

    return draw


def blank(canvas: Canvas) -> None:
    """But for a frame."""
    canvas.rect(100, 100, 50, 50)


def as_shapes(canvas: Canvas) -> None:
    """Letters that are drawn, as a program for drawings exports them: a run of ink is a shape."""
    page = draw_page("Plano de la planta baja", size=40).point(lambda grey: 255 * (grey > 128))
    canvas.scale(0.5, 0.5)
    for y in range(page.height):
        row = bytes(page.crop((0, y, page.width, y + 1)).tobytes())
        start = row.find(b"\0")
        while start >= 0:
            end = next((x for x in range(start, page.width) if row[x]), page.width)
            canvas.rect(start, 1600 - y, end - start, 1.2, stroke=0, fill=1)
            start = row.find(b"\0", end)


def refusal(data: bytes) -> Reason:
    with pytest.raises(UnreadableFile) as caught:
        extract(data)
    return caught.value.reason


# --- With OCR -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("tesseract")
class TestWithOcr:
    def test_scanned_page_is_read(self):
        extraction = extract(make_pdf(scan(*SPANISH)))
        assert list(extraction.blocks) == [Block(SPANISH_TEXT, "page 1", is_recognised=True)]
        assert (extraction.warnings, extraction.pages) == ([], 1)

    def test_page_that_was_scanned_upside_down_is_read(self):
        data = make_pdf(scan(*SPANISH, turned=180))
        assert [block.text for block in extract(data).blocks] == [SPANISH_TEXT]

    def test_scanned_pages_between_others_keep_their_numbers(self):
        first, last = "Contrato de alquiler de bicicletas.", "Firmado en Valencia."
        data = make_pdf(typed(first), scan(*SPANISH), blank, scan(*ENGLISH), typed(last))
        extraction = extract(data)
        assert list(extraction.blocks) == [
            Block(first, "page 1"),
            Block(SPANISH_TEXT, "page 2", is_recognised=True),
            Block(ENGLISH_TEXT, "page 4", is_recognised=True),
            Block(last, "page 5"),
        ]
        assert (extraction.warnings, extraction.pages) == ([], 5)

    def test_stamp_on_a_scan_does_not_hide_its_text(self):
        data = make_pdf(together(scan(*SPANISH), scan(*SPANISH), typed("Copia 17", top=60)))
        assert SPANISH_TEXT in [block.text for block in extract(data).blocks]

    def test_text_that_a_scanner_has_put_behind_its_picture_is_taken_as_it_is(self, monkeypatch):
        monkeypatch.setattr(recognition, "recognise", pytest.fail)
        data = make_pdf(together(scan(*SPANISH), typed(*SPANISH, is_seen=False)))
        assert [block.text for block in extract(data).blocks] == [SPANISH_TEXT]

    @pytest.mark.parametrize("known", [b"", b"REpsa"])
    def test_text_in_a_font_of_unknown_signs_is_read_as_it_looks(self, known: bytes):
        extraction = extract(with_unknown_signs(make_pdf(in_own_font(*ENGLISH)), known))
        assert list(extraction.blocks) == [Block(ENGLISH_TEXT, "page 1", is_recognised=True)]

    def test_text_in_a_font_that_lies_about_its_letters_is_read_as_it_looks(self):
        extraction = extract(with_shifted_letters(make_pdf(in_own_font(*ENGLISH))))
        assert list(extraction.blocks) == [Block(ENGLISH_TEXT, "page 1", is_recognised=True)]
        assert extraction.warnings == []

    def test_text_that_reads_as_it_looks_is_taken_as_it_is(self, monkeypatch):
        monkeypatch.setattr(scans, "VOWELS_MIN_SHARE", 1.0)  # no text is above doubt
        extraction = extract(make_pdf(typed(*ENGLISH)))
        assert list(extraction.blocks) == [Block(ENGLISH_TEXT, "page 1")]
        assert extraction.warnings == []

    def test_picture_that_fills_a_page_and_gives_no_text_is_told(self):
        extraction = extract(make_pdf(typed("Uno."), filling(photograph_of_a_bicycle())))
        assert [block.text for block in extraction.blocks] == ["Uno."]
        assert extraction.warnings == [
            Reason("picture_without_text", places=Reason("places_page", numbers="2"))
        ]

    def test_letters_that_are_drawn_as_shapes_are_read(self):
        blocks = list(extract(make_pdf(as_shapes)).blocks)
        assert [block.text for block in blocks] == ["Plano de la planta baja"]

    def test_picture_beside_text_is_not_read(self, monkeypatch):
        monkeypatch.setattr(recognition, "recognise", pytest.fail)
        page = together(photograph(photograph_of_a_bicycle()), typed(*ENGLISH, top=200))
        assert extract(make_pdf(page)).warnings == []

    def test_pictures_without_text_are_refused(self):
        assert refusal(make_pdf(photograph(photograph_of_a_bicycle()))) == (
            Reason("no_text_in_scan")
        )

    def test_empty_pages_are_no_scan(self, monkeypatch):
        monkeypatch.setattr(recognition, "recognise", pytest.fail)
        assert str(refusal(make_pdf(blank))).startswith("This PDF has no text that can be indexed:")

    def test_scans_are_counted_before_they_are_read(self, monkeypatch):
        monkeypatch.setattr(recognition, "recognise", pytest.fail)
        monkeypatch.setattr(document, "SCANS_MAX", 1)
        message = refusal(make_pdf(scan("Uno."), scan("Dos.")))
        assert str(message).endswith("Split it into several files and upload them one by one.")


@pytest.mark.parametrize("size", [PAGE, (14_400, 14_400), (1, 100_000), (100_000, 1), (0.1, 0.1)])
def test_page_becomes_a_bitmap_of_bounded_size_whatever_it_claims(size: tuple[float, float]):
    scale = scans.render_scale(*size)
    width, height = size[0] * scale, size[1] * scale
    assert width * height <= 16_000_001
    assert max(width, height) <= 32_000


# --- Without OCR ----------------------------------------------------------------------------------


def test_scan_without_ocr_says_what_its_operator_can_install():
    assert refusal(make_pdf(scan(*SPANISH))) == (Reason("scan_without_ocr"))


def test_pages_of_text_are_indexed_without_ocr_and_the_others_named():
    extraction = extract(make_pdf(typed("Uno."), scan(*SPANISH), blank))
    assert [block.text for block in extraction.blocks] == ["Uno."]
    assert extraction.warnings == [LEFT_OUT]


def test_text_in_a_font_that_lies_about_its_letters_is_told():
    extraction = extract(with_shifted_letters(make_pdf(in_own_font(*ENGLISH))))
    assert extraction.warnings == [
        Reason("pages_with_unclear_font", places=Reason("places_page", numbers="1"))
    ]


CZECH = "Další nehoda kamionu uzavřela na větší část odpoledne úsek dálnice do Kroměříže."
POLISH = "Wszystkie przesyłki przychodzą w ciągu trzech dni, z wyjątkiem świąt i niedziel."
CODES = "Ref. XKCD-BRKT-1122, MPLM-KRST, HTTP, HTML, XHTML, JPEG, PNGS, SQLX, VPN4, DNSX"


@pytest.mark.parametrize("text", [*ENGLISH, *SPANISH, CZECH, POLISH, CODES])
def test_no_doubt_is_cast_on_text_of_another_language_or_on_codes(text: str):
    assert not scans.is_gibberish([Line((Cell.of([Word(text, 0, 1, 0, 1, is_bold=False)]),))] * 3)


def test_nothing_is_said_of_ocr_where_nothing_needs_it():
    assert extract(make_pdf(typed("Uno."), blank)).warnings == []
