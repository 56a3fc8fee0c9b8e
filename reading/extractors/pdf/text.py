"""Running text of a PDF: which lines make a paragraph, which are headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from reading.extractors.headings import HeadingTrail
from reading.extractors.pdf.layout import HYPHENS, Line
from reading.extractors.prose import clean, has_content
from reading.passages import Block

LARGER_SHARE = 1.15  # of the body's height: a heading
LEVEL_MIN_PAGES = 2  # a height that stands on one page is its title's, not a level of headings
HEADING_MAX_WORDS = 16
HEADING_MAX_LINES = 3
HEADING_MIN_LETTERS = 3
# "5. Delivery." is a heading, a longer bold line with a full stop is a sentence.
SENTENCE_HEADING_MAX_WORDS = 6
PARAGRAPH_GAP_SHARE = 1.25  # of the usual distance between lines
DEFAULT_LEADING_SHARE = 1.35  # of the line's height
LEADING_MAX_SHARE = 2.0
SHORT_LINE_SHARE = 0.8  # of the width: a shorter line that ends a sentence ends its paragraph
BULLET = re.compile(r"^\s*(?:[•·▪●○■□–—➢✓*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
LONE_MARK = re.compile(r"^\(?\d{1,3}[.)]?$")  # of a footnote or a list, without its text
# A word, but for one that is divided by the end of a line.
LETTERS = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?![-\ufffe\x02]$)")
DIVIDED_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]++)-$")
WORD_MAX_CHARS = 50
CLOSING_QUOTES = "\"'”’»)"


@dataclass(frozen=True)
class Typography:
    """The usual properties of a document: the height of its text in points, the distance between
    lines of a paragraph as a share of their height, the heights of its headings (largest first),
    its words in lower case, whether most of its text is bold (then bold does not mark a heading).
    """

    body_height: int
    leading_share: float
    heading_heights: tuple[int, ...]
    words: frozenset[str]
    is_bold: bool

    def is_larger(self, line: Line) -> bool:
        return line.height >= LARGER_SHARE * self.body_height

    def depth_of(self, line: Line) -> int:
        """The depth of a heading: 1 for the largest; those of the body's height are the deepest."""
        heights = enumerate(self.heading_heights, start=1)
        lowest = len(self.heading_heights) + 1
        return next((rank for rank, height in heights if round(line.height) == height), lowest)


def measure(pages: Sequence[Sequence[Line]]) -> Typography:
    """The typography, measured from the lines of each page."""
    lines = [line for page in pages for line in page]
    body = body_height_of(lines)
    occurrences = Counter(
        height for page in pages for height in {round(line.height) for line in page}
    )
    levels = [
        height
        for height, count in occurrences.items()
        if height >= LARGER_SHARE * body and count >= LEVEL_MIN_PAGES
    ]
    return Typography(
        body_height=body,
        leading_share=usual_leading_share(lines),
        heading_heights=tuple(sorted(levels, reverse=True)),
        words=frozenset(word.lower() for line in lines for word in LETTERS.findall(line.text)),
        is_bold=mostly_bold(lines),
    )


def body_height_of(lines: Sequence[Line]) -> int:
    """The height in which most of the text stands."""
    letters: Counter[int] = Counter()
    for line in lines:
        letters[round(line.height)] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 1


def mostly_bold(lines: Sequence[Line]) -> bool:
    bold = sum(len(line.text) for line in lines if line.is_bold)
    return bold * 2 > sum(len(line.text) for line in lines)


def usual_leading_share(lines: Sequence[Line]) -> float:
    """The usual share, from lines of text that surely go on in the next one."""
    shares = [
        (line.baseline - following.baseline) / line.height
        for line, following in pairwise(lines)
        if len(line.cells) == 1 and not ends_sentence(line.text) and following.text[:1].islower()
    ]
    usual = [share for share in shares if 0 < share < LEADING_MAX_SHARE]
    return median(usual) if usual else DEFAULT_LEADING_SHARE


def read_text(
    lines: Sequence[Line], typography: Typography, trail: HeadingTrail
) -> Iterator[Block]:
    """Lone marks that follow one another (the numbers on an axis) are one block."""
    marks: list[str] = []
    for paragraph in paragraphs(lines, typography):
        text = join_paragraph(paragraph, typography.words)
        if LONE_MARK.match(text):
            marks.append(text)
            continue
        if marks:
            yield trail.block(" ".join(marks))
            marks = []
        if not has_content(text):
            continue
        if is_heading(paragraph, text, typography):
            yield trail.enter(text, typography.depth_of(paragraph[0]))
        else:
            yield trail.block(text)
    if marks:
        yield trail.block(" ".join(marks))


def paragraphs(lines: Sequence[Line], typography: Typography) -> Iterator[list[Line]]:
    width = max((line.right - line.left for line in lines), default=0.0)
    group: list[Line] = []
    for line in lines:
        if group and begins_paragraph(group[-1], line, typography=typography, width=width):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def begins_paragraph(last: Line, line: Line, *, typography: Typography, width: float) -> bool:
    distance = last.baseline - line.baseline
    leading = typography.leading_share * max(last.height, line.height)
    if distance > PARAGRAPH_GAP_SHARE * leading or distance < -0.5 * line.height:
        return True
    if abs(line.height - last.height) > 1 or line.is_bold != last.is_bold:
        return True
    if BULLET.match(line.text):
        return True
    return ends_sentence(last.text) and last.right - last.left < SHORT_LINE_SHARE * width


def ends_sentence(text: str) -> bool:
    return text.rstrip(CLOSING_QUOTES).endswith((".", "!", "?", ":"))


def join_paragraph(lines: Sequence[Line], words: frozenset[str]) -> str:
    """The lines as one text: a word that was divided at the end of a line is whole again."""
    parts = [lines[0].text]
    for line in lines[1:]:
        last = parts[-1]
        if last.endswith(HYPHENS):
            last = f"{last.rstrip(''.join(HYPHENS))}-"
        divided, following = DIVIDED_WORD.search(last[-WORD_MAX_CHARS:]), LETTERS.match(line.text)
        if divided and following and following.group()[0].islower():
            is_compound = is_compound_word(divided.group(1), following.group(), words)
            parts[-1] = last if is_compound else last[:-1]
        else:
            parts[-1] = f"{last} "
        parts.append(line.text)
    return clean("".join(parts))


def is_compound_word(left: str, right: str, words: frozenset[str]) -> bool:
    """True if the hyphen at a line's end belongs to the word: its parts are words, the whole is
    not."""
    left, right = left.lower(), right.lower()
    return left + right not in words and left in words and right in words


def is_heading(lines: Sequence[Line], text: str, typography: Typography) -> bool:
    words = len(text.split())
    if words > HEADING_MAX_WORDS or len(lines) > HEADING_MAX_LINES or text.endswith((",", ";")):
        return False
    if sum(map(str.isalpha, text)) < HEADING_MIN_LETTERS:
        return False
    if not typography.is_bold and all(line.is_bold for line in lines):
        return words <= SENTENCE_HEADING_MAX_WORDS or not text.endswith(".")
    return typography.is_larger(lines[0]) and not text.endswith(".") and not BULLET.match(text)
