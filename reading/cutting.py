"""Cuts an extracted document into passages. Pure functions; time grows linearly with the text.

A passage is what is found, cited and shown, so it can be read alone and never spans two sections,
pages, slides or rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, dropwhile, groupby

from reading.errors import UnreadableFile
from reading.extractors.prose import SECTION_SEPARATOR, has_content
from reading.passages import (
    PASSAGES_MAX,
    Block,
    ChunkLevel,
    ExtractedDocument,
    Passage,
)
from reading.sentences import iter_sentences
from reading.wording import has_words
from reasons import Reason

WHOLE_MIN_WORDS = 60  # a paragraph from here on is a passage of its own
MERGED_MAX_WORDS = 120  # short neighbours are merged up to here
PASSAGE_MAX_WORDS = 250  # longer paragraphs are split; the embedding reads them in windows
SPLIT_AIM_WORDS = 150
REST_MAX_WORDS = 15  # what is left over of a list joins the passage before it
# Mean over a text; more, and it is a text without spaces, counted by its length
WORD_MAX_CHARS = 12
LABEL_MAX_CHARS = 500  # of a location or section title, as the columns hold
ROW_REPEATS_KEPT = 50
REPEATS_TOLD = 10  # fewer are a line printed twice
NO_WORDS = Reason("no_words_in_file")


@dataclass(frozen=True)
class Numbered:
    """A block and its number among the paragraphs of the document, from 1."""

    block: Block
    number: int

    @property
    def words(self) -> int:
        return count_words(self.block.text)


def chunk_document(document: ExtractedDocument) -> tuple[Passage, ...]:
    """The passages in reading order. Raises UnreadableFile when there are none or more than
    PASSAGES_MAX, or no words are in the document.
    """
    if not has_words(document.blocks):
        raise UnreadableFile(NO_WORDS)
    passages: list[Passage] = []
    for passage in iter_passages(document):
        passages.append(passage)
        # Counted as they come: a file of millions is refused before they fill memory
        if len(passages) > PASSAGES_MAX:
            raise UnreadableFile(Reason("too_many_passages_in_file", limit=PASSAGES_MAX))
    if not passages:
        raise UnreadableFile(Reason("no_text_in_file"))
    return tuple(passages)


def keep_once(passages: Sequence[Passage]) -> tuple[tuple[Passage, ...], tuple[Reason, ...]]:
    """The passages without those that say the same as the one before, and the warning for a
    customer. Of a table's rows ROW_REPEATS_KEPT stay: «¿cuántas sillas hay libres?» counts them."""
    kept: list[Passage] = []
    for _, same in groupby(passages, key=said_by):
        run = list(same)
        kept += run[: ROW_REPEATS_KEPT if run[0].level == ChunkLevel.ROW else 1]
    count = len(passages) - len(kept)
    return tuple(kept), (Reason("repeated_passages", count=count),) if count >= REPEATS_TOLD else ()


def said_by(passage: Passage) -> tuple[str, str]:
    return passage.section_title, passage.text


def iter_passages(document: ExtractedDocument) -> Iterator[Passage]:
    found = groups(document.blocks)
    passages = map(row_passages, found)
    if document.level != ChunkLevel.ROW:
        passages = map(group_passages, join_titles(found))
    for passage in chain.from_iterable(passages):
        if has_content(passage.text):
            yield limit_labels(replace(passage, level=document.level))


def groups(blocks: Sequence[Block]) -> Iterator[list[Numbered]]:
    """Runs of blocks that may share a passage: one section of one page, a heading at most at the
    beginning.
    """
    group: list[Numbered] = []
    number = 0
    for block in blocks:
        number += not block.is_heading
        if group and (block.is_heading or place(block) != place(group[-1].block)):
            yield group
            group = []
        group.append(Numbered(block, number))
    if group:
        yield group


def place(block: Block) -> tuple[str, str, bool]:
    return block.location, block.section_title, block.is_aside


def not_shown(headings: Sequence[Numbered], section: Block) -> list[Numbered]:
    """The headings that the section's title, as it is stored, does not name; each of its names is
    that of one heading, the nearest."""
    names = SECTION_SEPARATOR.join(("", section.section_title[:LABEL_MAX_CHARS], ""))
    missing: list[Numbered] = []
    for item in reversed(headings):
        name = SECTION_SEPARATOR.join(("", item.block.text, ""))
        is_own = place(item.block) == place(section)
        if name not in names or (is_own and is_question(item.block.text)):
            missing.append(item)
        # A name that stands twice in the title stands there for two headings
        names = names.replace(name, 2 * SECTION_SEPARATOR, 1)
    return missing[::-1]


def join_titles(groups: Iterable[list[Numbered]]) -> Iterator[list[Numbered]]:
    """A heading without a text of its own joins what follows it, or what stands before it at the
    end of the document: as a passage, it would be found before any text that speaks of its words.
    Many in a row are a passage.
    """
    joined: list[Numbered] = []
    before: list[Numbered] = []
    for group in groups:
        joined += group
        is_title = len(group) == 1 and group[0].block.is_heading
        if is_title and sum(item.words for item in joined) < WHOLE_MIN_WORDS:
            continue
        if before:
            yield before
        before, joined = joined, []
    if before or joined:
        yield [*before, *joined]


