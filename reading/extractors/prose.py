"""Cleaning of text, and rows of tables as text."""

import re
import unicodedata
from collections.abc import Sequence

LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
TAGS = range(0xE0000, 0xE01F0)
# Soft hyphens, zero-width characters, direction marks, byte order marks, tags: invisible, and they
# break the search for a word, or hide words that only a language model would read.
INVISIBLE = [
    0xAD,
    0x61C,
    0x180E,
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    0xFFFE,
    0xFFFF,
    *TAGS,
]
CONTROLS = [code for code in [*range(0x20), *range(0x7F, 0xA0)] if not chr(code).isspace()]
SURROGATES = range(0xD800, 0xE000)
CHARACTERS: dict[int, str | None] = {
    **LIGATURES,
    **dict.fromkeys([*INVISIBLE, *CONTROLS, *SURROGATES], None),
}
# The tags as one range: beyond U+FFFF the re module compares with each character of a set in turn,
# which made cleaning thirteen times slower.
UNWANTED = re.compile(
    f"[{''.join(re.escape(chr(code)) for code in CHARACTERS if code not in TAGS)}"
    f"{chr(TAGS[0])}-{chr(TAGS[-1])}]"
)
LETTER_OR_DIGIT = re.compile(r"[^\W_]")
SECTION_PATH_MAX_CHARS = 120  # a longer path says more about the parents than about the section
SECTION_SEPARATOR = " > "


def clean(text: str) -> str:
    """The text in one line: white space collapsed, invisible and control characters gone, ligatures
    spelled out, NFC."""
    return " ".join(clean_characters(text).split())


def clean_lines(text: str) -> str:
    """The text cleaned as by `clean`, but with its line ends (without empty lines)."""
    lines = (" ".join(line.split()) for line in clean_characters(text).splitlines())
    return "\n".join(line for line in lines if line)


def clean_characters(text: str) -> str:
    if UNWANTED.search(text):  # rare, and looking is ten times faster than translating
        text = text.translate(CHARACTERS)
    return unicodedata.normalize("NFC", text)


def row_text(headers: Sequence[str], values: Sequence[str]) -> str:
    """`Model: Xaloc; Price: 899`. A value without a header stands alone, an empty value is left
    out.
    """
    names = [*headers, *[""] * (len(values) - len(headers))]
    return "; ".join(
        f"{name.rstrip(':')}: {value}" if name and name != value else value
        for name, value in zip(names, values, strict=False)
        if value
    )


def section_path(headings: Sequence[str]) -> str:
    """The heading under its parent, "Parent > Child" when that is short; `headings` outermost
    first, "" are skipped.
    """
    known = [heading for heading in headings if heading]
    path = SECTION_SEPARATOR.join(known[-2:])
    return path if len(path) <= SECTION_PATH_MAX_CHARS else known[-1]


def has_content(text: str) -> bool:
    """True when there is a letter or a digit in any script."""
    return LETTER_OR_DIGIT.search(text) is not None
