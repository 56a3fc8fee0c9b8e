"""Finds the names of a table's columns: shared by spreadsheets and delimited files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reading.extractors.prose import has_content, row_text

NAME_MAX_CHARS = 80  # longer text is content, not the name of a column
NUMBER = re.compile(r"^[^\w]{0,3}\s*[-+(]?\d[\d.,'\s]*\)?\s*(?:%|[€$£¥]|[A-Za-z]{1,3})?$")
DATE = re.compile(
    r"^(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?|\d{1,2}/\d{4})$"
)
YEAR = re.compile(r"^(?:19|20)\d\d$")
SAMPLE_ROWS = 50  # rows below a header that are looked at
TITLES_MAX = 3  # more lines alone above a table are a list, not its titles
TITLE_MAX_CHARS = 200
LONGER_BELOW = 2  # a question column's answers are that many times longer than its name


@dataclass(frozen=True)
class Row:
    """`number` as the program shows it, from 1; cells are clean texts, "" for an empty one."""

    number: int
    cells: tuple[str, ...]

    @property
    def filled(self) -> tuple[str, ...]:
        return tuple(cell for cell in self.cells if cell)


def split_titles(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """(the rows that stand alone above a table, the table)."""
    alone = 0
    while alone < len(rows) and len(rows[alone].filled) == 1:
        alone += 1
    # A list in a spreadsheet: its lines are content, and none is a title of the rest
    if alone > TITLES_MAX:
        return [], list(rows)
    return list(rows[:alone]), list(rows[alone:])


def join_titles(rows: Sequence[Row], *, limit: int | None = TITLE_MAX_CHARS) -> str:
    return " – ".join("; ".join(row.filled) for row in rows)[:limit]


def is_value(cell: str) -> bool:
    """A number, an amount, a date: what a column's name never is."""
    return bool(NUMBER.match(cell) or DATE.match(cell))


def split_header(rows: Sequence[Row]) -> tuple[tuple[str, ...], list[Row]]:
    """(the names of the columns, the rows below); no names when the first row is data."""
    if len(rows) > 2 and is_group_row(rows[0], rows[1]):
        names = grouped_names(rows[0], rows[1])
        if is_header(names, rows[2:]):
            return names.cells, list(rows[2:])
    if len(rows) > 1 and is_header(rows[0], rows[1:]):
        return rows[0].cells, list(rows[1:])
    return (), list(rows)


def is_group_row(row: Row, below: Row) -> bool:
    """ "2023" over two columns, "2024" over two more: names of groups, with gaps between."""
    first = next((index for index, cell in enumerate(row.cells) if cell), 0)
    gaps = [index for index, cell in enumerate(row.cells) if index > first and not cell]
    return (
        len(row.filled) > 1
        and len(row.filled) < len(below.filled)
        and any(index < len(below.cells) and below.cells[index] for index in gaps)
        and not any(map(is_value, below.filled))
    )


def grouped_names(groups: Row, names: Row) -> Row:
    """ "2023 Units", "2023 Amount", "2024 Units", …"""
    group = ""
    cells: list[str] = []
    for index, name in enumerate(names.cells):
        # A merged cell has its text in the first of its columns only
        group = (groups.cells[index] if index < len(groups.cells) else "") or group
        cells.append(f"{group} {name}".strip() if name else "")
    return Row(names.number, tuple(cells))


def is_header(row: Row, below: Sequence[Row]) -> bool:
    """True when `row` names the columns of the rows below it."""
    if not could_be_header(row, below):
        return False
    if len(set(map(str.casefold, row.filled))) < len(row.filled):  # two prices, two dates
        return names_values(row, below)
    if len(row.filled) == 2 and (row.cells[0] or not has_wider(below)):
        return names_pairs(row, below)
    return names_values(row, below) or bool(below)


def has_wider(rows: Sequence[Row]) -> bool:
    """True below a header whose first cell is empty, because the rows name themselves."""
    return any(len(row.filled) > 2 for row in rows[:SAMPLE_ROWS])


def names_pairs(row: Row, below: Sequence[Row]) -> bool:
    """Two columns are more often pairs ("Telephone", "960 555 014") than a table.

    They have names when nothing but values stands below one of them ("Model", "Price"), or when
    the texts below are clearly longer than the names ("Question", "Answer").
    """
    # "Room 12", "Since 1998": a pair of data more often than two names
    if any(character.isdigit() for name in row.filled for character in name):
        return False
    columns = [column(below, index) for index, name in enumerate(row.cells) if name]
    texts = [cell for other in below[:SAMPLE_ROWS] for cell in other.filled]
    if not texts:
        return False
    mean_chars = sum(map(len, texts)) / len(texts)
    return any(cells and all(map(is_value, cells)) for cells in columns) or (
        mean_chars > LONGER_BELOW * max(map(len, row.filled))
    )


def could_be_header(row: Row, below: Sequence[Row]) -> bool:
    """Two or more short names, and not one value; a year is a name when no years stand below it."""
    filled = row.filled
    return (
        len(filled) >= 2
        and all(len(name) <= NAME_MAX_CHARS for name in filled)
        and not (row.cells[0] and all(map(is_value, filled)))
        and not any(
            is_value(name) and not is_year_name(name, column(below, index))
            for index, name in enumerate(row.cells)
        )
    )


def is_year_name(name: str, cells: Sequence[str]) -> bool:
    return bool(YEAR.match(name)) and not any(YEAR.match(cell) for cell in cells)


def names_values(row: Row, below: Sequence[Row]) -> bool:
    """True when a column with a name in `row` holds values below it: then `row` cannot be data."""
    return any(
        name and is_column_of_values(column(below, index)) for index, name in enumerate(row.cells)
    )


def is_column_of_values(cells: Sequence[str]) -> bool:
    # More than half, not all: a column of prices has its "on request" and its dashes
    return bool(cells) and sum(map(is_value, cells)) * 2 > len(cells)


def column(rows: Sequence[Row], index: int) -> list[str]:
    """The filled cells of a column in the first rows."""
    return [
        row.cells[index]
        for row in rows[:SAMPLE_ROWS]
        if index < len(row.cells) and row.cells[index]
    ]


def read_table_rows(rows: Sequence[Row], *, has_header: bool = False) -> Iterator[str]:
    """The text of each row with its columns' names. `has_header`: the first row is declared to be
    one.
    """
    filled = [row for row in rows if row.filled]
    if has_header and len(filled) > 1:
        header, below = filled[0].cells, filled[1:]
    else:
        header, below = split_header(filled)
    if has_unused_names(headers := filled[: len(filled) - len(below)], header, below):
        yield from ("; ".join(row.filled) for row in headers)
    for row in below:
        if has_content(text := named_row_text(header, row)):
            yield text


def has_unused_names(headers: Sequence[Row], names: Sequence[str], below: Sequence[Row]) -> bool:
    """True when something in the rows that name the columns is in the name of no value: the empty
    columns of a form would be lost with their names.
    """
    used = {
        word
        for index, name in enumerate(names)
        if any(index < len(row.cells) and row.cells[index] for row in below)
        for word in name.split()
    }
    return any(not used.issuperset(cell.split()) for row in headers for cell in row.filled)


def named_row_text(header: Sequence[str], row: Row) -> str:
    """A row with its columns' names; without names, two cells are a name and its value."""
    if header:
        return row_text(header, row.cells)
    cells = row.filled
    if len(cells) == 2 and len(cells[0]) <= NAME_MAX_CHARS and not is_value(cells[0]):
        return row_text(cells[:1], cells[1:])
    return "; ".join(cells)
