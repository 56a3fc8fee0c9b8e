"""A QR code as the path of an SVG: the template holds the SVG, so nothing is marked as safe."""

from dataclasses import dataclass

import segno

QUIET_ZONE = 4  # modules of white around it, as ISO/IEC 18004 wants


@dataclass(frozen=True)
class QrDrawing:
    """`path` is one square a dark module, in units of a module; `size` is the side, with the
    quiet zone."""

    path: str
    size: int


def draw_qr(text: str) -> QrDrawing:
    matrix = segno.make_qr(text, error="m").matrix
    dark = [
        f"M{column + QUIET_ZONE} {row + QUIET_ZONE}h1v1h-1z"
        for row, modules in enumerate(matrix)
        for column, module in enumerate(modules)
        if module
    ]
    return QrDrawing("".join(dark), len(matrix) + 2 * QUIET_ZONE)
