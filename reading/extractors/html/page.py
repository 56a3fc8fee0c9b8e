"""Web pages: what they say without the furniture around it, and what a crawler has to know of them.

Facts of a page, lists of texts: `title`, `text_chars` (of the content), `scripts` (their number),
one each; `canonical`, `base`, `language`, `refresh`, one or none; `robots`, `links`, `markers`
(markers.py).
"""

from lxml import etree

from reading.extractors.html import facts as facts
from reading.extractors.html.blocks import BlockWriter
from reading.extractors.html.boxes import build_boxes
from reading.extractors.html.content import choose_content
from reading.extractors.html.document import warnings_of
from reading.extractors.html.markers import read_markers
from reading.extractors.html.source import parse_html
from reading.extractors.interface import Extraction

THIN_MAX_CHARS = 200  # of a page that only leads to others
OPENING_BYTES = 512 * 1024  # where a bot protection leaves its marks


def extract(data: bytes) -> Extraction:
    page = parse_html(data)
    if page is None:
        page = etree.Element("html")
    boxes, hidden_chars = build_boxes(page)
    content = choose_content(boxes)
    return Extraction(
        blocks=BlockWriter(content.leaves_out).write(content.boxes),
        warnings=warnings_of(hidden_chars),
        facts=read_facts(page, data, text_chars=content.chars),
    )


def read_facts(page: etree._Element, data: bytes, *, text_chars: int) -> dict[str, list[str]]:
    opening = data[:OPENING_BYTES].decode("latin-1")
    return {
        "title": [facts.read_title(page)],
        "canonical": facts.read_canonical(page),
        "base": facts.read_base(page),
        "robots": facts.read_robots(page),
        "refresh": facts.read_refresh(page),
        "links": facts.read_links(page, is_thin=text_chars < THIN_MAX_CHARS),
        "text_chars": [str(text_chars)],
        "scripts": [str(sum(1 for _ in page.iter("script")))],
        "markers": read_markers(page, source=opening, text_chars=text_chars),
        "language": facts.read_language(page),
    }
