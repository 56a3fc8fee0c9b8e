"""Codes as the sources write them: «of2041b» becomes OF-2041-B where they hold that, "JB 02"
becomes JB-02.

A text's code is indexed as its parts, and once more without separators up to its last part with a
digit (language/words.py), so a question's code is found only where its separators stand in the same
places. Instead of indexing every code in every spelling, the question's code is spelled in all the
ways that the sources may have it, and one that they hold is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from language.spelling import CountTerms
from language.terms import term_number
from language.words import LANGUAGES, fold, function_words, tokenize

RUN = re.compile(r"[^\W\d_]+|\d+")
SEPARATOR = re.compile(r"[-‐‑–_./]?")
BETWEEN = r"[\W_]{1,2}"
JOINTS = ("-", "", "_", " ")  # "." and "/" are indexed as "-" is
CODES_MAX = 3  # of a question, that are looked up
RUNS_MAX, CHARS_MAX = 5, 24
SPACED_MAX_CHARS = 3  # of letters with a space behind them: "JB 02", but not "sala 3"
SPELLINGS_MAX = 600

# Tells whether a passage of a short source holds what this regular expression finds.
HoldsText = Callable[[str], bool]


@dataclass(frozen=True)
class Code:
    """A code in a text. `runs`: its letters and digits, apart and folded."""

    text: str
    start: int
    runs: tuple[str, ...]

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def apart(self) -> str:
        """A regular expression, for PostgreSQL, of the code with white space or marks between its
        runs."""
        return r"\m" + BETWEEN.join(self.runs) + r"\M"


def respell_codes(text: str, count_terms: CountTerms, holds_text: HoldsText) -> str:
    """The text with its codes as the sources write them. What they hold as it stands stays, and so
    does what they do not hold in any spelling."""
    codes = list(islice(find_codes(text), CODES_MAX))
    for code in reversed(codes):
        meant = respell(code, count_terms, holds_text)
        text = f"{text[: code.start]}{meant}{text[code.end :]}"
    return text


def respell(code: Code, count_terms: CountTerms, holds_text: HoldsText) -> str:
    tokens = {one: tokenize(one) for one in (code.text, *spellings(code.runs))}
    numbers = {word: term_number(f"={word}") for words in tokens.values() for word in words}
    counts = count_terms(sorted(set(numbers.values())))
    held = [one for one, words in tokens.items() if all(numbers[word] in counts for word in words)]
    # The longer the words of letters and digits, the surer is it that these parts belong together
    best = max(held, key=lambda one: chars_joined(tokens[one]), default=code.text)
    if code.text in held and chars_joined(tokens[code.text]):
        return code.text
    if chars_joined(tokens[best]):
        return best
    is_apart = " ".join(code.runs) in held and code.runs[0].isalpha() and holds_text(code.apart)
    return " ".join(code.runs) if is_apart else code.text


def chars_joined(words: Sequence[str]) -> int:
    """The characters of the longest word that has both letters and digits."""
    return max((len(word) for word in words if is_mixed(word)), default=0)


def is_mixed(text: str) -> bool:
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))


def spellings(runs: Sequence[str]) -> Iterator[str]:
    """Yields the code with each separator at each joint; then also cut within its letters, for
    «mxabc12» may be MX-ABC-12."""
    cuts = (
        (*runs[:place], run[:at], run[at:], *runs[place + 1 :])
        for place, run in enumerate(runs)
        if run.isalpha()
        for at in range(1, len(run))
    )
    spelled = (
        "".join(map("".join, zip(parts, (*joints, ""), strict=True)))
        for parts in (runs, *cuts)
        for joints in product(JOINTS, repeat=len(parts) - 1)
    )
    return islice(spelled, SPELLINGS_MAX)


def find_codes(text: str) -> Iterator[Code]:
    """Yields what may be a code: letters and digits with at most a separator between them,
    but not a figure with its unit."""
    for runs in joined_runs(text):
        start, end = runs[0].start(), runs[-1].end()
        parts = tuple(fold(run[0]) for run in runs)
        is_figure = parts[0].isdigit() and len(parts) <= 2
        if is_mixed(text[start:end]) and not is_figure and all(map(str.isalnum, parts)):
            yield Code(text[start:end], start, parts)


def joined_runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yields the runs of letters and of digits that may be one code, longer ones left out."""
    group: list[re.Match[str]] = []
    for run in RUN.finditer(text):
        if group and not are_joined(text, group[-1], run):
            yield from fitting(group)
            group = []
        group.append(run)
    yield from fitting(group)


def fitting(group: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    if 1 < len(group) <= RUNS_MAX and group[-1].end() - group[0].start() <= CHARS_MAX:
        yield group


def are_joined(text: str, before: re.Match[str], behind: re.Match[str]) -> bool:
    """Tells whether two runs belong to one code: those of «A4» do, those of «a 4» do not."""
    gap = text[before.end() : behind.start()]
    if SEPARATOR.fullmatch(gap):
        return True
    letters = before[0] if behind[0].isdigit() else behind[0]
    longest = SPACED_MAX_CHARS if behind[0].isdigit() else 1
    is_mixed_pair = before[0].isdigit() != behind[0].isdigit()
    return gap == " " and is_mixed_pair and len(letters) <= longest and not is_plain(letters)


def is_plain(word: str) -> bool:
    """Tells whether people write this word beside figures: «de 10 a 12»."""
    return any(fold(word) in function_words(language) for language in LANGUAGES)
