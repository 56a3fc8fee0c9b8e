"""The values that pass between the steps of ingestion: extract → chunk → embed → index.

Importable without Django: extractors run in a process that has none (confinement/server.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

from reasons import Reason

# of one document, whose text is held in memory while it is indexed; a person can split it
PASSAGES_MAX = 50_000
# Of one file that holds files. All of them stand in memory once, in the process that reads it and
# in the one that reads them.
MEMBERS_MAX = 500
MEMBERS_MAX_BYTES = 80 * 1024 * 1024
MEMBER_MAX_BYTES = 50 * 1024 * 1024  # as an upload's
# Locations of the parts of a message that are not what its writer says now; a number follows
# that of earlier messages: 1 is the one that was answered, 2 the one that this had answered
MESSAGE_HEADER = "message header"
EARLIER_MESSAGE = "earlier message"
MESSAGE_SIGNATURE = "signature"
MESSAGE_NOTICE = "legal notice"


class ChunkLevel(StrEnum):
    """How a text is cut; chosen by the kind of file, never configured."""

    PARAGRAPH = "paragraph"
    SECTION = "section"
    ROW = "row"


@dataclass(frozen=True)
class Block:
    """The smallest piece that an extractor tells apart: a paragraph, a list item, a table row, a
    slide's text.

    `location` is a true locator ("page 3", "slide 2", "sheet Prices, row 12"); "" where the format
    has none, then the chunker numbers. `section_title` is the nearest heading above, "" when there
    is none. A heading is a block too (`is_heading`), so that a chunker can keep it with what
    follows. `is_recognised`: it was read by OCR, or out of speech, which may have misread it.
    `is_aside`: a footnote, which belongs to no section and shares no passage with one.
    """

    text: str
    location: str = ""
    section_title: str = ""
    is_heading: bool = False
    is_recognised: bool = False
    is_aside: bool = False

    def at(self, location: str) -> Self:
        return replace(self, location=location)


@dataclass(frozen=True)
class Member:
    """A file within a file: an entry of an archive, an attachment. `name`: with its folders, as it
    stands there. `refusal`: why it was not taken out, for the customer; then it has no content.
    """

    name: str
    content: bytes = b""
    refusal: Reason | None = None


@dataclass(frozen=True)
class Coverage:
    """How much of a document was read, and how: its pages or slides (0 where its format has none),
    those with text, those of which some was recognised; its words, and those that were recognised
    (by OCR, or out of speech).
    """

    pages: int = 0
    pages_with_text: int = 0
    pages_recognised: int = 0
    words: int = 0
    words_recognised: int = 0


@dataclass(frozen=True)
class ExtractedDocument:
    """The content of a file, in reading order. `warnings` tell a customer what was not read and
    why; empty if nothing was lost. `facts`: further values of the file, under its
    extractor's names. `members`: the files in it, each to be read by itself."""

    title: str
    blocks: tuple[Block, ...]
    level: ChunkLevel
    warnings: tuple[Reason, ...] = ()
    coverage: Coverage = Coverage()
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    members: tuple[Member, ...] = ()


@dataclass(frozen=True)
class Passage:
    """A chunk before it is stored. `text` can be read alone: a table row carries its headers."""

    text: str
    location: str
    section_title: str
    level: ChunkLevel


@dataclass(frozen=True)
class ReadDocument:
    """A document that was read and cut, ready to be embedded and indexed.

    `content_hash` is of the bytes that it was read from (SHA-256, hex). `etag` and `last_modified`
    are what its origin said, to be sent back with the next request for it; "" when it said nothing.
    `place`: where it lies, as people read it, its own name included ("Handbook / Rates.pdf"), and
    `link`: where they open it; "" where its external id says both. `warnings` and `coverage` as in
    ExtractedDocument.
    """

    title: str
    external_id: str
    content_type: str
    content_hash: str
    passages: tuple[Passage, ...]
    warnings: tuple[Reason, ...] = ()
    coverage: Coverage = Coverage()
    etag: str = ""
    last_modified: str = ""
    place: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """The facts about a document beside its text. They may change without it: it was renamed,
    moved, or saved again as it was. The fields are those of ReadDocument."""

    title: str
    etag: str = ""
    last_modified: str = ""
    place: str = ""
    link: str = ""
