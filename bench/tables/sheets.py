"""The sheets as files to upload, and the questions that are asked of each, with what an answer has
to tell."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from openpyxl import Workbook

from bench.evaluation.datasets import EvalFile, read_rows
from language.words import fold

FOLDER = Path(__file__).parent
WORKBOOK = ".xlsx.csv"  # becomes a workbook: its cells are numbers, as people type them there
# «8,90 €» and "£8.90" of a workbook are numbers that are shown so.
MONEY = re.compile(r"(?P<before>£)?(?P<figures>\d[\d.,]*)(?P<behind> €)?")


class Half(StrEnum):
    """Of the sheets: those that rules are mended for, and those that only judge."""

    DEVELOPMENT = "development"
    HELD_OUT = "held_out"


@dataclass(frozen=True)
class SheetQuestion:
    """`must`: of each group one string has to be told; none of `never`. Without `must` the sheet
    does not answer it: a near miss."""

    text: str
    language: str
    must: tuple[tuple[str, ...], ...]
    never: tuple[str, ...]

    @property
    def is_near_miss(self) -> bool:
        return not self.must

    def is_met(self, answer: str) -> bool:
        return all(any(holds(answer, one) for one in group) for group in self.must) and not any(
            holds(answer, one) for one in self.never
        )


@dataclass(frozen=True)
class Sheet:
    name: str
    file: EvalFile
    questions: tuple[SheetQuestion, ...]


def load_sheets(half: Half) -> list[Sheet]:
    asked: dict[str, list[SheetQuestion]] = {}
    for row in read_rows(FOLDER / half / "questions.jsonl"):
        asked.setdefault(row["sheet"], []).append(to_sheet_question(row))
    return [
        Sheet(name, to_file(path), tuple(asked[name]))
        for path in sorted((FOLDER / half).glob("*.csv"))
        if (name := path.name.split(".")[0])
    ]


def to_sheet_question(row: dict[str, Any]) -> SheetQuestion:
    must = tuple(tuple(group) for group in row["must"])
    return SheetQuestion(row["question"], row["lang"], must, tuple(row.get("never", ())))


def to_file(path: Path) -> EvalFile:
    if not path.name.endswith(WORKBOOK):
        return EvalFile(path.name, path.read_bytes())
    lines = path.read_text(encoding="utf-8").splitlines()
    return EvalFile(path.name.removesuffix(".csv"), workbook([line.split(";") for line in lines]))


def workbook(rows: list[list[str]]) -> bytes:
    book = Workbook()
    page = book.active
    if page is None:
        raise ValueError("a new workbook has a page")
    for number, row in enumerate(rows, start=1):
        for place, text in enumerate(row, start=1):
            write_cell(page.cell(number, place), text)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def write_cell(cell: Any, text: str) -> None:
    match = MONEY.fullmatch(text)
    if match is None:
        cell.value = text
        return
    comma = "," if "," in text and re.search(r",\d{1,2}\b(?!,)", text) else "."
    figures = match["figures"]
    if comma == "," or re.fullmatch(r"\d{1,3}(?:\.\d{3})+", figures):
        figures = figures.replace(".", "").replace(",", ".")
    else:
        figures = figures.replace(",", "")
    digits = "0.00" if "." in figures else "0"
    cell.value = float(figures) if "." in figures else int(figures)
    if match["before"]:
        cell.number_format = f'"£"#,##{digits}'
    elif match["behind"]:
        cell.number_format = f'#,##{digits} "€"'


def holds(answer: str, wanted: str) -> bool:
    """As words and numbers of their own: «8,90» is not in «18,90 €», "3" not in "3.5"; "64" is in
    "£64.00"."""
    pattern = re.escape(fold(wanted)).replace(r"\ ", r"\s+")
    if wanted.isdigit():
        pattern += "(?:[.,]00)?"
    return bool(re.search(rf"(?<!\w)(?<!\d[.,]){pattern}(?!\w)(?![.,]\d)", fold(answer)))
