"""Reads the text of RTF in one pass: braces, control words, bytes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from reading.errors import UnreadableFile
from reading.extractors.headings import DEPTH_MAX
from reading.extractors.interface import TOO_LARGE
from reading.extractors.legacy import rtf_words as words
from reading.extractors.legacy.lines import (
    BULLET,
    CUT_OFF,
    Margins,
    TextLine,
    reads_as_heading,
)
from reading.extractors.legacy.rtf_tables import COLUMNS_MAX, RowDefinition, table_lines
from reading.extractors.prose import clean, clean_lines, has_content
from reading.passages import PASSAGES_MAX
from reasons import Reason

TOKEN = re.compile(
    rb"\\(?P<word>[A-Za-z]{1,40})(?P<number>-?\d{1,10})? ?"
    rb"|\\'(?P<hex>[0-9A-Fa-f]{2})"
    rb"|\\(?P<symbol>[^A-Za-z])"
    rb"|(?P<brace>[{}])"
    rb"|[\r\n]+"
    rb"|(?P<text>[^\\{}\r\n]+)"
    rb"|."  # a backslash at the very end
)
GROUPS_MAX = 1000  # in each other; deeper ones share the properties of the last
OWN_STYLE = re.compile(r"^(title|heading|toc|contents)(?: ([1-9]))?$", re.IGNORECASE)
CONTENTS = -1  # the depth of a style for lines of the table of contents
OUTLINE_NONE = 9
SYMBOL, PICTURES = "symbol", "pictures"  # the encodings of fonts whose letters are none
PRIVATE = range(0xF000, 0xF100)  # the characters of such a font in Unicode
FONTS, STYLES = "fonts", "styles"
TOLD_PROPERTIES = ("gtextUNICODE", "wzDescription")  # of a drawing: its letters, what it shows


@dataclass(frozen=True, slots=True)
class ParagraphProperties:
    style: int = 0
    outline: int = OUTLINE_NONE
    in_table: bool = False


@dataclass(slots=True)
class BraceGroup:
    """The properties of text between a pair of braces. `table`: the font table or the style sheet
    around it. `collected`: a list for text that does not belong to the document, but tells of a
    style, a label. `is_tag`, `is_beside_html`: of a message that was HTML (html_in_rtf.py)."""

    story: Story
    paragraph: ParagraphProperties = ParagraphProperties()
    font: int = -1
    skipped_after_unicode: int = 1
    is_hidden: bool = False
    is_deleted: bool = False
    is_struck: bool = False
    is_bold: bool = False
    is_skipped: bool = False
    is_tag: bool = False
    is_beside_html: bool = False
    table: str = ""
    destination: str = ""
    collected: list[str] | None = None

    def inner(self) -> BraceGroup:
        return replace(self, destination="")


@dataclass(slots=True)
class Story:
    """The body, or a text beside it: a footnote, a header, a box. `lines`: read, and not yet told.
    `beside`: what is told after the paragraph.
    """

    parts: list[str] = field(default_factory=list)
    is_bold: bool = True  # all of the paragraph so far
    label: str = ""
    cells: list[str] = field(default_factory=list)
    rows: list[tuple[list[str], RowDefinition]] = field(default_factory=list)
    beside: list[TextLine] = field(default_factory=list)
    lines: list[TextLine] = field(default_factory=list)


class Reader:
    """A single pass over the file. `warnings` is complete once `read` is."""

    def __init__(self, data: bytes) -> None:
        self.warnings: list[Reason] = []
        self._objects_count = 0
        self._data = data
        self._body = Story()
        self._group = BraceGroup(self._body)
        self._above: list[BraceGroup] = []
        self._too_deep = 0
        self._is_optional = False  # the next word was marked with \*
        self._is_opening = False  # nothing has been read since the last brace
        self._unicode_skip = 0
        self._high_surrogate = 0
        self._bytes = bytearray()
        self._encoding = words.DEFAULT_ENCODING
        self._default_font = -1
        self._fonts: dict[int, str] = {}  # number → encoding
        self._defined_font = -1
        self._styles: dict[int, int] = {}  # number → depth of its heading, or CONTENTS
        self._property_name = ""
        self._row = RowDefinition()
        self._margins = Margins()
        self._footers: list[TextLine] = []

    def read(self) -> Iterator[TextLine]:
        position, end = 0, len(self._data)
        while position < end and (match := TOKEN.match(self._data, position)):
            position = match.end()
            match match.lastgroup:
                case "text":
                    self._add_bytes(match["text"])
                case "word":
                    self._read_word(match["word"].decode("ascii"), None)
                case "number" if match["word"] == b"bin":
                    position += max(int(match["number"]), 0)
                case "number":
                    self._read_word(match["word"].decode("ascii"), int(match["number"]))
                case "hex":
                    self._add_bytes(bytes.fromhex(match["hex"].decode("ascii")))
                case "symbol":
                    self._read_symbol(match["symbol"].decode("latin-1"))
                case "brace":
                    self._read_brace(is_opening=match["brace"] == b"{")
                    if not self._above:
                        break  # what follows the last brace is no text
            if self._body.lines:
                yield from self._body.lines
                self._body.lines.clear()
        self._finish()
        yield from [*self._body.lines, *self._footers]

    def _finish(self) -> None:
        self._flush_bytes()
        if self._above:
            self.warnings.append(CUT_OFF)
        if self._objects_count:
            self.warnings.append(Reason("embedded_objects_left_out", count=self._objects_count))
        while self._above:
            self._close_group()
        self._end_story(self._body)

    # --- Groups -----------------------------------------------------------------------------------

    def _read_brace(self, *, is_opening: bool) -> None:
        self._flush_bytes()
        self._unicode_skip = 0
        self._is_optional = False
        self._is_opening = is_opening
        if is_opening and len(self._above) >= GROUPS_MAX:
            self._too_deep += 1
        elif is_opening:
            self._above.append(self._group)
            self._group = self._group.inner()
            if self._group.table == STYLES:
                self._collect("style")
        elif self._too_deep:
            self._too_deep -= 1
        elif self._above:
            self._close_group()

    def _close_group(self) -> None:
        closed, self._group = self._group, self._above.pop()
        if closed.story is not self._group.story:
            self._tell_story(closed.story, closed.destination)
        elif closed.destination and closed.collected is not None:
            self._use_collected(closed, "".join(closed.collected))

    def _use_collected(self, closed: BraceGroup, text: str) -> None:
        match closed.destination:
            case "style":
                self._styles[closed.paragraph.style] = depth_of_style(text, closed.paragraph)
            case "label":
                self._group.story.label = text if has_content(text) else BULLET
            case "sn":
                self._property_name = text.strip()
            case "sv" if self._property_name in TOLD_PROPERTIES:
                self._group.story.beside.append(TextLine(clean(text)))

    def _collect(self, destination: str) -> None:
        group = self._group
        group.destination, group.collected = destination, []
        group.is_skipped = False
        group.paragraph = ParagraphProperties()

    def _begin_story(self, destination: str) -> None:
        group = self._group
        group.story, group.destination = Story(), destination
        group.paragraph, group.is_bold = ParagraphProperties(), False

    def _tell_story(self, story: Story, destination: str) -> None:
        """Adds text from beside the paragraph after it, and footers at the end."""
        self._end_story(story)
        if destination in words.HEADERS:
            self._body.lines += self._news(story)
        elif destination in words.FOOTERS:
            self._footers += self._news(story)
        else:
            self._group.story.beside += story.lines

    def _news(self, story: Story) -> list[TextLine]:
        return [
            TextLine(line.text, is_margin=True)
            for line in story.lines
            if self._margins.is_news(line.text)
        ]

    # --- Characters -------------------------------------------------------------------------------

    def _add_bytes(self, data: bytes) -> None:
        if self._unicode_skip:
            skipped = min(self._unicode_skip, len(data))
            self._unicode_skip -= skipped
            data = data[skipped:]
        self._is_opening = False
        if not self._group.is_skipped:
            self._bytes += data

    def _flush_bytes(self) -> None:
        if not self._bytes:
            return
        data = bytes(self._bytes)
        self._bytes.clear()
        encoding = self._fonts.get(self._group.font, self._encoding)
        if encoding == SYMBOL:
            self._add_text(data.decode("latin-1").translate(words.GREEK))
        elif encoding != PICTURES:
            self._add_text(data.decode(encoding, "replace"))

    def _add_text(self, text: str) -> None:
        group = self._group
        if group.is_skipped or group.is_hidden or group.is_deleted:
            return
        if group.table == FONTS:
            self._read_font_name(text)
        elif group.collected is not None:
            group.collected.append(text)
        elif not group.is_struck:
            group.story.is_bold &= group.is_bold or text.isspace()
            group.story.parts.append(text)

    def _read_symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._is_optional = True
            return
        self._flush_bytes()
        if self._unicode_skip:
            self._unicode_skip -= 1
        elif symbol in "\r\n":
            self._end_paragraph()
        else:
            self._add_text(words.SYMBOLS.get(symbol, ""))

    def _read_unicode(self, number: int) -> None:
        """Reads a character: beyond U+FFFF in two halves; below zero if a writer has only 16 bits
        with a sign."""
        code = number % 0x10000
        self._unicode_skip = self._group.skipped_after_unicode
        if 0xD800 <= code < 0xDC00:
            self._high_surrogate = code
        elif 0xDC00 <= code < 0xE000:
            pair = 0x10000 + ((self._high_surrogate & 0x3FF) << 10) + (code & 0x3FF)
            self._add_text(chr(pair) if self._high_surrogate else "\ufffd")
            self._high_surrogate = 0
        elif code in PRIVATE:
            self._bytes.append(code & 0xFF)
            self._flush_bytes()
        else:
            self._add_text(chr(code))

    # --- Words ------------------------------------------------------------------------------------

    def _read_word(self, word: str, number: int | None) -> None:
        self._flush_bytes()
        self._unicode_skip = 0
        # Within a group some programs write \* before words that are no destinations.
        is_optional = self._is_optional and self._is_opening
        self._is_optional = self._is_opening = False
        if self._group.is_skipped and word not in words.REVIVING:
            return
        if word == "objemb":
            self._objects_count += 1
        elif word in words.CHARACTERS:
            self._add_text(words.CHARACTERS[word])
        elif word in words.BESIDES or word in words.HEADERS or word in words.FOOTERS:
            self._begin_story(word)
        elif word in words.UNWANTED or (is_optional and word not in words.WANTED):
            self._group.is_skipped = True
        elif word in words.OF_CHARACTERS:
            self._read_character_word(word, number)
        elif word in words.OF_PARAGRAPHS:
            self._read_paragraph_word(word, number)
        elif word in words.OF_TABLES:
            self._read_table_word(word, number)
        elif word in words.OF_FILES:
            self._read_file_word(word, number)

    def _read_character_word(self, word: str, number: int | None) -> None:
        group = self._group
        match word:
            case "u":
                self._read_unicode(number or 0)
            case "uc":
                group.skipped_after_unicode = max(number or 0, 0)
            case "f" if group.table == FONTS:
                self._defined_font = number or 0
            case "f":
                group.font = number or 0
            case "b":
                group.is_bold = number != 0
            case "v":
                group.is_hidden = number != 0
            case "deleted":
                group.is_deleted = number != 0
            case "strike" | "striked":
                group.is_struck = number != 0
            case "plain":
                group.font = self._default_font
                group.is_bold = group.is_hidden = group.is_deleted = group.is_struck = False

    def _read_paragraph_word(self, word: str, number: int | None) -> None:
        group = self._group
        match word:
            case "par" | "sect" | "page" | "column":
                self._end_paragraph()
            case "pard":
                group.paragraph = ParagraphProperties()
            case "s":
                group.paragraph = replace(group.paragraph, style=number or 0)
            case "outlinelevel":
                group.paragraph = replace(group.paragraph, outline=number or 0)
            case "intbl":
                group.paragraph = replace(group.paragraph, in_table=True)
            case "listtext" | "pntext":
                self._collect("label")

    def _read_table_word(self, word: str, number: int | None) -> None:
        match word:
            case "trowd":
                self._row = RowDefinition()
            case "trhdr":
                self._row.is_header = True
            case "clvmrg":
                self._row.next_continues = True
            case "cellx" if len(self._row.edges) < COLUMNS_MAX:
                self._row.edges.append(number or 0)
                self._row.continues.append(self._row.next_continues)
                self._row.next_continues = False
            case "cell":
                self._end_cell()
            case "row":
                self._end_row()
            case "nestcell" | "nestrow":
                self._add_text("\n")

    def _read_file_word(self, word: str, number: int | None) -> None:
        group = self._group
        match word:
            case "ansi" | "mac" | "pc" | "pca":
                self._encoding = words.DOCUMENT_CHARSETS[word]
            case "ansicpg":
                self._encoding = code_page(number) or self._encoding
            case "deff":
                self._default_font = group.font = number or 0
            case "fonttbl":
                group.table = FONTS
            case "fcharset" if number == words.SYMBOL_CHARSET:
                self._fonts[self._defined_font] = SYMBOL
            case "fcharset" if number in words.CHARSETS:
                self._fonts[self._defined_font] = words.CHARSETS[number]
            case "cpg" if encoding := code_page(number):
                self._fonts[self._defined_font] = encoding
            case "stylesheet":
                group.table = STYLES
            case "upr":
                group.destination, group.is_skipped = word, True
            case "ud" if self._above and self._above[-1].destination == "upr":
                group.is_skipped = False
            case "sn" | "sv":
                self._collect(word)

    def _read_font_name(self, text: str) -> None:
        """The letters of "Symbol" are Greek, those of "Wingdings" are pictures; "Arial CE" says its
        code page only so.
        """
        name = text.partition(";")[0].strip()
        if not name:
            return
        font = self._defined_font
        if font in self._fonts:
            if self._fonts[font] == SYMBOL and not name.startswith("Symbol"):
                self._fonts[font] = PICTURES
        elif encoding := words.FONT_NAMES.get(name.split()[-1]):
            self._fonts[font] = encoding

    # --- Paragraphs and tables --------------------------------------------------------------------

    def _end_paragraph(self) -> None:
        group = self._group
        if group.collected is not None or group.table:
            return
        if group.paragraph.in_table:
            group.story.parts.append("\n")
        else:
            self._end_table(group.story)
            self._tell_paragraph(group.story, group.paragraph)

    def _end_story(self, story: Story) -> None:
        self._flush_bytes()
        if story.cells:
            self._end_row_of(story)
        self._end_table(story)
        self._tell_paragraph(story, ParagraphProperties())

    def _tell_paragraph(self, story: Story, properties: ParagraphProperties) -> None:
        text = clean_lines("".join(story.parts))
        depth = properties.outline + 1 if properties.outline < OUTLINE_NONE else 0
        depth = min(depth, DEPTH_MAX) or self._styles.get(properties.style, 0)
        if not depth and not story.label and story.is_bold and reads_as_heading(text):
            depth = DEPTH_MAX
        if has_content(text) and depth != CONTENTS:
            label = "" if depth and story.label == BULLET else story.label
            story.lines.append(TextLine(clean_lines(label + text), depth))
        story.lines += [line for line in story.beside if has_content(line.text)]
        story.parts, story.beside, story.label, story.is_bold = [], [], "", True

    def _end_cell(self) -> None:
        story = self._group.story
        story.cells.append(clean_lines(story.label + "".join(story.parts)))
        story.parts, story.label, story.is_bold = [], "", True
        if len(story.cells) >= COLUMNS_MAX:
            self._end_row_of(story)

    def _end_row(self) -> None:
        self._end_row_of(self._group.story)

    def _end_row_of(self, story: Story) -> None:
        if len(story.rows) >= PASSAGES_MAX:
            raise UnreadableFile(TOO_LARGE)
        story.rows.append((story.cells, self._row))
        story.cells = []

    def _end_table(self, story: Story) -> None:
        if story.rows:
            story.lines += table_lines(story.rows)
            story.rows = []


def code_page(number: int | None) -> str:
    """Python's name of it, "" for one that it does not know."""
    name = words.CODE_PAGES.get(number or 0, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""


def depth_of_style(name: str, properties: ParagraphProperties) -> int:
    """Word names its own styles in English whatever its language."""
    match = OWN_STYLE.match(name.partition(";")[0].strip())
    if match and match.group(1).lower() in ("toc", "contents"):
        return CONTENTS
    if properties.outline < OUTLINE_NONE:
        return properties.outline + 1
    return int(match.group(2) or 1) if match else 0
