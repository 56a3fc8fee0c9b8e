"""A text on its way to a messenger: the parts that the messenger takes."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence

from channels.surfaces.base import Messenger
from config.security.sealing import open_column, seal_column
from reading.sentences import BREAK, is_sentence_end
from webhooks.models import Chat, Reply

ZERO_WIDTH_JOINER = "\u200d"
# Signs that belong to the one before them. A message cut between them would show two broken ones.
SKIN_TONES = range(0x1F3FB, 0x1F400)
TAGS = range(0xE0020, 0xE0080)  # behind a black flag: which one
REGIONAL_LETTERS = range(0x1F1E6, 0x1F200)  # two of them are a flag

# --- Parts ----------------------------------------------------------------------------------------


def write_parts(messenger: Messenger, text: str) -> list[str]:
    """Splits a reply into parts, each plain text that the messenger shows as it is, and no longer
    than one of its messages."""
    return split_text(messenger.as_plain(text), messenger.text_max_units)


def split_text(text: str, max_units: int) -> list[str]:
    """Splits the text into parts of at most `max_units` UTF-16 units: whole paragraphs where they
    fit, else sentences, words, or at last characters. Only white space at a cut is left out."""
    parts = []
    text = text.strip()
    while count_units(text) > max_units:
        end = find_cut(text, fitting_chars(text, max_units))
        parts.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*parts, text] if text else parts


def count_units(text: str) -> int:
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def fitting_chars(text: str, max_units: int) -> int:
    """The number of characters from the beginning that fit, one at least."""
    units = 0
    for index, char in enumerate(text):
        units += 2 if ord(char) > 0xFFFF else 1
        if units > max_units:
            return max(1, index)
    return len(text)


def find_cut(text: str, limit: int) -> int:
    """The end of the first part of `text`, 1 to `limit`. A paragraph's end counts only behind the
    middle: a heading should not stand alone."""
    for ends, minimum in ((paragraph_ends, limit // 2), (sentence_ends, 0), (word_ends, 0)):
        last = max((end for end in ends(text, limit) if end <= limit), default=0)
        if last > minimum:
            return last
    return character_end(text, limit)


def paragraph_ends(text: str, limit: int) -> Iterator[int]:
    start = text.find("\n\n")
    while 0 < start <= limit:
        yield start
        start = text.find("\n\n", start + 1)


def sentence_ends(text: str, limit: int) -> Iterator[int]:
    """Yields the end of each sentence, before the white space behind it."""
    for match in BREAK.finditer(text, 0, limit + 2):
        if is_sentence_end(text, match):
            yield match.start() + len(match.group().rstrip())


def word_ends(text: str, limit: int) -> Iterator[int]:
    return (index for index in range(1, min(limit + 1, len(text))) if text[index].isspace())


def character_end(text: str, limit: int) -> int:
    """The last place up to `limit` that is not inside a character as people see it, which may
    consist of several; `limit` when there is none."""
    for end in range(min(limit, len(text)), 0, -1):
        if not is_within_character(text, end):
            return end
    return limit


def is_within_character(text: str, index: int) -> bool:
    """True if the index is inside a character, by the main rules of Unicode's UAX #29: accents,
    joined emoji, skin tones, flags."""
    if not 0 < index < len(text):
        return False
    before, after = text[index - 1], text[index]
    if before == "\r" and after == "\n":
        return True
    extends = unicodedata.category(after) in {"Mn", "Me", "Mc"} or after == ZERO_WIDTH_JOINER
    if extends or ord(after) in SKIN_TONES or ord(after) in TAGS or before == ZERO_WIDTH_JOINER:
        return True
    return ord(after) in REGIONAL_LETTERS and count_letters_before(text, index) % 2 == 1


def count_letters_before(text: str, index: int) -> int:
    start = index
    while start and ord(text[start - 1]) in REGIONAL_LETTERS:
        start -= 1
    return index - start


# --- The row --------------------------------------------------------------------------------------


def keep_reply(chat: Chat, parts: Sequence[str]) -> Reply:
    """Keeps a reply that waits, and is due at once."""
    reply = Reply(tenant=chat.tenant, chat=chat, parts_count=len(parts))
    reply.encrypted_parts = seal_column(reply, "encrypted_parts", json.dumps(list(parts)).encode())
    reply.save(force_insert=True)
    return reply


def open_parts(reply: Reply) -> list[str]:
    """Decrypts the parts of a reply. Raises CannotDecrypt."""
    parts: list[str] = json.loads(open_column(reply, "encrypted_parts"))
    return parts
