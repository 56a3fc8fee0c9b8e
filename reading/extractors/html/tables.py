"""Tables of a page: data row by row with the names of the columns, as against tables that only
arrange a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from reading.extractors.html.boxes import Box, whole_number
from reading.extractors.prose import clean, has_content
from reading.extractors.tables import LABEL_SEPARATOR, Row, named_row_text, split_header

SPAN_MAX = 50  # columns or rows that a cell may claim to cover; browsers take 1000
COLUMNS_MAX = 300  # that spans may make; each cell of its own has one
CELL_MAX_CHARS = 1000  # a longer cell is a part of a page
CELL_TAGS = ("td", "th")
SECTION_TAGS = ("thead", "tbody", "tfoot")


@dataclass(frozen=True)
class TableRow:
    """`row` has a cell over several columns where it begins, `spread` in all of them. `is_group`: a
    single cell over several columns, a title for the rows below.
    """

    row: Row
    spread: Row
    is_header: bool
    is_group: bool


def is_data_table(table: Box) -> bool:
    if table.role in ("presentation", "none") or table.has_table:
        return False
    rows = own_rows(table)
    widest = max((len(own_cells(row)) for row in rows), default=0)
    cells = (cell for row in rows for cell in own_cells(row))
    return (
        widest > 1
        and table.chars == seen_chars(table, rows)
        and (len(rows) > 1 or all(cell.tag == "th" for cell in own_cells(rows[0])))
        and all(cell.chars <= CELL_MAX_CHARS and not cell.has_h1 for cell in cells)
    )


def seen_chars(table: Box, rows: Sequence[Box]) -> int:
    """The number of characters in the rows and captions: other text in a table would be lost with
    its rows."""
    captions = (box for box in table.boxes if box.tag == "caption")
    cells = (cell for row in rows for cell in own_cells(row))
    return sum(box.chars for box in (*captions, *cells))


def own_rows(table: Box) -> list[Box]:
    rows: list[Box] = []
    for box in table.boxes:
        if box.tag in SECTION_TAGS:
            rows += (row for row in box.boxes if row.tag == "tr")
        elif box.tag == "tr":
            rows.append(box)
    return rows


def own_cells(row: Box) -> list[Box]:
    return [box for box in row.boxes if box.tag in CELL_TAGS]


def table_texts(table: Box) -> Iterator[str]:
    """The caption, then each row; the rows below a title within the table carry it."""
    for box in table.boxes:
        if box.tag == "caption" and has_content(text := flat_text(box)):
            yield text
    header, rows = separate_header([row for row in read_rows(own_rows(table)) if row.row.filled])
    if len(rows) == 1 and rows[0].is_header:  # names, and nothing that they name
        yield "; ".join(rows[0].row.filled)
        return
    group, is_used = "", True
    for row in rows:
        if row.is_group:
            if not is_used:
                yield group
            group, is_used = row.row.filled[0], False
        elif has_content(text := named_row_text(header, row.spread if header else row.row)):
            yield group + LABEL_SEPARATOR + text if group else text
            is_used = True
    if not is_used:
        yield group


def separate_header(rows: Sequence[TableRow]) -> tuple[tuple[str, ...], list[TableRow]]:
    """(the names of the columns, the other rows); declared names if there are any, else found as in
    any table.
    """
    titles = list(takewhile(lambda row: row.is_group, rows))
    rest = rows[len(titles) :]
    heads = list(takewhile(lambda row: row.is_header and not row.is_group, rest))
    if heads and len(heads) < len(rest):
        return join_names(heads), titles + list(rest[len(heads) :])
    own = [row for row in rest if not row.is_group]
    names, below = split_header([row.row for row in own])
    count = len(own) - len(below)
    if any(row.is_group for row in rest[:count]):
        return (), list(rows)
    return names, titles + list(rest[count:])


def join_names(heads: Sequence[TableRow]) -> tuple[str, ...]:
    """ "2023 Units": what stands above each other, once."""
    width = max(len(head.spread.cells) for head in heads)
    columns = (
        dict.fromkeys(head.spread.cells[index : index + 1] for head in heads)
        for index in range(width)
    )
    return tuple(" ".join(name for names in column for name in names if name) for column in columns)


def read_rows(boxes: Sequence[Box]) -> Iterator[TableRow]:
    carried: dict[int, tuple[int, str]] = {}  # by column: rows still to be covered, and the text
    for number, box in enumerate(boxes, start=1):
        cells = own_cells(box)
        row, spread, carried = place_cells(cells, carried)
        filled = [cell for cell in cells if cell.chars]
        is_alone = len(cells) == 1 and sum(map(bool, row)) == 1
        yield TableRow(
            row=Row(number, tuple(row), covered(row, spread)),
            spread=Row(number, tuple(spread)),
            is_header=bool(filled) and all(cell.tag == "th" for cell in filled),
            is_group=is_alone and span(cells[0], "colspan") > 1,
        )


def covered(row: Sequence[str], spread: Sequence[str]) -> dict[int, int]:
    """Return how many columns each cell covers, by the first of them, where it covers several."""
    spans: dict[int, int] = {}
    first = 0
    for index, (own, text) in enumerate(zip(row, spread, strict=True)):
        if own or not text:
            first = index
        else:
            spans[first] = index - first + 1
    return spans


def place_cells(
    cells: Sequence[Box], carried: Mapping[int, tuple[int, str]]
) -> tuple[list[str], list[str], dict[int, tuple[int, str]]]:
    """(the row, the row with cells repeated in all columns they cover, what goes on below)."""
    row: list[str] = []
    spread: list[str] = []
    below = {column: (rows - 1, text) for column, (rows, text) in carried.items() if rows > 1}

    def skip_carried() -> None:
        while len(row) in carried:
            text = carried[len(row)][1]
            row.append(text)
            spread.append(text)

    for cell in cells:
        skip_carried()
        text = flat_text(cell, separator=", ")
        for offset in range(max(1, min(span(cell, "colspan"), COLUMNS_MAX - len(row)))):
            if (rows := span(cell, "rowspan")) > 1:
                below[len(row)] = (rows - 1, text)
            row.append("" if offset else text)
            spread.append(text)
    skip_carried()
    return row, spread, below


def span(cell: Box, name: str) -> int:
    return min(whole_number(cell.attributes.get(name, ""), default=1, least=1), SPAN_MAX)


def flat_text(box: Box, *, separator: str = " ") -> str:
    """All that it holds, on one line; `separator` where a line ended without a punctuation mark."""
    pieces: list[str] = []
    pending: list[Box | str] = [box]
    while pending:
        item = pending.pop()
        if isinstance(item, Box):
            pending += reversed(item.items)
        else:
            pieces += item.splitlines()
    return clean("".join(joined(pieces, separator)))


def joined(pieces: Sequence[str], separator: str) -> Iterator[str]:
    for index, piece in enumerate(pieces):
        if index:
            yield separator if pieces[index - 1][-1:].isalnum() else " "
        yield piece
