"""The numbers and bullets that Word draws before paragraphs and does not store with them (ECMA-376
part 1, 17.9).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from reading.extractors.office.package import OfficePackage, attribute, child

LEVELS = 9
BULLET = "- "
PLACEHOLDER = re.compile(r"%([1-9])")
NUMBER_MAX = 9999  # beyond, a counter is no label
ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True)
class Level:
    form: str = "bullet"
    pattern: str = ""
    start: int = 1


class Numbering:
    """Counts the paragraphs of each list, as Word does while it lays out the document."""

    def __init__(self, package: OfficePackage, part: str) -> None:
        self._levels: dict[str, dict[int, Level]] = {}
        self._lists: dict[
            str, str
        ] = {}  # the id that paragraphs name → the definition that holds its levels
        self._counters: dict[str, list[int]] = {}
        definitions = package.read(part).root
        if definitions is not None:
            self._read(definitions)

    def label(self, list_id: str, level: int, *, is_heading: bool) -> str:
        """ "2. ", "b) ", "- "; "" outside of lists. Counts on. A heading has no bullet."""
        if not list_id or level >= LEVELS:
            return ""
        definition = self._lists.get(list_id, "")
        form = self._levels.get(definition, {}).get(level, Level())
        if form.form in ("bullet", "none"):
            return "" if is_heading or form.form == "none" else BULLET
        counters = self._counters.setdefault(definition, [0] * LEVELS)
        counters[level] = counters[level] + 1 if counters[level] else form.start
        counters[level + 1 :] = [0] * (LEVELS - level - 1)
        return self._written(definition, form, counters)

    def _written(self, definition: str, form: Level, counters: list[int]) -> str:
        def number(match: re.Match[str]) -> str:
            index = int(match.group(1)) - 1
            level = self._levels[definition].get(index, Level())
            return written_number(counters[index] or level.start, level.form)

        text = PLACEHOLDER.sub(number, form.pattern).strip()
        return f"{text} " if text else ""

    def _read(self, root: etree._Element) -> None:
        for definition in root.iter("{*}abstractNum"):
            self._levels[attribute(definition, "abstractNumId")] = {
                int(attribute(level, "ilvl")): read_level(level)
                for level in definition.iter("{*}lvl")
                if attribute(level, "ilvl") in "012345678"
            }
        for number in root.iter("{*}num"):
            target = child(number, "abstractNumId")
            if target is not None:
                self._lists[attribute(number, "numId")] = attribute(target, "val")


def read_level(level: etree._Element) -> Level:
    form, pattern, start = child(level, "numFmt"), child(level, "lvlText"), child(level, "start")
    first = attribute(start, "val") if start is not None else "1"
    return Level(
        form=attribute(form, "val") if form is not None else "decimal",
        pattern=attribute(pattern, "val")[:50] if pattern is not None else "",
        start=int(first) if first.isascii() and first.isdigit() and len(first) <= 4 else 1,
    )


def written_number(number: int, form: str) -> str:
    if number > NUMBER_MAX:
        return str(number)
    match form:
        case "lowerLetter" | "upperLetter":
            letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
            return letter.upper() if form.startswith("upper") else letter
        case "lowerRoman" | "upperRoman":
            roman = roman_number(number)
            return roman.upper() if form.startswith("upper") else roman
        case _:
            return str(number)


def roman_number(number: int) -> str:
    parts: list[str] = []
    for value, letters in ROMAN:
        parts.append(letters * (number // value))
        number %= value
    return "".join(parts)
