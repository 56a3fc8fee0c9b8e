"""What a made file is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class MadeFile:
    """One fault, in one file.

    Args:
        name: of the file, with its ending.
        about: the fault, in a line.
        says: every word that a person reads in it, in reading order.
        hides: words that nobody sees, each of which would be wrong in a passage.
        headings, rows: those of its texts that are; a row is its columns' names and its cells.
        is_of_issue: a fault that customers met; the others come from the formats' specifications.
        known_fault: why it is not as it must be, "" where it is.
        is_told: what it says cannot be had: it may be refused or lost, with a word about it.
    """

    name: str
    about: str
    make: Callable[[], bytes]
    says: str
    hides: str = ""
    headings: Sequence[str] = ()
    rows: Sequence[str] = ()
    is_of_issue: bool = False
    is_told: bool = False
    known_fault: str = ""
