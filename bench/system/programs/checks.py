"""What a client tried, and whether it found what had to be there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

FOUND_CHARS = 100


@dataclass(frozen=True)
class Check:
    """`found` is shown whether it passed or not."""

    what: str
    passed: bool
    found: str

    @property
    def row(self) -> str:
        """The last columns of a Markdown table's row."""
        return f"{self.what} | {'yes' if self.passed else '**no**'} | {self.found} |"


Checks = AsyncIterator[Check]


def expect(what: str, found: Any, expected: Any) -> Check:
    """Passes when the two are equal."""
    return Check(what, found == expected, show(found))


def show(found: Any) -> str:
    """On one line of a Markdown table."""
    text = " ".join(str(found).replace("|", "/").split())
    return text if len(text) <= FOUND_CHARS else f"{text[:FOUND_CHARS]} …"


async def in_turn(*groups: Checks) -> Checks:
    """A group that breaks off is a check that failed; the others go on."""
    for group in groups:
        try:
            async for check in group:
                yield check
        except Exception as error:  # noqa: BLE001 - it is what was found
            yield Check(getattr(group, "__name__", ""), False, show(list(leaves(error))))


def leaves(error: BaseException) -> Iterator[BaseException]:
    """What task groups wrap."""
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for each in error.exceptions:
        yield from leaves(each)


async def print_checks(title: str, checks: Checks) -> bool:
    """As a Markdown table, a line as soon as it is known; whether all of them passed."""
    print(f"\n| {title} | passed | found |\n|---|---|---|")
    passed = []
    async for check in checks:
        passed.append(check.passed)
        print(f"| {check.row}", flush=True)
    return all(passed)
