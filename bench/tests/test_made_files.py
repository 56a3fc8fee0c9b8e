"""Every file that is made here is read as the product reads it: nothing that it says is lost
without a word, and nothing that it hides is shown.
"""

from pathlib import Path

import pytest

from bench.formats.check import check_made
from reading.tests.files.corpus.catalogue import FILES
from reading.tests.files.corpus.made import MadeFile

pytestmark = pytest.mark.slow


def given(made: MadeFile):
    marks = [pytest.mark.xfail(reason=made.known_fault, strict=True)] if made.known_fault else []
    return pytest.param(made, id=made.name, marks=marks)


@pytest.mark.parametrize("made", [given(made) for made in FILES])
def test_file_is_read_whole_or_its_loss_is_told(made: MadeFile, tmp_path: Path):
    checked = check_made(made, tmp_path)
    assert checked.faults == (), f"{made.about}: {checked.reading.outcome}"
