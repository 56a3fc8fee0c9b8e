"""Delimited text. A row is "row N", counted as a spreadsheet program would show it: the header is
row 1.
"""

import csv
import io
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice, tee, zip_longest
from operator import itemgetter

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED, Extraction
from reading.extractors.prose import clean, has_content, section_path
from reading.extractors.tables import (
    TITLES_MAX,
    Row,
    could_be_header,
    find_labels,
    is_alone,
    is_group_row,
    join_titles,
    named_row_text,
    names_values,
    split_header,
    split_titles,
)
from reading.extractors.text.encoding import decode
from reading.passages import Block
from reasons import Reason

DELIMITERS = (",", ";", "\t", "|")
SNIFFED_ROWS = 100
SNIFFED_CHARS = 256 * 1024
ROWS_AHEAD = 20  # that are looked at where another table may begin
PAIR = 2  # cells that are a name and its value
ABOVE_MAX_ROWS = 20  # above the names of a table's columns
FIELD_MAX_CHARS = 1024 * 1024  # a longer field is a quote that was never closed
COLUMNS_MAX = 2_000  # as in a spreadsheet
LINE_MAX_CHARS = 4 * 1024 * 1024  # the csv module holds all the fields of a line at once
FAR_COLUMNS = Reason("far_fields_left_out", limit=COLUMNS_MAX)
LINE_TOO_LONG = Reason("csv_line_too_long")
UNCLOSED_QUOTE = Reason("csv_field_too_long")


def extract(data: bytes) -> Extraction:
    csv.field_size_limit(FIELD_MAX_CHARS)
    text = decode(data)
    delimiter, text = declared_delimiter(text)
    delimiter = delimiter or sniff_delimiter(text)
    warnings: list[Reason] = []
    rows = cut_rows(read_rows(text, delimiter), warnings)
    return Extraction(blocks=read_blocks(rows), warnings=warnings)


def declared_delimiter(text: str) -> tuple[str, str]:
    """The delimiter that Excel's first line "sep=;" names, and the text without that line; ("",
    text) if it is not there."""
    first, _, rest = text[:80].partition("\n")
    if first.lower().startswith("sep=") and len(first.rstrip("\r")) == 5:
        return first[4], text[len(first) + 1 :]
    return "", text


def sniff_delimiter(text: str) -> str:
    """The one that cuts most rows into the same number of fields; "," when none does."""
    sample = text[:SNIFFED_CHARS]
    return max(DELIMITERS, key=lambda delimiter: agreement(sample, delimiter))


def agreement(sample: str, delimiter: str) -> tuple[float, int]:
    """(share of the rows that have the commonest number of fields, that number); (0, 0) when that
    is one field.
    """
    try:
        rows = [
            row
            for row in islice(
                csv.reader(io.StringIO(sample), delimiter=delimiter, skipinitialspace=True),
                SNIFFED_ROWS,
            )
            if row
        ]
    except csv.Error:
        return 0, 0
    widths = Counter(len(row) for row in rows)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return (count / len(rows), width) if width > 1 else (0, 0)


def read_blocks(rows: Iterator[Row]) -> Iterator[Block]:
    for _, table in groupby(number_tables(rows), key=itemgetter(0)):
        yield from read_table(row for _, row in table)


def number_tables(rows: Iterator[Row]) -> Iterator[tuple[int, Row]]:
    """Each row with the number of its table: below an empty row another may begin."""
    ahead = deque(islice(rows, ROWS_AHEAD))
    table, last, widest = 0, 0, 0
    while ahead:
        row = ahead.popleft()
        ahead.extend(islice(rows, 1))
        width = width_of_table([row, *ahead]) if last and row.number > last + 1 else 0
        # What is narrower stands above a table: who made it, and when.
        if width and (widest > PAIR or width <= widest):
            table, widest = table + 1, 0
        last, widest = row.number, max(widest, len(row.filled))
        yield table, row


def width_of_table(rows: Sequence[Row]) -> int:
    """The number of names that stand over values, with a few titles above them at most, and no
    empty row between; 0 if a table does not begin here."""
    _, table = split_titles(rows_together(rows))
    is_table = len(table) > 1 and names_columns(table[0], table[1:])
    return len(table[0].filled) if is_table else 0


def rows_together(rows: Sequence[Row]) -> list[Row]:
    """The rows before the first empty one."""
    return [row for place, row in enumerate(rows) if row.number == rows[0].number + place]


def names_columns(row: Row, below: Sequence[Row]) -> bool:
    return could_be_header(row, below) and names_values(row, below)


