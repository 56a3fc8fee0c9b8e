"""Names of files within files. They are a stranger's: shown and kept, never used as a path."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from reading.extractors.prose import clean

NAME_MAX_CHARS = (
    200  # with its folders: three within each other, in UTF-8, are a key of the database
)
ENDING_MAX_CHARS = 20
READ_MAX_CHARS = 2_000  # one of 90 MB, of folders alone, would fill the memory of the worker
NOTHING = ("", ".", "..")


def clean_member_name(name: str) -> str:
    """ "folder/a.pdf": no way out of where it is, nothing that cannot be seen; "" when nothing is
    left. Of one that is too long, the beginning and its ending stay.
    """
    if len(name) > READ_MAX_CHARS:
        name = name[:READ_MAX_CHARS] + name[-ENDING_MAX_CHARS - 1 :]
    parts = (clean(part) for part in name.replace("\\", "/").split("/"))
    cleaned = "/".join(part for part in parts if part not in NOTHING)
    if len(cleaned) <= NAME_MAX_CHARS:
        return cleaned
    stem, dot, ending = cleaned.rpartition(".")
    if not dot or len(ending) > ENDING_MAX_CHARS or "/" in ending:
        return cleaned[:NAME_MAX_CHARS].rstrip()
    return f"{stem[: NAME_MAX_CHARS - len(ending) - 1].rstrip()}.{ending}"


def distinct_name(name: str, taken: Collection[str]) -> str:
    """ "a (2).pdf" where there is an "a.pdf" already."""
    if name not in taken:
        return name
    folder, slash, base = name.rpartition("/")
    stem, dot, ending = base.rpartition(".") if "." in base[1:] else (base, "", "")
    return next(
        each
        for number in count(2)
        if (each := f"{folder}{slash}{stem} ({number}){dot}{ending}") not in taken
    )
