"""WhatsApp's markup made to do nothing: https://faq.whatsapp.com/539178204879377, read 2026-11-21.

It knows no way to escape, so the markers that open and close markup become characters that look
like them. Those that mark nothing, within words or without a partner on their line, stay, and so do
those of a web address: "2*3", "*123#" and "a_b" can be copied. Lists stay: they show what they are.
"""

from __future__ import annotations

import re

LOOK_ALIKES = {
    "*": "\N{ASTERISK OPERATOR}",
    "_": "\N{MODIFIER LETTER LOW MACRON}",
    "~": "\N{TILDE OPERATOR}",
    "`": "\N{MODIFIER LETTER GRAVE ACCENT}",
}
WHOLE_CHARS = 3  # of a run that is markup by itself: one opens, one is shown, one closes
QUOTE = re.compile(r"^(\s*)>(?=\s)")  # at the beginning of a line
QUOTE_LOOK_ALIKE = "\N{FULLWIDTH GREATER-THAN SIGN}"
RUN = re.compile(r"\*+|_+|~+|`+")
# Without what closes it: markers and the marks of a sentence.
ADDRESS = re.compile(r"""\b(?:https?://|www\.)[^\s<>]*[^\s<>*_~`.,;:!?()\[\]{}'"]""", re.IGNORECASE)


def without_markup(text: str) -> str:
    return "\n".join(plain_line(line) for line in text.split("\n"))


def plain_line(line: str) -> str:
    addresses = [match.span() for match in ADDRESS.finditer(line)]
    runs = [
        run
        for run in RUN.finditer(line)
        if not any(start <= run.start() < end for start, end in addresses)
    ]
    paired = {marker for marker in LOOK_ALIKES if is_paired(marker, runs)}
    characters = list(line)
    for run in runs:
        if is_markup(run, paired):
            characters[run.start() : run.end()] = LOOK_ALIKES[run[0][0]] * len(run[0])
    return QUOTE.sub(rf"\1{QUOTE_LOOK_ALIKE}", "".join(characters))


def is_paired(marker: str, runs: list[re.Match[str]]) -> bool:
    """True if one of the marker's runs opens, and a later one closes."""
    own = [run for run in runs if run[0][0] == marker]
    openers = [run.start() for run in own if can_open(run)]
    closers = [run.start() for run in own if can_close(run)]
    return bool(openers and closers) and openers[0] < closers[-1]


def is_markup(run: re.Match[str], paired: set[str]) -> bool:
    if run[0][0] == "`":
        return True  # its markup goes over lines, and begins within words
    if len(run[0]) >= WHOLE_CHARS:
        return not (before(run).isalnum() and after(run).isalnum())
    return run[0][0] in paired and (can_open(run) or can_close(run))


def can_open(run: re.Match[str]) -> bool:
    """True if the markers may open markup. Markers side by side are each other's border, wherever
    they stand."""
    return len(run[0]) > 1 or (not before(run).isalnum() and bool(after(run).strip()))


def can_close(run: re.Match[str]) -> bool:
    return len(run[0]) > 1 or (bool(before(run).strip()) and not after(run).isalnum())


def before(run: re.Match[str]) -> str:
    """The character before the markers, or "" at the beginning of the line."""
    return run.string[max(0, run.start() - 1) : run.start()]


def after(run: re.Match[str]) -> str:
    return run.string[run.end() : run.end() + 1]
