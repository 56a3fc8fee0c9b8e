"""Makes the DOCX, XLSX, PDF and PPTX files of the demo company from the texts in `texts/`.

    .venv/bin/python -m demo.make_files

Only developers run it: its libraries come with bin/test. The other files in `files/` are text
already and are edited by hand. A test holds what the committed files say against what this writes;
their bytes differ with every run.
"""

import csv
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import docx
import openpyxl
import pptx
from openpyxl.styles import Font
from pptx.slide import Slide
from pptx.text.text import TextFrame
from pptx.util import Inches
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    Flowable,
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

TEXTS = Path(__file__).parent / "texts"
FILES = Path(__file__).parent / "files"

COMPANY = "Tostadero Marusía"
TABLE_STYLE = TableStyle(
    [
        ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
        ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"),
    ]
)


@dataclass(frozen=True)
class Block:
    """One piece of a text: `rows` for a table, `text` for everything else."""

    kind: str  # heading1, heading2, paragraph, bullet, note, table, break
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


# How a line of a text begins → what it is. A line that begins with none of these is a paragraph.
MARKS = {"# ": "heading1", "## ": "heading2", "- ": "bullet", "> ": "note", "---": "break"}


def read_blocks(path: Path) -> list[Block]:
    """The blocks of a text: a small part of Markdown, one paragraph a line."""
    blocks: list[Block] = []
    rows: list[tuple[str, ...]] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("|"):
            rows.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
            continue
        if rows:
            header, _rule, *data = rows
            blocks.append(Block("table", rows=(header, *data)))
            rows = []
        if line.strip():
            blocks.append(read_block(line))
    return blocks


def read_block(line: str) -> Block:
    for mark, kind in MARKS.items():
        if line.startswith(mark):
            return Block(kind, line.removeprefix(mark))
    return Block("paragraph", line)


def split_at_breaks(blocks: list[Block]) -> Iterator[list[Block]]:
    """The pages of a PDF, the slides of a presentation."""
    part: list[Block] = []
    for block in blocks:
        if block.kind == "break":
            yield part
            part = []
        else:
            part.append(block)
    yield part


def write_docx(target: Path) -> None:
    document = docx.Document()
    document.core_properties.author = COMPANY
    for block in read_blocks(TEXTS / f"{target.stem}.md"):
        if block.kind == "table":
            table = document.add_table(rows=0, cols=len(block.rows[0]), style="Light Grid")
            for row in block.rows:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
        elif block.kind.startswith("heading"):
            document.add_heading(block.text, level=int(block.kind[-1]))
        else:
            document.add_paragraph(block.text)
    document.save(str(target))


def write_xlsx(target: Path) -> None:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.worksheets[0])
    for path in sorted((TEXTS / target.stem).glob("*.csv")):
        sheet = workbook.create_sheet(path.stem)
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.reader(lines):
                sheet.append([to_cell(text) for text in row])
        for cell in sheet[1]:
            cell.font = Font(bold=True)
        sheet.column_dimensions["B"].width = 42
    workbook.save(target)


def to_cell(text: str) -> str | float | int | None:
    """A number where the text is one, as a person would have typed it into the sheet."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text or None


def write_pdf(target: Path) -> None:
    document = SimpleDocTemplate(str(target), pagesize=A4, title="Coffee guide", author=COMPANY)
    story: list[Flowable] = []
    for page in split_at_breaks(read_blocks(TEXTS / f"{target.stem}.md")):
        story += [PageBreak()] if story else []
        for block in page:
            story += [to_flowable(block), Spacer(1, 10)]
    document.build(story, onFirstPage=write_page_edges, onLaterPages=write_page_edges)


def to_flowable(block: Block) -> Flowable:
    if block.kind == "table":
        return Table([list(row) for row in block.rows], style=TABLE_STYLE, hAlign="LEFT")
    style = getSampleStyleSheet()["Heading1" if block.kind == "heading1" else "BodyText"]
    return Paragraph(escape(block.text), style)


def write_page_edges(canvas: Canvas, document: SimpleDocTemplate) -> None:
    """A running header and a page number, as in print: extraction leaves them out."""
    width, height = A4
    canvas.setFont("Helvetica", 9)
    canvas.drawString(72, height - 40, f"{COMPANY} – Coffee guide 2026")
    canvas.drawRightString(width - 72, 40, f"Page {document.page}")


def write_pptx(target: Path) -> None:
    presentation = pptx.Presentation()
    for part in split_at_breaks(read_blocks(TEXTS / f"{target.stem}.md")):
        has_table = any(block.kind == "table" for block in part)
        layout_name = "Title Only" if has_table else "Title and Content"
        layout = presentation.slide_layouts.get_by_name(layout_name)
        fill_slide(presentation.slides.add_slide(layout), part)
    presentation.save(str(target))


def fill_slide(slide: Slide, blocks: list[Block]) -> None:
    body: list[str] = []
    for block in blocks:
        match block.kind:
            case "heading1":
                write_text(slide.placeholders[0].text_frame, block.text)
            case "note":
                write_text(slide.notes_slide.notes_text_frame, block.text)
            case "table":
                fill_slide_table(slide, block.rows)
            case _:
                body.append(block.text)
    if body:
        write_text(slide.placeholders[1].text_frame, "\n".join(body))


def write_text(frame: TextFrame | None, text: str) -> None:
    if frame is None:
        raise ValueError(f"the layout has no place for: {text}")
    frame.text = text


def fill_slide_table(slide: Slide, rows: tuple[tuple[str, ...], ...]) -> None:
    size = (Inches(0.5), Inches(1.6), Inches(9), Inches(0.5 * len(rows)))
    table = slide.shapes.add_table(len(rows), len(rows[0]), *size).table
    for row_number, row in enumerate(rows):
        for column_number, text in enumerate(row):
            table.cell(row_number, column_number).text = text


MADE_FILES: dict[str, Callable[[Path], None]] = {
    "condiciones_de_venta.docx": write_docx,
    "prices.xlsx": write_xlsx,
    "coffee_guide.pdf": write_pdf,
    "workshops.pptx": write_pptx,
}


def make_files(folder: Path) -> None:
    for name, write in MADE_FILES.items():
        write(folder / name)


if __name__ == "__main__":
    make_files(FILES)
    sys.stdout.write(f"{len(MADE_FILES)} files written to {FILES}\n")
