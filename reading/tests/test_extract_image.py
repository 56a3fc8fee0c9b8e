"""Images: their text through OCR, however they were scanned; and what a person is told else."""

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from reading.confinement.messages import Request
from reading.confinement.sandbox import Sandbox
from reading.errors import UnreadableFile
from reading.extractors.images import image, recognition
from reading.extractors.images.image import extract
from reading.extractors.images.recognition import without_noise
from reading.extractors.images.recognition_lines import Row, SeenWord, make_lines
from reading.file_types import BMP, PNG, TIFF
from reading.ocr import LIMITS
from reading.passages import Block
from reading.tests.confined import extract_document
from reading.tests.drawn_pages import (
    ENGLISH,
    SPANISH,
    draw_page,
    encode,
    grainy,
    in_shadow,
    photograph_of_a_bicycle,
    write,
)
from reasons import Reason

SPANISH_TEXT, ENGLISH_TEXT = " ".join(SPANISH), " ".join(ENGLISH)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tesseract")]


def blocks(page: Image.Image) -> list[Block]:
    return list(extract(encode(page)).blocks)


def texts(page: Image.Image) -> list[str]:
    return [block.text for block in blocks(page)]


def refusal(data: bytes) -> Reason:
    with pytest.raises(UnreadableFile) as caught:
        list(extract(data).blocks)
    return caught.value.reason


# --- Text -----------------------------------------------------------------------------------------


@pytest.mark.canary
def test_paragraphs_are_blocks_in_spanish_and_english():
    assert blocks(draw_page(*SPANISH, "", *ENGLISH)) == [
        Block(SPANISH_TEXT, "page 1", is_recognised=True),
        Block(ENGLISH_TEXT, "page 1", is_recognised=True),
    ]


def test_words_divided_at_the_end_of_a_line_are_whole():
    page = draw_page("Los gastos de manteni-", "miento corren de su cuenta.")
    assert texts(page) == ["Los gastos de mantenimiento corren de su cuenta."]


def test_larger_type_is_a_heading():
    page = Image.new("L", (1300, 500), 255)
    write(page, ["Condiciones de venta"], at=(100, 80), size=44)
    write(page, SPANISH, at=(100, 190))
    title = "Condiciones de venta"
    assert blocks(page) == [
        Block(title, "page 1", title, is_heading=True, is_recognised=True),
        Block(SPANISH_TEXT, "page 1", title, is_recognised=True),
    ]


def test_columns_of_text_are_read_one_after_the_other():
    page = Image.new("L", (2000, 600), 255)
    write(page, SPANISH * 2, at=(100, 100))
    write(page, ENGLISH * 2, at=(1060, 100))
    assert " ".join(texts(page)) == " ".join([SPANISH_TEXT] * 2 + [ENGLISH_TEXT] * 2)


WINDS = "Xaloc Duna Brisa Gregal Levante Ponent Mistral Tramuntana Garbino Siroco Alisio Calima"
MODELS = [
    (name, f"{12 + number} kg", f"{650 + 25 * number},90")
    for number, name in enumerate(WINDS.split())
]


@pytest.mark.parametrize("rows", [3, 12])
def test_rows_of_a_table_carry_their_columns_headings(rows: int):
    page = Image.new("L", (1654, 2339), 255)
    write(page, SPANISH, at=(150, 100))
    for row, cells in enumerate((("Modelo", "Peso", "Precio"), *MODELS[:rows])):
        for x, cell in zip((150, 650, 1150), cells, strict=True):
            write(page, [cell], at=(x, 300 + 58 * row))
    expected = [
        f"{model} — Peso: {weight}; Precio: {price}" for model, weight, price in MODELS[:rows]
    ]
    assert texts(page)[-rows:] == expected


def placed(text: str, *, block: int, left: int, level: int) -> Row:
    """Words of 90 pixels, 10 apart, as Tesseract reports them."""
    words = tuple(
        SeenWord(word, 96.0, left + 100 * number, left + 100 * number + 90)
        for number, word in enumerate(text.split())
    )
    start, end = (left, level), (left + 100 * len(words), level)
    return Row(words, block=block, start=start, end=end, x_height=15.0, is_vertical=False)


def cells_of(rows: list[Row]) -> list[list[str]]:
    return [[cell.text for cell in line.cells] for line in make_lines(rows)]


def test_columns_that_tesseract_takes_for_blocks_are_rows_again():
    columns = zip(("Xaloc", "Duna", "Brisa"), ("14 kg", "12 kg", "16 kg"), strict=True)
    levels = dict(enumerate(columns))
    rows = [
        placed(cells[column], block=column, left=100 + 600 * column, level=50 * row)
        for column in (0, 1)
        for row, cells in levels.items()
    ]
    assert cells_of(rows) == [["Xaloc", "14 kg"], ["Duna", "12 kg"], ["Brisa", "16 kg"]]


