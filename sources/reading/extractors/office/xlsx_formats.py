"""Which cells of a spreadsheet show a percent or currency sign that is not in their value.

python-calamine gives values without formats: 0.21 for a cell that shows 21 %.
ECMA-376 part 1, 18.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sources.reading.extractors.office.package import (
    OfficePackage,
    attribute,
    child,
    local_name,
    relation_id,
)

CELLS_MAX = 2_000_000  # looked at in one sheet: some 5 s; beyond, numbers stay bare
PERCENT = "%"
BUILT_IN = {"9": PERCENT, "10": PERCENT}
# [$€-40A], [$USD]: no name of a currency is longer than that
CURRENCY = re.compile(r'\[\$([^\]-]{1,10})[\]-]|"\s*([€$£¥])\s*"|([€$£¥])')
QUOTED = re.compile(r'"[^"]*"|\\.')
REFERENCE = re.compile(r"^([A-Z]{1,3})(\d{1,7})$")
Position = tuple[int, int]  # row and column, from 1


def read_signs(package: OfficePackage) -> Mapping[str, Mapping[Position, str]]:
    """Sheet name → position → sign. Empty for a workbook without such formats: the usual case."""
    main = package.main_part()
    related = package.related(main)
    styles = read_styles(package, dict(related.values()).get("styles", ""))
    if not styles:
        return {}
    sheets = {
        attribute(sheet, "name"): related.get(relation_id(sheet), ("", ""))[1]
        for sheet in package.parse(main).iter("{*}sheet")
    }
    return {
        name: dict(sheet_signs(package, part, styles))
        for name, part in sheets.items()
        if part in package
    }


def read_styles(package: OfficePackage, part: str) -> dict[str, str]:
    """The number of a cell style → its sign, for the styles that have one."""
    if part not in package:
        return {}
    root = package.parse(part)
    codes = {
        attribute(each, "numFmtId"): attribute(each, "formatCode")
        for each in root.iter("{*}numFmt")
    }
    formats = child(root, "cellXfs")
    styles = {
        str(index): sign_of(attribute(style, "numFmtId"), codes)
        for index, style in enumerate(formats if formats is not None else ())
    }
    return {index: sign for index, sign in styles.items() if sign}


def sign_of(format_id: str, codes: Mapping[str, str]) -> str:
    """By the format of positive numbers, the first of up to four."""
    if format_id in BUILT_IN:
        return BUILT_IN[format_id]
    code = codes.get(format_id, "").split(";")[0]
    if PERCENT in QUOTED.sub("", code):
        return PERCENT
    match = CURRENCY.search(code)
    return next(filter(None, match.groups()), "").strip() if match else ""


def sheet_signs(
    package: OfficePackage, part: str, styles: Mapping[str, str]
) -> Iterator[tuple[Position, str]]:
    count = 0
    for _, element in package.iterparse(part, tags=("{*}row", "{*}c"), events=("end",)):
        if local_name(element) == "row":
            element.clear()
            continue
        count += 1
        if count > CELLS_MAX:
            return
        position = position_of(element.get("r", ""))
        if position and (sign := styles.get(element.get("s", ""))):
            yield position, sign


def position_of(reference: str) -> Position | None:
    """ "B12" → (12, 2)."""
    match = REFERENCE.match(reference)
    if match is None:
        return None
    column = 0
    for letter in match.group(1):
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match.group(2)), column
