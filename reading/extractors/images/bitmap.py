"""A scan or a photograph made ready for recognition: its size, its light, its slant.

Figures were measured with Tesseract 5.5 on pages drawn in type of 8 to 200 pixels.
"""

from __future__ import annotations

import math

import numpy as np
from PIL import Image, ImageFilter, ImageOps

# Type of 14 to 130 pixels is read without a fault; below 12, as on a screen, twice the size more
# than halves the faults.
DOUBLED_BELOW_PIXELS = 2_100_000
PIXELS_MAX = 16_000_000  # of what is recognised: A4 at 400 dots per inch
SIDE_MAX = 32_000  # Tesseract's own limit is 32,767

BACKGROUND_REDUCTION = 8  # the paper's brightness is looked for on a smaller copy ...
BACKGROUND_PIXELS = 9  # ... in a neighbourhood wider than a stroke; odd
NEIGHBOURHOOD_PIXELS = 12  # wider than a letter of the small copy
BACKGROUND_MIN = 24  # darker paper is not made white: its noise would be

SLANT_MAX_DEGREES = 15
SLANT_MIN_DEGREES = 2  # Tesseract itself follows lines that rise by up to 4 degrees
SLANT_SIDE_PIXELS = 500  # of the copy on which the slant is measured
WHITE = 255


def make_ready(grey: Image.Image) -> Image.Image:
    """`grey`: mode L, as the answer."""
    return straighten(flatten(dark_on_light(resize(grey))))


def resize(grey: Image.Image) -> Image.Image:
    pixels = grey.width * grey.height
    factor = 2.0 if pixels < DOUBLED_BELOW_PIXELS else min(1.0, math.sqrt(PIXELS_MAX / pixels))
    factor = min(factor, SIDE_MAX / max(grey.size))
    if factor == 1.0:
        return grey
    size = (max(1, round(grey.width * factor)), max(1, round(grey.height * factor)))
    return grey.resize(size, Image.Resampling.BICUBIC)


def dark_on_light(grey: Image.Image) -> Image.Image:
    """A dark screen or slide turned to its negative: where most is dark, and what stands out from
    its neighbourhood is light. (On a page in deep shadow it is dark.)
    """
    small = grey.reduce(BACKGROUND_REDUCTION // 2)
    pixels = np.asarray(small, dtype=np.float32)
    around = np.asarray(small.filter(ImageFilter.BoxBlur(NEIGHBOURHOOD_PIXELS)), dtype=np.float32)
    is_dark = np.median(pixels) < WHITE / 2 and np.power(pixels - around, 3).mean() > 0
    return ImageOps.invert(grey) if is_dark else grey


def flatten(grey: Image.Image) -> Image.Image:
    """The image as if the paper were lit evenly: else the shadow on a photograph hides its text."""
    background = (
        grey.reduce(BACKGROUND_REDUCTION)
        .filter(ImageFilter.MaxFilter(BACKGROUND_PIXELS))
        .filter(ImageFilter.MinFilter(BACKGROUND_PIXELS))
        .filter(ImageFilter.GaussianBlur(BACKGROUND_PIXELS / 2))
        .resize(grey.size, Image.Resampling.BILINEAR)
    )
    light = np.maximum(np.asarray(background, dtype=np.float32), BACKGROUND_MIN)
    flat = np.asarray(grey, dtype=np.float32) * (WHITE / light)
    return Image.fromarray(np.minimum(flat, WHITE).astype(np.uint8))


def straighten(grey: Image.Image) -> Image.Image:
    slant = measure_slant(grey)
    if abs(slant) < SLANT_MIN_DEGREES:
        return grey
    return grey.rotate(-slant, Image.Resampling.BICUBIC, expand=True, fillcolor=WHITE)


def measure_slant(grey: Image.Image) -> int:
    """Whole degrees, counter-clockwise, by which the lines of text rise: when they lie level, rows
    of pixels differ most (columns do, on a page that lies on its side).
    """
    small = grey.copy()
    small.thumbnail((SLANT_SIDE_PIXELS, SLANT_SIDE_PIXELS), Image.Resampling.BOX)
    angles = sorted(range(-SLANT_MAX_DEGREES, SLANT_MAX_DEGREES + 1), key=abs)
    return max(angles, key=lambda angle: stripes(small, angle))


def stripes(small: Image.Image, angle: int) -> float:
    """How much like lines of text the picture is once it is turned back by `angle`."""
    turned = small.rotate(-angle, Image.Resampling.BILINEAR, fillcolor=WHITE)
    pixels = np.asarray(turned, dtype=np.float32)
    return float(max(np.square(np.diff(pixels.mean(axis=axis))).sum() for axis in (0, 1)))
