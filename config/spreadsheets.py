"""Lines of CSV files that a spreadsheet only shows."""

import csv
import io
from collections.abc import Iterable

# What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection").
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_line(cells: Iterable[str], *, delimiter: str = ",") -> str:
    """Return the line. Spreadsheets in Spanish part columns by semicolons: `delimiter`."""
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerow(
        [harmless(cell) for cell in cells]
    )
    return line.getvalue()


def harmless(cell: str) -> str:
    """A text that no spreadsheet reckons with, also where it would skip blanks before the sign."""
    starts = cell.startswith(FORMULA_STARTS) or cell.lstrip().startswith(FORMULA_STARTS)
    return f"'{cell}" if starts else cell
