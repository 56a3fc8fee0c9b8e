"""Pictures of texts."""

from __future__ import annotations

import io
from functools import partial

from PIL import Image, ImageOps

from reading.tests.drawn_pages import ENGLISH, draw_page, encode, photograph_of_a_bicycle
from reading.tests.files.corpus.made import MadeFile


def sheets() -> bytes:
    first, second = (
        draw_page(*ENGLISH),
        draw_page("Second sheet about the bells", "and the lamps of every bicycle."),
    )
    buffer = io.BytesIO()
    first.save(buffer, "TIFF", save_all=True, append_images=[second])
    return buffer.getvalue()


def transparent() -> bytes:
    """Black letters on nothing."""
    page = draw_page(*ENGLISH)
    picture = Image.new("RGBA", page.size, (0, 0, 0, 0))
    picture.putalpha(ImageOps.invert(page))
    return encode(picture)


def drawn(*lines: str, size: int = 26, ink: int = 0, paper: int = 255) -> bytes:
    return encode(draw_page(*lines, size=size, ink=ink, paper=paper))


SAYS = " ".join(ENGLISH)
FILES = (
    MadeFile("number.png", "a number alone", partial(drawn, "4711"), "4711", is_of_issue=True),
    MadeFile(
        "line.png",
        "one line of text",
        partial(drawn, "Closed on Mondays"),
        "Closed on Mondays",
        is_of_issue=True,
    ),
    MadeFile(
        "amount.png",
        "an amount of money",
        partial(drawn, "1,249.50", size=40),
        "1 249 50",
        is_of_issue=True,
    ),
    MadeFile("paragraph.png", "a paragraph", partial(drawn, *ENGLISH), SAYS),
    MadeFile(
        "dark.png", "white letters on black", partial(drawn, *ENGLISH, ink=255, paper=0), SAYS
    ),
    MadeFile(
        "pale.png", "letters of little contrast", partial(drawn, *ENGLISH, ink=150, paper=210), SAYS
    ),
    MadeFile("transparent.png", "letters on nothing", transparent, SAYS),
    MadeFile(
        "turned.png",
        "a page on its side",
        lambda: encode(draw_page(*ENGLISH).rotate(90, expand=True)),
        SAYS,
    ),
    MadeFile(
        "sheets.tiff",
        "several pages in a picture",
        sheets,
        f"{SAYS} Second sheet about the bells and the lamps of every bicycle.",
    ),
    MadeFile(
        "paragraph.jpg",
        "a photograph's compression",
        lambda: encode(draw_page(*ENGLISH), "JPEG", quality=40),
        SAYS,
    ),
    MadeFile(
        "photograph.jpg",
        "a photograph without text: that is said",
        lambda: encode(photograph_of_a_bicycle(), "JPEG"),
        "",
        is_told=True,
    ),
)
