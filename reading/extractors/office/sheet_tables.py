"""The rows of a sheet as blocks: where its tables begin and end, and what names their columns.
Shared by all kinds of spreadsheets.
"""

from collections.abc import Collection, Iterator, Sequence

from reading.extractors.prose import has_content
from reading.extractors.tables import (
    TITLE_MAX_CHARS,
    Row,
    has_unused_names,
    join_titles,
    named_row_text,
    names_values,
    split_header,
    split_titles,
)
from reading.passages import Block


def table_blocks(
    rows: Iterator[Row], name: str, *, header_rows: Collection[int] = ()
) -> Iterator[Block]:
    """The tables of the sheet `name`, one below the other with an empty row between. `header_rows`:
    the numbers of the rows that are declared to name columns.

    Lines alone above a table are its title; without one, its sheet's name is.
    """
    title = name
    header: tuple[str, ...] = ()
    waiting: list[Row] = []  # lines alone whose table has not come yet
    for region in regions(rows, header_rows):
        titles, table = split_titles(region)
        waiting += titles
        if not table:
            continue
        if waiting:
            title, header = join_titles(waiting), ()
            if len(title) == TITLE_MAX_CHARS:  # it was cut
                yield from row_blocks(waiting, (), sheet=name, title=name)
            waiting = []
        for part in side_by_side(table):
            names, below = split_header(part)
            is_declared = part[0].number in header_rows and len(part) > 1
            if is_declared:
                names, below = part[0].cells, part[1:]
            if names and (not header or is_declared or names_values(part[0], below)):
                header = names
                if has_unused_names(headers := part[: len(part) - len(below)], names, below):
                    yield from row_blocks(headers, (), sheet=name, title=title)
                part = below
            yield from row_blocks(part, header, sheet=name, title=title)
    yield from row_blocks(waiting, (), sheet=name, title=name)


def row_blocks(
    rows: Sequence[Row], header: Sequence[str], *, sheet: str, title: str
) -> Iterator[Block]:
    for row in rows:
        if has_content(line := named_row_text(header, row)):
            yield Block(line, location=f"sheet {sheet}, row {row.number}", section_title=title)


def regions(rows: Iterator[Row], header_rows: Collection[int]) -> Iterator[list[Row]]:
    """Runs of rows without an empty one between them; a declared header begins one. A row without
    cells was struck out: it is left out, and parts no table."""
    region: list[Row] = []
    last = 0
    for row in rows:
        if region and (row.number != last + 1 or row.number in header_rows):
            yield region
            region = []
        last = row.number
        if row.cells:
            region.append(row)
    if region:
        yield region


def side_by_side(table: list[Row]) -> list[list[Row]]:
    """The tables that stand beside each other with an empty column between, each with the same
    names. Without such names it is one table that has gaps.
    """
    parts = [
        [Row(row.number, row.cells[start:end]) for row in table if any(row.cells[start:end])]
        for start, end in column_runs(table)
    ]
    headers = [set(split_header(part)[0]) - {""} for part in parts]
    if len(parts) < 2 or not all(headers) or not set.intersection(*headers):
        return [table]
    return parts


def column_runs(table: Sequence[Row]) -> list[tuple[int, int]]:
    """(first column, the one after the last) of the runs of columns that are not empty."""
    filled = sorted({index for row in table for index, cell in enumerate(row.cells) if cell})
    known = set(filled)
    starts = [index for index in filled if index - 1 not in known]
    ends = [index + 1 for index in filled if index + 1 not in known]
    return list(zip(starts, ends, strict=True))
