"""The interface of an extractor."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from reading.errors import UnreadableFile
from reading.passages import Block, Member
from reasons import Reason


@dataclass(frozen=True)
class Extraction:
    """`blocks` may be lazy and raise UnreadableFile while they are read. `warnings` tell a customer
    what was not read and why, with the place ("Page 3: not read …"). They are looked at after the
    last block: a list may grow until then. `pages`: how many pages or slides the file has, 0 where
    its format has none. `facts` as in ExtractedDocument. `members`: asked for after the last block,
    one after the other; warnings may still grow with them.
    """

    blocks: Iterable[Block]
    warnings: Sequence[Reason] = ()
    pages: int = 0
    facts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    members: Iterable[Member] = ()


class Extractor(Protocol):
    """Turns a file into blocks in reading order.

    A table row is one block that names its columns ("Model: Xaloc; Price: 899"), so that it can be
    read alone. What repeats on every page (headers, footers) is read once. What fails in a table, a
    page or a side part costs only that, and is told in `warnings`. Text leaves clean (`prose.py`).

    The file is hostile until proven otherwise: a size that the file declares is checked before
    anything is allocated for it. Raises UnreadableFile when the file is at fault.

    A module whose extractor has settings also has `prepare(options: Mapping[str, str])`. It is
    called in the warm parent, which is trusted and not confined, before the first file and whenever
    the options differ from the last ones: what it loads (a model) is shared by all confined
    processes. It must start no thread. What starts some can only be loaded in the confined process:
    `prepare` returns the folders which that may read besides, or None.
    """

    def __call__(self, data: bytes, /) -> Extraction: ...


PLACES_MAX = 20  # that a warning names

DAMAGED = Reason("file_damaged")
TOO_LARGE = Reason("too_much_text")
EMPTY = Reason("no_text_in_file")


def list_places(kind: str, numbers: Iterable[int]) -> Reason:
    """Return "Page 3, 5–7", for a warning about several. `kind`: "page", "slide", "line" or
    "part"."""
    return Reason(f"places_{kind}", numbers=list_numbers(numbers))


def list_numbers(numbers: Iterable[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted({*numbers}):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    more = ["…"] if len(shown) > PLACES_MAX else []
    return ", ".join([*shown[:PLACES_MAX], *more])


def protected(kind: str) -> UnreadableFile:
    """The refusal of a file that needs a password; `kind`: "PDF", "document", …"""
    return UnreadableFile(Reason("file_protected", kind=kind))
