"""The frame of the benchmarks: what is judged, and how it is written down."""

import json
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import call_command

from bench.management.commands import bench as command
from bench.speed.measurement import Figure, Measurement, Picture
from bench.speed.report import figure_table, number, write_measurement

SLOWED = Figure("answer", "ms", [20, 60, 30], "bare", [10, 20, 10], goal=2.5)
MEASURED = Measurement(
    "Speed", [SLOWED], notes=["Said plainly."], pictures=[Picture("Time", "ms", {"ours": [1, 2]})]
)


def test_the_ratio_is_of_the_rounds_not_of_the_medians():
    assert SLOWED.median == 30
    assert SLOWED.ratios == [2, 3, 3]
    assert SLOWED.ratio == 3


@pytest.mark.parametrize(
    ("figure", "is_reached"),
    [
        (SLOWED, False),
        (Figure("answer", "ms", [20], "bare", [10], goal=2), True),
        (Figure("answers", "a second", [20], "peer", [10], goal=2, at_least=True), True),
        (Figure("answers", "a second", [19], "peer", [10], goal=2, at_least=True), False),
        (Figure("memory", "GB", [1.0, 0.9, 3.0], goal=1.0), True),
        (Figure("memory", "GB", [1.1], goal=1.0), False),
        (Figure("memory", "GB", [1.1]), None),
    ],
)
def test_a_goal_is_of_the_ratio_or_else_of_the_figure(figure: Figure, is_reached: bool | None):
    assert figure.is_reached is is_reached


@pytest.mark.parametrize(("values", "limits"), [([], []), ([1, 2], [1])])
def test_a_round_without_a_value_is_refused(values: list[float], limits: list[float]):
    with pytest.raises(ValueError, match="answer"):
        Figure("answer", "ms", values, "bare", limits)


def test_the_table_shows_figure_noise_limit_and_goal():
    assert figure_table(Measurement("", [SLOWED])).splitlines()[2] == (
        "| answer | ms | 30 (20 – 60) | bare | 10 (10 – 20) | 3 (2 – 3) | ≤ 2.5: **missed** |"
    )
    memory = Figure("memory", "GB", [0.95], goal=1)
    assert figure_table(Measurement("", [memory])).splitlines()[2] == (
        "| memory | GB | 0.95 |  |  |  | ≤ 1: reached |"
    )


@pytest.mark.parametrize(
    ("value", "text"), [(1234.5, "1,234"), (45.67, "45.7"), (0.01234, "0.0123"), (100, "100")]
)
def test_numbers_have_three_digits_that_count(value: float, text: str):
    assert number(value) == text


def test_a_report_is_a_document_and_its_pictures(tmp_path: Path):
    written = write_measurement(MEASURED, "bin/manage bench x", tmp_path / "speed-x.md")
    assert [path.name for path in written] == ["speed-x.md", "speed-x.png"]
    text = written[0].read_text()
    assert text.startswith("# Speed\n\n`bin/manage bench x`, commit ")
    assert "| answer | ms |" in text
    assert "![Speed](speed-x.png)" in text
    assert text.endswith("Said plainly.\n")
    assert written[1].read_bytes().startswith(b"\x89PNG")


def test_the_command_hands_its_options_to_the_module_it_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    asked = []

    def measure(options: dict[str, object]) -> Measurement:
        asked.append((options["rounds"], options["wide"]))
        return MEASURED

    module = SimpleNamespace(
        HELP="A test's", add_arguments=lambda parser: parser.add_argument("--wide"), measure=measure
    )
    monkeypatch.setattr(command, "NAMES", ("query", "not_written_yet"))
    monkeypatch.setattr(command, "find_spec", lambda name: name.endswith("query"))
    monkeypatch.setattr(command, "import_module", {"bench.speed.query": module}.__getitem__)
    output, errors = StringIO(), StringIO()
    call_command(
        "bench",
        *("query", "--rounds", "3", "--wide", "yes", "--json"),
        *("--report", "x", "--results", str(tmp_path)),
        stdout=output,
        stderr=errors,
    )
    assert asked == [(3, "yes")]
    figures = json.loads(output.getvalue())["figures"]
    assert [(row["median"], row["ratio"], row["is_reached"]) for row in figures] == [(30, 3, False)]
    assert "bin/manage bench query --rounds 3" in (tmp_path / "speed-x.md").read_text()
    assert f"written: {tmp_path / 'speed-x.png'}" in errors.getvalue()
