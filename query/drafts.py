"""What an answerer hands back, whichever wrote it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass


@dataclass(frozen=True)
class Draft:
    """An answer as its answerer wrote it.

    `sources`: indexes into the passages that were given, each once: [1] in `text` is the first of
    them. A refusal (the passages are about it, and do not answer) has no text, the caller words it;
    so has a draft that failed (the model did not answer in time, or with an error).
    """

    text: str
    sources: tuple[int, ...]
    model: str
    is_refusal: bool = False
    has_failed: bool = False


# Yields the text in pieces, which joined are the draft's text, and returns the draft.
DraftWriter = Generator[str, None, Draft]
