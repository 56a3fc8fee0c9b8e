"""Indexes parts that a website repeats on its pages (a slogan, opening hours) only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from reading.passages import Block

PAGES_MIN = 5  # of fewer pages, nobody can tell what is the website's and what the page's
REPEATED_SHARE = 0.5  # of the pages, and more

Blocks = tuple[Block, ...]


def fold_repeats(pages: Sequence[Blocks]) -> list[Blocks]:
    """The blocks of each page without those that stand on more than half of all pages; the first
    page that has one keeps it. A page that would be left without text stays whole.
    """
    counts = Counter(key for blocks in pages for key in {key_of(block) for block in blocks})
    repeated = {key for key, count in counts.items() if count > REPEATED_SHARE * len(pages)}
    if len(pages) < PAGES_MIN or not repeated:
        return list(pages)
    folded, told = [], set[str]()
    for blocks in pages:
        keys = {key_of(block) for block in blocks}
        folded.append(without(blocks, repeated & told))
        told |= keys
    return folded


def key_of(block: Block) -> str:
    return " ".join(block.text.casefold().split())


def without(blocks: Blocks, repeated: set[str]) -> Blocks:
    kept = [block for block in blocks if block.is_heading or key_of(block) not in repeated]
    if not any(not block.is_heading for block in kept):
        return blocks
    return tuple(without_empty_headings(kept, repeated))


def without_empty_headings(blocks: Sequence[Block], repeated: set[str]) -> Iterable[Block]:
    """A repeated heading goes with what stood below it."""
    for number, block in enumerate(blocks):
        is_empty = number + 1 == len(blocks) or blocks[number + 1].is_heading
        if not (block.is_heading and is_empty and key_of(block) in repeated):
            yield block
