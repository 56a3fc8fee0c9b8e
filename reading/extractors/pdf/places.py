"""Places on a PDF page, in points (1/72 inch); y grows upwards."""

from __future__ import annotations

Box = tuple[float, float, float, float]  # left, right, bottom, top


def turned(x: float, y: float, rotation: int) -> tuple[float, float]:
    """A point of a page that is shown turned clockwise by `rotation` degrees."""
    return {0: (x, y), 90: (y, -x), 180: (-x, -y), 270: (-y, x)}[rotation]


def turned_box(box: Box, rotation: int) -> Box:
    if not rotation:
        return box
    left, right, bottom, top = box
    x1, y1 = turned(left, bottom, rotation)
    x2, y2 = turned(right, top, rotation)
    return min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
