"""How fast each format is read, and what it takes: a long honest file of each, made here.

    .venv/bin/python -m bench.formats.speed [KIND …]

Rows, pages or words a second of processor time of the confined process, and its memory at most.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import docx
from pptx import Presentation

from bench.formats.product import ready_product
from reading.tests.files.corpus import mails, opendocument, pages, workbooks
from reading.tests.files.corpus.packages import saved

ROWS, PAGES, SECTIONS = 7500, 200, 1500
COLUMNS = (
    "Code",
    "Model",
    "Colour",
    "Frame",
    "Wheels",
    "Weight",
    "Stock",
    "Price",
    "Depot",
    "Remark",
)
REMARK = "Delivered from the northern depot within nine working days"


@dataclass(frozen=True)
class LongFile:
    """`count` of what its `unit` says: rows, pages, slides, words."""

    make: Callable[[], bytes]
    count: int
    unit: str


def row(number: int) -> tuple[str | int, ...]:
    kinds = ("City", "Cargo", "Electric", "Folding")
    return (
        *(f"K{number:05d}", f"{kinds[number % 4]} {number % 97}", "grey", "steel", 28),
        *(13 + number % 9, number % 41, 300 + number % 1700, "Vic", f"{REMARK} {number}"),
    )


def records() -> list[dict[str, str | int]]:
    return [dict(zip(COLUMNS, row(number), strict=True)) for number in range(ROWS)]


def make_workbook() -> bytes:
    return workbooks.make(rows=[COLUMNS, *map(row, range(ROWS))])


def make_csv() -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([COLUMNS, *map(row, range(ROWS))])
    return buffer.getvalue().encode()


def make_ods() -> bytes:
    cells = (
        tuple(opendocument.text_cell(str(value)) for value in line)
        for line in (COLUMNS, *map(row, range(ROWS)))
    )
    table = f'<table:table table:name="A">{opendocument.rows(*cells)}</table:table>'
    return opendocument.document("ods", table)


def make_xml() -> bytes:
    items = (
        "<item>" + "".join(f"<{name}>{value}</{name}>" for name, value in each.items()) + "</item>"
        for each in records()
    )
    return f"<items>{''.join(items)}</items>".encode()


def make_html_table() -> bytes:
    lines = "".join(
        f"<tr>{''.join(f'<td>{value}</td>' for value in line)}</tr>"
        for line in (COLUMNS, *map(row, range(ROWS)))
    )
    return f"<!doctype html><html><body><table>{lines}</table></body></html>".encode()


def make_pdf() -> bytes:
    texts = [
        [f"Line {line} of page {page}: {REMARK}." for line in range(45)] for page in range(PAGES)
    ]
    return pages.make(*(pages.lines(*lines) for lines in texts))


def make_docx() -> bytes:
    document = docx.Document()
    for number in range(SECTIONS):
        document.add_heading(f"Section {number}", 1 + number % 3)
        document.add_paragraph(paragraph(number))
    return saved(document.save)


def paragraph(number: int) -> str:
    return f"Paragraph {number}. " + f"{REMARK}. " * 8


def make_deck() -> bytes:
    deck = Presentation()
    for number in range(PAGES):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        slide.placeholders[1].text = "\n".join(f"{REMARK} {number}" for _ in range(6))
    return saved(deck.save)


def make_odt() -> bytes:
    body = "".join(
        opendocument.heading(f"Section {number}", 1 + number % 3)
        + f"<text:p>{paragraph(number)}</text:p>"
        for number in range(SECTIONS)
    )
    return opendocument.document("odt", body)


def make_odp() -> bytes:
    box = f"<draw:text-box>{f'<text:p>{REMARK}</text:p>' * 6}</draw:text-box>"
    return opendocument.document(
        "odp", "".join(opendocument.slide(f"Slide {number}", box) for number in range(PAGES))
    )


def make_text(mark: str = "") -> bytes:
    parts = (f"{mark}Section {number}\n\n{paragraph(number)}" for number in range(SECTIONS))
    return "\n\n".join(parts).encode()


def make_rtf() -> bytes:
    body = "".join(rf"\pard {paragraph(number)}\par " for number in range(SECTIONS))
    return rf"{{\rtf1\ansi {body}}}".encode()


def make_book() -> bytes:
    chapters = [
        (f"Chapter {number}", f"<p>{paragraph(number)}</p>" * 10)
        for number in range(SECTIONS // 10)
    ]
    return opendocument.book(*chapters)


WORDS = SECTIONS * len(paragraph(0).split())
FILES: Mapping[str, LongFile] = {
    "pdf": LongFile(make_pdf, PAGES, "pages"),
    "docx": LongFile(make_docx, WORDS, "words"),
    "pptx": LongFile(make_deck, PAGES, "slides"),
    "xlsx": LongFile(make_workbook, ROWS, "rows"),
    "csv": LongFile(make_csv, ROWS, "rows"),
    "html": LongFile(make_html_table, ROWS, "rows"),
    "md": LongFile(partial(make_text, "# "), WORDS, "words"),
    "txt": LongFile(make_text, WORDS, "words"),
    "rtf": LongFile(make_rtf, WORDS, "words"),
    "odt": LongFile(make_odt, WORDS, "words"),
    "ods": LongFile(make_ods, ROWS, "rows"),
    "odp": LongFile(make_odp, PAGES, "slides"),
    "epub": LongFile(make_book, WORDS, "words"),
    "xml": LongFile(make_xml, ROWS, "rows"),
    "json": LongFile(lambda: json.dumps(records()).encode(), ROWS, "rows"),
    "jsonl": LongFile(lambda: "\n".join(map(json.dumps, records())).encode(), ROWS, "rows"),
    "eml": LongFile(lambda: mails.mail(text=make_text().decode()), WORDS, "words"),
}


def main() -> None:
    with ready_product() as folder:
        from bench.formats.report import print_row  # after Django's setup
        from bench.reading import read_file
        from reading.confinement.sandbox import sandbox

        print_row("format", "MB", "of", "CPU s", "a second", "peak MB", "passages")
        print(f"|{'---|' * 7}")
        for kind in sys.argv[1:] or FILES:
            long = FILES[kind]
            path = folder / f"long.{kind}"
            path.write_bytes(long.make())
            sandbox.stop()  # what a warm parent has imported counts as its children's memory
            read_file(path)  # the first file pays for the imports
            reading = read_file(path)
            print_row(
                kind,
                f"{path.stat().st_size / 1e6:.1f}",
                f"{long.count:,} {long.unit}",
                f"{reading.cpu_seconds:.2f}",
                f"{long.count / max(reading.cpu_seconds, 0.01):,.0f} {long.unit}"
                if reading.is_read
                else reading.outcome,
                str(reading.peak_mb),
                str(reading.chunks),
            )


if __name__ == "__main__":
    main()
