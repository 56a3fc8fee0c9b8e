"""Tables in Markdown of what was checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean

from bench.formats.check import Checked
from bench.formats.scoring import Score
from reading.tests.files.corpus.made import MadeFile


def print_table(checked: Sequence[Checked]) -> None:
    print_row(
        "format",
        "files",
        "refused",
        "words",
        "precision",
        "order",
        "headings",
        "rows",
        "silent losses",
        "told losses",
        "s",
        "peak MB",
    )
    print(f"|{'---|' * 12}")
    by_kind = sorted(checked, key=lambda each: each.kind)
    for kind, files in groupby(by_kind, key=lambda each: each.kind):
        print_kind(kind, list(files))


def print_kind(kind: str, files: Sequence[Checked]) -> None:
    scores = [each.ours for each in files if each.ours is not None]
    losses = [each for each in files if each.ours is not None and each.ours.has_loss]
    print_row(
        kind,
        str(len(files)),
        str(len(files) - len(scores)),
        mean([each.ours.recall if each.ours else 0 for each in files]),
        mean([each.precision for each in scores]),
        mean([each.order for each in scores]),
        mean([each.headings for each in scores if each.headings is not None]),
        mean([each.rows for each in scores if each.rows is not None]),
        str(sum(each.is_silent_loss for each in losses)),
        str(sum(not each.is_silent_loss for each in losses)),
        f"{sum(each.reading.seconds for each in files):.1f}",
        str(max(each.reading.peak_mb for each in files)),
    )


def recall_of(score: Score | None) -> float:
    return score.recall if score else 0.0


def mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.3f}" if values else "–"


def print_row(*cells: str) -> None:
    print(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |", flush=True)


def write_losses(checked: Sequence[Checked], path: Path) -> None:
    lines = ["| file | ours | lost of | example | outcome |", "|---|---|---|---|---|"]
    lost = [each for each in checked if each.ours is None or each.ours.has_loss]
    for each in sorted(lost, key=lambda each: (each.kind, recall_of(each.ours))):
        count = each.ours.lost_count if each.ours else each.reference.size
        examples = " ".join(each.ours.lost if each.ours else each.reference.words[:8])[:160]
        silent = "**silent** " if each.is_silent_loss else ""
        outcome = each.reading.outcome[:130]
        cells = (
            f"{each.kind}/{each.path.name}",
            f"{recall_of(each.ours):.3f}",
            f"{count} of {each.reference.size}",
            examples,
            silent + outcome,
        )
        lines.append(
            f"| {' | '.join(cell.replace('|', '/').replace(chr(10), ' ') for cell in cells)} |"
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def print_catalogue(files: Sequence[MadeFile]) -> None:
    print_row("file", "about", "of")
    print("|---|---|---|")
    for made in files:
        print_row(made.name, made.about, "the issue" if made.is_of_issue else "the specifications")


def print_faults(checked: Sequence[Checked]) -> int:
    """1 where a file made here is not as it must be, and that is not known."""
    faulty = [each for each in checked if each.made is not None and each.faults]
    if faulty:
        print()
        print_row("file", "about", "words", "fault", "outcome")
        print("|---|---|---|---|---|")
    for each in faulty:
        assert each.made is not None
        print_row(
            each.made.name,
            each.made.about,
            f"{recall_of(each.ours):.3f}",
            "; ".join(each.faults),
            each.reading.outcome[:110],
        )
    if any(each.made for each in checked):
        print(f"\n{len(checked)} files made here; {len(faulty)} not as they must be.")
    return int(any(each.made and not each.made.known_fault for each in faulty))
