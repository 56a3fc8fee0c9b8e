"""The letters of Word 6 and 95, whose files hold bytes and do not say in which code page:
office_oxide takes them for that of the program's language.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import olefile

from reading.extractors.text.encoding import guess_encoding

STREAM = "WordDocument"
WORD_97 = b"\xec\xa5"  # wIdent ([MS-DOC] 2.5.2); other programs write others before it
ASSUMED = "cp1252"
SAMPLE_CHARS = 64 * 1024


def correct_letters(tree: dict[str, Any], data: bytes) -> None:
    """Changes the texts in the tree where they were read in a wrong code page."""
    if not is_of_word_95(data):
        return
    spans = list(spans_in(tree["sections"]))
    sample = "".join(span["text"] for span in spans)[:SAMPLE_CHARS]
    encoding = guess_encoding(sample.encode(ASSUMED, "ignore"))
    if encoding in (ASSUMED, "utf-8"):
        return
    for span in spans:
        span["text"] = decoded_anew(span["text"], encoding)


def is_of_word_95(data: bytes) -> bool:
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            return bool(file.openstream(STREAM).read(2) != WORD_97)
    except (OSError, ValueError, IndexError, OverflowError):
        return False


def spans_in(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if isinstance(node.get("text"), str):
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from spans_in(each)


def decoded_anew(text: str, encoding: str) -> str:
    try:
        data = b"".join(
            # what Windows-1252 has no character for is left as the byte that it was
            letter.encode("latin-1" if "\x80" <= letter <= "\x9f" else ASSUMED)
            for letter in text
        )
    except UnicodeEncodeError:
        return text  # it was not read as Windows-1252
    return data.decode(encoding, "replace")