def read_table(rows: Iterator[Row]) -> Iterator[Block]:
    head = list(islice(rows, SNIFFED_ROWS))
    above, head = split_above(head)
    title = join_titles([row for row in above if len(row.filled) == 1][:TITLES_MAX])
    is_told = title == join_titles(above, limit=None) and head
    for row in () if is_told else above:
        yield from row_block((), row, title="")
    together = rows_together(head)
    header, below = split_header(together)
    if header:  # what stands below an empty row may be of another kind
        below += head[len(together) :]
    else:
        header, below = split_header(head)
    used: set[int] = set()
    for row, label in with_labels(below, rows, head[: len(head) - len(below)]):
        used.update(index for index, cell in enumerate(row.cells) if cell)
        yield from row_block(header, row, title=section_path([title, label]) if label else title)
    unused = [name for index, name in enumerate(header) if name and index not in used]
    if unused:  # else the names of empty columns would be nowhere
        yield from row_block((), Row(head[0].number, tuple(unused)), title=title)


def with_labels(
    head: Sequence[Row], rows: Iterator[Row], headers: Sequence[Row]
) -> Iterator[tuple[Row, str]]:
    """Yield the rows, each with the label that it stands under. The first ones, `head`, tell
    whether lines alone are labels; the last of these may be one of rows to come."""
    sample = head[:-1] if head and is_alone(head[-1]) else head
    is_parted = bool(find_labels(sample, headers))
    names = {row.cells for row in headers}
    label = ""
    one, other = tee(chain(head, rows))
    for row, following in zip_longest(one, islice(other, 1, None)):
        if is_parted and is_alone(row) and following and not is_alone(following):
            label = row.filled[0].rstrip(":")
        elif row.cells not in names:
            yield row, label


def split_above(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """(what stands above a table: titles, and who made it when; the table)."""
    widest = PAIR
    for place, row in enumerate(rows[:ABOVE_MAX_ROWS]):
        is_wider = place and len(row.filled) > widest
        if is_wider and is_group_row(rows[place - 1], row, rows[place + 1 :]):
            return list(rows[: place - 1]), list(rows[place - 1 :])
        if is_wider and names_columns(row, rows[place + 1 :]):
            return list(rows[:place]), list(rows[place:])
        widest = max(widest, len(row.filled))
    return split_titles(rows)


def row_block(header: Sequence[str], row: Row, *, title: str) -> Iterator[Block]:
    if has_content(line := named_row_text(header, row)):
        yield Block(line, location=f"row {row.number}", section_title=title)


def cut_rows(rows: Iterator[Row], warnings: list[Reason]) -> Iterator[Row]:
    """Yields the rows without the cells beyond COLUMNS_MAX, and adds a warning if there were
    any."""
    is_cut = False
    for row in rows:
        is_cut = is_cut or len(row.cells) > COLUMNS_MAX
        yield Row(row.number, row.cells[:COLUMNS_MAX])
    if is_cut:
        warnings.append(FAR_COLUMNS)


def read_rows(text: str, delimiter: str) -> Iterator[Row]:
    """The rows that are not empty. Raises UnreadableFile for a field without end, or too many."""
    lines = RememberedLines(text)
    number, fields, raw = 0, list[str](), list[str]()
    try:
        for following in csv.reader(lines, delimiter=delimiter, skipinitialspace=True):
            if number:
                yield from make_row(number, fields)
            number, fields, raw = number + 1, following, lines.take()
        rest = [fields] if number else []
        if len(raw) > 1 and "".join(raw).count('"') % 2:  # a quotation that never ends
            rest = list(csv.reader(raw, delimiter=delimiter, quoting=csv.QUOTE_NONE))
        for place, fields in enumerate(rest):
            yield from make_row(number + place, fields)
    except csv.Error as error:
        message = UNCLOSED_QUOTE if "field larger" in str(error) else DAMAGED
        raise UnreadableFile(message) from error


def make_row(number: int, fields: Sequence[str]) -> Iterator[Row]:
    row = Row(number, tuple(clean(field) for field in fields))
    if row.filled:
        yield row


class RememberedLines:
    """The lines of a text, and those that were read since `take` was last called."""

    def __init__(self, text: str) -> None:
        self._lines = lines_of(text)
        self._read: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self._read.append(next(self._lines))
        return self._read[-1]

    def take(self) -> list[str]:
        read, self._read = self._read, []
        return read


def lines_of(text: str) -> Iterator[str]:
    """Raises UnreadableFile."""
    for line in io.StringIO(text, newline=""):
        if len(line) > LINE_MAX_CHARS:
            raise UnreadableFile(LINE_TOO_LONG)
        yield line
