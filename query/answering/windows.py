"""Short windows of the best passages, each around one of the likeliest sentences, best first: what
is quoted where no sentence is certain to answer, and what a language model is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from language.words import tokenize
from query.answering.hidden import Hidden
from query.answering.weighing import Reading, Sentence, ruled_out

WINDOW_MAX_CHARS = 300
# The right sentence may be the second: e to this power times less likely than the best one.
BEHIND_MAX = 4.0
# Where the first window holds the kind of thing that was asked for, others have to be this near.
BEHIND_KIND_MAX = 1.5
CLAUSE_MAX_CHARS = 80  # that are given up for the end of a clause
CLAUSE_END = re.compile(r"[,;:.](?= )")
LIST_MARK = re.compile(r"[-*•–] ")
SENTENCE_ENDS = (".", "!", "?", "…", ":", '"', "”", "»", ")")


@dataclass(frozen=True)
class Window:
    """Sentences of one passage in a row. `chunk`: its index among the passages given."""

    chunk: int
    sentences: tuple[Sentence, ...]

    @property
    def score(self) -> float:
        return max(item.score for item in self.sentences)

    @property
    def is_foreign(self) -> bool:
        """Tells whether it is in another language than the question."""
        return bool(self.sentences[0].evidence.crosses_languages)

    def told(self, hidden: Hidden) -> str:
        """The window's text as the document has it, at most WINDOW_MAX_CHARS, without the columns
        that are never told; "" when nothing else is left. Lines that end without a mark stay lines.
        """
        text = ""
        for item in self.sentences:
            if told := item.told(hidden):
                text += separator(text) + told
        return cut(text)


def choose_windows(
    reading: Reading,
    *,
    most: int,
    least: int = 1,
    behind: float = BEHIND_MAX,
    behind_kind: float = BEHIND_KIND_MAX,
    chosen: frozenset[int] = frozenset(),
    max_chars: int = WINDOW_MAX_CHARS,
) -> Iterator[Window]:
    """Chooses at most `most` windows of `max_chars`, best first; no two share a sentence. After the
    first `least`, windows that are further than `behind` from the best are left out. So are rows
    that the question rules out."""
    ranked = [item for item in reading.ranked if item.chunk in chosen] or reading.ranked
    best = ranked[0]
    taken: set[tuple[int, int]] = set()
    count = 0
    for sentence in ranked:
        if count == most or (count >= least and sentence.score < best.score - behind):
            return
        if place_of(sentence) in taken or (sentence is not best and ruled_out(sentence, best)):
            continue
        window = open_window(sentence, reading.sentences, taken, max_chars)
        taken.update(map(place_of, window))
        count += 1
        yield Window(window[0].chunk, tuple(window))
        if reading.asks_for_kind and any(item.evidence.has_kind for item in window):
            behind = behind_kind


def open_window(
    best: Sentence, sentences: Sequence[Sentence], taken: set[tuple[int, int]], max_chars: int
) -> list[Sentence]:
    """`best` with the sentences around it, in the document's order: those behind it first, which
    often hold what it leads to. A row stands alone, and so does an entry of questions and answers:
    "Yes, always" says nothing without its question, and nothing of the next one."""
    if best.is_row:
        return [best]
    passage = {item.position: item for item in sentences if item.chunk == best.chunk}
    window = [best]
    position = best.position
    while (item := passage.get(position := position + 1)) and not is_question(item):
        if not fits(item, window, taken, max_chars):
            break
        window.append(item)
    position = best.position
    while not is_question(window[0]) and (item := passage.get(position := position - 1)):
        if not fits(item, window, taken, max_chars):
            break
        window.insert(0, item)
    return window


def fits(
    item: Sentence, window: Sequence[Sentence], taken: set[tuple[int, int]], max_chars: int
) -> bool:
    return place_of(item) not in taken and length_of([*window, item]) <= max_chars


def length_of(sentences: Sequence[Sentence]) -> int:
    return sum(len(one.text) + 1 for one in sentences) - 1


def is_question(sentence: Sentence) -> bool:
    return sentence.text.endswith("?")


def separator(before: str) -> str:
    """The separator behind this text. Lines that end without a mark stay lines."""
    return "" if not before else " " if before.endswith(SENTENCE_ENDS) else "\n"


def cut(text: str, max_chars: int = WINDOW_MAX_CHARS) -> str:
    """Cuts a text that is longer than a window: at the end of a clause where one is near, else at
    the end of a word."""
    if len(text) <= max_chars:
        return text
    begin = text[:max_chars].rsplit(None, 1)[0]
    ends = [match.start() for match in CLAUSE_END.finditer(begin)]
    if ends and ends[-1] >= max_chars - CLAUSE_MAX_CHARS:
        begin = begin[: ends[-1]]
    return begin.rstrip(",;:") + " …"


def heading_before(apart: str, text: str) -> str:
    """The headings that tell the text's values from others, to stand before it («Garza 21: »), or
    above it where it is a list; "" where it names them itself."""
    if set(tokenize(apart)) <= set(tokenize(text)):
        return ""
    return f"{apart}:\n" if "\n" in text or LIST_MARK.match(text) else f"{apart}: "


def place_of(sentence: Sentence) -> tuple[int, int]:
    return sentence.chunk, sentence.position
