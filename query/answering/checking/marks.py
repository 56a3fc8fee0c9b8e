"""The marks of a sentence of a language model: which passages it says that it stands on.

A mark is [2], [1, 2], [1-3], [^1], 【1】 or [source 1]; (1) is none, people number things so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOUN = r"(?:(?:passages?|sources?|documents?|pasajes?|fuentes?|documentos?|ref)\.?\s{0,2})?"
_NUMBERS = r"\^?\d{1,3}(?:\s{0,2}(?:[,;–—-]|\by\b|\band\b)\s{0,2}\^?\d{1,3}){0,20}"
_BRACKETS = rf"[\[【]\s{{0,2}}{_NOUN}({_NUMBERS})\s{{0,2}}(?:†[^\]】]{{0,80}})?[\]】]"
# Anywhere in a text, with the white space before it: not tried again from within that.
MARK = re.compile(rf"(?<![ \t])[ \t]*+{_BRACKETS}", re.IGNORECASE)
MARKS_PATTERN = rf"(?:[ \t]*+{_BRACKETS})+"  # from a place on, which may be behind white space
RANGE = re.compile(r"(\d{1,3})\s*[–—-]\s*\^?(\d{1,3})")
NUMBER = re.compile(r"\d{1,3}")


@dataclass(frozen=True)
class Marked:
    """A sentence and its marks. `text` is without them; `cited`: numbers from 1 as the model wrote
    them, each once, also of passages that do not exist."""

    text: str
    cited: tuple[int, ...]


def read_marks(written: str) -> Marked:
    numbers = [number for mark in MARK.finditer(written) for number in expand(mark.group(1))]
    return Marked(MARK.sub("", written).strip(), tuple(dict.fromkeys(numbers)))


def expand(numbers: str) -> list[int]:
    """Expands ranges: "1, 3-5" becomes 1, 3, 4, 5."""

    def spell_out(ends: re.Match[str]) -> str:
        first, last = map(int, ends.groups())
        return ", ".join(map(str, range(first, last + 1)))

    return [int(number) for number in NUMBER.findall(RANGE.sub(spell_out, numbers))]
