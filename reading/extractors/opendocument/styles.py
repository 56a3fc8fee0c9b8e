"""Styles of an OpenDocument file, and the numbers that it draws before lists and headings.

OpenDocument 1.3 part 3, 16 (styles) and 19.880 (style:num-format).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lxml import etree

from reading.extractors.headings import DEPTH_MAX
from reading.extractors.office.numbering import BULLET, written_number
from reading.extractors.office.package import attribute, local_name
from reading.extractors.opendocument.package import whole_number

STYLE_TAGS = ("{*}style", "{*}list-style", "{*}outline-style")
PARENTS_MAX = 20  # of style:parent-style-name, which may run in a circle
LEVELS = 10
LABEL_MAX_CHARS = 50  # of what stands around a number
# These names are English whatever the language of the program.
HEADING_NAME = re.compile(r"^(?:Title|Heading_20_([1-9]))$")
NUMBER_FORMS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
}


@dataclass(frozen=True)
class OdfStyle:
    """`depth` of its heading from 1, 0 for none; None where another style says it."""

    depth: int = 0
    is_bold: bool | None = None
    is_hidden: bool | None = None
    is_struck: bool | None = None


@dataclass(frozen=True)
class ListLevel:
    """`form` as `written_number` takes it, or BULLET; "" for a level without either."""

    form: str = ""
    before: str = ""
    after: str = ""
    start: int = 1
    shown_levels: int = 1


@dataclass
class Counters:
    """The counters of a list under way, one for each of its levels."""

    levels: Mapping[int, ListLevel]
    others: ListLevel = ListLevel()
    numbers: list[int] = field(default_factory=lambda: [0] * (LEVELS + 1))

    def count(self, depth: int, start: int | None = None) -> str:
        """The label of the next item at `depth`, from 1; "" for a level without numbers."""
        depth = min(depth, LEVELS)
        level = self._level(depth)
        going_on = self.numbers[depth] + 1 if self.numbers[depth] else level.start
        self.numbers[depth] = going_on if start is None else start
        self.numbers[depth + 1 :] = [0] * (LEVELS - depth)
        if level.form in ("", BULLET):
            return level.form
        shown = range(max(depth - level.shown_levels + 1, 1), depth + 1)
        parts = [self._written(each) for each in shown]
        return f"{level.before}{'.'.join(filter(None, parts))}{level.after} "

    def _written(self, depth: int) -> str:
        level = self._level(depth)
        if level.form in ("", BULLET):
            return ""
        return written_number(self.numbers[depth] or level.start, level.form)

    def _level(self, depth: int) -> ListLevel:
        return self.levels.get(depth, self.others)


class Styles:
    def __init__(self) -> None:
        self._elements: dict[str, etree._Element] = {}
        self._known: dict[str, OdfStyle] = {}
        self._lists: dict[str, Mapping[int, ListLevel]] = {}
        self.outline = Counters({})

    def add(self, element: etree._Element) -> None:
        """A style of the content has precedence over one of the same name that came before."""
        name = attribute(element, "name")
        match local_name(element):
            case "style":
                self._elements[name] = element
                self._known.clear()
            case "list-style":
                self._lists[name] = read_levels(element)
            case "outline-style":
                self.outline = Counters(read_levels(element))

    def style(self, name: str) -> OdfStyle:
        if name not in self._known:
            self._known[name] = self._inherited(name)
        return self._known[name]

    def new_list(self, name: str) -> Counters:
        return Counters(self._lists.get(name, {}), others=ListLevel(BULLET))

    def _inherited(self, name: str) -> OdfStyle:
        style = OdfStyle()
        for _ in range(PARENTS_MAX):
            heading = HEADING_NAME.match(name)
            if heading and not style.depth:
                style = replace(style, depth=int(heading[1] or 1))
            element = self._elements.get(name)
            if element is None:
                break
            style = completed(style, element)
            name = attribute(element, "parent-style-name")
        return style


def completed(style: OdfStyle, element: etree._Element) -> OdfStyle:
    """The style with values of `element` that it does not have yet."""
    outline = whole_number(attribute(element, "default-outline-level"))
    if outline and not style.depth:
        style = replace(style, depth=min(outline, DEPTH_MAX))
    for properties in element:
        weight = attribute(properties, "font-weight")
        display = attribute(properties, "display") or attribute(properties, "visibility")
        line = attribute(properties, "text-line-through-style") or attribute(
            properties, "text-line-through-type"
        )
        if line and style.is_struck is None:
            style = replace(style, is_struck=line != "none")
        if weight and style.is_bold is None:
            style = replace(style, is_bold=weight not in ("normal", "100", "200", "300", "400"))
        if display and style.is_hidden is None:
            style = replace(style, is_hidden=display in ("none", "false", "hidden"))
    return style


def read_levels(element: etree._Element) -> dict[int, ListLevel]:
    return {whole_number(attribute(level, "level")): read_level(level) for level in element}


def read_level(level: etree._Element) -> ListLevel:
    if local_name(level) not in ("list-level-style-number", "outline-level-style"):
        return ListLevel(BULLET)
    return ListLevel(
        form=NUMBER_FORMS.get(attribute(level, "num-format"), ""),
        before=attribute(level, "num-prefix")[:LABEL_MAX_CHARS],
        after=attribute(level, "num-suffix")[:LABEL_MAX_CHARS],
        start=whole_number(attribute(level, "start-value", "1")),
        shown_levels=whole_number(attribute(level, "display-levels", "1")),
    )
