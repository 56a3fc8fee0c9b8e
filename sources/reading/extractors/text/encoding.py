"""Which encoding a text file is in: a rule that is right for what Western programs write."""

import codecs

BOMS = (  # UTF-32 first: its mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SAMPLE_BYTES = 64 * 1024
# Of the characters beyond ASCII: more broken ones, and it never was UTF-8
BROKEN_UTF8_MAX_SHARE = 0.05


def decode(data: bytes) -> str:
    """The text. Never fails: bytes that mean nothing become U+FFFD."""
    return data.decode(guess_encoding(data), errors="replace").removeprefix("\ufeff")


def guess_encoding(data: bytes) -> str:
    """By its mark, else UTF-8 when it is that (but for a few broken bytes), UTF-16 by its zeros,
    else Windows-1252.

    Windows-1252 is Latin-1 with the typographic characters that Spanish and English programs write;
    a Latin-1 file has none of the control characters that it lacks.
    """
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return encoding
    if utf16 := guess_utf16(data[:SAMPLE_BYTES]):
        return utf16
    return "utf-8" if is_mostly_utf8(data) else "cp1252"


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
