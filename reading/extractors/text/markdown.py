"""Markdown: CommonMark with tables, and with the HTML that people write in it. It is rendered as
its reader sees it, and read as a page is.
"""

from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, reference
from markdown_it.token import Token

from reading.errors import UnreadableFile
from reading.extractors.html.document import read_markup, warnings_of
from reading.extractors.html.source import parse_markup
from reading.extractors.interface import TOO_LARGE, Extraction
from reading.extractors.prose import has_content
from reading.extractors.text.encoding import decode
from reading.extractors.text.front_matter import read_front_matter
from reading.extractors.text.markup import defuse, find_strays

MARKDOWN_MAX_BYTES = 16 * 1024**2  # the parser takes 35 times as much memory
# Of lists and quotes; deeper is no honest document, and the parser's time grows with it
NESTING_MAX = 40
STRAYS = "strays"  # in the parser's environment: names of HTML elements that are text


def extract(data: bytes) -> Extraction:
    if len(data) > MARKDOWN_MAX_BYTES:
        raise UnreadableFile(TOO_LARGE)
    settings, text = read_front_matter(decode(data))
    root = parse_markup(settings + render(text))
    if root is None:
        return Extraction(blocks=())
    blocks, hidden_chars = read_markup(root)
    return Extraction(blocks=blocks, warnings=warnings_of(hidden_chars))


def render(text: str) -> str:
    tokens = PARSER.parse(text)
    strays = find_strays(
        token.content
        for outer in tokens
        for token in (outer, *(outer.children or ()))
        if token.type in ("html_block", "html_inline")
    )
    rendered: str = PARSER.renderer.render(tokens, PARSER.options, {STRAYS: strays})
    return rendered


def make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": NESTING_MAX + 1, "html": True})
    parser.enable(["table", "strikethrough"])
    parser.block.ruler.before("table", "plain_when_deep", read_plain_when_deep)
    parser.block.ruler.at("reference", read_reference)
    for kind in ("html_block", "html_inline"):
        parser.add_render_rule(kind, render_html)
    return parser


def read_plain_when_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Keeps text as lines if it is nested more deeply than the parser goes, which would drop it."""
    if silent or state.level < NESTING_MAX:
        return False
    content = state.getLines(start, end, 0, False)
    if has_content(content):
        state.push("code_block", "code", 0).content = content
    state.line = end
    return True


def read_reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """ "[1]: http://…" is nothing that is read; "[^1]: Ibid." is a footnote."""
    position = state.bMarks[start] + state.tShift[start]
    if state.src.startswith("[^", position):
        return False
    return reference(state, start, end, silent)


def render_html(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, env: Any
) -> str:
    return defuse(tokens[index].content, env[STRAYS])


PARSER = make_parser()
