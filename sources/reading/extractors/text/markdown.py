"""Markdown: CommonMark with tables."""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.headings import HeadingTrail
from sources.reading.extractors.interface import TOO_LARGE, Extraction
from sources.reading.extractors.prose import clean, clean_lines, has_content, row_text
from sources.reading.extractors.text.encoding import decode
from sources.reading.passages import Block

MARKDOWN_MAX_BYTES = 16 * 1024**2  # the parser takes 35 times as much memory
# Of lists and quotes; deeper is no honest document, and the parser's time grows with it
NESTING_MAX = 40
# YAML between two lines of dashes at the very beginning: settings of a site generator, not text.
# Possessive (*+): a line matches in several ways, and without an end all of them would be tried.
FRONT_MATTER = re.compile(
    r"\A---[ \t]*\r?\n(?:[\w-]+[ \t]*:.*\r?\n|[ \t]+.*\r?\n|-[ \t].*\r?\n|#.*\r?\n)*+---[ \t]*\r?\n"
)
PARSER = MarkdownIt("commonmark", {"maxNesting": NESTING_MAX, "html": True}).enable(
    ["table", "strikethrough"]
)


def extract(data: bytes) -> Extraction:
    if len(data) > MARKDOWN_MAX_BYTES:
        raise UnreadableFile(TOO_LARGE)
    text = FRONT_MATTER.sub("", decode(data), count=1)
    return Extraction(blocks=read_blocks(PARSER.parse(text)))


def read_blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    trail = HeadingTrail(is_location=True)
    lists: list[
        int | None
    ] = []  # of each open list the next item's number, None when it has bullets
    mark = ""  # "2. " for the first paragraph of a numbered item
    index = 0
    while index < len(tokens):
        token = tokens[index]
        match token.type:
            case "heading_open":
                heading = clean(inline_text(tokens[index + 1]))
                if has_content(heading):
                    yield trail.enter(heading, int(token.tag[1:]))
                index += 1  # its inline token
            case "bullet_list_open":
                lists.append(None)
            case "ordered_list_open":
                lists.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                lists.pop()
            case "list_item_open":
                mark = next_mark(lists)
            case "inline":
                if has_content(text := clean_lines(inline_text(token))):
                    yield trail.block(mark + text)
                    mark = ""
            case "fence" | "code_block":
                if has_content(text := clean_lines(token.content)):
                    yield trail.block(text)
            case "table_open":
                end = closing_index(tokens, index)
                for row in read_table(tokens[index:end]):
                    yield trail.block(row)
                index = end
        index += 1


def next_mark(lists: list[int | None]) -> str:
    """Numbers the item that begins in the innermost list."""
    number = lists[-1]
    if number is None:
        return "- "
    lists[-1] = number + 1
    return f"{number}. "


def closing_index(tokens: Sequence[Token], index: int) -> int:
    level = tokens[index].level
    return next(
        position
        for position in range(index + 1, len(tokens))
        if tokens[position].type == "table_close" and tokens[position].level == level
    )


def read_table(tokens: Sequence[Token]) -> Iterator[str]:
    """Each row of the body with the names of its columns."""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(clean(inline_text(token)))
    header, *body = rows
    for row in body or [header]:
        if has_content(text := row_text(header, row) if body else "; ".join(row)):
            yield text


def inline_text(token: Token) -> str:
    """What a reader sees: the text of links, the description of images, no marks, no HTML tags."""
    return "".join(child_text(child) for child in token.children or ())


def child_text(child: Token) -> str:
    match child.type:
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
        case "image":
            return inline_text(child)
        case "html_inline":
            return "\n" if child.content.lower().startswith("<br") else ""
        case _:
            return child.content
