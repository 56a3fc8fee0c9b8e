"""Wrong codes of a second factor: how many a person's account takes in a day, and how long it waits
between them.

Kept in the row of the second factor, which is locked while a code is checked: of many at once
each is counted, and a Redis that was emptied has forgotten nothing.

    a code from a place that the person has signed in from  | 50 a day in all, 10 before it waits
    a code from elsewhere                                   | 40 a day in all, 10 before it waits

So somebody who knows the password and guesses from elsewhere uses up neither the person's last
tries nor their patience: the waits of one kind of place are not the other's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.models import TwoFactor

DAY = timedelta(days=1)
# A code of six digits that is good for three steps is guessed in 50 tries with a chance of 1 in
# 6,700. Places that the person has never signed in from get fewer, so that a stranger cannot use up
# all tries of the owner.
A_DAY = 50
A_DAY_ELSEWHERE = 40
# A person who reads the code off a phone is wrong a few times, not ten times in a row.
IN_A_ROW = 10
# After ten in a row each further one, after twenty, and so on.
WAITS = tuple(timedelta(minutes=minutes) for minutes in (15, 30, 60, 120))
TOLD_AFTER = 5  # in a day: their owner hears of it, once a day


@dataclass(frozen=True)
class WrongCode:
    """A wrong code. `at`: seconds since 1970. `is_followed`: by a right one, from the same kind of
    place."""

    at: float
    is_at_known_place: bool
    is_followed: bool = False


def list_wrong_codes(two_factor: TwoFactor, now: datetime) -> list[WrongCode]:
    """The wrong codes of the last day, oldest first."""
    kept = [WrongCode(*row) for row in two_factor.wrong_codes]
    return [code for code in kept if code.at > (now - DAY).timestamp()]


def seconds_to_wait(codes: Sequence[WrongCode], now: datetime, *, is_at_known_place: bool) -> int:
    """The seconds until another code is looked at; 0: now."""
    until = [now.timestamp()]
    allowed = A_DAY if is_at_known_place else A_DAY_ELSEWHERE
    if len(codes) >= allowed:
        until.append(codes[-allowed].at + DAY.total_seconds())
    row = [
        code
        for code in codes
        if code.is_at_known_place is is_at_known_place and not code.is_followed
    ]
    if tens := len(row) // IN_A_ROW:
        until.append(row[-1].at + WAITS[min(tens, len(WAITS)) - 1].total_seconds())
    return math.ceil(max(until) - now.timestamp())


def note_wrong_code(two_factor: TwoFactor, *, is_at_known_place: bool) -> bool:
    """Notes a wrong code. True if its owner should be told: after several, at most once a day."""
    now = timezone.now()
    codes = list_wrong_codes(two_factor, now)
    save_wrong_codes(two_factor, [*codes, WrongCode(now.timestamp(), is_at_known_place)])
    told_at = two_factor.guessing_told_at
    if len(codes) + 1 < TOLD_AFTER or (told_at is not None and told_at > now - DAY):
        return False
    two_factor.guessing_told_at = now
    two_factor.save(update_fields=["guessing_told_at"])
    return True


def note_right_code(two_factor: TwoFactor, *, is_at_known_place: bool) -> None:
    """Lets the waits start over; the day's number stays."""
    codes = list_wrong_codes(two_factor, timezone.now())
    if codes:
        save_wrong_codes(
            two_factor,
            [
                replace(code, is_followed=True)
                if code.is_at_known_place is is_at_known_place
                else code
                for code in codes
            ],
        )


def save_wrong_codes(two_factor: TwoFactor, codes: Sequence[WrongCode]) -> None:
    two_factor.wrong_codes = [astuple(code) for code in codes]
    two_factor.save(update_fields=["wrong_codes"])
