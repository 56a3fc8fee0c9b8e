"""JSON, JSON Lines and GeoJSON: each object of a list a row; notebooks of Jupyter, cell by cell.

A file may hold several values one after the other. One that is damaged costs what stands behind it,
in JSON Lines only its line. RFC 8259, jsonlines.org, nbformat 4.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator

from reading.errors import UnreadableFile
from reading.extractors.data.values import NESTED_TOO_DEEPLY, Value, ValueWriter
from reading.extractors.interface import Extraction, list_places
from reading.extractors.text import markdown
from reading.extractors.text.encoding import decode
from reading.passages import Block
from reasons import Reason

WHITE_SPACE = re.compile(r"[ \t\r\n]*")
SEPARATORS = re.compile(r"[ \t\r\n,]*")
PROBED_LINES = 5
PROBED_CHARS = 1024 * 1024
DAMAGED_LINES_MAX = 10_000  # more, and it is something else
FENCE = "`````"
# Numbers stay as they are written; two values of one name both stay.
DECODER = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=str, parse_float=str, parse_constant=str, strict=False
)


class DamagedValue(Exception):
    def __init__(self, position: int) -> None:
        self.position = position  # in the text
        super().__init__()


def extract(data: bytes) -> Extraction:
    text = decode(data)
    warnings: list[Reason] = []
    if has_value_a_line(text):
        return Extraction(blocks=read_lines(text, warnings), warnings=warnings)
    if cells := notebook_cells(text):
        return markdown.extract("\n\n".join(cells).encode("utf-8", "replace"))
    return Extraction(blocks=read_values(text, warnings), warnings=warnings)


def has_value_a_line(text: str) -> bool:
    """JSON Lines, as against one value on many lines."""
    lines = [line for line in text[:PROBED_CHARS].strip().split("\n") if line.strip()][
        :PROBED_LINES
    ]
    whole = [is_structure(line) for line in lines]
    return sum(whole) > 1 and (whole[0] or not lines[0].startswith("["))


def is_structure(line: str) -> bool:
    """True for a whole object or list."""
    if not line.startswith(("{", "[")):
        return False
    try:
        _, end = read_value(line, 0)
    except (DamagedValue, UnreadableFile):
        return False
    return not line[end:].strip()


def read_lines(text: str, warnings: list[Reason]) -> Iterator[Block]:
    """A damaged line costs itself."""
    writer = ValueWriter(warnings)
    damaged: list[int] = []
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if not line.strip():
            continue
        try:
            value, end = read_value(line, skip(WHITE_SPACE, line, 0))
            if line[end:].strip():
                raise DamagedValue(end)
        except DamagedValue:
            damaged.append(number)
            if len(damaged) > DAMAGED_LINES_MAX:
                raise UnreadableFile(Reason("json_file_damaged", line=damaged[0])) from None
        else:
            yield from writer.write(value, place=f"line {number}")
    if damaged:
        warnings.append(Reason("json_lines_damaged", places=list_places("line", damaged)))


def read_values(text: str, warnings: list[Reason]) -> Iterator[Block]:
    """Reads one value or several. One item of a list is held at a time."""
    writer = ValueWriter(warnings)
    position = skip(SEPARATORS, text, 0)
    number = 0
    is_list = text.startswith("[", position)
    if is_list and text.startswith("[", skip(WHITE_SPACE, text, position + 1)):
        is_list = False  # a table: its first list may name the columns
    position += is_list
    while (position := skip(SEPARATORS, text, position)) < len(text):
        if is_list and text[position] == "]":
            is_list = False
            position += 1
            continue
        try:
            value, position = read_value(text, position)
        except DamagedValue as error:
            line = text.count("\n", 0, error.position) + 1
            if not number:
                raise UnreadableFile(Reason("json_file_damaged", line=line)) from error
            warnings.append(Reason("json_damaged_from_line", line=line))
            return
        number += 1
        yield from writer.write(value, place=f"item {number}" if is_list else "")


def read_value(text: str, position: int) -> tuple[Value, int]:
    """(the value that begins there, where it ends). Raises DamagedValue, UnreadableFile."""
    try:
        return DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise DamagedValue(error.pos) from error
    except RecursionError as error:
        raise UnreadableFile(NESTED_TOO_DEEPLY) from error


def skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


# --- Notebooks ------------------------------------------------------------------------------------


def notebook_cells(text: str) -> list[str]:
    """The cells of a notebook and their output, as Markdown; empty for any other file."""
    if '"cells"' not in text or '"nbformat"' not in text:
        return []
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        return []
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        return []
    return [part for cell in cells if isinstance(cell, dict) for part in cell_parts(cell)]


def cell_parts(cell: dict[str, object]) -> Iterator[str]:
    source = joined(cell.get("source"))
    yield source if cell.get("cell_type") == "markdown" else fenced(source)
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict):
            shown = output.get("data")
            plain = shown.get("text/plain") if isinstance(shown, dict) else None
            yield fenced(joined(output.get("text") or plain or output.get("traceback")))


def joined(lines: object) -> str:
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""


def fenced(text: str) -> str:
    return f"{FENCE}\n{text.replace(FENCE, '')}\n{FENCE}" if text.strip() else ""
