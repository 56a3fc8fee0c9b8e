"""A page as boxes: its blocks, one in the other, with the text that stands directly in each.

Inline elements dissolve into the text. What nobody sees is gone: scripts, styles, hidden elements
that no click shows (opened.py); and so is what is struck out, which its author has taken back. Of a
crawled page controls of forms are gone too; of a file they stay, as drawings, frames and what
stands in for them do: somebody chose that file for what it says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lxml import etree

from reading.extractors.html.opened import find_opened, is_hidden
from reading.extractors.html.source import parse_markup
from reading.extractors.html.strikes import Strikes
from reading.extractors.prose import clean_lines, has_content

HEADINGS = MappingProxyType({f"h{depth}": depth for depth in range(1, 7)})
BLOCKS = frozenset(HEADINGS) | {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
    "header", "hgroup", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p",
    "pre", "search", "section", "summary", "table", "tbody", "td", "text", "tfoot", "th", "thead",
    "tr", "ul",
}  # fmt: skip
UNSEEN = frozenset({
    "head", "title", "meta", "link", "script", "style", "noscript", "noframes", "noembed",
    "template", "svg", "iframe", "object", "embed", "applet", "canvas", "audio", "video",
    "input", "select", "textarea", "datalist", "output", "progress", "meter", "map", "rt", "rp",
})  # fmt: skip
UNSEEN_IN_FILES = frozenset({"head", "title", "meta", "link", "script", "style", "template", "rp"})
# Of a control that a person fills in, or reads; the others hold marks for programs
WRITTEN_INPUTS = frozenset(
    {"", "text", "search", "email", "tel", "url", "number", "date", "time", "month", "week"}
    | {"datetime-local", "submit", "button", "reset"}
)
# What stands before and after the text of an element in a file
MARKS = MappingProxyType({"rt": (" (", ") ")})
SKIP_LINK = re.compile(r"(?:^|\s)skip(?:-?to)?-?(?:link|content|main|nav)", re.I)
PANELS = frozenset({"article", "aside", "div", "ol", "p", "section", "table", "ul"})
# Where a button that stands alone is no control: what it opens and shuts is below it.
TITLES = frozenset({*HEADINGS, "summary", "dt"})
# Elements that matter for what stands in them, however deep.
AREAS = MappingProxyType(
    {
        "a": "link",
        "form": "form",
        "pre": "lines",
        "main": "content",
        "article": "content",
        **dict.fromkeys(HEADINGS, "heading"),
    }
)
# A longer link is a text of its own, such as a card with a title and two sentences.
LINK_MAX_CHARS = 60
PROSE_MIN_CHARS = 80  # of a paragraph; shorter ones may be labels
ALT_MIN_WORDS = 3  # fewer name a picture ("logo") and do not describe it
ALT_MAX_CHARS = 300
FILE_NAME = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|avif)\b", re.I)
WORD = re.compile(r"[^\W\d_]{2,}")
WHITE_SPACE = re.compile(r"\s+")
CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
KEPT_ATTRIBUTES = ("start", "value", "colspan", "rowspan", "aria-level")
NO_MARKS = ("", "")
NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


@dataclass(slots=True, eq=False)
class Box:
    """`names`: id and classes, lower case, "mainMenu" as "main-menu"; `is_inside`: it stands in
    <main> or <article>. Counts are of all that it holds, `own_chars` of its own texts; links count
    that are short and lead to another page or place, outside of headings.
    """

    tag: str
    role: str = ""
    names: str = ""
    attributes: Mapping[str, str] = field(default_factory=lambda: NO_ATTRIBUTES)
    is_inside: bool = False
    items: list[Box | str] = field(default_factory=list)
    own_chars: int = 0
    chars: int = 0
    link_chars: int = 0
    prose_chars: int = 0
    links: int = 0
    has_h1: bool = False
    has_structure: bool = False  # a heading, a list or a table
    has_table: bool = False

    @property
    def heading_depth(self) -> int:
        """The depth of a heading from 1; 0 for any other box."""
        if self.role == "heading":
            return min(whole_number(self.attributes.get("aria-level", ""), default=2, least=1), 6)
        return HEADINGS.get(self.tag, 0)

    @property
    def boxes(self) -> Iterator[Box]:
        return (item for item in self.items if isinstance(item, Box))

    def add_counts_of(self, other: Box) -> None:
        self.chars += other.chars
        self.link_chars += other.link_chars
        self.prose_chars += other.prose_chars
        self.links += other.links
        self.has_h1 |= other.has_h1 or other.heading_depth == 1
        self.has_structure |= other.has_structure or other.tag in ("li", "table", "dt", *HEADINGS)
        self.has_table |= other.has_table or other.tag == "table"


def whole_number(text: str, *, default: int, least: int = 0) -> int:
    """An attribute's number as browsers read it."""
    text = text.strip()[:6]
    return max(int(text), least) if text.isascii() and text.isdigit() else default


