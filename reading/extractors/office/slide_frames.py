"""The places and the type of shapes on a slide (PPTX): their own, those of the groups around them,
and those that their layout and its master give them.

ECMA-376 part 1, 19.3.1 (placeholders), 20.1.7.5 and 20.1.7.6 (a group's own units).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from reading.extractors.office.package import OfficePackage, attribute, child
from reading.extractors.prose import has_content
from reading.extractors.slides import SlideFrame

EMU_PER_CM = 360_000
WHOLE = re.compile(r"-?[0-9]{1,15}")
SIZE_UNIT = 100  # sizes of type are in hundredths of a point
LayoutFrames = Mapping[tuple[str, str], SlideFrame]  # by ("idx", number) and ("type", kind)


@dataclass(frozen=True)
class Placement:
    """Turns the units of a group into those of its slide: scales, then moves."""

    scale_x: float = 1.0
    scale_y: float = 1.0
    move_x: float = 0.0
    move_y: float = 0.0

    def within(self, group: etree._Element) -> Placement:
        """The placement of what is in a group that is placed so itself."""
        transform = child(group, "grpSpPr", "xfrm")
        if transform is None:
            return self
        x, y = point(transform, "off", "x", "y")
        width, height = point(transform, "ext", "cx", "cy")
        inner_x, inner_y = point(transform, "chOff", "x", "y")
        inner_width, inner_height = point(transform, "chExt", "cx", "cy")
        scale_x = width / inner_width if width and inner_width else 1.0
        scale_y = height / inner_height if height and inner_height else 1.0
        return Placement(
            self.scale_x * scale_x,
            self.scale_y * scale_y,
            self.move_x + self.scale_x * (x - scale_x * inner_x),
            self.move_y + self.scale_y * (y - scale_y * inner_y),
        )

    def frame_of(self, shape: etree._Element) -> SlideFrame | None:
        transform = child(shape, "spPr", "xfrm")
        if transform is None:
            transform = child(shape, "xfrm")  # of a table or a chart
        if transform is None or child(transform, "off") is None:
            return None
        x, y = point(transform, "off", "x", "y")
        width, height = point(transform, "ext", "cx", "cy")
        left, top = self.scale_x * x + self.move_x, self.scale_y * y + self.move_y
        return SlideFrame(
            left / EMU_PER_CM,
            top / EMU_PER_CM,
            (left + self.scale_x * width) / EMU_PER_CM,
            (top + self.scale_y * height) / EMU_PER_CM,
        )


def point(transform: etree._Element, name: str, x: str, y: str) -> tuple[int, int]:
    node = child(transform, name)
    if node is None:
        return 0, 0
    return whole(attribute(node, x)), whole(attribute(node, y))


def whole(text: str) -> int:
    return int(text) if WHOLE.fullmatch(text) else 0


# --- Layouts --------------------------------------------------------------------------------------


def read_layout(package: OfficePackage, layout: str) -> LayoutFrames:
    """The places that a layout gives: its own, and for the others those of its master."""
    frames: dict[tuple[str, str], SlideFrame] = {}
    for part in [*package.related_kinds(layout).get("slideMaster", ())[:1], layout]:
        root = package.read(part).root
        for shape in root.iter("{*}sp") if root is not None else ():
            mark = next(shape.iter("{*}ph"), None)
            if mark is None:
                continue
            kind = attribute(mark, "type", "body")
            frame = Placement().frame_of(shape) or frames.get(("type", kind))
            if frame is not None:
                frames["type", kind] = frame
                if part == layout:
                    frames["idx", attribute(mark, "idx")] = frame
    return frames


def inherited_frame(shape: etree._Element, frames: LayoutFrames) -> SlideFrame | None:
    mark = next(shape.iter("{*}ph"), None)
    if mark is None:
        return None
    number, kind = attribute(mark, "idx"), attribute(mark, "type", "body")
    return frames.get(("idx", number)) or frames.get(("type", kind))


# --- Type -----------------------------------------------------------------------------------------


def run_properties(shape: etree._Element) -> Iterator[etree._Element | None]:
    for run in shape.iter("{*}r"):
        if any(has_content(text.text or "") for text in run.iter("{*}t")):
            yield child(run, "rPr")


def is_all_bold(shape: etree._Element) -> bool:
    runs = list(run_properties(shape))
    return bool(runs) and all(
        run is not None and attribute(run, "b") in ("1", "true") for run in runs
    )


def size_of(shape: etree._Element) -> float:
    """The largest type in points; 0 where none is told."""
    sizes = [whole(attribute(run, "sz")) for run in run_properties(shape) if run is not None]
    return max(sizes, default=0) / SIZE_UNIT
