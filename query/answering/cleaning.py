"""A language model's text, or a document's, as plain text that does nothing where it is shown.

A model that obeys a document may write what leaks a conversation when it is only shown (an image
whose address holds it), or when it is clicked. So images and HTML go, and so does every address
that stands in no passage.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkLabel
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

PASSES_MAX = 8  # what is left after one removal may be another: <scr<b>ipt>
KEPT_CONTROLS = frozenset("\n\t")
INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})  # with marks that turn the direction of text

# Elements of which the content goes too.
ACTIVE_NAMES = ("script", "style", "iframe", "object", "svg", "math", "template", "noscript")
# A tag as browsers read it, less strictly than Markdown does: <img/src=x>; or the beginning of an
# active element, cut off. This and what follows is bounded: a long line costs no more than its
# length.
TAG = re.compile(
    rf"</?[A-Za-z!?][^<>]{{0,4000}}>|<(?:{'|'.join(ACTIVE_NAMES)})\b[^<>]{{0,4000}}\Z",
    re.IGNORECASE,
)
LOOSE_ADDRESS = re.compile(r"\s?[(\[]")
TAG_NAME = re.compile(r"<(/?)([A-Za-z]+)")
OPEN_MARKUP_CHARS = 3000
OPEN_MARKUP = re.compile(r"(?:<[A-Za-z/!?][^<>]*|\[[^\]\[]{0,1000}|\]\([^()]*)\Z")
OPENING = re.compile(r"(?<!<)<+(?=[A-Za-z/!?])")
# What is left of images and links that are too nested to be read: apart, neither is one.
JOINTS = re.compile(r"(?<=!)(?=\[)|(?<=\])(?=\()")
CITATION = re.compile(r"\[(\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
ADDRESS = re.compile(
    r"""(?<![\w@./-])(?:
        (?:https?|ftps?|wss?|file|tel|sms|whatsapp|tg|intent)://[^\s<>"'`|\\\]]*
      | (?:javascript:|vbscript:|mailto:|data:[\w-]{1,40}/)[^\s<>]+
      | //[\w-]{1,63}\.[^\s<>"'`|\\\]]+
      | www\.[^\s<>"'`|\\\]]+
      | (?:[\w-]{1,63}\.){1,6}[^\W\d_]{2,24}(?:[/?][^\s<>"'`|\\\]]+)
      | (?:[\w-]{1,63}\.){1,6}(?-i:com|net|org|info|io|app|dev|xyz|site|online|top|biz|ru|cn|eu|es)
        (?![\w-])
    )""",
    re.IGNORECASE | re.VERBOSE,
)
SCRIPT = re.compile(r"(?:java|vb)script:", re.IGNORECASE)  # its brackets are no one's
SCHEME = re.compile(r"^(?:(?:https?:)?//)?(?:www\.)?", re.IGNORECASE)
TRAILING = ".,;:!?…)]}»”’*_"
EMPTY_BRACKETS = re.compile(r"\(\s{0,3}\)|\[\s{0,3}\]")
SPACES = re.compile(r"[ \t]{2,}")
SPACE_BEFORE_MARK = re.compile(r"(?<![ \t])[ \t]+(?=[.,;:!?…](?:\s|$))")


def without_invisible(text: str) -> str:
    """Removes control characters except tabs and line ends, and invisible characters: they hide
    words from a reader, and orders in plain sight of a model."""
    return "".join(
        char
        for char in text.replace("\r\n", "\n").replace("\r", "\n")
        if char in KEPT_CONTROLS or unicodedata.category(char) not in INVISIBLE
    )


def make_harmless(text: str) -> str:
    """A document's own words, all of them, that do nothing where they are shown: no tag, no image,
    no link; and [3] as (3), which is none of our marks."""
    text = CITATION.sub(r"(\1)", OPENING.sub("‹", without_invisible(text)))
    return JOINTS.sub(" ", text)


def clean(text: str, given: frozenset[str]) -> str:
    """Plain text. `given`: the addresses that may stand in it (find_addresses)."""
    text = without_invisible(text)
    for _ in range(PASSES_MAX):
        before = text
        text = without_invisible(remove_once(text, given))  # entities may stand for such signs
        if text == before:
            break
    text = SPACE_BEFORE_MARK.sub("", EMPTY_BRACKETS.sub("", text))
    # Last: what goes before may bring together what made no tag and no link apart.
    return SPACES.sub(" ", JOINTS.sub(" ", OPENING.sub("", text))).strip()


def remove_once(text: str, given: frozenset[str]) -> str:
    tokens: list[Token] = []
    for paragraph in MARKDOWN.parse(text):
        if paragraph.type == "inline":
            between = [Token("text", "", 0, content="\n\n")] if tokens else []
            tokens += [*between, *(paragraph.children or ())]
    plain = write_tokens(tokens, given)
    return ADDRESS.sub(lambda address: write_address(address.group(), given), plain)


def write_tokens(tokens: Sequence[Token], given: frozenset[str]) -> str:
    """Writes the text without tags, without the content of active elements and without images; of
    links it keeps what may stay."""
    labels = [""]  # of the links that are open; the first is the whole text
    addresses: list[str] = []
    active = ""  # the element whose content is left out
    for token in tokens:
        if token.type == "html_inline":
            active = active_after(token.content, active)
        elif token.type == "link_open":
            labels.append("")
            addresses.append("" if token.markup == "autolink" else str(token.attrGet("href")))
        elif token.type == "link_close":
            label = labels.pop()
            labels[-1] += write_link(label, addresses.pop(), given)
        elif token.type != "image" and not active:
            labels[-1] += token.content
    return labels[0]


def active_after(tag: str, active: str) -> str:
    """The active element that is open behind this tag; "" when none is."""
    found = TAG_NAME.match(tag)
    name = found[2].lower() if found else ""
    if active:
        return "" if found and found[1] and name == active else active
    return name if found and not found[1] and name in ACTIVE_NAMES else ""


def write_link(label: str, address: str, given: frozenset[str]) -> str:
    """Writes a link as plain text: with its address when that was given, or else its
    words alone."""
    label = label.strip()
    if not address or normal(address) not in given or label == address:
        return f"[{label}]" if label.isdecimal() else label
    return f"{label} ({address})" if label else address


def read_loose_image(state: StateInline, silent: bool) -> bool:
    """A rule of markdown-it for an image that only some programs would read, with a space before
    its address, or the name of an address that comes later. The label is dropped; the rest is read
    on."""
    if not state.src.startswith("![", state.pos):
        return False
    end = parseLinkLabel(state, state.pos + 1, False)
    if end < 0 or not LOOSE_ADDRESS.match(state.src, end + 1):
        return False
    if not silent:
        state.push("image", "", 0)
    state.pos = end + 1
    return True


def read_loose_tag(state: StateInline, silent: bool) -> bool:
    """A rule of markdown-it that reads TAG as a token of its own."""
    found = TAG.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("html_inline", "", 0).content = found[0]
    state.pos = found.end()
    return True


class ActiveMarkdown(MarkdownIt):
    """Reads what does something where it is shown, and leaves the rest as it was written: `**`, a
    list's marks and line ends are text. Reads every link, whatever its scheme."""

    def __init__(self) -> None:
        super().__init__("zero", {"html": True})
        self.enable(["reference", "link", "image", "autolink", "html_inline", "entity"])
        self.inline.ruler.after("html_inline", "loose_tag", read_loose_tag)
        self.inline.ruler.after("image", "loose_image", read_loose_image)

    def validateLink(self, url: str) -> bool:
        return True

    def normalizeLink(self, url: str) -> str:
        return url

    def normalizeLinkText(self, link: str) -> str:
        return link


MARKDOWN = ActiveMarkdown()


def write_address(written: str, given: frozenset[str]) -> str:
    bare = written.rstrip(TRAILING)
    if normal(bare) in given:
        return written
    return "" if SCRIPT.match(written) else written[len(bare) :]


def find_addresses(texts: Iterable[str]) -> frozenset[str]:
    """Whole addresses in the texts, and their hosts alone. An address with a query string added is
    another one."""
    found = {normal(match.group()) for text in texts for match in ADDRESS.finditer(text)}
    return frozenset(found | {address.partition("/")[0] for address in found})


def normal(address: str) -> str:
    return SCHEME.sub("", address.rstrip(TRAILING)).rstrip("/").lower()


def has_open_markup(text: str) -> bool:
    """Tells whether `text` ends within a tag, an active element or a link, which must be read
    whole."""
    lowered = text.lower()
    if any(lowered.rfind(f"<{name}") > lowered.rfind(f"</{name}") for name in ACTIVE_NAMES):
        return True
    return OPEN_MARKUP.search(text[-OPEN_MARKUP_CHARS:]) is not None
