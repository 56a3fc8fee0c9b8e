"""The items of connectors in a form that the database can keep. Origins say anything: PostgreSQL
takes neither NUL nor halves of surrogate pairs, and one value of that kind would end a whole sync.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from config.http import URL_MAX_CHARS
from reading.confinement.messages import WARNING_MAX_CHARS, WARNINGS_MAX
from reading.passages import Description, ReadDocument
from reasons import Reason
from sources.connectors.interface import UNSTORABLE, Cut, Failed, Item, LeftOut, Unchanged
from sources.indexing.rows import TITLE_MAX_CHARS

# An entry of a B-tree holds 2,704 bytes, and the other columns of its index.
EXTERNAL_ID_MAX_BYTES = 2500
PLACE_MAX_CHARS = 2000
VERSION_MAX_CHARS = 2000  # of an ETag and its like: a longer one is dropped
NAME_TOLD_CHARS = 200
WEB = ("https://", "http://")
NO_NAME = Reason("id_not_storable")


def as_storable(item: Item) -> Item:
    """Returns the item in a storable form, cut to the lengths that we keep. A document whose name
    cannot be kept has failed: under a substitute name every sync would read it again."""
    if isinstance(item, Cut | LeftOut):
        return replace(item, reason=storable_reason(item.reason))
    if not is_name(item.external_id):
        name = storable_text(item.external_id, NAME_TOLD_CHARS)
        title = item.title if isinstance(item, (ReadDocument, Failed)) else ""
        return Failed(name, NO_NAME, title=storable_text(title, PLACE_MAX_CHARS))
    match item:
        case ReadDocument():
            told = storable_description(description_of(item))
            return replace(
                item,
                title=told.title,
                etag=told.etag,
                last_modified=told.last_modified,
                place=told.place,
                link=told.link,
                warnings=tuple(map(storable_reason, item.warnings[:WARNINGS_MAX])),
            )
        case Unchanged(description=Description() as told):
            return replace(item, description=storable_description(told))
        case Failed():
            return replace(
                item,
                reason=storable_reason(item.reason),
                title=storable_text(item.title, PLACE_MAX_CHARS),
                etag=storable_version(item.etag),
            )
    return item


def storable_description(told: Description) -> Description:
    """The description in a storable form; `link` only where a browser may open it."""
    is_web = told.link.startswith(WEB) and len(told.link) <= URL_MAX_CHARS
    return Description(
        title=storable_text(told.title, TITLE_MAX_CHARS),
        etag=storable_version(told.etag),
        last_modified=storable_version(told.last_modified),
        place=storable_text(told.place, PLACE_MAX_CHARS),
        link=storable_text(told.link, URL_MAX_CHARS) if is_web else "",
    )


def description_of(document: ReadDocument) -> Description:
    return Description(
        document.title, document.etag, document.last_modified, document.place, document.link
    )


def is_name(external_id: str) -> bool:
    if UNSTORABLE.search(external_id):
        return False
    return 0 < len(external_id.encode()) <= EXTERNAL_ID_MAX_BYTES


def storable_text(text: str, max_chars: int) -> str:
    return UNSTORABLE.sub("\ufffd", text[:max_chars])


def storable_reason(reason: Reason) -> Reason:
    return reason.change_texts(partial(storable_text, max_chars=WARNING_MAX_CHARS))


def storable_version(text: str) -> str:
    """The text, or "", which makes no promise, if it cannot be kept as it is."""
    return "" if len(text) > VERSION_MAX_CHARS or UNSTORABLE.search(text) else text


def is_storable_json(content: Mapping[str, Any]) -> bool:
    """True if a jsonb column can hold the content: PostgreSQL knows neither NaN nor infinity."""
    try:
        written = json.dumps(content, ensure_ascii=False, allow_nan=False)
        return "\\u0000" not in written and bool(written.encode())
    except (ValueError, RecursionError):
        return False
