"""A pattern that takes too long with some text is found, with that text."""

from __future__ import annotations

import re
import signal

import pytest

from bench.text_limits import CHARS, LIMIT_MS, give_up, list_attacks, measure, use_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize("pattern", [r"(?:\w+\s?)+$", r"(a|aa)+\Z", r"\s+$", r"<b>.*?</b>"])
def test_a_pattern_that_explodes_is_found(pattern: str) -> None:
    signal.signal(signal.SIGVTALRM, give_up)
    compiled = re.compile(pattern)

    found = measure(pattern, use_of(compiled), list_attacks(compiled, CHARS))

    assert found.ms > LIMIT_MS or found.growth > 3


@pytest.mark.parametrize("pattern", [r"\w+", r"[0-9]{1,9}", r"a|b"])
def test_a_plain_one_is_not(pattern: str) -> None:
    signal.signal(signal.SIGVTALRM, give_up)
    compiled = re.compile(pattern)

    assert (
        measure(pattern, use_of(compiled), [*list_attacks(compiled, CHARS), "a" * CHARS]).ms
        < LIMIT_MS
    )
