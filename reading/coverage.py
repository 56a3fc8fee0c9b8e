"""How much of a document was read: counted on the trusted side, from the blocks that came."""

import re
from collections.abc import Sequence

from reading.cutting import count_words
from reading.passages import Block, Coverage

PAGE = re.compile(r"(?:page|slide) \d+")


def measure_coverage(blocks: Sequence[Block], *, pages: int) -> Coverage:
    """`pages`: of the file, with those that have no text."""
    words = words_recognised = 0
    with_text: set[str] = set()
    recognised: set[str] = set()
    for block in blocks:
        count = count_words(block.text)
        words += count
        words_recognised += count * block.is_recognised
        if place := PAGE.match(block.location):
            with_text.add(place[0])
            if block.is_recognised:
                recognised.add(place[0])
    return Coverage(
        pages=max(pages, len(with_text)),
        pages_with_text=len(with_text),
        pages_recognised=len(recognised),
        words=words,
        words_recognised=words_recognised,
    )
