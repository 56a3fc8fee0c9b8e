"""The tree into which office_oxide reads a document of before 2007.

Its nodes are dicts, as office_oxide's src/ir.rs names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from office_oxide import Document, OfficeOxideError

from reading.errors import UnreadableFile
from reading.extractors.headings import DEPTH_MAX
from reading.extractors.interface import DAMAGED, protected
from reading.extractors.legacy.lines import BULLET, TextLine, reads_as_heading
from reading.extractors.prose import clean, clean_lines, has_content
from reading.extractors.tables import Row, read_table_rows
from reasons import Reason

Node = Mapping[str, Any]
# Of a protected DOCX under an old name
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
INCOMPLETE = Reason("some_text_lost")
COLUMNS_MAX = 200  # a cell may claim to span millions
CONTENTS_LINK = "#_Toc"  # where the lines of a table of contents lead


def open_tree(data: bytes) -> dict[str, Any]:
    """Raises UnreadableFile."""
    try:
        return Document.from_bytes(data, "doc").to_ir()
    except OfficeOxideError as error:
        is_protected = "encrypted" in str(error) or ENCRYPTED_PACKAGE in data
        raise protected("document") if is_protected else UnreadableFile(DAMAGED) from error


def warnings_of(tree: Node) -> list[Reason]:
    return [INCOMPLETE] if tree["metadata"].get("text_truncated") else []


def read_lines(elements: Sequence[Node]) -> Iterator[TextLine]:
    """The texts that say something, in their order."""
    for element in elements:
        for line in lines_of(element):
            if has_content(line.text):
                yield line


def lines_of(element: Node) -> Iterator[TextLine]:
    match element["type"]:
        case "paragraph" | "heading":
            yield from paragraph_lines(element)
        case "list":
            yield from list_lines(element)
        case "table":
            yield from table_lines(element["rows"])
        case "text_box" | "footnote" | "endnote":
            yield from read_lines(element["content"])
        case "image":
            yield TextLine(clean(element.get("alt_text", "")))


# --- Paragraphs -----------------------------------------------------------------------------------


def paragraph_lines(paragraph: Node) -> Iterator[TextLine]:
    spans = [span for span in paragraph["content"] if clean(span.get("text", ""))]
    if leads_to_contents(spans):
        return
    text = clean_lines(text_of(paragraph))
    yield TextLine(text, depth_of(paragraph, spans, text))


def leads_to_contents(spans: Sequence[Node]) -> bool:
    return bool(spans) and all(
        span.get("hyperlink", "").startswith(CONTENTS_LINK) for span in spans
    )


def text_of(paragraph: Node) -> str:
    return "".join(
        "\n" if span["type"] == "line_break" else span.get("text", "")
        for span in paragraph["content"]
    )


def depth_of(paragraph: Node, spans: Sequence[Node], text: str) -> int:
    """The depth of a heading, 0 for other text. A bold line stands under any real heading above
    it."""
    if paragraph["type"] == "heading":
        return min(max(int(paragraph["level"]), 1), DEPTH_MAX)
    if spans and all(span.get("bold") for span in spans) and reads_as_heading(text):
        return DEPTH_MAX
    return 0


def list_lines(list_node: Node) -> Iterator[TextLine]:
    """Items without their numbers: neighbouring lists stand in one node, whose count is wrong for
    the second.
    """
    for item in list_node["items"]:
        for position, line in enumerate(read_lines(item["content"])):
            yield TextLine(line.text if position else BULLET + line.text)
        if nested := item.get("nested"):
            yield from list_lines(nested)


# --- Tables ---------------------------------------------------------------------------------------


def table_lines(rows: Sequence[Node]) -> Iterator[TextLine]:
    """Each row with its columns' names. A table of one column is a frame around paragraphs."""
    if max((len(row["cells"]) for row in rows), default=0) < 2:
        for row in rows:
            for cell in row["cells"]:
                yield from read_lines(cell["content"])
        return
    has_header = bool(rows[0].get("is_header") or rows[0].get("repeat_as_header"))
    for text in read_table_rows(read_rows(rows), has_header=has_header):
        yield TextLine(text)


def read_rows(rows: Sequence[Node]) -> list[Row]:
    """Cells by column: a cell that spans columns stands in the first, one that spans rows in each
    of them.
    """
    above: dict[int, tuple[str, int]] = {}  # column → (text, rows that it still spans)
    table: list[Row] = []
    for number, row in enumerate(rows, start=1):
        cells: list[str] = []
        spans: dict[int, int] = {}
        waiting = iter(row["cells"])
        while len(cells) < COLUMNS_MAX:
            text, left = above.get(len(cells), ("", 0))
            if left:
                above[len(cells)] = (text, left - 1)
                cells.append(text)
            elif (cell := next(waiting, None)) is not None:
                text = cell_text(cell)
                above[len(cells)] = (text, cell["row_span"] - 1)
                if cell["col_span"] > 1:
                    spans[len(cells)] = min(cell["col_span"], COLUMNS_MAX)
                cells += [text, *[""] * (min(cell["col_span"], COLUMNS_MAX) - 1)]
            else:
                break
        table.append(Row(number, tuple(cells[:COLUMNS_MAX]), spans))
    return table


def cell_text(cell: Node) -> str:
    return clean(" ".join(line.text for line in read_lines(cell["content"])))
