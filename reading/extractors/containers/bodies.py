"""The text of a message, of which programs send several versions: plain, and laid out in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lxml import etree

from reading.extractors.containers.threads import (
    QUOTE_BEGINS,
    QUOTE_ENDS,
    aside,
    locate_blocks,
    split_text,
)
from reading.extractors.html.document import read_markup
from reading.extractors.html.source import parse_html
from reading.extractors.text.encoding import BOMS
from reading.extractors.text.plain_text import read_blocks
from reading.passages import Block

# Of the words of the version with most: with fewer, the first says less ("Open this in a browser").
WHOLE_MIN_SHARE = 0.8
UTF8_MARK = next(mark for mark, encoding in BOMS if encoding == "utf-8-sig")

Version = Sequence[Block]


def plain_version(text: str) -> Version:
    version: list[Block] = []
    for location, part in split_text(text):
        blocks = read_blocks(part)
        version += (aside(block, location) for block in blocks) if location else blocks
    return version


def html_version(text: str, *, is_page: bool = False) -> Version:
    """`text`: decoded as the message says, which is worth more than what the page says of itself.
    Its title is that of a template, and what it hides is for the list of messages: a beginning.
    `is_page`: a page that was saved as a message, where a quote is not an earlier message.
    Raises UnreadableFile."""
    root = parse_html(UTF8_MARK + text.encode("utf-8", errors="replace"))
    if root is None:
        return ()
    etree.strip_elements(root, "title", with_tail=False)
    if not is_page:
        mark_quotes(root)
    blocks, _hidden_chars = read_markup(root)
    return list(blocks) if is_page else locate_blocks(list(blocks))


def mark_quotes(root: etree._Element) -> None:
    for quote in list(root.iter("blockquote")):
        begin, end = etree.Element("p"), etree.Element("p")
        begin.text, end.text = QUOTE_BEGINS, QUOTE_ENDS
        begin.tail, quote.text = quote.text, None
        quote.insert(0, begin)
        quote.append(end)


def best_version(versions: Iterable[Version]) -> Version:
    """The first, as the simplest, that is as good as whole; () without any."""
    known = list(versions)
    most = max(map(count_words, known), default=0)
    return next((each for each in known if count_words(each) >= WHOLE_MIN_SHARE * most), ())


def count_words(version: Version) -> int:
    return sum(len(block.text.split()) for block in version)


def below(subject: str, version: Version) -> list[Block]:
    """The blocks under the subject, which is the heading of those without one of their own."""
    return [replace(block, section_title=block.section_title or subject) for block in version]
