"""A damaged PDF that PDFium does not open, made openable.

Measured on real files that were cut off or had parts overwritten, this opens more of them than
pypdf or pdfminer.six do, and the layout is read as ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

HEADER = b"%PDF-"
OBJECT = re.compile(rb"(?<!\d)(\d{1,8})[ \r\n\t]{1,3}\d{1,5}[ \r\n\t]{1,3}obj\b")
OBJECTS_MAX = 1_000_000
DICTIONARY_BYTES = 2_000  # of an object, in which its type stands
PAGE = re.compile(rb"/Type\s{0,9}/Page(?![A-Za-z])")
END = b"endobj"
A4 = b"[0 0 595 842]"  # of pages that left their size to the tree that is lost


def repairs(data: bytes, *, pages_max: int) -> Iterator[bytes]:
    """Copies to be tried one after the other: with its header at the beginning, then with a tree of
    its pages besides: that stands at the end of most files, where they are cut off.
    """
    start = data.find(HEADER)
    body = data[start:] if start >= 0 else b"%PDF-1.7\n" + data
    yield body
    if b"/Encrypt" not in body:  # the key would be lost
        numbers = [int(match[1]) for match in islice(OBJECT.finditer(body), OBJECTS_MAX)]
        if pages := find_pages(body, pages_max=pages_max):
            yield b"".join((body, *page_tree(pages, free=max(numbers) + 1)))


def find_pages(body: bytes, *, pages_max: int) -> list[int]:
    """The numbers of the objects that are pages, in the order of the file; one more than
    `pages_max` at the most.
    """
    numbers: dict[int, None] = {}
    number, start = None, 0
    for match in islice(OBJECT.finditer(body), OBJECTS_MAX):
        if number is not None and is_page(body, start, match.start()):
            numbers[number] = None
        if len(numbers) > pages_max:
            return list(numbers)
        number, start = int(match[1]), match.end()
    if number is not None and is_page(body, start, len(body)):
        numbers[number] = None
    return list(numbers)


def is_page(body: bytes, start: int, end: int) -> bool:
    end = min(end, start + DICTIONARY_BYTES)
    closed = body.find(END, start, end)
    return PAGE.search(body, start, closed if closed > 0 else end) is not None


def page_tree(pages: list[int], *, free: int) -> Iterator[bytes]:
    """`free`: from here on, no object has this number."""
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    yield b"\nendstream endobj\n"  # of what was cut off
    yield b"%d 0 obj<</Type/Catalog/Pages %d 0 R>>endobj\n" % (free, free + 1)
    yield b"%d 0 obj<</Type/Pages/Count %d" % (free + 1, len(pages))
    yield b"/MediaBox%s/Kids[%s]>>endobj\n" % (A4, kids)
    yield b"trailer<</Root %d 0 R/Size %d>>\nstartxref\n0\n%%%%EOF\n" % (free, free + 2)
