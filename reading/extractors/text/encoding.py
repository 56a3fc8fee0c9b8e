"""Finds the encoding of a text file."""

import codecs
import re
from collections.abc import Set
from types import MappingProxyType

import chardet

BOMS = (  # UTF-32 first: its mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SAMPLE_BYTES = 64 * 1024
# Of the characters beyond ASCII: more broken ones, and it never was UTF-8. (Of other encodings
# more than half are, however short; of a short text, two are many.)
BROKEN_UTF8_MAX_SHARE = 0.34
# ISO 2022-JP changes to its kanji by one of these, and is ASCII to whom does not know them
JAPANESE_ESCAPE = re.compile(rb"\x1b\$[@B]|\x1b\(J")
# The detector is right for 997 of 1,000 lines with one accent, and for all texts of 100 bytes; what
# has so few characters beyond ASCII, and only such as Spanish, Catalan and English write, is not
# asked.
WESTERN_MAX_CHARS = 4
WESTERN = frozenset("áéíóúüñÁÉÍÓÚÜÑàèòçïÀÈÒÇÏ¿¡ªº«»·€£°©®–—‘’“”…\xa0")
# French and German as well, but for letters that stand for one of Polish, Czech or Hungarian there
WESTERN_LETTERS = WESTERN | frozenset("àâèêëîïôùäößÀÂÈÊËÎÏÔÙÄÖÇ")
WESTERN_MIN_CHARS = 8  # and all of them such letters: it is not Central European, though it fits
WESTERN_TWINS = MappingProxyType({"cp1250": "cp1252", "iso8859-2": "cp1252", "cp852": "cp850"})
# Of texts that offices have; those of mainframes, and of countries' own variants, are left out: the
# fewer there are, the less is taken for one of them.
DETECTED = (
    *("cp1252", "iso8859-15", "cp850", "mac-roman"),
    *("cp1250", "iso8859-2", "cp852", "cp1257"),
    *("cp1251", "koi8-r", "koi8-u", "cp866", "mac-cyrillic", "iso8859-5"),
    *("cp1253", "iso8859-7", "cp1254", "iso8859-9", "cp1255", "iso8859-8", "cp1256", "iso8859-6"),
    *("cp932", "euc_jis_2004", "gb18030", "big5hkscs", "cp949", "cp874"),
)
WINDOWS_1252 = "cp1252"


def decode(data: bytes) -> str:
    """The text. Never fails: bytes that mean nothing become U+FFFD."""
    return data.decode(guess_encoding(data), errors="replace").removeprefix("\ufeff")


def guess_encoding(data: bytes) -> str:
    """The encoding, by its mark; else UTF-8 if the text is valid but for a few bytes; UTF-16 by its
    zeros; else as a detector finds, from the characters beyond ASCII."""
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return encoding
    if utf16 := guess_utf16(data[:SAMPLE_BYTES]):
        return utf16
    if JAPANESE_ESCAPE.search(data, 0, SAMPLE_BYTES) and data.isascii():
        return "iso2022_jp_2"
    return "utf-8" if is_mostly_utf8(data) else detect_encoding(sample_of(data))


def guess_utf16(sample: bytes) -> str:
    """Latin text in UTF-16 has a zero in every other byte; "" when it is not that."""
    half = len(sample) // 2
    if half < 2:
        return ""
    if sample[1::2].count(0) > 0.7 * half and sample[0::2].count(0) < 0.05 * half:
        return "utf-16-le"
    if sample[0::2].count(0) > 0.7 * half and sample[1::2].count(0) < 0.05 * half:
        return "utf-16-be"
    return ""


def is_mostly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", errors="ignore"))
    return broken <= BROKEN_UTF8_MAX_SHARE * beyond_ascii


def sample_of(data: bytes) -> bytes:
    """The lines that are not plain ASCII, SAMPLE_BYTES at most."""
    lines = [line for line in data.splitlines(keepends=True) if not line.isascii()]
    return b"".join(lines)[:SAMPLE_BYTES]


def detect_encoding(sample: bytes) -> str:
    """Windows-1252, which is Latin-1 with what programs write beside it, when nothing fits."""
    beyond_ascii = sample.translate(None, bytes(range(0x80)))
    if len(beyond_ascii) <= WESTERN_MAX_CHARS and is_made_of(WESTERN, beyond_ascii, WINDOWS_1252):
        return WINDOWS_1252
    found = chardet.detect(
        sample,
        include_encodings=DETECTED,
        no_match_encoding=WINDOWS_1252,
        compat_names=False,
        max_bytes=SAMPLE_BYTES,
    )
    encoding = found["encoding"] or WINDOWS_1252
    twin = WESTERN_TWINS.get(encoding, encoding)
    if len(beyond_ascii) < WESTERN_MIN_CHARS or not is_made_of(WESTERN_LETTERS, beyond_ascii, twin):
        return encoding
    return twin


def is_made_of(characters: Set[str], data: bytes, encoding: str) -> bool:
    return characters >= set(data.decode(encoding, errors="replace"))


# Its models are read now: a confined process may not
detect_encoding(b"\xf1\xe0\xe9\xeb\xf8")
