"""Tables that stand beside each other in a sheet, with an empty column between, as against one
table that has an empty column.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from reading.extractors.tables import (
    Row,
    could_be_header,
    covered_columns,
    is_value,
    names_values,
    split_header,
    split_titles,
    text_at,
)

PAIR = 2  # columns
RUNS_MAX = 20  # with more empty columns it is a drawing made of cells
ROWS_MIN = 2  # that tell something of a table's columns


def part_tables(table: Sequence[Row], declared: Collection[int]) -> list[Side]:
    """Return the tables, a single one with all columns where nothing parts them. `declared`:
    columns in which tables begin for certain.

    The columns behind an empty one are a table by themselves if they have names of their own, and
    if these stand in other rows than the first table's, or are the same once more, or if their
    rows are others, or if they have a key of their own. Without that they belong to the rows before
    them.
    """
    first, *others = column_runs(table)
    if len(others) >= RUNS_MAX:
        return [Side(range(first.start, others[-1].stop), tuple(table), frozenset())]
    below = split_header(table)[1] if others else table
    header = frozenset(row.number for row in table[: len(table) - len(below)])

    def side(columns: range) -> Side:
        rows = split_titles(list(slice_columns(table, columns)))[1]
        return Side(columns, tuple(rows), header)

    found = [side(first)]
    for run in others:
        right = side(run)
        if run.start in declared or stands_alone(found[-1], right):
            found.append(right)
        else:
            found[-1] = side(range(found[-1].columns.start, run.stop))
    return found


def column_runs(table: Sequence[Row]) -> list[range]:
    """Return the runs of columns that are not empty; one that a merged cell runs through is not."""
    width = max(len(row.cells) for row in table)
    filled = {index for row in table for index, cell in enumerate(row.cells) if cell}
    for row in table:
        for index in row.spans:
            filled.update(covered_columns(row, index)[:width])
    columns = sorted(index for index in filled if index < width)
    starts = [index for index in columns if index - 1 not in filled]
    ends = [index + 1 for index in columns if index + 1 not in filled or index + 1 == width]
    return [range(start, end) for start, end in zip(starts, ends, strict=True)]


def slice_columns(table: Sequence[Row], columns: range) -> Iterator[Row]:
    """Yield the rows with these columns only; rows that are empty there are left out."""
    for row in table:
        cells = row.cells[columns.start : columns.stop]
        if any(cells):
            spans = {
                index - columns.start: span for index, span in row.spans.items() if index in columns
            }
            yield Row(row.number, cells, spans)


@dataclass(frozen=True)
class Side:
    """Columns that may be a table of their own; `rows` without the titles above. `common_header`:
    the numbers of the rows that would name the columns if all of them were one table."""

    columns: range
    rows: tuple[Row, ...]
    common_header: frozenset[int]

    @cached_property
    def header(self) -> tuple[tuple[str, ...], list[Row]]:
        """Names as of any table; or else the part of a header that all columns share."""
        names, below = split_header(self.rows)
        is_named = len(self.rows) > 1 and self.rows[0].number in self.common_header
        if not names and is_named and could_be_header(self.rows[0], self.rows[1:]):
            return self.rows[0].cells, list(self.rows[1:])
        return names, below

    @property
    def names(self) -> set[str]:
        return set(self.header[0]) - {""}

    @property
    def below(self) -> list[Row]:
        return self.header[1]

    @cached_property
    def header_numbers(self) -> set[int]:
        return {row.number for row in self.rows[: len(self.rows) - len(self.below)]}

    @cached_property
    def numbers(self) -> set[int]:
        return {row.number for row in self.below}

    @property
    def has_values(self) -> bool:
        return bool(self.names) and names_values(Row(0, self.header[0]), self.below)

    @property
    def is_without_gaps(self) -> bool:
        return len(self.numbers) == max(self.numbers) - min(self.numbers) + 1

    @cached_property
    def has_key(self) -> bool:
        """Tells whether the first column names the rows: a text of its own in each of them."""
        keys = [text_at(row, 0) for row in self.below]
        return (
            len(keys) >= ROWS_MIN
            and self.is_without_gaps
            and not any(map(is_value, keys))
            and all(keys)
            and len(set(keys)) == len(keys)
        )


def stands_alone(left: Side, right: Side) -> bool:
    """Tells whether `right` is a table by itself, and not more columns of `left`."""
    if is_pairs_beside(left, right):
        return True
    if not (left.names and right.names and left.below and right.below):
        return False
    is_apart = (
        left.header_numbers.isdisjoint(right.header_numbers)
        or not left.header_numbers.isdisjoint(right.numbers)
        or not right.header_numbers.isdisjoint(left.numbers)
    )
    if left.names & right.names or is_apart:
        return True
    last = max(left.numbers)
    beyond = sum(number > last for number in right.numbers)
    # A single row may be the total, and what has gaps may say "as above" with them
    if beyond >= ROWS_MIN and (left.is_without_gaps or right.has_key):
        return True
    is_shorter = right.numbers < left.numbers
    return right.has_key and (is_shorter or (left.has_values and right.has_values))


def is_pairs_beside(left: Side, right: Side) -> bool:
    """Tells whether one of them is a table and the other a list of pairs, which has no header:
    contacts, hours."""
    if (
        len(left.columns) < PAIR
        or len(right.columns) < PAIR
        or bool(left.names) == bool(right.names)
    ):
        return False
    if right.names:
        return right.has_values and right.has_key
    first = right.rows[0] if right.rows else Row(0, ())
    is_beside_header = first.number in left.header_numbers and len(first.filled) > 1
    # Years and dates may be names of columns
    return is_beside_header and not is_value(first.filled[0]) and any(map(is_value, first.filled))
