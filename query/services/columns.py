"""The columns of a company's tables, and which of them customers are told."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts.activity import record
from accounts.models import Action, Tenant
from accounts.models.tenants import COLUMN_MAX_CHARS
from config.errors import InvalidValue
from query.answering.hidden import Hidden, hidden_of, plain_header, suggested
from query.answering.rows import Cell, split_cells, split_label
from reading.passages import ChunkLevel
from sources.models import Chunk

NAMES_MAX = 200
ROWS_READ_MAX = 4_000  # of all tables; the first rows of each come first
LINES_MIN = 2  # rows that make a table within a text: a single one may be a sentence
DECIDED_MAX = 500  # names that are kept, told and never told


@dataclass(frozen=True)
class ListedColumn:
    """`is_proposed`: untold because of its name alone; nobody has decided."""

    name: str
    is_told: bool
    is_proposed: bool


def list_columns(tenant: Tenant) -> list[ListedColumn]:
    """Lists at most NAMES_MAX columns: those hidden by their names alone, then the other hidden
    ones, then the rest, each by name. Columns that were decided on are listed even where no table
    has them now. Takes one query."""
    hidden = hidden_of(tenant)
    names: dict[str, str] = {}
    proposed: set[str] = set()
    for headers in sorted(read_headers(tenant)):
        proposed |= suggested([plain_header(header) for header in headers])
        for header in headers:
            names.setdefault(plain_header(header), header)
    for name in (*tenant.hidden_columns, *tenant.told_columns):
        names.setdefault(plain_header(name), name)
    columns = [describe(name, plain, hidden, proposed) for plain, name in names.items() if plain]
    columns.sort(key=lambda column: (not column.is_proposed, column.is_told, column.name.lower()))
    return columns[:NAMES_MAX]


def describe(name: str, plain: str, hidden: Hidden, proposed: set[str]) -> ListedColumn:
    is_marked = plain in hidden.marked
    is_proposed = plain in proposed and not is_marked and plain not in hidden.released
    return ListedColumn(name, is_told=not (is_marked or is_proposed), is_proposed=is_proposed)


def read_headers(tenant: Tenant) -> set[tuple[str, ...]]:
    """Returns the headers of each table: of sheets, and of rows within texts."""
    found = (
        Chunk.objects.for_tenant(tenant)
        .live()
        .filter(text__contains=": ")
        .order_by("position", "document_id")
        .values_list("document_id", "level", "text")[:ROWS_READ_MAX]
    )
    headers: set[tuple[str, ...]] = set()
    in_texts: defaultdict[UUID, Counter[str]] = defaultdict(Counter)
    for document, level, text in found:
        if level == ChunkLevel.ROW:
            headers.add(headers_of(text))
            continue
        for of_line in map(headers_of, text.split("\n")):
            if len(of_line) > 1:
                in_texts[document].update(of_line)
    for counts in in_texts.values():
        headers.add(tuple(header for header, count in counts.items() if count >= LINES_MIN))
    return headers


def headers_of(line: str) -> tuple[str, ...]:
    first, *rest = split_cells(line) or [Cell("", "")]
    cells = (split_label(first)[1], *rest)
    return tuple(cell.header for cell in cells if cell.header)


@transaction.atomic
def decide_column(tenant: Tenant, name: str, *, is_told: bool) -> None:
    """Keeps the company's decision on all columns of this name; accents and capitals do not count.

    Raises InvalidValue.
    """
    name = " ".join(name.split())
    plain = plain_header(name)
    if not plain or len(name) > COLUMN_MAX_CHARS or "\0" in name:
        raise InvalidValue(f"name: Must be 1 to {COLUMN_MAX_CHARS} characters.")
    now = Tenant.objects.select_for_update(of=("self",)).get(pk=tenant.pk)
    marked = [each for each in now.hidden_columns if plain_header(each) != plain]
    told = [each for each in now.told_columns if plain_header(each) != plain]
    (told if is_told else marked).append(name)
    if len(marked) + len(told) > DECIDED_MAX:
        raise InvalidValue(f"name: No more than {DECIDED_MAX} columns can be set.")
    tenant.hidden_columns, tenant.told_columns = marked, told
    tenant.save(update_fields=["hidden_columns", "told_columns"])
    record(tenant, Action.WORKSPACE_CHANGED, column=name, is_told=is_told)
