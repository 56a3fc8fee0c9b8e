"""A record as text: one passage, "Property: value", in the words of the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connectors.odata.metadata import ChosenSet
from connectors.odata.service import control
from reading.extractors.prose import clean, row_text
from reading.passages import Block, ChunkLevel, Description, ExtractedDocument
from reasons import Reason
from sources.connectors.interface import Item, SyncContext
from sources.connectors.remote import RemoteDocument, place_of, to_item
from sources.errors import FileProcessingFailed

VALUE_MAX_CHARS = 20_000
TITLE_MAX_CHARS = 500  # as the column holds
VERSION_MAX_CHARS = 500
DEPTH_MAX = 3  # of values within values
VALUES_MAX = 200  # of one list or object
# What stands for "nothing" where a database knows no null: Business Central writes such dates.
EMPTY = frozenset({"0001-01-01", "0001-01-01T00:00:00Z", "00000000-0000-0000-0000-000000000000"})


def to_document(
    chosen: ChosenSet, external_id: str, record: Mapping[str, Any], *, context: SyncContext
) -> Item:
    """The item of a record: Unchanged where its text is the known one."""
    document = RemoteDocument(external_id, description_of(chosen, external_id, record))
    key = external_id.removeprefix(chosen.entity_set.name).strip("()").replace("'", "")
    block = Block(
        text_of(chosen, record), f"record {key}", section_title=chosen.entity_set.shown_name
    )
    content = ExtractedDocument(document.description.title, (block,), ChunkLevel.ROW)
    try:
        return to_item(document, content, context)
    except FileProcessingFailed:
        return document.fails(Reason("record_without_text"))


def description_of(chosen: ChosenSet, external_id: str, record: Mapping[str, Any]) -> Description:
    title = written(record.get(chosen.title.name)) if chosen.title is not None else ""
    title = (title or external_id)[:TITLE_MAX_CHARS]
    modified = record.get(chosen.modified.name) if chosen.modified is not None else None
    return Description(
        title,
        etag=version(control(record, "etag")),
        last_modified=version(modified),
        place=place_of((chosen.entity_set.shown_name, title)),
    )


def text_of(chosen: ChosenSet, record: Mapping[str, Any]) -> str:
    """The properties that have a value, in the order of the metadata."""
    properties = chosen.entity_set.properties
    names = [each.shown_name for each in properties]
    return row_text(names, [written(record.get(each.name)) for each in properties])


def written(value: object, *, depth: int = 0) -> str:
    """A value as text; numbers and dates stay as the service writes them."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            text = clean(value[:VALUE_MAX_CHARS])
            return "" if text in EMPTY else text
        case list() if depth < DEPTH_MAX:
            texts = [written(each, depth=depth + 1) for each in value[:VALUES_MAX]]
            joined = (" | " if any(isinstance(each, dict) for each in value) else ", ").join(
                filter(None, texts)
            )
            return joined[:VALUE_MAX_CHARS]
        case dict() if depth < DEPTH_MAX:
            pairs = [
                (str(name), written(each, depth=depth + 1))
                for name, each in list(value.items())[:VALUES_MAX]
                if "@" not in str(name)
            ]
            return ", ".join(f"{clean(name)}: {text}" for name, text in pairs if text)[
                :VALUE_MAX_CHARS
            ]
    return ""


def version(value: object) -> str:
    """An ETag or a date, as it was given; "" for any other value."""
    if not isinstance(value, str) or len(value) > VERSION_MAX_CHARS or not value.isprintable():
        return ""
    return value
