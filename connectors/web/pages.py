"""Turns an answer of a website into text, links, and the page's wishes for robots."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.message import Message
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from config.http import PRODUCT, FetchedPage
from connectors.web.urls import clean_url, path_of
from reading.confinement.limits import MEGABYTE, Limits
from reading.extractors.html.refresh import refreshed_to
from reading.extractors.text.encoding import is_mostly_utf8
from reading.file_types import HTML, looks_like_html
from reading.passages import Block, ChunkLevel, ExtractedDocument
from reasons import Reason
from sources.connectors.interface import KnownDocument
from sources.documents import read_document, read_request
from sources.errors import FileProcessingFailed

PAGE_MAX_BYTES = 5 * MEGABYTE
# Of one page: there are thousands, and an honest one takes a hundredth of it.
PAGE_LIMITS = Limits(memory_bytes=768 * MEGABYTE, cpu_seconds=15, wall_seconds=30)
CRAWLED_PAGE = "html.page"  # tells a page's text from its furniture; a file's reader keeps all
HTML_TYPES = ("text/html", "application/xhtml+xml")
TITLE_MAX_CHARS = 500  # as the column holds
VALIDATOR_MAX_CHARS = 500  # a longer one is not kept: it comes back in a header
# Encodings that web pages are in; Python knows others, and codecs that are none.
ENCODINGS = (
    "utf",
    "iso8859",
    "iso2022",
    "cp",
    "koi8",
    "gb",
    "big5",
    "euc",
    "shift",
    "mac",
    "ascii",
    "tis",
)
NOT_ENCODINGS = ("utf-7",)
LATIN_1 = "iso8859-1"  # means windows-1252 in the web (WHATWG Encoding, 4.2)
META_WITHIN = 8 * 1024  # bytes: where a page names its encoding
META_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE
)
ROBOT_NAME = re.compile(r"\s*[a-z][a-z0-9_-]*\s*$")
UNREADABLE = Reason("page_unreadable")
DIRECTIVES_WITH_VALUE = (
    "unavailable_after",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
)
NOTHING = ExtractedDocument(title="", blocks=(), level=ChunkLevel.SECTION)
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Page:
    """`links`, `canonical` and `refresh`, where browsers are sent on at once, are absolute, of any
    website. `etag` and `last_modified` as the website gave them, "" when it did not. `markers` as
    the extractor names them.
    """

    url: str
    title: str
    document: ExtractedDocument
    links: tuple[str, ...]
    canonical: str | None
    refresh: str | None
    is_indexable: bool
    text_chars: int
    markers: frozenset[str]
    etag: str
    last_modified: str

    @property
    def is_challenge(self) -> bool:
        """True for what a bot protection shows in the place of the page."""
        return "challenge" in self.markers

    @property
    def is_app(self) -> bool:
        """True for the empty shell of an application that a browser has to run."""
        return "app" in self.markers

    @property
    def text_hash(self) -> str:
        return hash_of(self.title, self.document.blocks)

    def with_blocks(self, blocks: tuple[Block, ...]) -> Page:
        return replace(self, document=replace(self.document, blocks=blocks))


def hash_of(title: str, blocks: tuple[Block, ...]) -> str:
    """The SHA-256 (hex) of a page's indexed text: tokens and dates in its markup do not count."""
    parts = [title, *(f"{block.section_title}\x1f{block.text}" for block in blocks)]
    return sha256("\x1e".join(parts).encode()).hexdigest()


def is_html(answer: FetchedPage) -> bool:
    declared = media_type(answer)
    return declared in HTML_TYPES or (not declared and looks_like_html(answer.body))


def media_type(answer: FetchedPage) -> str:
    return answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def read_page(answer: FetchedPage) -> Page:
    """Parses in the confined process.

    Raises FileProcessingFailed when the page is at fault, ExtractionUnavailable when we are.
    """
    document = NOTHING
    if answer.body.strip():
        with stored(in_utf8(answer)) as path:
            document = extract(path)
    facts = document.facts
    base = clean_url(first(facts, "base") or answer.url, answer.url) or answer.url
    asked = {*facts.get("robots", ()), *header_directives(answer)}
    hides_links = bool(asked & {"nofollow", "none"})
    canonical = first(facts, "canonical")
    return Page(
        url=answer.url,
        title=title_of(answer.url, document)[:TITLE_MAX_CHARS],
        document=replace(
            document, facts={}, warnings=(*document.warnings, *encoding_warnings(answer))
        ),
        links=() if hides_links else absolute(facts.get("links", ()), base),
        canonical=clean_url(canonical, base) if canonical else None,
        refresh=refresh_of(answer, first(facts, "refresh"), base),
        is_indexable=not asked & {"noindex", "none"},
        text_chars=number_of(first(facts, "text_chars")),
        markers=frozenset(facts.get("markers", ())),
        etag=validator(answer, "ETag"),
        last_modified=validator(answer, "Last-Modified"),
    )


