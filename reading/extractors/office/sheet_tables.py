"""The rows of a sheet as blocks: where its tables begin and end, what names their columns, and
which labels stand above their rows. Shared by all kinds of spreadsheets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

from reading.extractors.office.tables_beside import Side, part_tables, slice_columns
from reading.extractors.prose import has_content, section_path
from reading.extractors.tables import (
    TITLE_MAX_CHARS,
    Row,
    find_labels,
    has_unused_names,
    join_names,
    join_titles,
    label_rows,
    named_row_text,
    names_values,
    split_header,
    split_titles,
)
from reading.passages import Block

CONTINUED_MIN = 3  # cells of a row that goes on with the columns of the table above
Place = tuple[int, int]  # the number of a row, and a column from 0


def table_blocks(
    rows: Iterator[Row], name: str, *, header_cells: Collection[Place] = ()
) -> Iterator[Block]:
    """The tables of the sheet `name`, with an empty row or column between. `header_cells`: where
    the rows begin that are declared to name columns.

    Lines alone above a table are its title; without one, its sheet's name is. A label within it is
    told below the title.
    """
    area = Area(name, header_cells)
    for region in regions(rows):
        yield from area.read(region)
    yield from area.finish()


class Area:
    """A sheet, or the columns of it that a table beside others has. What was read above counts: a
    table goes on with its columns' names behind an empty row."""

    def __init__(self, sheet: str, header_cells: Collection[Place], title: str = "") -> None:
        self._sheet = sheet
        self._header_cells = header_cells
        self._title = title or sheet
        self._titles: list[Row] = []  # the lines that it was made of
        self._header: tuple[str, ...] = ()
        self._waiting: list[Row] = []  # lines alone whose table has not come yet
        self._beside: list[tuple[range, Area]] = []

    def read(self, region: list[Row]) -> Iterator[Block]:
        """The rows of a region, which holds no empty row."""
        titles, table = split_titles(region)
        if table and self._goes_on_beside(region):
            yield from self._read_beside(region)
            return
        yield from self._finish_beside()
        self._waiting += titles
        if not table:
            return
        if self._goes_on_below(table):
            label, self._waiting = join_titles(self._waiting), []
            yield from self._row_blocks(table, self._header, section_path([self._title, label]))
            return
        yield from self._take_title()
        sides = part_tables(table, {place[1] for place in self._header_cells})
        if len(sides) > 1:
            self._header = ()
            self._beside = [(side.columns, self._area_of(side)) for side in sides]
            yield from self._read_beside(table)
            return
        for part in self._declared_parts(table):
            yield from self._read_table(part, titles)

    def finish(self) -> Iterator[Block]:
        yield from self._finish_beside()
        yield from self._row_blocks(self._waiting, (), self._title)

    def _take_title(self) -> Iterator[Block]:
        if self._waiting:
            self._title, self._header = join_titles(self._waiting), ()
            self._titles = self._waiting
            if len(self._title) == TITLE_MAX_CHARS:  # it was cut
                yield from self._row_blocks(self._waiting, (), self._sheet)
            self._waiting = []

    def _goes_on_below(self, table: Sequence[Row]) -> bool:
        """Tells whether the line above the table is a label, and its columns' names stand above."""
        if not self._header or len(self._waiting) != 1 or split_header(table)[0]:
            return False
        named = {index for index, name in enumerate(self._header) if name}
        filled = {index for row in table for index, cell in enumerate(row.cells) if cell}
        return len(table[0].filled) >= CONTINUED_MIN and filled <= named

    # --- Tables beside each other -----------------------------------------------------------------

    def _goes_on_beside(self, region: Sequence[Row]) -> bool:
        """Tells whether each cell stands in the columns of one of the tables above."""
        known = {column for columns, _ in self._beside for column in columns}
        return bool(known) and all(
            index in known for row in region for index, cell in enumerate(row.cells) if cell
        )

    def _read_beside(self, region: Sequence[Row]) -> Iterator[Block]:
        for columns, area in self._beside:
            for part in regions(slice_columns(region, columns)):
                yield from area.read(part)

    def _finish_beside(self) -> Iterator[Block]:
        for _, area in self._beside:
            yield from area.finish()
        self._beside = []

    def _area_of(self, side: Side) -> Area:
        columns = side.columns
        cells = {(row, at - columns.start) for row, at in self._header_cells if at in columns}
        # Names that only stand out beside the others' would be taken for a row
        if len(side.header_numbers) == 1:
            cells |= {(number, 0) for number in side.header_numbers & side.common_header}
        return Area(self._sheet, cells, self._title)

    # --- One table --------------------------------------------------------------------------------

    def _declared_parts(self, table: Sequence[Row]) -> Iterator[list[Row]]:
        """A declared header begins a table, also without an empty row above it."""
        declared = {row for row, _ in self._header_cells}
        part: list[Row] = []
        for row in table:
            if part and row.number in declared and part[-1].number not in declared:
                yield part
                part = []
            part.append(row)
        yield part

    def _read_table(self, table: list[Row], titles: Sequence[Row]) -> Iterator[Block]:
        names, below = split_header(table)
        declared = {row for row, _ in self._header_cells}
        heads = list(takewhile(lambda row: row.number in declared, table))
        is_declared = 0 < len(heads) < len(table)
        if is_declared:
            names, below = join_names(heads).cells, table[len(heads) :]
        headers: list[Row] = []
        if names and (not self._header or is_declared or names_values(table[0], below)):
            self._header = names
            headers = table[: len(table) - len(below)]
            if has_unused_names(headers, names, below):
                yield from self._row_blocks(headers, (), self._title)
            table = below
        outer = self._title
        # The line above the first rows may be their label, and no title of the others
        is_first_label = not self._header and find_labels([*titles[-1:], *table])[:1] == titles[-1:]
        labels = find_labels(table, headers)
        if titles and (is_first_label or (labels and labels[0] is not table[0])):
            outer = join_titles(self._titles[:-1]) or self._sheet
            table = [*titles[-1:], *table] if is_first_label else table
        for each in label_rows(table, headers):
            header = () if each.is_note else self._header
            title = section_path([outer, each.label]) if each.label else self._title
            yield from self._row_blocks([each.row], header, title)

    def _row_blocks(
        self, rows: Sequence[Row], header: Sequence[str], title: str
    ) -> Iterator[Block]:
        for row in rows:
            if has_content(line := named_row_text(header, row)):
                location = f"sheet {self._sheet}, row {row.number}"
                yield Block(line, location=location, section_title=title)


def regions(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Runs of rows without an empty one between them. A row without cells was struck out: it is
    left out, and parts no table."""
    region: list[Row] = []
    last = 0
    for row in rows:
        if region and row.number != last + 1:
            yield region
            region = []
        last = row.number
        if row.cells:
            region.append(row)
    if region:
        yield region