def test_short_last_lines_of_two_columns_of_text_are_no_row():
    left = placed("de los cambios.", block=1, left=100, level=50)
    right = placed("sin coste alguno.", block=2, left=1000, level=50)
    assert cells_of([left, right]) == [["de los cambios."], ["sin coste alguno."]]


def test_line_that_tesseract_breaks_into_two_blocks_is_whole_again():
    rows = [
        placed("Los precios valen hasta el", block=1, left=100, level=50),
        placed("domingo.", block=2, left=600, level=50),
    ]
    assert cells_of(rows) == [["Los precios valen hasta el domingo."]]


# --- Little text ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["45", "1.250", "12:30", "OK", "B12", "10 20 30 40 50"])
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(draw_page, id="as printed"),
        pytest.param(lambda text: draw_page(text, size=16, ink=235, paper=20), id="small, dark"),
        pytest.param(lambda text: grainy(draw_page(text, size=60), 25), id="large, grainy"),
        pytest.param(lambda text: draw_page(text, ink=150, paper=205), id="faint"),
    ],
)
def test_number_or_short_word_alone_is_read(text: str, make: Callable[[str], Image.Image]):
    assert texts(make(text)) == [text]


def test_numbers_on_the_axes_of_a_chart_are_read():
    chart = Image.new("L", (900, 640), 255)
    pen = ImageDraw.Draw(chart)
    for number, height in enumerate((120, 260, 340, 420)):
        pen.rectangle(
            (180 + 160 * number, 540 - height, 260 + 160 * number, 540), fill=90 + 30 * number
        )
        write(chart, [str(2021 + number)], at=(185 + 160 * number, 560))
        write(chart, [str(150 * number)], at=(60, 525 - 150 * number))
    pen.line((140, 60, 140, 540, 860, 540), fill=0, width=3)
    found = " ".join(texts(chart)).replace(";", " ").split()
    assert {"2021", "2022", "2023", "2024", "150", "300", "450"} <= set(found)


def test_text_is_recognised():
    assert [block.is_recognised for block in blocks(draw_page("45"))] == [True]


def test_word_that_is_read_at_one_size_only_is_none(monkeypatch):
    """As Tesseract sees one in a texture."""
    once = recognition.Reading((row_of(("NA", 96.0)),))
    monkeypatch.setattr(recognition, "best_reading", lambda _: once)
    monkeypatch.setattr(recognition, "read", lambda _: recognition.Reading())
    assert refusal(encode(draw_page("45"))) == NO_TEXT


# --- However it was scanned -----------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_page_on_its_side_or_head_is_read(degrees: int):
    assert texts(draw_page(*SPANISH).rotate(degrees, expand=True)) == [SPANISH_TEXT]


@pytest.mark.parametrize("degrees", [-12, 3, 7])
def test_crooked_page_is_read(degrees: int):
    page = draw_page(*SPANISH).rotate(degrees, Image.Resampling.BICUBIC, True, fillcolor=255)
    assert texts(page) == [SPANISH_TEXT]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(draw_page(*SPANISH, size=12), id="small type, as on a screen"),
        pytest.param(draw_page(*SPANISH, size=110), id="a photograph of twelve million pixels"),
        pytest.param(draw_page(*SPANISH, ink=235, paper=20), id="light on dark"),
        pytest.param(in_shadow(draw_page(*SPANISH)), id="in a shadow"),
        pytest.param(draw_page(*SPANISH, ink=160, paper=200), id="faint"),
        pytest.param(grainy(draw_page(*SPANISH, size=40), 40), id="taken in the dark"),
    ],
)
def test_page_is_read_whatever_its_type_and_light(page: Image.Image):
    assert texts(page) == [SPANISH_TEXT]


def with_alpha(page: Image.Image) -> Image.Image:
    """Its paper is transparent, on a black that nobody sees."""
    black = Image.new("L", page.size, 0)
    return Image.merge("LA", (black, page.point(lambda grey: 255 - grey)))


