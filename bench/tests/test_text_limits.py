"""A pattern that takes too long with some text is found, with that text."""

from __future__ import annotations

import re
import signal

import pytest

from bench.speed.text_limits import CHARS, LIMIT_MS, AskedPattern, give_up, list_attacks, measure

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize("pattern", [r"(?:\w+\s?)+$", r"(a|aa)+\Z", r"\s+$", r"<b>.*?</b>"])
def test_a_pattern_that_explodes_is_found(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.speed.text_limits.GIVEN_UP_SECONDS", 4 * LIMIT_MS / 1000)
    signal.signal(signal.SIGVTALRM, give_up)
    compiled = re.compile(pattern)

    found = measure(pattern, AskedPattern(compiled, frozenset()), list_attacks(compiled, CHARS))

    assert found.ms > LIMIT_MS or found.growth > 3


@pytest.mark.parametrize("pattern", [r"\w+", r"[0-9]{1,9}", r"a|b"])
def test_a_plain_one_is_not(pattern: str) -> None:
    signal.signal(signal.SIGVTALRM, give_up)
    compiled = re.compile(pattern)

    texts = [*list_attacks(compiled, CHARS), "a" * CHARS]

    assert measure(pattern, AskedPattern(compiled, frozenset()), texts).ms < LIMIT_MS


def test_a_pattern_is_asked_as_the_code_asks_it() -> None:
    """Spaces before an end that is not there: quadratic where each position is tried."""
    signal.signal(signal.SIGVTALRM, give_up)
    compiled = re.compile(r"\s+$")
    texts = [" " * CHARS + "!"]

    anywhere = measure("search", AskedPattern(compiled, frozenset({"search"})), texts)
    at_the_beginning = measure("match", AskedPattern(compiled, frozenset({"match"})), texts)

    assert at_the_beginning.ms < anywhere.ms / 10
