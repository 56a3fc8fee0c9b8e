"""A language model's text, or a document's, as plain text that does nothing where it is shown.

A model that obeys a document may write what leaks a conversation when it is only shown (an image
whose address holds it), or when it is clicked. So images and HTML go, and so does every address
that stands in no passage.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

PASSES_MAX = 8  # what is left after one removal may be another: <scr<b>ipt>
KEPT_CONTROLS = frozenset("\n\t")
INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})  # with marks that turn the direction of text

# All are bounded: a long line costs no more than its length.
AUTOLINK = re.compile(r"<(https?://[^>\s]{1,2000})>")
ACTIVE_NAMES = ("script", "style", "iframe", "object", "svg", "math", "template", "noscript")
ACTIVE_ELEMENT = re.compile(
    rf"<({'|'.join(ACTIVE_NAMES)})\b.*?(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
TAG = re.compile(r"</?[A-Za-z!?][^<>]{0,4000}>")
OPEN_MARKUP_CHARS = 3000
OPEN_MARKUP = re.compile(r"(?:<[A-Za-z/!?][^<>]*|\[[^\]\[]{0,1000}|\]\([^()]*)\Z")
OPENING = re.compile(r"<+(?=[A-Za-z/!?])")
IMAGE = re.compile(
    r"!\[[^\]\[]{0,1000}\]\s?"
    r"(?:\([^()]{0,3000}(?:\([^()]{0,500}\)[^()]{0,500})?\)|\[[^\]\[]{0,300}\])"
)
LINK = re.compile(
    r"\[([^\]\[]{0,1000})\]"
    r"\(\s{0,3}<?([^()\s>]{0,3000}(?:\([^()\s]{0,500}\))?)>?(?:\s[^()]{0,500})?\)"
)
# What is left of images and links that are too nested to be read: apart, neither is one.
JOINTS = re.compile(r"(?<=!)(?=\[)|(?<=\])(?=\()")
CITATION = re.compile(r"\[(\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]*\S+[^\n]*$", re.MULTILINE)
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
SPACE_BEFORE_MARK = re.compile(r"[ \t]+(?=[.,;:!?…](?:\s|$))")


def without_invisible(text: str) -> str:
    """Without control characters but tabs and line ends, and without characters that nobody sees:
    they hide words from a reader, and orders in plain sight of a model."""
    return "".join(
        char
        for char in text.replace("\r\n", "\n").replace("\r", "\n")
        if char in KEPT_CONTROLS or unicodedata.category(char) not in INVISIBLE
    )


def inert(text: str) -> str:
    """A document's own words, all of them, that do nothing where they are shown: no tag, no image,
    no link; and [3] as (3), which is none of our marks."""
    text = CITATION.sub(r"(\1)", OPENING.sub("‹", without_invisible(text)))
    return JOINTS.sub(" ", text)


def clean(text: str, given: frozenset[str]) -> str:
    """Plain text. `given`: the addresses that may stand in it (find_addresses)."""
    text = without_invisible(text)
    for _ in range(PASSES_MAX):
        before = text
        text = remove_once(text, given)
        if text == before:
            break
    text = SPACE_BEFORE_MARK.sub("", EMPTY_BRACKETS.sub("", text))
    # Last: what goes before may bring together what made no tag and no link apart.
    return SPACES.sub(" ", JOINTS.sub(" ", OPENING.sub("", text))).strip()


def remove_once(text: str, given: frozenset[str]) -> str:
    text = AUTOLINK.sub(r"\1", text)
    text = COMMENT.sub("", ACTIVE_ELEMENT.sub("", text))
    text = TAG.sub("", text)
    text = IMAGE.sub("", text)
    text = LINK.sub(lambda link: keep_link(link, given), text)
    text = DEFINITION.sub("", text)
    return ADDRESS.sub(lambda address: keep_address(address.group(), given), text)


def keep_link(link: re.Match[str], given: frozenset[str]) -> str:
    """The words alone where the address is not given; as text where it is: no markup is left."""
    label, address = link.group(1).strip(), link.group(2)
    if normal(address) not in given or label == address:
        return f"[{label}]" if label.isdecimal() else label
    return f"{label} ({address})" if label else address


def keep_address(written: str, given: frozenset[str]) -> str:
    bare = written.rstrip(TRAILING)
    if normal(bare) in given:
        return written
    return "" if SCRIPT.match(written) else written[len(bare) :]


def find_addresses(texts: Iterable[str]) -> frozenset[str]:
    """Whole addresses, and their hosts alone: one with a query string behind is another."""
    found = {normal(match.group()) for text in texts for match in ADDRESS.finditer(text)}
    return frozenset(found | {address.partition("/")[0] for address in found})


def normal(address: str) -> str:
    return SCHEME.sub("", address.rstrip(TRAILING)).rstrip("/").lower()


def has_open_markup(text: str) -> bool:
    """Whether `text` ends within a tag, an active element or a link, which must be read whole."""
    lowered = text.lower()
    if any(lowered.rfind(f"<{name}") > lowered.rfind(f"</{name}") for name in ACTIVE_NAMES):
        return True
    return OPEN_MARKUP.search(text[-OPEN_MARKUP_CHARS:]) is not None
