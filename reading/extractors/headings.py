"""Follows the headings of a document."""

from reading.extractors.prose import section_path
from reading.passages import Block

DEPTH_MAX = 9  # Word's deepest heading


class HeadingTrail:
    """The headings above the place where the reader is; makes the blocks that stand under them.

    Args:
        is_location: the nearest heading is the place ("section Returns"), for formats without
            pages; before the first one it is "" and the chunker numbers the paragraphs.
        nests_bare: a heading right below another of its depth stands under that: where depths are
            guessed, two in a row are a part and its first chapter.
    """

    def __init__(self, *, is_location: bool = False, nests_bare: bool = False) -> None:
        self._is_location = is_location
        self._nests_bare = nests_bare
        self._headings: list[tuple[int, str]] = []
        self._is_bare = False  # the last heading has nothing under it yet

    def enter(self, heading: str, depth: int) -> Block:
        """The heading's own block; `depth` from 1."""
        is_nested = self._nests_bare and self._is_bare
        self.leave(depth + 1 if is_nested else depth)
        # The title that is repeated on every page is above itself once.
        self._headings = [(other, name) for other, name in self._headings if name != heading]
        self._headings.append((depth, heading))
        self._is_bare = True
        return self._block(heading, is_heading=True)

    def leave(self, depth: int) -> None:
        """Ends the headings of this depth or deeper: the following text is not under them."""
        self._headings = [(other, name) for other, name in self._headings if other < depth]

    def block(self, text: str) -> Block:
        self._is_bare = False
        return self._block(text)

    def _block(self, text: str, *, is_heading: bool = False) -> Block:
        names = [name for _, name in self._headings]
        return Block(
            text,
            location=f"section {names[-1]}" if names and self._is_location else "",
            section_title=section_path(names) if names else "",
            is_heading=is_heading,
        )
