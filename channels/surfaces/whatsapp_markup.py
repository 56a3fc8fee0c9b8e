"""WhatsApp's markup made to do nothing: https://faq.whatsapp.com/539178204879377, read 2026-11-21.

It knows no way to escape, so markers that could open or close markup become characters that look
like them. Those inside words, alone on their line, or in a web address stay: "2*3", "*123#" and
"a_b" can be copied. Lists stay too: they show what they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

LOOK_ALIKES = {
    "*": "\N{ASTERISK OPERATOR}",
    "_": "\N{MODIFIER LETTER LOW MACRON}",
    "~": "\N{TILDE OPERATOR}",
    "`": "\N{MODIFIER LETTER GRAVE ACCENT}",
}
WHOLE_CHARS = 3  # of a run that is markup by itself: one opens, one is shown, one closes
QUOTE = re.compile(r"^(\s*)>(?=\s)")  # at the beginning of a line
QUOTE_LOOK_ALIKE = "\N{FULLWIDTH GREATER-THAN SIGN}"
MARKERS = re.compile(r"\*+|_+|~+|`+")
# Without what closes it: markers and the marks of a sentence.
ADDRESS = re.compile(r"""\b(?:https?://|www\.)[^\s<>]*[^\s<>*_~`.,;:!?()\[\]{}'"]""", re.IGNORECASE)


def without_markup(text: str) -> str:
    return "\n".join(plain_line(line) for line in text.split("\n"))


def plain_line(line: str) -> str:
    addresses = [match.span() for match in ADDRESS.finditer(line)]

    def can_mark(match: re.Match[str]) -> bool:
        return is_at_border(match) and not any(
            start <= match.start() < end for start, end in addresses
        )

    ways = Counter(match[0][0] for match in MARKERS.finditer(line) if can_mark(match))
    line = MARKERS.sub(replacement(can_mark, ways), line)
    return QUOTE.sub(rf"\1{QUOTE_LOOK_ALIKE}", line)


def replacement(
    can_mark: Callable[[re.Match[str]], bool], ways: Counter[str]
) -> Callable[[re.Match[str]], str]:
    """One run of markers alone on its line opens nothing that is closed: but backticks, whose
    markup goes over lines."""

    def replace(match: re.Match[str]) -> str:
        marker = match[0][0]
        is_paired = marker == "`" or ways[marker] > 1 or len(match[0]) >= WHOLE_CHARS
        return LOOK_ALIKES[marker] * len(match[0]) if is_paired and can_mark(match) else match[0]

    return replace


def is_at_border(match: re.Match[str]) -> bool:
    """Of a word or a sign, where markup opens and closes; not between two of a word, nor between
    spaces. Backticks mark anywhere."""
    before = match.string[match.start() - 1 : match.start()] if match.start() else ""
    after = match.string[match.end() : match.end() + 1]
    if match[0][0] == "`":
        return True
    is_inside = before.isalnum() and after.isalnum()
    is_apart = not before.strip() and not after.strip() and len(match[0]) < WHOLE_CHARS
    return not is_inside and not is_apart