@pytest.mark.parametrize(
    ("format_name", "convert"),
    [
        ("PNG", lambda page: page.convert("1")),
        ("PNG", lambda page: page.convert("P")),
        ("PNG", with_alpha),
        ("PNG", lambda page: with_alpha(page).convert("RGBA")),
        ("PNG", lambda page: Image.fromarray(np.asarray(page).astype(np.uint16) * 9)),
        ("JPEG", lambda page: page.convert("RGB")),
        ("JPEG", lambda page: page.convert("CMYK")),
        ("TIFF", lambda page: page.convert("1")),
        ("TIFF", lambda page: page.convert("F")),
        ("WEBP", lambda page: page.convert("RGB")),
        ("BMP", lambda page: page.convert("RGB")),
    ],
)
def test_each_format_is_read_in_each_of_its_kinds_of_colour(
    format_name: str, convert: Callable[[Image.Image], Image.Image]
):
    data = encode(convert(draw_page(*SPANISH)), format_name)
    assert [block.text for block in extract(data).blocks] == [SPANISH_TEXT]


@pytest.mark.parametrize(
    ("orientation", "as_stored"),
    [(2, Image.Transpose.FLIP_LEFT_RIGHT), (5, Image.Transpose.TRANSPOSE)],
)
def test_picture_is_turned_as_its_camera_says(orientation: int, as_stored: Image.Transpose):
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encode(draw_page(*SPANISH).transpose(as_stored), "JPEG", exif=exif)
    assert [block.text for block in extract(data).blocks] == [SPANISH_TEXT]


@pytest.mark.parametrize("format_name", ["PNG", "WEBP"])
def test_of_a_moving_picture_the_first_is_read(format_name: str):
    first, second = draw_page(*SPANISH).convert("RGB"), draw_page(*ENGLISH).convert("RGB")
    data = encode(first, format_name, save_all=True, append_images=[second.resize(first.size)])
    assert [block.text for block in extract(data).blocks] == [SPANISH_TEXT]


# --- Several pages --------------------------------------------------------------------------------


def tiff_of(*pages: Image.Image) -> bytes:
    return encode(pages[0], "TIFF", save_all=True, append_images=list(pages[1:]))


def test_pages_of_a_tiff_are_locations():
    extraction = extract(tiff_of(draw_page(*SPANISH), draw_page(*ENGLISH)))
    assert (extraction.warnings, extraction.pages) == ((), 2)
    assert list(extraction.blocks) == [
        Block(SPANISH_TEXT, "page 1", is_recognised=True),
        Block(ENGLISH_TEXT, "page 2", is_recognised=True),
    ]


def test_pages_without_text_keep_their_numbers_and_lose_nothing():
    empty = grainy(Image.new("L", (400, 300), 250), 10)
    extraction = extract(tiff_of(draw_page(*SPANISH), empty, draw_page(*ENGLISH)))
    assert (extraction.warnings, extraction.pages) == ((), 3)
    assert [block.location for block in extraction.blocks] == ["page 1", "page 3"]


def test_page_that_shows_something_without_text_is_told():
    extraction = extract(tiff_of(draw_page(*SPANISH), photograph_of_a_bicycle()))
    assert len(list(extraction.blocks)) == 1
    assert list(extraction.warnings) == [
        Reason("picture_without_text", places=Reason("places_page", numbers="2"))
    ]


# --- Pictures without text ------------------------------------------------------------------------

NO_TEXT = Reason("no_text_in_image")


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(photograph_of_a_bicycle(), id="a bicycle"),
        pytest.param(grainy(Image.new("L", (400, 300), 128), 60), id="grain"),
        pytest.param(Image.linear_gradient("L").resize((800, 600)), id="a gradient"),
        pytest.param(Image.effect_mandelbrot((800, 600), (-2, -1, 1, 1), 90), id="a texture"),
        pytest.param(Image.new("L", (1, 1)), id="one pixel"),
        pytest.param(Image.new("L", (9000, 1)), id="one row of pixels"),
    ],
)
def test_picture_without_text_is_refused_and_no_noise_is_indexed(picture: Image.Image):
    assert refusal(encode(picture)) == NO_TEXT


def row_of(*words: tuple[str, float]) -> Row:
    seen = tuple(SeenWord(text, confidence, 0, 100) for text, confidence in words)
    return Row(seen, block=1, start=(0, 50), end=(900, 50), x_height=15.0, is_vertical=False)


def test_a_text_has_a_word_of_which_tesseract_is_sure_and_is_not_mostly_noise():
    label, specks, hatching = ("USER", 96.0), ("iw", 20.0), ("000000", 90.0)
    assert without_noise([row_of(label), row_of(specks)]) == [row_of(label)]
    assert without_noise([row_of(label, ("l", 25.0))]) == [row_of(label)]
    assert without_noise([row_of(label), *[row_of(specks)] * 5]) == []
    assert without_noise([row_of(("NA", 96.0)), row_of(hatching)]) == []


