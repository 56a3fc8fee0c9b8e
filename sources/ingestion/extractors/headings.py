"""Follows the headings of a document."""

from sources.ingestion.extractors.text import section_path
from sources.ingestion.passages import Block

DEPTH_MAX = 9  # Word's deepest heading


class HeadingTrail:
    """The headings above the place where the reader is; makes the blocks that stand under them."""

    def __init__(self) -> None:
        self._headings: list[str] = []

    def enter(self, heading: str, depth: int) -> Block:
        """The heading's own block; `depth` from 1. A skipped depth ("Heading 1", "Heading 3")
        leaves a gap.
        """
        depth = min(max(depth, 1), DEPTH_MAX)
        above = self._headings[: depth - 1]
        self._headings = [*above, *[""] * (depth - 1 - len(above)), heading]
        return self.block(heading, is_heading=True)

    def block(self, text: str, *, is_heading: bool = False) -> Block:
        """A block of the current section; before the first heading it has no location and the
        chunker numbers it.
        """
        if not self._headings:
            return Block(text)
        return Block(
            text,
            location=f"section {self._headings[-1]}",
            section_title=section_path(self._headings),
            is_heading=is_heading,
        )
