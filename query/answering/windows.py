"""What is quoted where no sentence is certain to answer: short windows of the best passages, each
around one of the likeliest sentences, best first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from query.answering.cleaning import make_harmless
from query.answering.drafts import Quote
from query.answering.rows import told_row
from query.answering.weighing import Reading, Sentence, ruled_out

WINDOWS_MAX = 3
WINDOW_MAX_CHARS = 300
# The right sentence may be the second: e to this power times less likely than the best one.
BEHIND_MAX = 4.0
# Where the first window holds the kind of thing that was asked for, others have to be this near.
BEHIND_KIND_MAX = 1.5
SENTENCE_ENDS = (".", "!", "?", "…", ":", '"', "”", "»", ")")


def quote_windows(
    reading: Reading, *, marks_sources: bool, hidden: Collection[str] = ()
) -> tuple[Quote, ...]:
    """At most WINDOWS_MAX, of WINDOW_MAX_CHARS each, none with a sentence of another. Rows that the
    question rules out are left out, and of the others what is `hidden`."""
    best = reading.ranked[0]
    taken: set[tuple[int, int]] = set()
    quotes: list[Quote] = []
    behind = BEHIND_MAX
    for sentence in reading.ranked:
        if len(quotes) == WINDOWS_MAX or sentence.score < best.score - behind:
            break
        if place_of(sentence) in taken or (sentence is not best and ruled_out(sentence, best)):
            continue
        window = open_window(sentence, reading.sentences, taken)
        taken.update(map(place_of, window))
        quotes.append(quote(window, marks_sources=marks_sources, hidden=hidden))
        if reading.asks_for_kind and any(item.evidence.has_kind for item in window):
            behind = BEHIND_KIND_MAX
    return tuple(quotes)


def open_window(
    best: Sentence, sentences: Sequence[Sentence], taken: set[tuple[int, int]]
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
        if not fits(item, window, taken):
            break
        window.append(item)
    position = best.position
    while not is_question(window[0]) and (item := passage.get(position := position - 1)):
        if not fits(item, window, taken):
            break
        window.insert(0, item)
    return window


def fits(item: Sentence, window: Sequence[Sentence], taken: set[tuple[int, int]]) -> bool:
    length = len(item.text) + sum(len(one.text) + 1 for one in window)
    return place_of(item) not in taken and length <= WINDOW_MAX_CHARS


def is_question(sentence: Sentence) -> bool:
    return sentence.text.endswith("?")


def quote(
    window: Sequence[Sentence], *, marks_sources: bool, hidden: Collection[str] = ()
) -> Quote:
    text = ""
    for item in window:
        told = told_row(item.text, hidden) if item.is_row else item.text
        text += separator(text) + make_harmless(told)
    chunk = window[0].chunk
    mark = f" [{chunk + 1}]" if marks_sources else ""
    return Quote(chunk, f"{cut(text)}{mark}")


def separator(before: str) -> str:
    """Lines that end without a mark stay lines."""
    return "" if not before else " " if before.endswith(SENTENCE_ENDS) else "\n"


def cut(text: str) -> str:
    """A sentence that is longer than a window ends at a word."""
    if len(text) <= WINDOW_MAX_CHARS:
        return text
    return text[:WINDOW_MAX_CHARS].rsplit(None, 1)[0].rstrip(",;:") + " …"


def place_of(sentence: Sentence) -> tuple[int, int]:
    return sentence.chunk, sentence.position
