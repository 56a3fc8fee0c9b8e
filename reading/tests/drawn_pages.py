"""Pages of text as a scanner or a camera would see them, drawn in reportlab's own type."""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import reportlab
from PIL import Image, ImageDraw, ImageFilter, ImageFont

TYPE = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
PAPER, INK = 255, 0
LEADING = 1.4  # of the type's size

SPANISH = (
    "El año pasado, ¿quién pagó los gastos de envío de los",
    "niños? La señora Núñez llamó al taller de Logroño y",
    "pidió una revisión de los frenos antes del miércoles.",
)
ENGLISH = (
    "Returns are accepted within thirty days of delivery,",
    "provided that the goods have not been used and are",
    "sent back in the box in which they were delivered.",
)


def draw_page(*lines: str, size: int = 26, ink: int = INK, paper: int = PAPER) -> Image.Image:
    """Mode L, with margins. "" leaves a line out."""
    font = ImageFont.truetype(TYPE, size)
    width = max(font.getlength(line) for line in lines)
    height = (len(lines) + 4) * LEADING * size
    page = Image.new("L", (round(width + 8 * size), round(height)), paper)
    write(page, lines, at=(4 * size, round(2 * LEADING * size)), size=size, ink=ink)
    return page


def write(
    page: Image.Image,
    lines: Sequence[str],
    *,
    at: tuple[int, int],
    size: int = 26,
    ink: int = INK,
) -> None:
    font, pen = ImageFont.truetype(TYPE, size), ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        pen.text((at[0], at[1] + number * LEADING * size), line, font=font, fill=ink)


def in_shadow(page: Image.Image) -> Image.Image:
    """As a lamp from one side lights it: a third of the brightness at the other."""
    light = np.linspace(1.0, 0.3, page.width)
    return Image.fromarray((np.asarray(page) * light * 0.9 + 12).astype(np.uint8))


def grainy(page: Image.Image, deviation: int) -> Image.Image:
    grain = np.random.default_rng(1).normal(0, deviation, (page.height, page.width))
    return Image.fromarray((np.asarray(page) + grain).clip(0, PAPER).astype(np.uint8))


def photograph_of_a_bicycle() -> Image.Image:
    """Wheels, spokes and tubes before an uneven wall; no letter anywhere."""
    wall = np.random.default_rng(7).normal(180, 30, (100, 150)).clip(0, 255).astype(np.uint8)
    photograph = Image.fromarray(wall).resize((1200, 800), Image.Resampling.BICUBIC)
    pen = ImageDraw.Draw(photograph)
    for x in (350, 850):
        pen.ellipse((x - 200, 300, x + 200, 700), outline=25, width=14)
        for angle in range(0, 360, 15):
            end = (x + 190 * np.cos(np.radians(angle)), 500 + 190 * np.sin(np.radians(angle)))
            pen.line(((x, 500), end), fill=90, width=2)
    tubes = ((350, 500), (500, 280), (760, 280), (850, 500), (760, 280), (600, 500), (350, 500))
    pen.line(tubes, fill=30, width=14)
    return photograph.filter(ImageFilter.GaussianBlur(1.5))


def encode(page: Image.Image, format_name: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    page.save(buffer, format_name, **options)
    return buffer.getvalue()
