"""Images through OCR: PNG, JPEG, TIFF of several pages, WebP, BMP.

Of what moves (PNG, WebP) and of a phone's several pictures in one JPEG, the first one is read.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from PIL import ExifTags, Image
from PIL.Image import Transpose

from reading.confinement.limits import begin_step
from reading.errors import UnreadableFile
from reading.extractors.images import bitmap, recognition
from reading.extractors.interface import Extraction, list_places
from reading.extractors.pdf.pages import Page, read_document
from reasons import Reason

prepare = recognition.prepare

FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP")
PIXELS_MAX = 80_000_000  # A3 at 600 dots per inch; as WebP it takes 1.3 GB
SIDE_MAX = 100_000
FILE_PIXELS_MAX = 5_000_000_000  # of all pages: 500 of A4 at 300 dots per inch; each costs its time
Image.MAX_IMAGE_PIXELS = PIXELS_MAX  # Pillow's own wall; ours (check_size) is before it
PAGES_MAX = 500  # at 1 to 3 seconds each: what `ocr.LIMITS` has time for
DEEP_MODES = ("I;16", "I;16L", "I;16B", "I;16N", "I", "F")  # more than 256 greys
WHITE = 255
GRAIN_REDUCTION = 4  # at which the grain of paper is grey
GRAIN_MAX_GREYS = 50
SPECKS_MAX_SHARE = 0.001
NO_TEXT = Reason("no_text_in_image")
DAMAGED = Reason("image_damaged")
TOO_LARGE = Reason("image_too_large", limit=PIXELS_MAX // 1000000)
TOO_LARGE_PAGES = Reason("image_pages_too_large", limit=FILE_PIXELS_MAX // 1000000)
TOO_MANY_PAGES = Reason("image_too_many_pages", limit=PAGES_MAX)
# EXIF's Orientation (Exif 2.32, 4.6.4) → what makes the picture upright
TURNS = {
    2: Transpose.FLIP_LEFT_RIGHT,
    3: Transpose.ROTATE_180,
    4: Transpose.FLIP_TOP_BOTTOM,
    5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270,
    7: Transpose.TRANSVERSE,
    8: Transpose.ROTATE_90,
}
# What Pillow raises for files that are not as they should be
FAULTS = (OSError, ValueError, SyntaxError, EOFError, OverflowError, struct.error)


def extract(data: bytes) -> Extraction:
    pages: list[Page] = []
    unread: list[int] = []
    for number, picture in enumerate(read_pictures(data), start=1):
        page = Page(number, tuple(recognition.recognise(picture)))
        pages.append(page)
        if not page.lines and shows_something(picture):
            unread.append(number)
    if not any(page.lines for page in pages):
        raise UnreadableFile(NO_TEXT)
    blocks = (replace(block, is_recognised=True) for block in read_document(pages))
    warnings = (
        [Reason("picture_without_text", places=list_places("page", unread))] if unread else ()
    )
    return Extraction(blocks, warnings=warnings, pages=len(pages))


def shows_something(grey: Image.Image) -> bool:
    """More than paper, its grain and a speck of dust."""
    pixels = np.asarray(grey.reduce(GRAIN_REDUCTION), dtype=np.float32)
    return float((np.abs(pixels - np.median(pixels)) > GRAIN_MAX_GREYS).mean()) > SPECKS_MAX_SHARE


def read_pictures(data: bytes) -> Iterator[Image.Image]:
    """Each page in mode L, the right way up as far as the file says. One at a time is in memory."""
    with faults_of_the_file():
        image = Image.open(io.BytesIO(data), formats=FORMATS)
    for number in range(count_pages(image)):
        begin_step()
        with faults_of_the_file():
            image.seek(number)
            check_size(image)
            picture = to_grey(image)
        yield picture


@contextmanager
def faults_of_the_file() -> Iterator[None]:
    try:
        yield
    except (Image.DecompressionBombError, MemoryError) as error:
        raise UnreadableFile(TOO_LARGE) from error
    except FAULTS as error:
        raise UnreadableFile(DAMAGED) from error


def count_pages(image: Image.Image) -> int:
    """Looks at each page's declarations only, and at one more than PAGES_MAX at the most."""
    if image.format != "TIFF":
        return 1
    pixels = 0
    with faults_of_the_file():
        for number in range(PAGES_MAX + 1):
            try:
                image.seek(number)
            except EOFError:
                return number
            check_size(image)
            pixels += image.width * image.height
            if pixels > FILE_PIXELS_MAX:
                raise UnreadableFile(TOO_LARGE_PAGES)
    raise UnreadableFile(TOO_MANY_PAGES)


def check_size(image: Image.Image) -> None:
    """Checks the size before anything is decoded."""
    if image.width * image.height > PIXELS_MAX or max(image.size) > SIDE_MAX:
        raise UnreadableFile(TOO_LARGE)


def to_grey(image: Image.Image) -> Image.Image:
    """Mode L, on white where it was transparent, turned as its camera was held."""
    if image.format == "JPEG":  # decodes a giant at a half or a quarter of its size
        image.draft("L", enough(image))
    if image.mode in DEEP_MODES:
        grey = stretch(image)
    elif image.has_transparency_data:
        grey = on_white(image)
    else:
        grey = image.convert("L")
    turn = TURNS.get(image.getexif().get(ExifTags.Base.Orientation, 1))
    return grey if turn is None else grey.transpose(turn)


def enough(image: Image.Image) -> tuple[int, int]:
    """The smallest size that recognition would not enlarge again."""
    share = min(1.0, (bitmap.PIXELS_MAX / (image.width * image.height)) ** 0.5)
    return max(1, round(image.width * share)), max(1, round(image.height * share))


def stretch(image: Image.Image) -> Image.Image:
    """The image with its greys stretched from darkest to lightest: scanners seldom use all
    65,536."""
    greys = np.nan_to_num(np.asarray(image, dtype=np.float32), posinf=0, neginf=0)
    low, high = float(greys.min()), float(greys.max())
    return Image.fromarray(((greys - low) * (WHITE / max(high - low, 1e-9))).astype(np.uint8))


def on_white(image: Image.Image) -> Image.Image:
    with_alpha = image.convert("RGBA")
    paper = Image.new("L", image.size, WHITE)
    paper.paste(with_alpha.convert("L"), mask=with_alpha.getchannel("A"))
    return paper
