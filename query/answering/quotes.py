"""The windows that are quoted where no sentence is certain to answer: few of them, the question's
language first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from query.answering.cleaning import make_harmless
from query.answering.drafts import Quote
from query.answering.hidden import UNDECIDED, Hidden
from query.answering.sentences import tell
from query.answering.weighing import Reading
from query.answering.windows import Window, choose_windows, cut, separator

QUOTED_MAX, LISTED_MAX = 2, 3  # windows; more where a list is asked for
# A window that is e to this power times less likely than the best one is left out: of 66 questions
# whose second window was further behind, two found the answer there alone.
BEHIND_QUOTED, BEHIND_LISTED = 2.0, 4.0
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
    is_list = reading.asks_for_list
    behind = BEHIND_LISTED if is_list else BEHIND_QUOTED
    windows = choose_windows(
        reading,
        most=LISTED_MAX if is_list else QUOTED_MAX,
        behind=behind,
        behind_kind=behind,
        chosen=chosen,
    )
    ordered = own_language_first(without_translations(list(windows)))
    quotes = (
        quote(window, reading, marks_sources=marks_sources, hidden=hidden) for window in ordered
    )
    return tuple(filter(None, quotes))


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
            text += separator(text) + told
    mark = f" [{window.chunk + 1}]" if marks_sources else ""
    return Quote(window.chunk, f"{make_harmless(cut(text))}{mark}") if text else None