def row_passages(group: Sequence[Numbered]) -> Iterator[Passage]:
    for item in group:
        for text in split_text(item.block.text):
            yield make_passage(text, [item])


def group_passages(group: Sequence[Numbered]) -> Iterator[Passage]:
    """The passages of one section: long paragraphs whole, short neighbours together. Headings that
    its title shows are told by that; its question, and headings that are not shown, stand in the
    first one's text.
    """
    body = list(dropwhile(lambda item: item.block.is_heading, group)) or group
    lead = not_shown(group[: len(group) - len(body)], body[0].block)
    for packed in pack(body):
        text = "\n".join(item.block.text for item in [*lead, *packed]).strip()
        lead = []
        for part in split_text(text):
            yield make_passage(part, packed)


def pack(items: Sequence[Numbered]) -> list[list[Numbered]]:
    """Each inner list becomes a passage (or several when it is one long paragraph)."""
    packed: list[list[Numbered]] = []
    current: list[Numbered] = []
    for item in items:
        if current and not fits(current, item):
            packed.append(current)
            current = []
        current.append(item)
    if current:
        packed.append(current)
    return join_rest(packed)


def fits(current: Sequence[Numbered], item: Numbered) -> bool:
    if item.block.is_heading:
        return True  # a title that joined them
    words = sum(each.words for each in current)
    if current[-1].block.text.endswith(":") and not item.block.text.endswith(":"):
        # What is announced stands with its announcement
        return words + item.words <= PASSAGE_MAX_WORDS
    # Long enough to be found for itself: merged, its vector would be a mean of two topics
    if item.words >= WHOLE_MIN_WORDS or current[-1].words >= WHOLE_MIN_WORDS:
        return False
    return words + item.words <= MERGED_MAX_WORDS


def join_rest(packed: list[list[Numbered]]) -> list[list[Numbered]]:
    """A last bit of a few words joins the merged passage before it; a paragraph that stands whole
    is left alone.
    """
    if (
        len(packed) > 1
        and len(packed[-2]) > 1
        and sum(item.words for item in packed[-1]) <= REST_MAX_WORDS
    ):
        return [*packed[:-2], [*packed[-2], *packed[-1]]]
    return packed


def make_passage(text: str, items: Sequence[Numbered]) -> Passage:
    block = items[0].block
    return Passage(
        text=text,
        location=block.location or numbered_location(items),
        section_title=block.section_title,
        level=ChunkLevel.PARAGRAPH,
    )


def numbered_location(items: Sequence[Numbered]) -> str:
    first, last = max(items[0].number, 1), max(items[-1].number, 1)
    return f"paragraph {first}" if first == last else f"paragraphs {first}–{last}"


def limit_labels(passage: Passage) -> Passage:
    return replace(
        passage,
        location=passage.location[:LABEL_MAX_CHARS],
        section_title=passage.section_title[:LABEL_MAX_CHARS],
    )


def is_question(text: str) -> bool:
    return text.rstrip().endswith("?")


def count_words(text: str) -> int:
    """Words, or what would be words in a text that has no spaces between them."""
    return max(len(text.split()), len(text) // WORD_MAX_CHARS)


def split_text(text: str) -> Iterator[str]:
    """The text whole when it is short enough; else parts of similar length.

    They end with a sentence where possible. Lazy: of a text of millions of words, nobody waits for
    more parts than he takes.
    """
    words = count_words(text)
    if words <= PASSAGE_MAX_WORDS:
        yield text
        return
    # Equal parts: filled to the brim, the last one would be a few words
    aim = math.ceil(words / math.ceil(words / SPLIT_AIM_WORDS))
    part: list[str] = []
    filled = 0
    for piece in pieces(text):
        size = count_words(piece)
        # Half of the piece: the part ends where it is nearest to its aim, before or behind it
        if part and filled + size / 2 > aim:
            yield "".join(part).strip()
            part, filled = [], 0
        part.append(piece)
        filled += size
    yield "".join(part).strip()


def pieces(text: str) -> Iterator[str]:
    """Yields the pieces of a part, with the white space that followed each: sentences; for a
    sentence without end, its words."""
    position = 0
    for sentence in iter_sentences(text):
        end = text.index(sentence, position) + len(sentence)
        # Sentences come without what follows them, and the lines of a list must stay lines
        while end < len(text) and text[end].isspace():
            end += 1
        piece, position = text[position:end], end
        if count_words(piece) <= SPLIT_AIM_WORDS:
            yield piece
        else:
            yield from words_of(piece)


def words_of(sentence: str) -> Iterator[str]:
    longest = SPLIT_AIM_WORDS * WORD_MAX_CHARS
    for word in sentence.split():
        yield from (
            word[start : start + longest] for start in range(0, len(word) - longest, longest)
        )
        yield word[(len(word) - 1) // longest * longest :] + " "
