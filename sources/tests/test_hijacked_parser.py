"""A parser that was taken over, on every kind of machine (sources/tests/hijacked_parser.py)."""

import os

import pytest

from sources.tests.hijacked_parser import (
    BURNING,
    COLUMNS,
    NEVER_DONE,
    PERMITTED,
    UNWALLED,
    Column,
    faults_of,
    is_done,
    run_column,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can be everybody"),
]


# Where most holds it, and least. The kernel's limit of processor time is the same in all others,
# and takes two seconds of it; that none lifts it is "another limit for itself", tried in each.
BURNT = (COLUMNS[0], COLUMNS[5])


@pytest.mark.parametrize(
    "column", [each for each in COLUMNS if each != UNWALLED], ids=lambda column: column.title
)
def test_hijacked_parser_is_refused_whatever_it_tries(column: Column):
    outcomes = run_column(column, but=() if column in BURNT else (BURNING,))
    assert faults_of(column, outcomes) == []
    # What is explained is so: else the explanation is to be struck out.
    done = {name for name, outcome in outcomes.items() if is_done(outcome)}
    assert done == PERMITTED.get(column, frozenset())


def test_its_attempts_are_real_ones():
    """Where nothing confines it, it does all of it but what something else prevents."""
    outcomes = run_column(UNWALLED)
    assert {name for name, outcome in outcomes.items() if not is_done(outcome)} == NEVER_DONE
