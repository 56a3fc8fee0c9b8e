"""How long to wait before the next attempt at something that failed."""

import random
from dataclasses import dataclass
from datetime import timedelta

JITTER = 0.2  # of a wait, either way: what failed together does not come again together


@dataclass(frozen=True)
class BackOff:
    """`first_seconds` after the first attempt, twice as long after each, `longest_seconds` at the
    most.
    """

    first_seconds: float
    longest_seconds: float

    def wait_after(self, attempts: int) -> timedelta:
        """`attempts` from 1."""
        doublings = min(attempts - 1, 20)  # no number too large for a float
        seconds = min(self.first_seconds * 2**doublings, self.longest_seconds)
        return timedelta(seconds=seconds * random.uniform(1 - JITTER, 1 + JITTER))  # noqa: S311 - no secret
