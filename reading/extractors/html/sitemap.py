"""Sitemaps and what is offered in their place: indexes of sitemaps, lists of addresses, feeds.

No blocks; facts `urls` (of pages) and `sitemaps` (to be read next), both as they stand in the file,
each once; pages that matter most come first: by priority, then by their last change. The formats:
https://www.sitemaps.org/protocol.html, RSS 2.0, RFC 4287 (Atom).
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.interface import TOO_LARGE, Extraction
from reading.extractors.text.encoding import decode
from reasons import Reason

SITEMAP_MAX_BYTES = 50 * 1024**2  # unpacked; the protocol's own limit
URLS_MAX = 50_000  # the protocol's own limit
SITEMAPS_MAX = 1000
ADDRESS_MAX_CHARS = 2000
GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib's way to say that a gzip header comes first
MARKUP_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")
# In an address, "&" often stands as it is: the parser would stop there.
BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")
ADDRESS = re.compile(r"https?://[^\s<>\"\x00-\x1f\x7f]+", re.IGNORECASE)
ROOTS = frozenset({"urlset", "sitemapindex", "rss", "RDF", "feed"})
PRIORITY = 0.5  # of a page without one (the protocol's own)
PRIORITY_WRITTEN = re.compile(r"[01](?:\.\d{1,4})?")
CHANGED = re.compile(r"\d{4}(?:-\d\d){0,2}(?:T[\d:.+Z-]{1,30})?")
NO_SITEMAP = Reason("not_a_sitemap")
DOCTYPE = Reason("sitemap_with_doctype")


@dataclass(frozen=True)
class Entry:
    """`changed`: date or time of the last change as written (W3C's notation sorts as text), "" when
    it says nothing."""

    address: str
    is_sitemap: bool = False
    priority: float = PRIORITY
    changed: str = ""


def extract(data: bytes) -> Extraction:
    data = unpack(data)
    urls: dict[str, tuple[float, str]] = {}
    sitemaps: dict[str, None] = {}
    for entry in read_addresses(data):
        address = entry.address
        if len(address) <= ADDRESS_MAX_CHARS and ADDRESS.fullmatch(address):
            if entry.is_sitemap:
                sitemaps[address] = None
            else:
                urls[address] = (entry.priority, entry.changed)
        if len(urls) >= URLS_MAX or len(sitemaps) >= SITEMAPS_MAX:
            break
    ranked = sorted(urls, key=lambda url: urls[url], reverse=True)
    return Extraction(blocks=(), facts={"urls": ranked, "sitemaps": list(sitemaps)})


def unpack(data: bytes) -> bytes:
    """Raises UnreadableFile for what grows beyond SITEMAP_MAX_BYTES."""
    if data.startswith(GZIP_MAGIC):
        unpacking = zlib.decompressobj(GZIP_WINDOW)
        try:
            data = unpacking.decompress(data, SITEMAP_MAX_BYTES + 1)
        except zlib.error as error:
            raise UnreadableFile(NO_SITEMAP) from error
    if len(data) > SITEMAP_MAX_BYTES:
        raise UnreadableFile(TOO_LARGE)
    return data


def read_addresses(data: bytes) -> Iterator[Entry]:
    """Raises UnreadableFile."""
    if MARKUP_OPENING.match(data):
        yield from read_xml(data)
    else:
        for line in decode(data).splitlines():
            yield Entry(line.strip())


def read_xml(data: bytes) -> Iterator[Entry]:
    """Yields the addresses; in a file that ends too early, those before its end: pages are found by
    links as well."""
    walk = etree.iterparse(
        io.BytesIO(BARE_AMPERSAND.sub(b"&amp;", data)),
        events=("start", "end"),
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    is_root = True
    try:
        for event, element in walk:
            if is_root:
                is_root = False
                check_root(element)
            if event == "end":
                yield from addresses_of(element)
    except etree.XMLSyntaxError as error:
        if is_root:
            raise UnreadableFile(NO_SITEMAP) from error


def check_root(root: etree._Element) -> None:
    if root.getroottree().docinfo.internalDTD is not None:  # where entity bombs are declared
        raise UnreadableFile(DOCTYPE)
    if local_name(root) not in ROOTS:
        raise UnreadableFile(NO_SITEMAP)


def addresses_of(element: etree._Element) -> Iterator[Entry]:
    """Yields the addresses of an entry and empties it, so that memory does not grow with the
    file."""
    match local_name(element):
        case "url":
            yield entry_of({local_name(each): (each.text or "").strip() for each in element})
        case "sitemap":
            for each in element:
                if local_name(each) == "loc":
                    yield Entry((each.text or "").strip(), is_sitemap=True)
        case "item":
            for each in element:
                if local_name(each) == "link":
                    yield Entry((each.text or "").strip())
        case "entry":
            for each in element:
                if local_name(each) == "link" and each.get("rel", "alternate") == "alternate":
                    yield Entry(each.get("href", "").strip())
        case _:
            return
    forget(element)


def entry_of(fields: Mapping[str, str]) -> Entry:
    priority, changed = fields.get("priority", ""), fields.get("lastmod", "")
    return Entry(
        fields.get("loc", ""),
        priority=float(priority) if PRIORITY_WRITTEN.fullmatch(priority) else PRIORITY,
        changed=changed if CHANGED.fullmatch(changed) else "",
    )


def forget(element: etree._Element) -> None:
    parent = element.getparent()
    element.clear()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]
