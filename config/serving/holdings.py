"""The bytes of bodies that wait in memory and on the disk of a process, by who holds them. Only
bytes that have arrived count: announced ones cost nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Client = TypeVar("Client")


@dataclass(frozen=True)
class Held:
    size: int
    holders: tuple[str, ...]


class Holdings(Generic[Client]):
    """Bytes of each connection, of each holder and in all. A connection counts for each of its
    holders: an address, and a tenant or all strangers together."""

    def __init__(self) -> None:
        self.total_bytes = 0
        self._held: dict[Client, Held] = {}
        self._of_holder: Counter[str] = Counter()

    def keep(self, client: Client, size: int, holders: tuple[str, ...]) -> None:
        """Notes the client's `size`, in the place of the one noted before."""
        self.let_go(client)
        if size:
            self._held[client] = Held(size, holders)
            self.total_bytes += size
            self._of_holder.update(dict.fromkeys(holders, size))

    def let_go(self, client: Client) -> None:
        held = self._held.pop(client, None)
        if held is None:
            return
        self.total_bytes -= held.size
        for holder in held.holders:
            self._of_holder[holder] -= held.size
            if not self._of_holder[holder]:
                del self._of_holder[holder]

    def largest_first(self) -> Iterator[Client]:
        """The clients, those of the largest holder first. Where all have one holder in common (they
        share an address, or a tenant has many), the other holder decides; then the size of the
        client itself."""
        return iter(sorted(self._held, key=self._weigh, reverse=True))

    def _weigh(self, client: Client) -> tuple[list[int], int]:
        held = self._held[client]
        shares = sorted((self._of_holder[holder] for holder in held.holders), reverse=True)
        return shares, held.size

    def describe(self, client: Client) -> str:
        """The client's holders and how much each has, in a text for operators."""
        held = self._held.get(client)
        holders = held.holders if held else ()
        return ", ".join(f"{name} with {self._of_holder[name]:,} bytes" for name in holders)
