"""Takes the files out of a file, within limits of number and size, with a warning for each that is
left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from reading.errors import UnreadableFile
from reading.passages import (
    MEMBER_MAX_BYTES,
    MEMBERS_MAX,
    MEMBERS_MAX_BYTES,
    Member,
)
from reasons import Reason

MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class PackedFile:
    """A file within a file that was not taken out yet. `take_out` gives its content, of more than
    MEMBER_MAX_BYTES only the beginning; raises UnreadableFile, of this one alone. `size_bytes`:
    what it says of itself, where that is more than stands in the file.
    """

    name: str
    take_out: Callable[[], bytes]
    size_bytes: int = 0


class Taking:
    """`warnings` is complete after the last member."""

    def __init__(self) -> None:
        self.warnings: list[Reason] = []
        self._count = 0
        self._bytes_left = MEMBERS_MAX_BYTES

    def members(self, found: Iterable[PackedFile]) -> Iterator[Member]:
        beyond = 0
        for each in found:
            self._count += 1
            if self._count > MEMBERS_MAX:
                beyond += 1
                continue
            try:
                yield Member(each.name, self._take(each))
            except UnreadableFile as error:
                yield Member(each.name, refusal=error.reason)
        if beyond:
            self.warnings.append(Reason("files_beyond_limit", limit=MEMBERS_MAX, count=beyond))

    def _take(self, found: PackedFile) -> bytes:
        """Unpacks a file. Its stated size is checked before, and the actual size after."""
        self._check(found.size_bytes)
        content = found.take_out()
        self._check(len(content))
        self._bytes_left -= len(content)
        return content

    def _check(self, size_bytes: int) -> None:
        if size_bytes > MEMBER_MAX_BYTES:
            limit = MEMBER_MAX_BYTES // MEGABYTE
            raise UnreadableFile(Reason("too_large_for_limit", limit=limit))
        if size_bytes > self._bytes_left:
            raise UnreadableFile(Reason("archive_too_large", limit=MEMBERS_MAX_BYTES // MEGABYTE))