def test_reading_that_takes_too_long_gives_no_text(monkeypatch):
    monkeypatch.setattr(recognition, "READING_MS", 1)
    assert refusal(encode(draw_page(*SPANISH, *ENGLISH))) == NO_TEXT


# --- Hostile and damaged files --------------------------------------------------------------------


def png_of(width: int, height: int) -> bytes:
    """Says that it is that large, and holds ten rows of it."""
    pixels = zlib.compress(bytes((width + 1) * 10))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def tiff_that_says(width: int, height: int, *, pages: int = 1, last_offset: int = 0) -> bytes:
    """Directories without pixels. TIFF 6.0, section 2."""
    data = bytearray(b"II*\0" + struct.pack("<I", 8))
    tags = {256: width, 257: height, 258: 8, 259: 1, 262: 1, 273: 8, 277: 1, 278: height, 279: 4}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    directory = struct.pack("<H", len(tags)) + entries
    for number in range(pages):
        following = len(data) + len(directory) + 4 if number < pages - 1 else last_offset
        data += directory + struct.pack("<I", following)
    return bytes(data)


def bmp_that_says(width: int, height: int) -> bytes:
    sizes = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 154, 0, 0, 54) + sizes + bytes(100)


TOO_LARGE = "This image has more than 80 million pixels."
TOO_MANY = "This image file has more than 500 pages."


@pytest.mark.parametrize(
    ("data", "content_type", "message"),
    [
        pytest.param(png_of(60_000, 60_000), PNG, TOO_LARGE, id="60,000 x 60,000"),
        pytest.param(tiff_that_says(65_536, 32_768), TIFF, TOO_LARGE, id="2^31 pixels"),
        pytest.param(tiff_that_says(2, 2, pages=10_000), TIFF, TOO_MANY, id="10,000 pages"),
        pytest.param(
            tiff_that_says(8_000, 8_000, pages=80),
            TIFF,
            "5,000 million pixels in total",
            id="in all",
        ),
        pytest.param(bmp_that_says(2**31 - 1, 1), BMP, TOO_LARGE, id="a row of 2^31 pixels"),
    ],
)
def test_bomb_is_refused_before_it_is_unpacked(
    data: bytes, content_type: str, message: str, tmp_path: Path
):
    path = tmp_path / "stored"
    path.write_bytes(data)
    with pytest.raises(UnreadableFile, match=message):
        extract_document(path, content_type=content_type, title="x")


@pytest.mark.parametrize("grey", [0, 255])
@pytest.mark.parametrize("side", [1, 20, 64, 500])
def test_picture_of_one_colour_has_no_text(grey: int, side: int, tmp_path: Path, tesseract: None):
    """Tesseract crashes on small black ones."""
    path = tmp_path / "stored"
    Image.new("L", (side, side), grey).save(path, format="PNG")
    with pytest.raises(UnreadableFile, match="No text was found in this image"):
        extract_document(path, content_type=PNG, title="x")


def test_bomb_costs_neither_memory_nor_time(tmp_path: Path, tesseract_options: dict[str, str]):
    path = tmp_path / "bomb"
    path.write_bytes(png_of(60_000, 60_000))
    sandbox = Sandbox()
    reading = sandbox.read(
        path, Request(extractor="images.image", limits=LIMITS, options=tesseract_options)
    )
    sandbox.stop()
    assert str(reading.result.refusal).startswith(TOO_LARGE)
    assert reading.report.peak_bytes < 150_000_000
    assert reading.report.cpu_seconds < 5


def test_pages_that_follow_one_another_in_a_circle_end():
    assert refusal(tiff_that_says(2, 2, pages=3, last_offset=8)) == NO_TEXT


def test_later_page_that_is_too_large_is_seen_before_the_first_is_read(monkeypatch):
    monkeypatch.setattr(image, "PIXELS_MAX", 1_000)
    data = tiff_of(Image.new("L", (20, 20)), Image.new("L", (40, 40)))
    monkeypatch.setattr(recognition, "recognise", pytest.fail)
    assert str(refusal(data)).startswith("This image has more than")


@pytest.mark.parametrize("format_name", ["PNG", "JPEG", "TIFF", "WEBP", "BMP"])
def test_truncated_image_is_damaged(format_name: str):
    data = encode(grainy(draw_page(*SPANISH), 5).convert("RGB"), format_name)
    assert str(refusal(data[: len(data) // 3])).startswith("This image is damaged or incomplete")


def test_other_formats_than_ours_are_not_opened():
    buffer = io.BytesIO()
    Image.new("L", (10, 10)).save(buffer, "GIF")
    assert str(refusal(buffer.getvalue())).startswith("This image is damaged or incomplete")