def build_boxes(root: etree._Element) -> tuple[Box, int]:
    """The boxes of a crawled page, and the number of its hidden characters."""
    builder = BoxBuilder(root)
    return follow(root, builder), builder.hidden_chars


def build_file_boxes(root: etree._Element) -> tuple[Box, int]:
    """The boxes of a file, and the number of its hidden characters."""
    builder = FileBoxBuilder(root)
    return follow(root, builder), builder.hidden_chars


def follow(root: etree._Element, builder: BoxBuilder) -> Box:
    walk = etree.iterwalk(root, events=("start", "end"))
    skipped = False
    for event, element in walk:
        if event == "start":
            if skipped := builder.is_unseen(element):
                walk.skip_subtree()
            else:
                builder.open(element)
                builder.add_text(element.text)
        else:
            if not skipped:
                builder.close(element)
            skipped = False  # the end of a skipped element follows its start
            builder.add_text(element.tail)
    return builder.finish()


class BoxBuilder:
    """Follows the elements of a page, from the first to the last."""

    tells_outside_main = False

    def __init__(self, root: etree._Element) -> None:
        self.hidden_chars = 0
        self._strikes = Strikes(root)
        self._opened = find_opened(root, tells_outside_main=self.tells_outside_main)
        self._boxes = [Box("html")]
        self._pieces: list[str] = []  # of the text that is being read
        self._piece_link_chars = 0
        self._open: Counter[str] = Counter()  # areas
        self._is_in_short_link = False

    def finish(self) -> Box:
        self._end_text()
        return self._boxes[0]

    def is_unseen(self, element: etree._Element) -> bool:
        tag = element.tag
        if tag in UNSEEN or element in self._opened.controls or self._stays_hidden(element):
            return True
        if self._strikes.has(element):
            return True
        if tag == "button":
            return not is_title(element)
        if tag == "label":
            return self._open["form"] > 0
        return tag == "a" and is_for_the_page(element)

    def _stays_hidden(self, element: etree._Element, *, by_aria: bool = True) -> bool:
        if element in self._opened.shown or not is_hidden(element, by_aria=by_aria):
            return False
        self.hidden_chars += self._opened.left_out_chars.get(element, 0)
        return True

    def open(self, element: etree._Element) -> None:
        tag = str(element.tag)
        if element in self._opened.labels and tag in PANELS:
            self._open_panel(self._opened.labels[element])
        if tag in BLOCKS or element.get("role") == "heading":
            self._open_box(element, tag)
        elif tag == "br":
            self._pieces.append("\n")
        elif tag == "img":
            self._describe(element)
        elif tag == "a":
            self._open_link(element)
        self._open[area_of(element)] += 1

    def close(self, element: etree._Element) -> None:
        tag = str(element.tag)
        self._open[area_of(element)] -= 1
        if tag in BLOCKS or element.get("role") == "heading":
            self._end_text()
            self._close_box()
            if element in self._opened.labels and tag in PANELS:
                self._close_box()
        elif tag == "a" and not self._open["link"]:
            self._is_in_short_link = False

    def _close_box(self) -> None:
        box = self._boxes.pop()
        self._boxes[-1].add_counts_of(box)

    def _open_panel(self, label: str) -> None:
        """Opens a box that says what was clicked above what it showed."""
        self._end_text()
        chars = len(label)
        title = Box("summary", items=[label], own_chars=chars, chars=chars)
        panel = Box("details", is_inside=self._open["content"] > 0, items=[title])
        panel.add_counts_of(title)
        self._boxes[-1].items.append(panel)
        self._boxes.append(panel)

    def add_text(self, text: str | None) -> None:
        if not text:
            return
        if not self._open["lines"]:
            text = WHITE_SPACE.sub(" ", text)
        self._pieces.append(text)
        if self._is_in_short_link:
            self._piece_link_chars += len(text.strip())

    def _describe(self, image: etree._Element) -> None:
        self._pieces.append(description(image))

    def _open_box(self, element: etree._Element, tag: str) -> None:
        self._end_text()
        parent = self._boxes[-1]
        if tag == "footer" and parent.tag in ("blockquote", "figure"):
            tag = "p"  # who said it
        box = Box(
            tag,
            role=element.get("role", "").strip().lower(),
            names=names_of(element),
            attributes=kept_attributes(element),
            is_inside=self._open["content"] > 0,
        )
        parent.items.append(box)
        self._boxes.append(box)

    def _open_link(self, element: etree._Element) -> None:
        if self._open["link"] or self._open["heading"]:
            return
        address = element.get("href", "").strip().lower()
        if address and not address.startswith(("mailto:", "tel:")) and is_short(element):
            self._is_in_short_link = True
            self._boxes[-1].links += 1

    def _end_text(self) -> None:
        text = clean_lines("".join(self._pieces)) if self._pieces else ""
        if text:
            box = self._boxes[-1]
            box.items.append(text)
            box.own_chars += len(text)
            box.chars += len(text)
            box.link_chars += self._piece_link_chars
            if len(text) - self._piece_link_chars >= PROSE_MIN_CHARS:
                box.prose_chars += len(text)
        self._pieces.clear()
        self._piece_link_chars = 0


