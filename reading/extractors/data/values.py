"""Turns nested names and values into blocks of text: a record a row ("name: Xaloc; address.city:
Reus"), larger records entry by entry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reading.errors import UnreadableFile
from reading.extractors.html.blocks import BlockWriter
from reading.extractors.html.boxes import build_boxes
from reading.extractors.html.source import parse_html
from reading.extractors.interface import TOO_LARGE
from reading.extractors.prose import clean_lines, has_content, row_text, section_path
from reading.extractors.tables import Row, named_row_text, split_header
from reading.passages import Block
from reasons import Reason

# An object is a tuple of names and values, so that none is lost when two have one name. A text is
# as it is written: numbers keep their digits. A name may be "": its value is of the name above.
Entries = tuple[tuple[str, "Value"], ...]
Value = str | bool | None | list["Value"] | Entries

NESTING_MAX = 100
VALUES_MAX = 1_000_000  # written one by one: twice as many as blocks may come of a file
ROW_MAX_CHARS = 1_500  # a larger record is told entry by entry
LONG_TEXT_CHARS = 300  # a longer value is a paragraph of its own
LABEL_MAX_CHARS = 80
NUMBERS_MAX = 100  # a longer list of numbers is a drawing, or what a model has computed
NUMBER = re.compile(r"-?\d[\d.]*(?:[eE][-+]?\d+)?")
MARKUP = re.compile(
    r"<(?:p|br|div|a|ul|ol|li|b|i|em|strong|span|h[1-6]|table)\b[^<>]*>|</\w+>", re.I
)
LABELS = ("title", "name", "label", "nombre", "titulo", "título", "key", "id")
# Base64, in lines or in one; possessive, so that no text is tried in several ways
ENCODED = re.compile(
    r"(?:data:[^,]{0,100},)?(?:[A-Za-z0-9+/_-]{60,}+\s*+){4,}+[A-Za-z0-9+/_=-]*\s*"
    r"|(?:data:[^,]{0,100},)?[A-Za-z0-9+/_-]{300,}+={0,2}"
)
ENCODED_LEFT_OUT = Reason("encoded_values_left_out")
NUMBERS_LEFT_OUT = Reason("number_lists_left_out", limit=NUMBERS_MAX)
NESTED_TOO_DEEPLY = Reason("nested_too_deep", limit=NESTING_MAX)


class ValueWriter:
    """`warnings` grows while values are written."""

    def __init__(self, warnings: list[Reason]) -> None:
        self._warnings = warnings
        self._count = 0

    def write(
        self, value: Value, *, path: Sequence[str] = (), place: str = "", depth: int = 0
    ) -> Iterator[Block]:
        """`path`: the names above it; `place`: the locator of the record that it stands in, ""
        outside of lists; `depth`: how many values it stands in. Raises UnreadableFile for what is
        nested too deeply, or too much.
        """
        self._count += 1
        if self._count > VALUES_MAX:
            raise UnreadableFile(TOO_LARGE)
        if depth > NESTING_MAX:
            raise UnreadableFile(NESTED_TOO_DEEPLY)
        if isinstance(value, tuple):
            yield from self._write_entries(value, path, place, depth)
        elif isinstance(value, list):
            yield from self._write_list(value, path, place, depth)
        elif has_content(text := self._told_text(value)):
            name = f"{path[-1]}: " if path and path[-1] else ""
            yield Block(name + text, place, section_path(path[:-1]) if path[1:] else "")

    def _write_entries(
        self, entries: Entries, path: Sequence[str], place: str, depth: int
    ) -> Iterator[Block]:
        """A record in one row; a larger one its short values first, then each of the others."""
        section = section_path(path) if path else ""
        fields = self._fields(entries) if path or place else None
        if fields is None and place:
            path = [*path, name_of(entries)]
            section = section_path(path)
            fields = [(name, plain_text(each)) for name, each in entries if is_short(each)]
            entries = tuple((name, each) for name, each in entries if not is_short(each))
        elif fields is not None:
            entries = ()
        names, texts = zip(*fields, strict=True) if fields else ((), ())
        if has_content(text := row_text(names, texts)):
            yield Block(text, place, section)
        for name, each in entries:
            yield from self.write(each, path=[*path, name], place=place, depth=depth + 1)

    def _write_list(
        self, values: list[Value], path: Sequence[str], place: str, depth: int
    ) -> Iterator[Block]:
        if self._is_drawing(values):
            return
        if all(isinstance(each, list) and all(map(is_scalar, each)) for each in values):
            yield from write_table(values, path, place)
        elif path and all(map(is_scalar, values)):
            yield from self.write(", ".join(map(plain_text, values)), path=path, place=place)
        else:
            for number, each in enumerate(values, start=1):
                located = place or f"item {number}"
                yield from self.write(each, path=path, place=located, depth=depth + 1)

    def _fields(self, entries: Entries) -> list[tuple[str, str]] | None:
        """Flat names and texts; None if they do not make a row: too long, or with records in it."""
        fields: list[tuple[str, str]] = []
        pending: list[tuple[str, Value]] = list(reversed(entries))
        chars = 0
        while pending:
            name, value = pending.pop()
            if isinstance(value, tuple):
                pending += [(dotted(name, below), each) for below, each in reversed(value)]
                continue
            if not isinstance(value, list):
                texts: list[str] | None = [self._told_text(value)]
            else:
                texts = [] if self._is_drawing(value) else texts_of(value)
            if texts is None:
                return None
            text = ", ".join(filter(None, texts))
            chars += len(name) + len(text) + 1
            if chars > ROW_MAX_CHARS or len(text) > LONG_TEXT_CHARS:
                return None
            fields.append((name, text))
        return fields

    def _is_drawing(self, values: list[Value]) -> bool:
        """Coordinates of a shape, numbers of a model: told once that they are left out."""
        numbers = 0
        pending: list[Value] = list(values)
        while pending:
            value = pending.pop()
            if isinstance(value, list):
                pending += value
            elif isinstance(value, str) and NUMBER.fullmatch(value):
                numbers += 1
            else:
                return False
        if numbers > NUMBERS_MAX:
            self._tell(NUMBERS_LEFT_OUT)
        return numbers > NUMBERS_MAX

    def _told_text(self, value: Value) -> str:
        if isinstance(value, str) and ENCODED.fullmatch(value) and not NUMBER.fullmatch(value):
            self._tell(ENCODED_LEFT_OUT)
            return ""
        return plain_text(value)

    def _tell(self, warning: Reason) -> None:
        if warning not in self._warnings:
            self._warnings.append(warning)


def write_table(values: Sequence[Value], path: Sequence[str], place: str) -> Iterator[Block]:
    """Lists in a list: the first may name the columns."""
    rows = [
        Row(number, tuple(map(plain_text, cells)))
        for number, cells in enumerate(values, start=1)
        if isinstance(cells, list)
    ]
    header, below = split_header(rows)
    for row in below:
        if has_content(text := named_row_text(header, row)):
            yield Block(text, place or f"item {row.number}", section_path(path) if path else "")


def dotted(name: str, below: str) -> str:
    return f"{name}.{below}" if name and below else name or below


def is_scalar(value: Value) -> bool:
    return not isinstance(value, list | tuple)


def is_short(value: Value) -> bool:
    return is_scalar(value) and not (isinstance(value, str) and len(value) > LONG_TEXT_CHARS)


def texts_of(value: Value) -> list[str] | None:
    """The scalars of a value, in order; None when it has objects."""
    if not isinstance(value, list):
        return None if isinstance(value, tuple) else [plain_text(value)]
    texts: list[str] = []
    pending = list(reversed(value))
    while pending:
        each = pending.pop()
        if isinstance(each, tuple) or len(texts) > ROW_MAX_CHARS:
            return None
        if isinstance(each, list):
            pending += reversed(each)
        else:
            texts.append(plain_text(each))
    return texts


def name_of(entries: Entries) -> str:
    """The name by which people know a record; "" if it has no such value."""
    named = {name.casefold(): each for name, each in entries if isinstance(each, str)}
    found = (plain_text(named.get(label)) for label in LABELS)
    return next((text[:LABEL_MAX_CHARS] for text in found if has_content(text)), "")


def plain_text(value: Value) -> str:
    """The text of a scalar. HTML, which many programs keep in a value, as the page would show
    it."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return ""
    if not MARKUP.search(value):
        return clean_lines(value)
    page = parse_html(value.encode("utf-8", "replace"))
    if page is None:
        return ""
    boxes, _hidden_chars = build_boxes(page)
    blocks = BlockWriter(lambda _: False).write([boxes])
    return "\n".join(block.text for block in blocks)
