"""The tables of the documents that were found, with all of their rows."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Sequence

from django.db.models import Q

from accounts.models import Tenant
from query.answering.rows import Cell, split_cells, split_label
from query.answering.tables.table import Table, TableRow
from query.search.candidates import RetrievedChunk
from reading.extractors.prose import SECTION_SEPARATOR
from reading.passages import ChunkLevel
from sources.models import Chunk

ROWS_MAX = 2_000  # of all documents that were found; with more of them nothing is computed
SHEET_TYPES = (
    "text/csv",
    "application/vnd.ms-excel",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
)
SHEET_ROW = re.compile(r"^(?:sheet (.*), )?row \d+$")


def load_tables(
    tenant: Tenant,
    chunks: Sequence[RetrievedChunk],
    *,
    source_ids: Sequence[uuid.UUID] | None,
    with_sheets: bool,
) -> list[Table]:
    """The tables in the documents of `chunks`; `with_sheets`: also all sheets in `source_ids`
    (None: in all sources of the tenant), for the search seldom finds the one row by a question's
    words. One query; [] when they hold more than ROWS_MAX rows."""
    ids = [chunk.chunk_id for chunk in chunks]
    found = Chunk.objects.for_tenant(tenant).filter(id__in=ids).values("document_id")
    wanted = Q(document_id__in=found)
    if with_sheets:
        wanted |= Q(document__content_type__in=SHEET_TYPES, level=ChunkLevel.ROW)
    live = Chunk.objects.for_tenant(tenant).live()
    if source_ids is not None:
        live = live.filter(source_id__in=source_ids)
    rows = list(
        live.filter(wanted, text__contains=": ")
        .select_related("document", "source")
        .order_by("document_id", "position")[: ROWS_MAX + 1]
    )
    return [] if len(rows) > ROWS_MAX else read_tables(rows)


def read_tables(found: Iterable[Chunk]) -> list[Table]:
    tables: list[Table] = []
    for chunk in found:
        is_row = chunk.level == ChunkLevel.ROW
        passage = to_passage(chunk)
        section, label = place_of(chunk)
        for line in [chunk.text] if is_row else chunk.text.split("\n"):
            cells = split_cells(line)
            if len(cells) < 2:
                continue
            before, first = split_label(cells[0])
            is_labelled = bool(label or before) and first.header != ""
            if is_labelled:
                cells = [Cell("", label or before), first, *cells[1:]]
            table = table_of(tables, chunk.document_id, section, cells)
            if table is None:
                table = Table(chunk.document_id, passage.name, section)
                tables.append(table)
            table.has_labels = table.has_labels or is_labelled
            table.rows.append(TableRow(passage, tuple(cells)))
            table.headers += [c.header for c in cells if c.header not in table.headers]
    return [table for table in tables if len(table.rows) > 1]


def to_passage(chunk: Chunk) -> RetrievedChunk:
    """A passage as the search would have found it, without what the search measures."""
    document = chunk.document
    return RetrievedChunk(
        chunk_id=chunk.id,
        source_id=chunk.source_id,
        source_file=document.place or document.external_id,
        document_title=document.title,
        text=chunk.text,
        location=chunk.location,
        section_title=chunk.section_title,
        level=chunk.level,
        language="en" if chunk.language == "en" else "es",
        synced_at=chunk.source.last_synced_at or document.synced_at,
        similarity=0.0,
        lexical=0.0,
        score=0.0,
        link=document.link,
    )


def table_of(
    tables: Sequence[Table], document_id: object, section: str, cells: Sequence[Cell]
) -> Table | None:
    return next(
        (
            table
            for table in reversed(tables)
            if (table.document_id, table.section) == (document_id, section) and table.holds(cells)
        ),
        None,
    )


def place_of(chunk: Chunk) -> tuple[str, str]:
    """The section that all rows of its table have, and the label within the table that the row
    stands under, "" without a label. A label is a value of its rows: «¿cuál es la bici de niño
    más barata?»."""
    match = SHEET_ROW.match(chunk.location) if chunk.level == ChunkLevel.ROW else None
    if match is None:
        return chunk.section_title, ""
    title, mark, label = chunk.section_title.rpartition(SECTION_SEPARATOR)
    return match[1] or (title if mark else label), label if mark else ""
