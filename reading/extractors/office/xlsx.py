"""Spreadsheets (XLSX, XLSB): each row of each visible sheet as "Header: value; Header: value", then
its charts, its shapes and its comments.

Left out, and said: hidden sheets. Hidden rows and columns are read: a filter hides rows too.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from lxml import etree
from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED, Extraction
from reading.extractors.office.charts import read_graphics
from reading.extractors.office.drawings import (
    description_of,
    drop_fallbacks,
    paragraphs_of,
)
from reading.extractors.office.number_formats import cell_text
from reading.extractors.office.package import (
    DamagedPart,
    OfficePackage,
    attribute,
    child,
    local_name,
)
from reading.extractors.office.sheet_tables import Place, table_blocks
from reading.extractors.office.worksheets import (
    COLUMNS_MAX,
    NO_RESULT,
    NO_TEXT,
    TOO_FAR,
    MergedCells,
    SheetEntry,
    Workbook,
    open_workbook,
    position_of,
    read_rows,
    rich_text,
    whole_number,
)
from reading.extractors.prose import clean, has_content
from reading.extractors.tables import Row
from reading.passages import PASSAGES_MAX, Block
from reasons import Reason

BINARY_MAIN = "xl/workbook.bin"
SIDE_PARTS = r"xl/(?:charts/|comments|threadedcomments/).*"
BESIDE_CELLS = Reason("workbook_side_parts_lost")
OBJECT_KINDS = ("package", "oleObject")
NAMES_MAX_CHARS = 150  # of the sheets that one warning names
THREAD_STAND_IN = "[Threaded comment]"  # what Excel writes for versions that know no threads


@dataclass
class Losses:
    """The sheets with unread content, by the kind of loss."""

    hidden: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    side_parts: list[str] = field(default_factory=list)
    objects: int = 0

    def warnings(self, workbook: Workbook) -> Iterator[Reason]:
        for names, code in (
            (self.hidden, "hidden_sheets_left_out"),
            (self.damaged, "damaged_sheets_left_out"),
            (self.cut, "sheets_read_in_part"),
            (self.side_parts, "sheet_side_parts_read_in_part"),
        ):
            if names:
                yield Reason(code, names=join_names(names))
        for loss, tell in (
            (NO_RESULT, partial(counted_loss, "formulas_left_out")),
            (NO_TEXT, partial(counted_loss, "damaged_cells_left_out")),
            (TOO_FAR, far_cells),
        ):
            cells = {sheet: count for (what, sheet), count in workbook.lost.items() if what == loss}
            if cells:
                yield tell(cells)
        if self.objects:
            yield Reason("embedded_objects_left_out", count=self.objects)


def extract(data: bytes) -> Extraction:
    package = OfficePackage.open(data, kind="workbook")
    warnings: list[Reason] = []
    if BINARY_MAIN in package:
        if package.names(SIDE_PARTS):
            warnings.append(BESIDE_CELLS)
        return Extraction(blocks=read_binary(data, warnings), warnings=warnings)
    return Extraction(blocks=read_workbook(open_workbook(package), warnings), warnings=warnings)


def read_workbook(workbook: Workbook, warnings: list[Reason]) -> Iterator[Block]:
    losses = Losses(hidden=[sheet.name for sheet in workbook.sheets if sheet.is_hidden])
    for sheet in workbook.sheets:
        if not sheet.is_hidden:
            yield from sheet_blocks(workbook, sheet, losses)
    if losses.damaged and len(losses.damaged) + len(losses.hidden) == len(workbook.sheets):
        raise DamagedPart
    warnings += losses.warnings(workbook)


def sheet_blocks(workbook: Workbook, sheet: SheetEntry, losses: Losses) -> Iterator[Block]:
    kinds = workbook.package.related_kinds(sheet.part)
    losses.objects += sum(len(kinds.get(kind, ())) for kind in OBJECT_KINDS)
    header_cells = set(declared_headers(workbook.package, kinds.get("table", ())))
    if sheet.kind == "worksheet":
        rows = sound_rows(workbook, sheet, losses)
        yield from table_blocks(rows, sheet.name, header_cells=header_cells)
    try:
        for part in kinds.get("drawing", ()):
            yield from drawn_blocks(workbook.package, part, sheet.name)
        yield from comment_blocks(workbook.package, kinds, sheet.name)
    except DamagedPart:
        losses.side_parts.append(sheet.name)


def sound_rows(workbook: Workbook, sheet: SheetEntry, losses: Losses) -> Iterator[Row]:
    """The rows that stand before the damage, when there is any."""
    has_rows = False
    try:
        for row in read_rows(workbook, sheet):
            has_rows = True
            yield row
    except DamagedPart:
        (losses.cut if has_rows else losses.damaged).append(sheet.name)


def declared_headers(package: OfficePackage, parts: Sequence[str]) -> Iterator[Place]:
    """The rows that a table made with "Format as table" says are its header, where they begin."""
    for part in parts:
        root = package.read(part).root
        first = position_of(attribute(root, "ref").partition(":")[0]) if root is not None else None
        if root is not None and first and attribute(root, "headerRowCount", "1") != "0":
            yield first[0], first[1] - 1


# --- Beside the cells -----------------------------------------------------------------------------


def drawn_blocks(package: OfficePackage, part: str, name: str) -> Iterator[Block]:
    """Charts, and what shapes and pictures say, where they are anchored. DamagedPart comes last."""
    drawing = package.read(part)
    if drawing.root is None:
        raise DamagedPart
    drop_fallbacks(drawing.root)
    related = package.related(part)
    is_whole = drawing.is_whole
    for anchor in drawing.root:
        row = child(anchor, "from", "row")
        place = f", row {whole_number(row.text or '') + 1}" if row is not None else ""
        location = f"sheet {name}{place}"
        for graphic in read_graphics(package, related, anchor):
            is_whole = is_whole and graphic.is_whole
            title = graphic.title or name
            if graphic.title:
                yield Block(title, location, title, is_heading=True)
            for text in graphic.texts:
                yield Block(text, location, title)
        texts = [*paragraphs_of(anchor), description_of(anchor)]
        for text in filter(has_content, texts):
            yield Block(text, location, name)
    if not is_whole:
        raise DamagedPart


def comment_blocks(
    package: OfficePackage, kinds: dict[str, list[str]], name: str
) -> Iterator[Block]:
    """Notes and threads, each at its cell. DamagedPart comes last."""
    is_whole = True
    for part in [*kinds.get("comments", ()), *kinds.get("threadedComment", ())]:
        comments = package.read(part)
        is_whole = is_whole and comments.is_whole
        for comment in (
            comments.root.iter("{*}comment", "{*}threadedComment")
            if (comments.root is not None)
            else ()
        ):
            text = comment_text(comment)
            position = position_of(comment.get("ref", ""))
            if has_content(text) and not text.startswith(THREAD_STAND_IN):
                place = f", row {position[0]}" if position else ""
                yield Block(text, f"sheet {name}{place}", name)
    if not is_whole:
        raise DamagedPart


def comment_text(comment: etree._Element) -> str:
    text = child(comment, "text")
    if text is None:
        return ""
    return clean(text.text or "") if local_name(comment) == "threadedComment" else rich_text(text)


def counted_loss(code: str, cells: Mapping[str, int], **more: int) -> Reason:
    """Return the reason with what was lost: `cells` says how many of each sheet."""
    return Reason(code, count=sum(cells.values()), names=join_names([*cells]), **more)


def far_cells(cells: Mapping[str, int]) -> Reason:
    return counted_loss("far_cells_left_out", cells, limit=COLUMNS_MAX)


def join_names(names: Sequence[str]) -> str:
    """ "Costs, Prices", at most NAMES_MAX_CHARS of them; the rest is "…"."""
    joined = ", ".join(names)
    if len(joined) <= NAMES_MAX_CHARS:
        return joined
    return f"{joined[:NAMES_MAX_CHARS].rpartition(', ')[0] or joined[:NAMES_MAX_CHARS]}, …"


# --- XLSB -----------------------------------------------------------------------------------------


def read_binary(data: bytes, warnings: list[Reason]) -> Iterator[Block]:
    """Reads a binary workbook with python-calamine: without the signs of its numbers, and cells
    only."""
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
    except CalamineError as error:
        raise UnreadableFile(DAMAGED) from error
    hidden = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.typ is SheetTypeEnum.WorkSheet and sheet.visible is not SheetVisibleEnum.Visible
    ]
    damaged = []
    cut: Counter[str] = Counter()
    for metadata in workbook.sheets_metadata:
        if metadata.typ is SheetTypeEnum.WorkSheet and metadata.name not in hidden:
            try:
                sheet = workbook.get_sheet_by_name(metadata.name)
            except CalamineError:
                damaged.append(metadata.name)
            else:
                yield from table_blocks(calamine_rows(sheet, cut), clean(sheet.name))
    if hidden:
        warnings.append(Reason("hidden_sheets_left_out", names=join_names(hidden)))
    if damaged:
        warnings.append(Reason("damaged_sheets_left_out", names=join_names(damaged)))
    if cut:
        warnings.append(far_cells(cut))


def calamine_rows(sheet: CalamineSheet, cut: Counter[str]) -> Iterator[Row]:
    """The rows that are not empty, numbered as Excel shows them. `cut`: how many
    cells of each sheet are left out."""
    if not sheet.height:
        return  # iter_rows panics
    name = clean(sheet.name)
    merged = MergedCells(
        ((row + 1, column + 1), (last_row + 1, last_column + 1))
        for (row, column), (last_row, last_column) in sheet.merged_cell_ranges or []
    )
    count = 0
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        texts = [cell_text(cell) for cell in cells[:COLUMNS_MAX]]
        if far := sum(cell != "" for cell in cells[COLUMNS_MAX:]):
            cut[name] += far
        if not any(texts):
            continue
        count += 1
        if count > PASSAGES_MAX:
            raise UnreadableFile(Reason("sheet_too_many_rows", name=name))
        yield merged.row(number, texts)
