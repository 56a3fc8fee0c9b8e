"""Cuts Spanish and English text into sentences. Time grows linearly with the text."""

import re
from collections.abc import Iterator

# Words that end in a full stop within a sentence, in lower case without it.
# fmt: off
ABBREVIATIONS = frozenset({
    "a.c", "apdo", "aprox", "art", "arts", "atte", "av", "avda", "c", "cap", "cf", "cía",
    "col", "d", "d.c", "dcha", "dr", "dra", "dña", "ed", "ej", "etc", "excmo", "fig", "figs",
    "gral", "ha", "hnos", "ilmo", "izda", "izdo", "kg", "km", "lic", "ltda", "máx", "mín",
    "mrs", "ms", "mr", "n.º", "nº", "núm", "núms", "p", "p.ej", "pág", "págs", "párr", "pl",
    "prof", "profa", "prov", "pso", "pta", "ptas", "pza", "ref", "rte", "s.a", "s.l", "sr",
    "sra", "sres", "srta", "sta", "sto", "tel", "tfno", "tlf", "ud", "uds", "urb", "v", "vd",
    "vds", "vol", "approx", "apr", "aug", "ave", "blvd", "co", "corp", "dec", "dept", "e.g",
    "est", "feb", "gov", "i.e", "inc", "jan", "jr", "jul", "jun", "ltd", "mar", "mt", "no",
    "nos", "nov", "oct", "pp", "rev", "sec", "sep", "sept", "st", "u.s", "vs",
})
# fmt: on
# Not at the end of a sentence unless a clear beginning follows; the words above are never one.
OFTEN_LAST = frozenset({"etc", "inc", "corp", "ltd", "co", "s.a", "s.l", "jr", "u.s", "ltda"})
# From the first mark of several only: else a million dots would be tried a million times.
BREAK = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*\s+|\n+")
OPENERS = "\"'“‘«([¿¡-–—•"
TAIL_CHARS = 24  # an abbreviation is not longer


def split_sentences(text: str) -> list[str]:
    """The sentences in order, without white space around; a line end also ends one."""
    return list(iter_sentences(text))


def iter_sentences(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in sentence_spans(text))


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the begin and end of each sentence, without white space around."""
    start = 0
    for match in BREAK.finditer(text):
        if is_sentence_end(text, match):
            yield from stripped(text, start, match.end())
            start = match.end()
    yield from stripped(text, start, len(text))


def stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without white space around; none when nothing is left."""
    part = text[start:end]
    if bare := part.strip():
        first = start + len(part) - len(part.lstrip())
        yield first, first + len(bare)


def is_sentence_end(text: str, match: re.Match[str]) -> bool:
    mark = match.group()
    if mark.startswith("\n") or "\n" in mark:
        return True
    following = (
        text[match.end() : match.end() + 2].lstrip(OPENERS)[:1]
        or text[match.end() : match.end() + 1]
    )
    if following.islower():
        return False
    return (
        not mark.startswith(".")
        or mark.startswith("..")
        or not ends_in_abbreviation(text, match.start(), following)
    )


def ends_in_abbreviation(text: str, end: int, following: str) -> bool:
    """True if the full stop at `end` belongs to the word before it."""
    word = re.split(r"[\s(\[«“\"']", text[max(0, end - TAIL_CHARS) : end])[-1]
    lowered = word.lower()
    if len(word) == 1 and word.isalpha() and word.isupper():
        return True  # an initial: J. García
    if lowered in OFTEN_LAST:
        return not following.isupper()
    return lowered in ABBREVIATIONS and not (
        lowered in {"no", "mar", "p", "v", "c", "d"} and following.isupper() and len(word) > 1
    )
