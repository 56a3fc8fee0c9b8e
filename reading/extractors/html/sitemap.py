"""Sitemaps and what is offered in their place: indexes of sitemaps, lists of addresses, feeds.

No blocks; facts `urls` (of pages) and `sitemaps` (to be read next), both as they stand in the file,
in its order, each once. https://www.sitemaps.org/protocol.html, RSS 2.0, RFC 4287 (Atom).
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator

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
NO_SITEMAP = Reason("not_a_sitemap")
DOCTYPE = Reason("sitemap_with_doctype")


def extract(data: bytes) -> Extraction:
    data = unpack(data)
    urls: dict[str, None] = {}
    sitemaps: dict[str, None] = {}
    for address, is_sitemap in read_addresses(data):
        if len(address) <= ADDRESS_MAX_CHARS and ADDRESS.fullmatch(address):
            (sitemaps if is_sitemap else urls)[address] = None
        if len(urls) >= URLS_MAX or len(sitemaps) >= SITEMAPS_MAX:
            break
    return Extraction(blocks=(), facts={"urls": list(urls), "sitemaps": list(sitemaps)})


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


def read_addresses(data: bytes) -> Iterator[tuple[str, bool]]:
    """(address, whether another sitemap is there). Raises UnreadableFile."""
    if MARKUP_OPENING.match(data):
        yield from read_xml(data)
    else:
        for line in decode(data).splitlines():
            yield line.strip(), False


def read_xml(data: bytes) -> Iterator[tuple[str, bool]]:
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


def addresses_of(element: etree._Element) -> Iterator[tuple[str, bool]]:
    """Yields the addresses of an entry and empties it, so that memory does not grow with the
    file."""
    match local_name(element):
        case "url" | "sitemap" as name:
            for each in element:
                if local_name(each) == "loc":
                    yield (each.text or "").strip(), name == "sitemap"
        case "item":
            for each in element:
                if local_name(each) == "link":
                    yield (each.text or "").strip(), False
        case "entry":
            for each in element:
                if local_name(each) == "link" and each.get("rel", "alternate") == "alternate":
                    yield each.get("href", "").strip(), False
        case _:
            return
    forget(element)


def forget(element: etree._Element) -> None:
    parent = element.getparent()
    element.clear()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]