class FileBoxBuilder(BoxBuilder):
    """Keeps all that a reader of the file may see, with or without a browser's programs."""

    tells_outside_main = True

    def __init__(self, root: etree._Element, *, is_frame: bool = False) -> None:
        super().__init__(root)
        self._is_frame = is_frame
        self._is_after_attribute = False

    def is_unseen(self, element: etree._Element) -> bool:
        return (
            element.tag in UNSEEN_IN_FILES
            or element in self._opened.controls
            or self._strikes.has(element)
            or self._stays_hidden(element, by_aria=False)
        )

    def open(self, element: etree._Element) -> None:
        super().open(element)
        match element.tag:
            case "area":
                self._describe(element)
            case "input" if element.get("type", "").lower() in WRITTEN_INPUTS:
                self._add_attribute(element.get("value", "") or element.get("placeholder", ""))
            case "iframe":
                self._enter_frame(element.get("srcdoc", ""))
            case "optgroup":
                self._add_attribute(element.get("label", ""))
        self._pieces.append(MARKS.get(str(element.tag), NO_MARKS)[0])

    def close(self, element: etree._Element) -> None:
        self._pieces.append(MARKS.get(str(element.tag), NO_MARKS)[1])
        super().close(element)

    def add_text(self, text: str | None) -> None:
        if text and self._is_after_attribute and text[0].isalnum():
            self._pieces.append(" ")
        self._is_after_attribute = False
        super().add_text(text)

    def _enter_frame(self, source: str) -> None:
        """A page within the page; what that holds of its own kind is not looked at."""
        root = parse_markup(source) if not self._is_frame else None
        if root is not None:
            self._end_text()
            inner = FileBoxBuilder(root, is_frame=True)
            self._boxes[-1].items.append(follow(root, inner))
            self.hidden_chars += inner.hidden_chars

    def _describe(self, image: etree._Element) -> None:
        if not FILE_NAME.search(text := image.get("alt", "")):
            self._add_attribute(text)

    def _add_attribute(self, text: str) -> None:
        if has_content(text):
            self._pieces.append(f" {text}")
            self._is_after_attribute = True


def area_of(element: etree._Element) -> str:
    return "content" if element.get("role") == "main" else AREAS.get(str(element.tag), "")


def is_title(button: etree._Element) -> bool:
    parent = button.getparent()
    return (
        parent is not None
        and parent.tag in TITLES
        and len(parent) == 1
        and not (parent.text or "").strip()
    )


def is_for_the_page(link: etree._Element) -> bool:
    """ "Skip to content", and the "#" or "§" beside a heading that points to it."""
    if SKIP_LINK.search(link.get("class", "")):
        return True
    is_mark = len(link) == 0 and len((link.text or "").strip()) == 1
    return is_mark and link.get("href", "").startswith("#") and not has_content(link.text or "")


def is_short(link: etree._Element) -> bool:
    chars = 0
    for text in link.itertext():
        chars += len(text.strip())
        if chars > LINK_MAX_CHARS:
            return False
    return chars > 0


def description(image: etree._Element) -> str:
    text = image.get("alt", "")[:ALT_MAX_CHARS]
    is_told = len(WORD.findall(text)) >= ALT_MIN_WORDS and not FILE_NAME.search(text)
    return f" {text} " if is_told else ""


def names_of(element: etree._Element) -> str:
    names = f"{element.get('id', '')} {element.get('class', '')}".strip()[:500]
    return CAMEL_CASE.sub("-", names).lower() if names else ""


def kept_attributes(element: etree._Element) -> Mapping[str, str]:
    kept = {name: element.get(name, "") for name in KEPT_ATTRIBUTES if name in element.attrib}
    return kept or NO_ATTRIBUTES