def refresh_of(answer: FetchedPage, in_page: str, base: str) -> str | None:
    """The address to which the page sends browsers on, by its HTTP header or by itself; None where
    that is the page again, as of news that load themselves every few seconds."""
    in_header = refreshed_to(answer.headers.get("Refresh", ""))
    target = clean_url(in_header, answer.url) if in_header else None
    target = target or (clean_url(in_page, base) if in_page else None)
    return target if target != clean_url(answer.url, answer.url) else None


def extract(path: Path) -> ExtractedDocument:
    try:
        return read_document(
            path,
            read_request(content_type=HTML, title="", limits=PAGE_LIMITS, extractor=CRAWLED_PAGE),
        )
    except FileProcessingFailed as error:
        raise FileProcessingFailed(UNREADABLE) from error


def first(facts: Mapping[str, tuple[str, ...]], name: str) -> str:
    return next(iter(facts.get(name, ())), "")


def number_of(written: str) -> int:
    """The confined process is not trusted to write one."""
    return int(written[:9]) if written.isascii() and written.isdigit() else 0


def absolute(links: tuple[str, ...], base: str) -> tuple[str, ...]:
    """The absolute addresses of the links, without duplicates, in their order."""
    return tuple(dict.fromkeys(url for link in links if (url := clean_url(link, base))))


def title_of(url: str, document: ExtractedDocument) -> str:
    heading = next((block.text for block in document.blocks if block.is_heading), "")
    return first(document.facts, "title") or heading or unquote(path_of(url))


def header_directives(answer: FetchedPage) -> Iterator[str]:
    """The directives of X-Robots-Tag for all robots and for us: "noindex, otherbot: nofollow"."""
    is_for_us = True
    for part in answer.headers.get("X-Robots-Tag", "").lower().split(","):
        name, colon, directive = part.partition(":")
        if colon and ROBOT_NAME.match(name) and name.strip() not in DIRECTIVES_WITH_VALUE:
            is_for_us = name.strip() == PRODUCT.lower()
            part = directive
        if is_for_us:
            yield part.strip()


def validator(answer: FetchedPage, name: str) -> str:
    value: str = answer.headers.get(name, "").strip()
    return value if len(value) <= VALIDATOR_MAX_CHARS and value.isprintable() else ""


def conditions(known: KnownDocument | None) -> Mapping[str, str]:
    """Headers that ask for a page only if it has changed (RFC 9110, 13.1)."""
    if known is None:
        return {}
    headers = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in headers.items() if value}


# --- Encodings ------------------------------------------------------------------------------------


def in_utf8(answer: FetchedPage) -> bytes:
    """The page with a byte order mark, if its encoding is known from outside the page; else as it
    came, and the extractor looks for a <meta>. The mark of the page itself wins over its HTTP
    header."""
    encoding = encoding_of(answer)
    if encoding is None:
        return answer.body
    text = answer.body.decode(encoding, errors="replace").removeprefix("\ufeff")
    return codecs.BOM_UTF8 + text.encode(errors="replace")


def encoding_of(answer: FetchedPage) -> str | None:
    """The encoding by the page's mark, else by the HTTP header where the bytes bear it out; None
    where the extractor has to look for itself."""
    for mark, encoding in BOMS:
        if answer.body.startswith(mark):
            return encoding
    declared = encoding_in_header(answer)
    if declared is None or answer.body.isascii():
        return declared
    if is_mostly_utf8(answer.body):
        return "utf-8"
    named = META_CHARSET.search(answer.body[:META_WITHIN])
    in_page = known_encoding(named[1].decode("ascii")) if named else None
    is_contradicted = declared == "utf-8" or in_page not in (None, "utf-8", declared)
    return None if is_contradicted else declared


def encoding_in_header(answer: FetchedPage) -> str | None:
    header = Message()
    header["Content-Type"] = answer.headers.get("Content-Type", "")
    return known_encoding(header.get_content_charset(""))


def known_encoding(label: str) -> str | None:
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    if not name.startswith(ENCODINGS) or name in NOT_ENCODINGS:
        return None
    return "cp1252" if name in (LATIN_1, "ascii") else name


def encoding_warnings(answer: FetchedPage) -> tuple[Reason, ...]:
    """A warning where the HTTP header names an encoding that the page is not in."""
    declared = encoding_in_header(answer)
    if declared is None or answer.body.isascii() or encoding_of(answer) == declared:
        return ()
    return (Reason("encoding_header_wrong", encoding=declared),)


@contextmanager
def stored(data: bytes) -> Iterator[Path]:
    """The confined process reads files."""
    with TemporaryDirectory(prefix="web-") as folder:
        path = Path(folder) / "fetched"
        path.write_bytes(data)
        yield path
