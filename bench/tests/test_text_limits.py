"""Patterns and functions of text end in time, at their longest text; and what does not is found."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bench.text_limits import CHARS, LIMIT_MS, give_up, list_attacks, measure, use_of

ROOT = Path(__file__).resolve().parent.parent.parent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_all_that_the_product_has_end_in_time() -> None:
    """In a process of its own, which sees every module being imported."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bench.text_limits"],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "DJANGO_SETTINGS_MODULE": "config.settings_test",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    measured = re.search(r"^(\d+) measured", done.stdout, re.MULTILINE)
    assert measured is not None
    assert int(measured[1]) > 400


@pytest.mark.parametrize(
    "pattern", [r"(?:\w+\s?)+$", r"(a|aa)+\Z", r"\s+$", r"<b>.*?</b>", r"x(?:[^,]*,?)*!"]
)
def test_a_pattern_that_explodes_is_found(pattern: str) -> None:
    signal.signal(signal.SIGVTALRM, give_up)
    compiled = re.compile(pattern)

    found = measure(pattern, use_of(compiled), list_attacks(compiled, CHARS))

    assert found.ms > LIMIT_MS or found.growth > 3


@pytest.mark.parametrize("pattern", [r"\w+", r"[0-9]{1,9}", r"(?:\w+\s)++!", r"a|b"])
def test_a_plain_one_is_not(pattern: str) -> None:
    signal.signal(signal.SIGVTALRM, give_up)
    compiled = re.compile(pattern)

    assert (
        measure(pattern, use_of(compiled), [*list_attacks(compiled, CHARS), "a" * CHARS]).ms
        < LIMIT_MS
    )
