"""What a client tried, and whether it found what had to be there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

FOUND_CHARS = 160


@dataclass(frozen=True)
class Check:
    """`found` is shown whether it passed or not."""

    what: str
    passed: bool
    found: str


def expect(what: str, found: Any, expected: Any) -> Check:
    """Passes when the two are equal."""
    return Check(what, found == expected, show(found))


def show(found: Any) -> str:
    """On one line of a Markdown table."""
    text = " ".join(str(found).replace("|", "/").split())
    return text if len(text) <= FOUND_CHARS else f"{text[:FOUND_CHARS]} …"


async def print_checks(title: str, checks: AsyncIterator[Check]) -> bool:
    """As a Markdown table, a line as soon as it is known; whether all of them passed."""
    print(f"\n| {title} | passed | found |\n|---|---|---|")
    passed = []
    async for check in checks:
        passed.append(check.passed)
        print(
            f"| {check.what} | {'yes' if check.passed else '**no**'} | {check.found} |", flush=True
        )
    return all(passed)
