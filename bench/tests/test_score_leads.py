"""How well wishes to buy, and addresses, are told in the labelled dialogues."""

import pytest

from bench.evaluation.score_leads import tally


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_labelled_dialogues_are_read_well_enough(language):
    tallies = tally()
    for field in ("intent", "contact"):
        measured = tallies["all", language, field]
        assert (measured.precision >= 0.95, measured.recall >= 0.85) == (True, True), field
