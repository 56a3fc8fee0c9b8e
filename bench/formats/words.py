"""What counts as a word, alike for every reader, and how much of a reference a text keeps.

Words are compared after NFKC and case folding, letters and digits only; an ideograph is a word of
its own. A word that a line's end broke is whole again, and one that stands glued to its neighbour
is not lost.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{IDEOGRAPHS}]|[^\W_{IDEOGRAPHS}]+")
NUMBER = re.compile(r"\d[\d.,\u00a0\u202f' ]*\d|\d")
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
BROKEN = re.compile(r"(?<=[^\W\d_])[-\u2010]\n\s*(?=[^\W\d_])")
GLUED_MIN_CHARS = 4  # a shorter word stands in some other one by chance
GLUED_MAX_WORDS = 3000  # distinct ones looked for, so that a text in another encoding costs no hour
REPEATED_MIN_PAGES = 3  # a line on that many pages is a running header: once is enough
DIGITS = re.compile(r"\d+")
DECIMALS = range(16)


def words_of(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", BROKEN.sub("", text)).translate(INVISIBLE)
    return WORD.findall(unicodedata.normalize("NFKC", plain.casefold()))


def without_running_lines(pages: Sequence[str]) -> str:
    """All pages' text; a line that stands on many of them, digits aside, stands once."""
    masked = Counter(
        line for page in pages for line in {mask(line) for line in page.splitlines()} if line
    )
    if max(masked.values(), default=0) < REPEATED_MIN_PAGES:
        return "\n".join(pages)
    said: set[str] = set()
    lines = []
    for line in (line for page in pages for line in page.splitlines()):
        key = mask(line)
        if masked[key] >= REPEATED_MIN_PAGES:
            if key in said:
                continue
            said.add(key)
        lines.append(line)
    return "\n".join(lines)


def mask(line: str) -> str:
    return DIGITS.sub("0", " ".join(line.split()).casefold())


def agreed(counts: Sequence[Counter[str]]) -> Counter[str]:
    """Each word as often as a second reader finds it too; one reader alone is believed."""
    if len(counts) == 1:
        return counts[0]
    words = set().union(*counts)
    pairs = ((word, sorted(count[word] for count in counts)[-2]) for word in words)
    return Counter({word: number for word, number in pairs if number})


def lost_words(reference: Counter[str], text: str) -> Counter[str]:
    found = words_of(text)
    missing = reference - Counter(found)
    if not missing:
        return missing
    joined = "".join(found)
    for word in [word for word in missing if len(word) >= GLUED_MIN_CHARS][:GLUED_MAX_WORDS]:
        if joined.count(word) >= reference[word]:
            del missing[word]
    return missing


def lost_numbers(reference: Iterable[float], text: str) -> list[float]:
    """Those of which no way to write them stands in the text: rounded, or as a percentage."""
    written = {plain_number(number) for number in NUMBER.findall(text)}
    return [number for number in reference if written.isdisjoint(ways_to_write(abs(number)))]


def plain_number(number: str) -> str:
    """As `ways_to_write` writes it: the last separator is the decimal one, where it can be."""
    whole, _, decimals = (
        number.replace("\u00a0", "")
        .replace("\u202f", "")
        .replace("'", "")
        .replace(" ", "")
        .replace(",", ".")
        .rpartition(".")
    )
    if not whole or len(decimals) == 3 and "." in whole:
        return (whole + decimals).replace(".", "").lstrip("0") or "0"
    return trimmed(f"{whole.replace('.', '')}.{decimals}")


def ways_to_write(number: float) -> set[str]:
    ways = {
        trimmed(f"{value:.{places}f}") for value in (number, number * 100) for places in DECIMALS
    }
    return ways | {way.replace(".", "") for way in ways if len(way.partition(".")[2]) == 3}


def trimmed(number: str) -> str:
    return (number.rstrip("0").rstrip(".") if "." in number else number).lstrip("0") or "0"


def order_kept(reference: Sequence[str], found: Sequence[str]) -> float:
    """Share of the words that stand once in both which are in the same order (0–1): the longest
    increasing run of their places.
    """
    places = {word: place for place, word in enumerate(found)}
    once = Counter(found)
    reference_once = Counter(reference)
    shared = [places[word] for word in reference if once[word] == 1 and reference_once[word] == 1]
    ends: list[int] = []
    for place in shared:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends) / len(shared) if shared else 1.0
