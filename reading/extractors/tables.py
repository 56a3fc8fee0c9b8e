"""Finds the names of a table's columns: shared by spreadsheets and delimited files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

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
HEADER_ROWS_MAX = 3  # names of groups above names of columns
LABELS_MIN = 2  # lines alone that part a table; a single one may be a row without values
VALUES_MIN_SHARE = 0.75  # in lists without a header whose lines alone are labels
LABEL_SEPARATOR = " – "
LONGER_BELOW = 2  # a question column's answers are that many times longer than its name


@dataclass(frozen=True)
class Row:
    """`number` as the program shows it, from 1; cells are clean texts, "" for an empty one.
    `spans`: how many columns a merged cell covers, by the first of them, where its text stands."""

    number: int
    cells: tuple[str, ...]
    spans: Mapping[int, int] = field(default_factory=dict)

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
    for level in range(min(count_header_rows(rows), len(rows) - 1), 0, -1):
        names = join_names(rows[:level])
        repeated = {row.cells for row in rows[:level]}  # above each part of a table
        sample = rows[level : level + 2 * SAMPLE_ROWS]
        if is_header(names, [row for row in sample if row.cells not in repeated]):
            return names.cells, list(rows[level:])
    return (), list(rows)


def count_header_rows(rows: Sequence[Row]) -> int:
    """Return how many rows name columns if the first one does."""
    count = 1
    while count < min(HEADER_ROWS_MAX, len(rows) - 1) and is_group_row(
        rows[count - 1], rows[count], rows[count + 1 :]
    ):
        count += 1
    return count


def is_group_row(row: Row, below: Row, rest: Sequence[Row]) -> bool:
    """ "2023" over two columns, "2024" over two more: names of groups, with gaps between."""
    if len(row.filled) < 2 or any(is_value(cell) and not YEAR.match(cell) for cell in below.filled):
        return False
    first = next(index for index, cell in enumerate(row.cells) if cell)
    gaps = [index for index, cell in enumerate(row.cells) if index > first and not cell]
    covered = [each for index in row.spans for each in covered_columns(row, index)]
    if any(text_at(below, index) for index in covered):
        return True
    if not any(text_at(below, index) for index in gaps):
        return False
    # Nothing is merged: the second row may as well be data below a column without a name
    names = [index for index, cell in enumerate(below.cells) if cell]
    over_values = [index for index in names if is_column_of_values(column(rest, index))]
    return len(set(below.filled)) < len(below.filled) or len(over_values) > 1


def covered_columns(row: Row, index: int) -> range:
    """Return the columns behind `index` that its merged cell covers."""
    return range(index + 1, index + row.spans.get(index, 1))


def text_at(row: Row, index: int) -> str:
    return row.cells[index] if index < len(row.cells) else ""


def join_names(rows: Sequence[Row]) -> Row:
    """ "Model", "2023 Units", "2023 Amount", …: what stands above each other, once."""
    names = rows[-1]
    width = max(len(row.cells) for row in rows)
    width = max(width, *(index + span for row in rows for index, span in row.spans.items()), 0)
    levels = [spread_groups(row, below, width) for row, below in pairwise(rows)]
    levels.append([text_at(names, index) for index in range(width)])
    cells = [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*levels, strict=True)]
    return Row(names.number, tuple(cells))


def spread_groups(groups: Row, names: Row, width: int) -> list[str]:
    """Return the name of a group in each column over which it stands: those that its merged cell
    covers, or else up to the next group."""
    spread = [text_at(groups, index) for index in range(width)]
    if groups.spans:
        for index in groups.spans:
            for each in covered_columns(groups, index):
                spread[each] = spread[each] or text_at(groups, index)
        return spread
    group = ""
    for index, own in enumerate(spread):
        if own or not text_at(names, index):
            group = own if text_at(names, index) else ""  # a name without others below is its own
        else:
            spread[index] = group
    return spread


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


@dataclass(frozen=True)
class LabelledRow:
    """A row below the header; `label`: the last line above it that spans the table, "" for none.
    `is_note`: it is such a line itself, and names no rows."""

    row: Row
    label: str = ""
    is_note: bool = False


def label_rows(rows: Sequence[Row], header: Sequence[Row] = ()) -> Iterator[LabelledRow]:
    """Yield the rows below `header`, each with the label that it stands under. Labels themselves,
    and headers that are repeated, are left out."""
    labels = {row.number for row in find_labels(rows, header)}
    names = {row.cells for row in header}
    above: list[Row] = []
    fresh: list[Row] = []  # labels whose rows have not come yet
    for row in rows:
        if row.number in labels:
            fresh.append(row)
        elif is_alone(row) and row.spans:
            yield LabelledRow(row, is_note=True)
        elif row.cells not in names:
            if fresh:  # one of two that stood above each other may stay
                above, fresh = [*above[: max(len(above) - len(fresh), 0)], *fresh], []
            yield LabelledRow(row, join_titles(above).rstrip(":"))
    yield from (LabelledRow(row, is_note=True) for row in fresh)


def find_labels(rows: Sequence[Row], header: Sequence[Row] = ()) -> list[Row]:
    """Return the lines alone that name the rows below them: those merged over several columns,
    those above a header that is repeated, or those of a table that is parted by several from its
    first row on."""
    first = min((index for row in rows for index, cell in enumerate(row.cells) if cell), default=0)
    alone = [row for row in rows if is_alone(row)]
    if any(row.spans for row in alone):
        return [row for row in alone if row.spans and is_name(text_at(row, first))]
    followed = [(row, below) for row, below in pairwise(rows) if is_alone(row)]
    repeated = {row.cells for row in header}
    if above_headers := [row for row, below in followed if below.cells in repeated]:
        return above_headers
    is_parted = (
        len(alone) >= LABELS_MIN
        and alone[0] is rows[0]
        and len(followed) == len(alone)
        and all(len(below.filled) > 1 for _, below in followed)
        and all(is_name(text_at(row, first)) for row in alone)
        and (bool(header) or holds_values(rows))
    )
    return alone if is_parted else []


def holds_values(rows: Sequence[Row]) -> bool:
    """Tells a list of prices from one of contacts, of which some are missing."""
    last = [row.filled[-1] for row in rows if not is_alone(row)]
    return sum(map(is_value, last)) >= VALUES_MIN_SHARE * len(last)


def is_alone(row: Row) -> bool:
    return len(row.filled) == 1


def is_name(cell: str) -> bool:
    is_word = cell and (not is_value(cell) or YEAR.match(cell))
    return bool(is_word) and len(cell) <= NAME_MAX_CHARS and not cell.endswith(".")


def read_table_rows(rows: Sequence[Row], *, has_header: bool = False) -> Iterator[str]:
    """The text of each row with its columns' names, behind the label above it. `has_header`: the
    first row is declared to be one.
    """
    filled = [row for row in rows if row.filled]
    titles = list(takewhile(lambda row: is_alone(row) and row.spans, filled))
    filled = filled[len(titles) :]
    if has_header and not titles and len(filled) > 1:
        count = count_header_rows(filled)
        header, below = join_names(filled[:count]).cells, filled[count:]
    else:
        header, below = split_header(filled)
    headers = filled[: len(filled) - len(below)]
    if has_unused_names(headers, header, below):
        yield from ("; ".join(row.filled) for row in headers)
    for each in label_rows([*titles, *below], headers):
        text = named_row_text(() if each.is_note else header, each.row)
        if has_content(text):
            yield f"{each.label}{LABEL_SEPARATOR}{text}" if each.label else text


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
