"""Parses the bytes of a page to its tree of elements."""

import re
from types import MappingProxyType

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.interface import TOO_LARGE
from reading.extractors.text.encoding import BOMS, decode, is_mostly_utf8
from reasons import Reason

HTML_MAX_BYTES = 32 * 1024**2  # the largest honest page is a book of a few megabytes
TAGS_MAX = 2_000_000  # opening and closing ones; an element takes 500 bytes until it is text
DECLARATION_WITHIN = 8 * 1024  # where a page names its encoding: browsers look at 1024 bytes
DECLARATION = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})"""
    rb"""|^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{2,40})["']""",
    re.IGNORECASE,
)
# WHATWG Encoding Standard, 4.2: these labels mean Windows-1252 on the web
WINDOWS_1252 = re.compile(
    r"(?:iso-?8859-?1|iso_8859-1|latin-?1|l1|(?:us-)?ascii|cp-?1252|x-cp1252|windows-1252)(?::\d+)?"
)
# Other encodings of that standard which Python knows. A list, because Python also knows codecs that
# are no encodings (zip).
ENCODINGS = re.compile(
    r"iso-?8859-?(?:[2-8]|1[03456])|(?:windows-|cp)125[013-8]|windows-874|koi8-[ru]|macintosh"
    r"|ibm866|cp866|gb18030|euc-jp|iso-2022-jp"
)
# Labels that mean, on the web, more characters than their own standard has
WIDER = MappingProxyType(
    {
        **dict.fromkeys(("gb2312", "gbk", "x-gbk", "gb_2312-80"), "gb18030"),
        **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
        **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "windows-949"), "cp949"),
        **dict.fromkeys(("big5", "big5-hkscs", "x-x-big5"), "big5hkscs"),
        **dict.fromkeys(("iso-8859-9", "iso8859-9", "latin5"), "cp1254"),
        **dict.fromkeys(("iso-8859-11", "tis-620"), "cp874"),
        **dict.fromkeys(("iso-8859-8-i", "logical"), "cp1255"),
        "x-mac-cyrillic": "mac_cyrillic",
    }
)
HEAD_TAGS = frozenset(
    {
        "base",
        "basefont",
        "bgsound",
        "link",
        "meta",
        "noscript",
        "script",
        "style",
        "template",
        "title",
    }
)
# What stands behind them belongs to the page all the same, and the parser would drop it.
EARLY_ENDS = re.compile(r"</(?:body|html)\s*>|\0", re.IGNORECASE)
# XHTML, of which "<script/>" and "<title/>" are whole elements: to a parser of HTML, all that
# follows is in them. Possessive: time stays linear.
XHTML = re.compile(r"\s*(?:<\?xml\b|<!DOCTYPE[^>]{0,200}?XHTML)", re.IGNORECASE)
EMPTY_ELEMENT = re.compile(
    r"<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    r"[a-z][\w:-]*+)([^<>]*+)(?<=/)>",
    re.IGNORECASE,
)
TOO_DEEP = Reason("page_nested_too_deep")


def parse_html(data: bytes) -> etree._Element | None:
    """The root; None when there is nothing. Raises UnreadableFile."""
    if len(data) > HTML_MAX_BYTES or data.count(b"<") > TAGS_MAX:
        raise UnreadableFile(TOO_LARGE)
    text = decode_html(data)
    return parse_markup(end_empty_elements(text) if XHTML.match(text) else text)


def end_empty_elements(text: str) -> str:
    return EMPTY_ELEMENT.sub(ended, text)


def ended(element: re.Match[str]) -> str:
    """ "<title/>" with an end of its own."""
    name, rest = element.groups()
    return f"<{name}{rest[:-1]}></{name}>"


def parse_markup(text: str) -> etree._Element | None:
    """The tree of a text, as `parse_html` makes it of bytes."""
    if len(text) > HTML_MAX_BYTES or text.count("<") > TAGS_MAX:
        raise UnreadableFile(TOO_LARGE)
    text = EARLY_ENDS.sub("", text)
    if not text.strip():
        return None
    parser = etree.HTMLParser(
        encoding="utf-8",
        huge_tree=True,  # texts and addresses of more than 10 MB; depth stays limited, to 2048
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text.encode("utf-8", errors="replace"), parser)
    except etree.XMLSyntaxError as error:  # recovers from all but a lack of memory
        raise UnreadableFile(TOO_LARGE) from error
    if any(entry.level == etree.ErrorLevels.FATAL for entry in parser.error_log):
        raise UnreadableFile(TOO_DEEP)  # the rest of the page was not read
    if root is not None:
        close_head(root)
    return root


def close_head(root: etree._Element) -> None:
    """Ends the head where content begins (HTML Standard, 13.2.6.4.4): libxml2 goes on in it when a
    page without a body tag begins with an element that came with HTML5, as <main>.
    """
    head = root.find("head")
    if head is None:
        return
    children = list(head)
    first = next((i for i, child in enumerate(children) if child.tag not in HEAD_TAGS), None)
    if first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    for position, child in enumerate(children[first:]):
        body.insert(position, child)


def decode_html(data: bytes) -> str:
    """The text, decoded by the byte order mark, else by the page's declaration, else as any other
    text.

    A page that declares Latin-1 and is valid UTF-8 beyond ASCII is UTF-8: it was saved or sent so
    by somebody who did not look at the declaration.
    """
    encoding = declared_encoding(data)
    if any(data.startswith(mark) for mark, _ in BOMS) or not encoding:
        return decode(data)
    if encoding == "cp1252":
        encoding = "utf-8" if is_mostly_utf8(data) else encoding
    return data.decode(encoding, errors="replace")


def declared_encoding(data: bytes) -> str:
    """A codec of Python; "" when none is declared, or UTF-8, which is the rule anyway."""
    match = DECLARATION.search(data[:DECLARATION_WITHIN])
    if match is None:
        return ""
    label = (match[1] or match[2]).decode("ascii", errors="replace").lower()
    if WINDOWS_1252.fullmatch(label):
        return "cp1252"
    return WIDER.get(label) or (label if ENCODINGS.fullmatch(label) else "")
