"""The windows that are quoted where no sentence is certain to answer: few of them, the question's
language first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from query.answering.cleaning import make_harmless
from query.answering.drafts import Quote
from query.answering.hidden import UNDECIDED, Hidden
from query.answering.sentences import tell
from query.answering.weighing import Reading
from query.answering.windows import (
    Window,
    choose_windows,
    cut,
    heading_before,
    length_of,
    separator,
)

# Three short windows find the answer more often than two long ones, in as many characters
# (docs/decisions/0092-short-windows-and-contact-lines.md)
QUOTED_MAX = 3
QUOTED_MAX_CHARS = 220
# A window that is e to this power times less likely than the best one is left out; where a list is
# asked for, or the same is told of several things, fewer are.
BEHIND_QUOTED, BEHIND_LISTED = 2.5, 4.0
# A row alone fills a tenth of a window: the next likely ones of its table stand beside it.
ROWS_MAX = 4
BEHIND_ROW = 2.0
# A window in the question's language goes before one in the other that is so much likelier.
AHEAD_OF_OWN = 1.0
SHARED_FIGURES = 2  # of two windows that say the same in two languages
FIGURES = re.compile(r"\d+(?:[.,:]\d+)*")


def quote_windows(
    reading: Reading,
    *,
    marks_sources: bool,
    hidden: Hidden = UNDECIDED,
    chosen: frozenset[int] = frozenset(),
) -> tuple[Quote, ...]:
    """Quotes the likeliest windows, without the columns that are `hidden`; from the `chosen`
    passages alone, where some are chosen. () when nothing may be told."""
    is_list = reading.asks_for_list or bool(reading.ranked[0].label)
    behind = BEHIND_LISTED if is_list else BEHIND_QUOTED
    windows = choose_windows(
        reading,
        most=QUOTED_MAX * ROWS_MAX,
        behind=behind,
        behind_kind=behind,
        chosen=chosen,
        max_chars=QUOTED_MAX_CHARS,
    )
    ordered = own_language_first(without_translations(rows_together(windows)[:QUOTED_MAX]))
    quotes = (
        quote(window, reading, marks_sources=marks_sources, hidden=hidden) for window in ordered
    )
    return tuple(filter(None, quotes))


def rows_together(windows: Iterable[Window]) -> list[Window]:
    """Puts rows of one passage that are nearly as likely as the best window into one window."""
    together: list[Window] = []
    for window in windows:
        number = next((at for at, one in enumerate(together) if joins(window, one)), None)
        if number is None or window.score < together[0].score - BEHIND_ROW:
            together.append(window)
        else:
            rows = (*together[number].sentences, *window.sentences)
            together[number] = replace(together[number], sentences=rows)
    return together


def joins(window: Window, other: Window) -> bool:
    """Tells whether `window` is a row that there is room for among the rows of `other`."""
    rows = (*other.sentences, *window.sentences)
    return (
        window.chunk == other.chunk
        and all(row.is_row for row in rows)
        and len(rows) <= ROWS_MAX
        and length_of(rows) <= QUOTED_MAX_CHARS
    )


def without_translations(windows: Sequence[Window]) -> list[Window]:
    """Drop the window in the other language if two say the same in two languages."""
    own = [window for window in windows if not window.is_foreign]
    return [
        window
        for window in windows
        if not window.is_foreign or not any(is_translation(window, other) for other in own)
    ]


def is_translation(window: Window, other: Window) -> bool:
    """Tells whether two windows in two languages say the same: they hold the same figures."""
    one, two = figures_in(window), figures_in(other)
    return len(one & two) >= SHARED_FIGURES and (one <= two or two <= one)


def figures_in(window: Window) -> frozenset[str]:
    found = FIGURES.findall(" ".join(item.text for item in window.sentences))
    return frozenset(figures.replace(",", ".") for figures in found)


def own_language_first(windows: Sequence[Window]) -> list[Window]:
    """Puts the first window in the question's language before one in the other that is hardly
    likelier; the others keep their order."""
    own = next((window for window in windows if not window.is_foreign), None)
    if own is None or own.score < windows[0].score - AHEAD_OF_OWN:
        return list(windows)
    return [own, *(window for window in windows if window is not own)]


def quote(window: Window, reading: Reading, *, marks_sources: bool, hidden: Hidden) -> Quote | None:
    """The window as a quote; None when nothing of it may be told."""
    text = ""
    for item in window.sentences:
        if told := tell(item, reading, hidden, tells_kind=True):
            # Rows are a line each
            text += ("\n" if text and item.is_row else separator(text)) + told
    if not text:
        return None
    mark = f" [{window.chunk + 1}]" if marks_sources else ""
    heading = heading_before(window.sentences[0].label, text)
    return Quote(window.chunk, f"{make_harmless(heading + cut(text, QUOTED_MAX_CHARS))}{mark}")
