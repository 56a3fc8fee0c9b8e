"""Delimited text. A row is "row N", counted as a spreadsheet program would show it: the header is
row 1.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.interface import DAMAGED, TOO_LARGE, Extraction
from sources.reading.extractors.prose import clean, has_content
from sources.reading.extractors.tables import (
    Row,
    join_titles,
    named_row_text,
    split_header,
    split_titles,
)
from sources.reading.extractors.text.encoding import decode
from sources.reading.passages import Block

DELIMITERS = (",", ";", "\t", "|")
SNIFFED_ROWS = 100
SNIFFED_CHARS = 256 * 1024
FIELD_MAX_CHARS = 1024 * 1024  # a longer field is a quote that was never closed
COLUMNS_MAX = 2_000  # as in a spreadsheet
LINE_MAX_CHARS = 4 * 1024 * 1024  # the csv module holds all the fields of a line at once
TOO_MANY_COLUMNS = f"This CSV file has more than {COLUMNS_MAX:,} columns. {TOO_LARGE}"
LINE_TOO_LONG = (
    "A line of this CSV file is longer than four million characters. Save it with one row a line "
    "and upload the file again."
)
UNCLOSED_QUOTE = (
    "A field of this CSV file is longer than a million characters, probably because a quotation "
    "mark is never closed. Correct it and upload the file again."
)


def extract(data: bytes) -> Extraction:
    csv.field_size_limit(FIELD_MAX_CHARS)
    text = decode(data)
    delimiter, text = declared_delimiter(text)
    delimiter = delimiter or sniff_delimiter(text)
    return Extraction(blocks=read_blocks(text, delimiter))


def declared_delimiter(text: str) -> tuple[str, str]:
    """Excel's first line "sep=;" names the delimiter; it is no row. ("", text) when it is not
    there.
    """
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
            for row in islice(csv.reader(io.StringIO(sample), delimiter=delimiter), SNIFFED_ROWS)
            if row
        ]
    except csv.Error:
        return 0, 0
    widths = Counter(len(row) for row in rows)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return (count / len(rows), width) if width > 1 else (0, 0)


def read_blocks(text: str, delimiter: str) -> Iterator[Block]:
    rows = read_rows(text, delimiter)
    head = list(islice(rows, SNIFFED_ROWS))
    titles, head = split_titles(head)
    title = join_titles(titles)
    header, below = split_header(head)
    for row in chain(below or titles, rows):
        if has_content(line := named_row_text(header, row)):
            yield Block(line, location=f"row {row.number}", section_title=title if head else "")


def read_rows(text: str, delimiter: str) -> Iterator[Row]:
    """The rows that are not empty. Raises UnreadableFile for a field without end, or too many."""
    try:
        for number, fields in enumerate(csv.reader(lines_of(text), delimiter=delimiter), start=1):
            if len(fields) > COLUMNS_MAX:
                raise UnreadableFile(TOO_MANY_COLUMNS)
            row = Row(number, tuple(clean(field) for field in fields))
            if row.filled:
                yield row
    except csv.Error as error:
        message = UNCLOSED_QUOTE if "field larger" in str(error) else DAMAGED
        raise UnreadableFile(message) from error


def lines_of(text: str) -> Iterator[str]:
    """Raises UnreadableFile."""
    for line in io.StringIO(text, newline=""):
        if len(line) > LINE_MAX_CHARS:
            raise UnreadableFile(LINE_TOO_LONG)
        yield line
