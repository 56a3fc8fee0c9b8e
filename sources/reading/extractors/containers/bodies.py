"""The text of a message, of which programs send several versions: plain, and laid out in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sources.reading.extractors.html import document
from sources.reading.extractors.text.encoding import BOMS
from sources.reading.extractors.text.plain_text import read_blocks
from sources.reading.passages import Block

# Of the words of the version with most: with fewer, the first says less ("Open this in a browser").
WHOLE_MIN_SHARE = 0.8
UTF8_MARK = next(mark for mark, encoding in BOMS if encoding == "utf-8-sig")

Version = Sequence[Block]


def plain_version(text: str) -> Version:
    return list(read_blocks(text))


def html_version(text: str) -> Version:
    """`text`: decoded as the message says, which is worth more than what the page says of itself.
    What is hidden in it is a preview for the list of messages, or nothing. Raises UnreadableFile.
    """
    return list(document.extract(UTF8_MARK + text.encode("utf-8", errors="replace")).blocks)


def best_version(versions: Iterable[Version]) -> Version:
    """The first, as the simplest, that is as good as whole; () without any."""
    known = list(versions)
    most = max(map(count_words, known), default=0)
    return next((each for each in known if count_words(each) >= WHOLE_MIN_SHARE * most), ())


def count_words(version: Version) -> int:
    return sum(len(block.text.split()) for block in version)


def below(subject: str, version: Version) -> list[Block]:
    """Where it has no headings of its own, the subject is one."""
    return [replace(block, section_title=block.section_title or subject) for block in version]
