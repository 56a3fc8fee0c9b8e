"""Answers as an answerer hands them back, a language model or the extraction."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass


@dataclass(frozen=True)
class Quote:
    """Words of a passage, as they are shown. `source`: its index among the passages given."""

    source: int
    text: str


@dataclass(frozen=True)
class Draft:
    """An answer as its answerer wrote it.

    `sources`: indexes into the passages that were given, each once: [1] in `text` is the first of
    them. Where the answerer is not sure that the passages answer, `text` is empty and `closest`
    holds their closest words, best first, which the caller introduces as what their sources say,
    with the names in the question that the passages do not mention; `is_doubtful`: probably they
    do not answer. A draft that failed (the model did not answer in time, or with an error) has
    neither.
    """

    text: str
    sources: tuple[int, ...]
    model: str
    closest: tuple[Quote, ...] = ()
    unmentioned: tuple[str, ...] = ()
    is_doubtful: bool = False
    has_failed: bool = False


# Yields the text in pieces, which joined are the draft's text, and returns the draft.
DraftWriter = Generator[str, None, Draft]
