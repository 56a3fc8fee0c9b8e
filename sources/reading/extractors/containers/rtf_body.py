"""The text of a message that Outlook kept as RTF: the HTML that it was made of ([MS-OXRTFEX]), or
its words.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.interface import TOO_LARGE

TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}\r\n]+)|[\r\n]+",
    re.DOTALL,
)
FROM_HTML = b"\\fromhtml1"
FROM_HTML_WITHIN = 1024
DEPTH_MAX = 1000
FALLBACK_ENCODING = "cp1252"
# Groups that hold no text: the rest of them is left out.
SILENT = frozenset(
    b"fonttbl colortbl stylesheet info pict object header footer listtable listoverridetable "
    b"generator themedata datastore latentstyles xmlnstbl rsidtbl fldinst".split()
)
CHARACTERS = {
    b"par": "\n",
    b"line": "\n",
    b"row": "\n",
    b"sect": "\n",
    b"page": "\n",
    b"tab": "\t",
    b"cell": "\t",
    b"emdash": "\u2014",
    b"endash": "\u2013",
    b"lquote": "\u2018",
    b"rquote": "\u2019",
    b"ldblquote": "\u201c",
    b"rdblquote": "\u201d",
    b"bullet": "\u2022",
}
SYMBOLS = {b"~": "\u00a0", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n", b"\r": "\n"}


@dataclass(frozen=True)
class RtfGroup:
    """`is_silent`: its text is left out. `is_hidden`: likewise, but what is HTML in it is not.
    `unicode_skip`: how many characters follow each \\u for programs that do not know it."""

    is_silent: bool = False
    is_hidden: bool = False
    is_tag: bool = False
    unicode_skip: int = 1


def is_from_html(rtf: bytes) -> bool:
    return FROM_HTML in rtf[:FROM_HTML_WITHIN]


def text_of_rtf(rtf: bytes) -> str:
    """HTML where `is_from_html`. Raises UnreadableFile."""
    writer = Writer()
    for token in TOKEN.finditer(rtf):
        writer.take(token)
    return "".join(writer.parts)


class Writer:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self._encoding = FALLBACK_ENCODING
        self._group = RtfGroup()
        self._outer: list[RtfGroup] = []
        self._is_starred = False  # the next word names a group that may be unknown
        self._to_skip = 0

    def take(self, token: re.Match[bytes]) -> None:
        word, argument, byte, symbol, brace, text = token.groups()
        if brace:
            self._enter_or_leave(brace)
        elif word:
            self._take_word(word.lower(), argument)
        elif symbol == b"*":
            self._is_starred = True
        elif symbol:
            self._write(SYMBOLS.get(symbol, ""))
        elif byte:
            self._write(self._decode(bytes.fromhex(byte.decode())))
        elif text:
            self._write(self._decode(text))

    def _enter_or_leave(self, brace: bytes) -> None:
        self._to_skip = 0
        if brace == b"}":
            self._group = self._outer.pop() if self._outer else RtfGroup()
            return
        if len(self._outer) >= DEPTH_MAX:
            raise UnreadableFile(TOO_LARGE)
        self._outer.append(self._group)
        self._is_starred = False

    def _take_word(self, word: bytes, argument: bytes | None) -> None:
        number = int(argument) if argument else None
        is_unknown, self._is_starred = self._is_starred, False
        if word == b"htmltag":
            self._group = replace(self._group, is_tag=True)
        elif is_unknown or word in SILENT:
            self._group = replace(self._group, is_silent=True)
        elif word == b"htmlrtf":
            self._group = replace(self._group, is_hidden=number != 0)
        elif word == b"uc":
            self._group = replace(self._group, unicode_skip=min(max(number or 0, 0), 8))
        elif word == b"ansicpg":
            self._encoding = encoding_named(number or 0)
        elif word == b"u" and number is not None:
            self._write(character(number))
            self._to_skip = self._group.unicode_skip
        else:
            self._write(CHARACTERS.get(word, ""))

    def _write(self, text: str) -> None:
        skipped = min(self._to_skip, len(text))
        self._to_skip -= skipped
        if not self._group.is_silent and (self._group.is_tag or not self._group.is_hidden):
            self.parts.append(text[skipped:])

    def _decode(self, data: bytes) -> str:
        return data.decode(self._encoding, errors="replace")


def encoding_named(code_page: int) -> str:
    try:
        return codecs.lookup(f"cp{code_page}").name
    except LookupError:
        return FALLBACK_ENCODING


def character(number: int) -> str:
    """16 bits with a sign; halves of pairs are joined by nobody, and go."""
    code = number % 0x10000
    return "" if 0xD800 <= code < 0xE000 else chr(code)
