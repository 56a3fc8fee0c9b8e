"""Turns a record into the text that is indexed: its fields, under the shop's names for them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connectors.odoo.fields import COUNTED, RELATIONS, Field
from connectors.odoo.html import text_of_html
from reading.extractors.prose import clean, clean_lines, row_text
from reading.passages import Block, ChunkLevel, ExtractedDocument

LONG_MIN_WORDS = 60  # a text from here on is passages of its own, below the other fields
TEXT_MAX_CHARS = 2_000_000  # of one field: a long book
TITLE_MAX_CHARS = 500
NUMBER_MAX = 1e15  # a larger number is not an amount
YES_NO = {"es": ("sí", "no"), "en": ("yes", "no")}
# Raise it when the text of a record changes its form: all are then read again.
FORMAT = 1

Record = Mapping[str, Any]
# By model and id: what other records are called.
Names = Mapping[tuple[str, int], str]


@dataclass(frozen=True)
class Reading:
    """How records of one model are read. `label`: what the shop calls the model; `language`: as
    Odoo names it, "es_ES"."""

    model: str
    label: str
    language: str
    fields: tuple[Field, ...]

    @property
    def names(self) -> list[str]:
        """The names of all fields to ask for, with those of units."""
        wanted = ["display_name", "write_date"]
        for each in self.fields:
            wanted += [each.name, *each.companions]
        return list(dict.fromkeys(wanted))

    @property
    def watched_names(self) -> list[str]:
        """The names of the fields that tell whether a record is to be read again."""
        names = ["display_name", "write_date"]
        for each in self.fields:
            names += [each.name, *each.companions] if each.is_volatile else each.companions
        return list(dict.fromkeys(names))

    def version_of(self, record: Record, names: Names) -> str:
        """Changes when what people read of the record does: it was written, or something beside it
        that it shows, as its stock or the name of its tax."""
        shown = {name: record.get(name) for name in self.watched_names}
        for each in self.fields:
            if each.type == "many2many":
                shown[each.name] = names_of(record.get(each.name), each, names)
        asked = [FORMAT, self.language, [(each.name, each.label) for each in self.fields], shown]
        written = json.dumps(asked, sort_keys=True, default=str).encode()
        return hashlib.sha256(written).hexdigest()[:32]

    def text_of(self, record: Record, names: Names) -> ExtractedDocument:
        """Short fields in one row, long texts below it."""
        title = title_of(record)
        shown = [
            (each.label, value_text(record, each, names=names, language=self.language))
            for each in self.fields
        ]
        short = [(label, text) for label, text in shown if not is_long(text)]
        row = row_text([label for label, _ in short], [clean(text) for _, text in short])
        long = [text for _, text in shown if is_long(text)]
        place = f"{self.label} {record['id']}"
        blocks = [Block(line, place, title) for line in [row, *iter_lines(long)] if line]
        level = ChunkLevel.PARAGRAPH if long else ChunkLevel.ROW
        return ExtractedDocument(title, tuple(blocks), level)


def title_of(record: Record) -> str:
    name = record.get("display_name")
    shown = clean(name)[:TITLE_MAX_CHARS].strip() if isinstance(name, str) else ""
    return shown or f"#{record['id']}"


def value_text(record: Record, field: Field, *, names: Names, language: str) -> str:
    """The value as text; "" if the field is empty, which Odoo writes as false, or holds an
    unexpected value."""
    value = record.get(field.name)
    if field.type == "boolean":
        if not isinstance(value, bool):
            return ""
        yes, no = YES_NO["es" if language.startswith("es") else "en"]
        return yes if value else no
    if value is None or isinstance(value, bool):
        return ""
    if field.type in RELATIONS:
        return ", ".join(names_of(value, field, names))
    if isinstance(value, (int, float)):
        if not -NUMBER_MAX < value < NUMBER_MAX or not is_counted(record, field):
            return ""
        return " ".join(filter(None, [number_text(value, field), unit_text(record, field)]))
    if not isinstance(value, str):
        return ""
    value = value[:TEXT_MAX_CHARS]
    match field.type:
        case "html":
            return text_of_html(value)
        case "selection":
            return field.options.get(value, value)
        case "datetime":
            return f"{clean(value)} UTC"  # Odoo keeps no other
    return clean_lines(value)


def is_counted(record: Record, field: Field) -> bool:
    """False for the stock of a service, which Odoo gives as 0."""
    return not field.counted_by or record.get(field.counted_by) in COUNTED


def number_text(value: float, field: Field) -> str:
    """Amounts of money with their decimals, others with as many as they need."""
    if field.is_money:
        return f"{value:.{2 if field.decimals is None else field.decimals}f}"
    return f"{round(value, 6 if field.decimals is None else field.decimals):.15g}"


def unit_text(record: Record, field: Field) -> str:
    match record.get(field.unit):
        case [int(), str(name)] | str(name):
            return clean(name)
    return ""


def names_of(value: object, field: Field, names: Names) -> list[str]:
    """The names of the related records. Odoo sends the name of a single one with its id, but only
    the ids of several. Records that may not be read have no name."""
    match value:
        case [int(), str(name)] if field.type == "many2one":
            return [clean(name)]
    if field.type != "many2many" or not isinstance(value, list):
        return []
    keys = [(field.relation, each) for each in value if isinstance(each, int)]
    return [names[key] for key in keys if key in names]


def is_long(text: str) -> bool:
    return len(text.split(maxsplit=LONG_MIN_WORDS)) > LONG_MIN_WORDS


def iter_lines(texts: Sequence[str]) -> Iterable[str]:
    for text in texts:
        yield from text.splitlines()
