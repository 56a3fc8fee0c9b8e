"""Presentations of before 2007 (PPT): each slide's title, texts, tables by row, and the speaker's
notes. Read by office_oxide ([MS-PPT]).

Left out: hidden slides, footers, dates and slide numbers.
"""

from collections.abc import Iterator, Sequence

from sources.reading.extractors.interface import Extraction
from sources.reading.extractors.legacy.tree import Node, open_tree, read_lines, warnings_of
from sources.reading.passages import Block


def extract(data: bytes) -> Extraction:
    tree = open_tree(data, "ppt", kind="presentation")
    slides: Sequence[Node] = tree["sections"]
    hidden = [number for number, slide in enumerate(slides, start=1) if slide.get("hidden")]
    warnings = [f"Hidden slides were left out: {', '.join(map(str, hidden))}."] if hidden else []
    return Extraction(
        blocks=read_slides(slides), warnings=[*warnings, *warnings_of(tree)], pages=len(slides)
    )


def read_slides(slides: Sequence[Node]) -> Iterator[Block]:
    for number, slide in enumerate(slides, start=1):
        if slide.get("hidden"):
            continue
        lines = [*read_lines(slide["elements"]), *read_lines(slide.get("speaker_notes", ()))]
        title = next((line.text for line in lines if line.depth), "").replace("\n", " ")
        is_title_told = False
        for line in lines:
            is_title = bool(line.depth) and not is_title_told
            is_title_told |= is_title
            yield Block(
                title if is_title else line.text, f"slide {number}", title, is_heading=is_title
            )
