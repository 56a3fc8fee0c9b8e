"""An item of a list becomes a document, its value a text that can be read."""

from __future__ import annotations

import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

from connectors.json_api.fields import ListShape
from connectors.json_api.pointers import resolve, written
from connectors.json_api.values import TextTooLong, scalar, text_of
from reading.extractors.prose import clean, clean_lines, has_content
from reading.passages import Block, ChunkLevel, Description, ExtractedDocument
from reasons import Reason, ReasonedError
from sources.connectors.remote import (
    NO_TEXT,
    DocumentRefused,
    Fetched,
    RemoteDocument,
    RemoteFile,
    web_link,
)

ID_MAX_CHARS = 500
TITLE_MAX_CHARS = 500
CHANGED_AT_MAX_CHARS = 100
DATE_CHARS = len("2026-11-22")  # a longer text holds the time of day too
LOOKED_AT_CHARS = 20_000  # of a text, for what it is written in
TOO_LONG = Reason("text_too_long")

HTML_SIGN = re.compile(
    r"<(?:p|div|br|h[1-6]|[uo]l|li|table|tr|td|strong|em|b|i|a|span|section|article|img|pre)"
    r"(?:\s[^<>]{0,1000})?/?>|&(?:[a-z]{2,8}|#\d{2,6});",
    re.IGNORECASE,
)
MARKDOWN_SIGN = re.compile(
    r"^(?:#{1,6} \S|```|\|.{1,200}\||[*+-] \S)|\*\*\S|\[[^\]\n]{1,200}\]\(\S", re.MULTILINE
)
TAG = re.compile(r"<[^<>]*>")


class NoRecord(ReasonedError):
    """An item cannot become a document; the reason tells the customer why. `field`: of the form,
    which is wrong then."""

    def __init__(self, reason: Reason, *, field: str) -> None:
        self.field = field
        super().__init__(reason)


def to_document(item: Any, shape: ListShape) -> RemoteDocument:
    """`handle` is its text. Raises NoRecord."""
    key = scalar(resolve(item, shape.id))
    if not 0 < len(key) <= ID_MAX_CHARS:
        raise NoRecord(
            Reason("item_without_id", pointer=written(shape.id), limit=ID_MAX_CHARS),
            field="id",
        )
    title = clean(html.unescape(told(item, shape.title)))[:TITLE_MAX_CHARS] or key
    try:
        text = text_of(resolve(item, shape.body))
    except TextTooLong as error:
        raise NoRecord(TOO_LONG, field="body") from error
    changed_at = told(item, shape.changed_at)
    description = Description(
        title=title,
        etag=version_of(title, text, shape, changed_at=changed_at),
        last_modified=changed_at[:CHANGED_AT_MAX_CHARS],
        place=title,
        link=web_link(told(item, shape.link)),
    )
    return RemoteDocument(key, description, handle=text)


def told(item: Any, pointer: tuple[str, ...]) -> str:
    return scalar(resolve(item, pointer)) if pointer else ""


def version_of(title: str, text: str, shape: ListShape, *, changed_at: str) -> str:
    """A hash of the content that is read. The time of the last change stands for the text, which
    may hold values that change by themselves (a count of views); a mere date does not: there may be
    two edits a day."""
    is_timed = len(changed_at) > DATE_CHARS or changed_at.isdigit()
    content = [*shape.body, changed_at] if is_timed else [text]
    parts = json.dumps([shape.body_format, title, *content])
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def read_body(document: RemoteDocument, folder: Path, *, shape: ListShape) -> Fetched:
    """The record's text below its title, which often is the question that the text answers. HTML
    and Markdown go through the confined reader, as pages of websites do."""
    text, title = str(document.handle), document.description.title
    if not has_content(TAG.sub("", text)):
        raise DocumentRefused(NO_TEXT, is_final=True)
    match format_of(text, shape.body_format):
        case "html":
            head = html.escape(title)
            page = (
                f"<!doctype html><meta charset=utf-8><title>{head}</title>"
                f"<main><h1>{head}</h1>{text}</main>"
            )
            return stored(folder / "body.html", page)
        case "markdown":
            return stored(folder / "body.md", f"# {title}\n\n{text}")
    blocks = (clean_lines(part) for part in re.split(r"\n\s*\n", text))
    return ExtractedDocument(
        title,
        tuple(Block(block, section_title=title) for block in blocks if has_content(block)),
        ChunkLevel.PARAGRAPH,
    )


def format_of(text: str, said: str) -> str:
    if said != "auto":
        return said
    head = text[:LOOKED_AT_CHARS]
    if HTML_SIGN.search(head):
        return "html"
    return "markdown" if MARKDOWN_SIGN.search(head) else "text"


def stored(path: Path, content: str) -> RemoteFile:
    path.write_text(content, encoding="utf-8")
    return RemoteFile(path, path.name)
