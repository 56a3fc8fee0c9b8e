"""Spreadsheets of before 2007: files/book.xls was made by LibreOffice, the others here."""

import struct
from pathlib import Path
from typing import Any, cast

import pytest
import xlrd
from xlrd.sheet import Cell

from reading.errors import UnreadableFile
from reading.extractors.legacy.xls import shown_text
from reading.extractors.legacy.xls_drawings import drawn_texts
from reading.extractors.office.format_codes import GENERAL, read_format
from reading.file_types import XLS
from reading.passages import Block, ExtractedDocument
from reading.tests.confined import extract_document
from reading.tests.old_office_files import FILES, make_ole
from reasons import Reason

BOOK = FILES / "book.xls"
FILE_PASS = 0x002F


def read(content: bytes, tmp_path: Path) -> ExtractedDocument:
    path = tmp_path / "stored"
    path.write_bytes(content)
    return extract_document(path, content_type=XLS, title="Tarifas")


def failure(content: bytes, tmp_path: Path) -> Reason:
    with pytest.raises(UnreadableFile) as caught:
        read(content, tmp_path)
    return caught.value.reason


def record(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def label(row: int, column: int, text: str) -> bytes:
    """A cell of Excel 2."""
    return record(0x0004, struct.pack("<HH3xB", row, column, len(text)) + text.encode("cp1252"))


def number(row: int, column: int, value: float) -> bytes:
    return record(0x0003, struct.pack("<HH3xd", row, column, value))


def excel_2_file(*cells: bytes) -> bytes:
    return record(0x0009, struct.pack("<HH", 2, 0x10)) + b"".join(cells) + record(0x000A, b"")


def test_numbers_dates_and_amounts_are_written_as_they_are_shown(tmp_path: Path):
    blocks = read(BOOK.read_bytes(), tmp_path).blocks
    assert blocks[:2] == (
        Block(
            "Modelo: Xaloc; Precio: 899.5 €; IVA: 21%; Desde: 2025-01-31; Hora: 10:30",
            "sheet Precios, row 2",
            "Precios",
        ),
        Block(
            "Modelo: Tramuntana; Precio: 1299 €; IVA: 10%; Desde: 2026-02-01; Hora: 09:00",
            "sheet Precios, row 3",
            "Precios",
        ),
    )


@pytest.mark.parametrize(
    ("kind", "value", "code", "shown"),
    [
        (xlrd.XL_CELL_NUMBER, 119.996, '0.00 "€"', "120 €"),
        (xlrd.XL_CELL_NUMBER, 0, '0;-0;"sin coste"', "sin coste"),
        (xlrd.XL_CELL_NUMBER, 600_123_456, "000 000 000", "600 123 456"),
        (xlrd.XL_CELL_DATE, 46_447, "mmm yyyy", "03/2027"),
        (xlrd.XL_CELL_TEXT, "A12", '"Ref. "@', "Ref. A12"),
    ],
)
def test_cells_are_written_as_the_sheet_shows_them(
    kind: int, value: float | str, code: str, shown: str
):
    cell = Cell(cast(Any, kind), cast(Any, value), xf_index=1)
    assert shown_text(cell, [GENERAL, read_format(code)], is_1904=False) == shown


def test_merged_cells_say_the_same_in_each_row(tmp_path: Path):
    blocks = read(BOOK.read_bytes(), tmp_path).blocks
    assert [block.text for block in blocks if "Zona" in block.text] == [
        "Zona: Sur; Ciudad: Málaga; Tarifa: 5",
        "Zona: Sur; Ciudad: Cádiz; Tarifa: 6",
    ]


def test_comments_stand_at_their_cells(tmp_path: Path):
    blocks = read(BOOK.read_bytes(), tmp_path).blocks
    assert blocks[-1] == Block("Nota de celda", "sheet Mezcla, row 2", "Mezcla")


def test_hidden_sheets_are_left_out_and_named(tmp_path: Path):
    document = read(BOOK.read_bytes(), tmp_path)
    assert not any("secreto" in block.text for block in document.blocks)
    assert document.warnings == (Reason("hidden_sheets_left_out", names="Oculta"),)


def test_sheet_of_excel_2_is_read(tmp_path: Path):
    cells = [label(0, 0, "Modelo"), label(0, 1, "Precio"), label(1, 0, "Garbí"), number(1, 1, 7.5)]
    assert [block.text for block in read(excel_2_file(*cells), tmp_path).blocks] == [
        "Modelo: Garbí; Precio: 7.5"
    ]


def test_cell_far_away_does_not_fill_a_sheet(tmp_path: Path):
    cells = [label(0, 0, "Cerca"), label(16383, 255, "Lejos")]
    blocks = read(excel_2_file(*cells), tmp_path).blocks
    assert [(block.text, block.location.rpartition(" ")[2]) for block in blocks] == [
        ("Cerca", "1"),
        ("Lejos", "16384"),
    ]


def test_protected_workbook_is_named_as_such(tmp_path: Path):
    stream = record(0x0809, struct.pack("<HHHHII", 0x0600, 5, 0, 0, 0, 0)) + record(
        FILE_PASS, bytes(6)
    )
    protected = Reason("file_protected", kind="workbook")
    assert failure(make_ole({"Workbook": stream}), tmp_path) == protected
    assert failure(make_ole({"EncryptedPackage": b""}), tmp_path) == protected


def test_workbook_without_its_end_is_damaged(tmp_path: Path):
    assert str(failure(BOOK.read_bytes()[:3000], tmp_path)).startswith("This file is damaged")


def test_text_boxes_and_titles_of_charts_are_read():
    begin, end = record(0x0809, bytes(4)), record(0x000A, b"")

    def box(kind: int, *parts: bytes, length: int) -> bytes:
        shape = record(0x005D, struct.pack("<HHHH", 0x15, 18, kind, 1))
        told = record(0x01B6, bytes(10) + struct.pack("<HH", length, 16))
        return shape + told + b"".join(record(0x003C, part) for part in parts)

    title = record(0x100D, b"\0\0\x06\0" + "Ventas".encode("cp1252"))
    sheet = (
        begin
        + box(6, b"\1" + "Año ".encode("utf-16-le"), b"\0nuevo", length=9)
        + begin + title + end
        + box(0x19, b"\0nota", length=4)
        + record(0x003C, b"\0 lost")
        + box(0x1E, b"\0forma", length=5)
        + end
        + box(6, b"\0next sheet", length=10)
    )  # fmt: skip
    assert list(drawn_texts(b"before" + sheet, 6)) == ["Año nuevo", "Ventas", "forma"]
