"""Measures the service on the evaluation data: retrieval, abstention, answers; English and Spanish
apart."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from query.evaluation.datasets import SET_NAMES, load_scorer, load_set
from query.evaluation.report import (
    answerable_figures,
    answerable_table,
    unanswerable_figures,
    unanswerable_table,
)
from query.evaluation.run import CorpusRun, run_corpus

SKIPPED_SHOWN = 20  # --json has them all
DEFAULT_DATA = settings.BASE_DIR.parent / "shared" / "eval"


class Command(BaseCommand):
    help = "Loads evaluation data into fresh tenants, asks every question, and prints the figures."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", choices=[*SET_NAMES, "all"], default="company")
        parser.add_argument(
            "--data",
            type=Path,
            default=DEFAULT_DATA,
            help="folder that holds score.py and the sets",
        )
        parser.add_argument("--json", action="store_true", help="print figures as one JSON object")
        parser.add_argument(
            "--dump", type=Path, help="also write a JSON line for every question asked"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        names = SET_NAMES if options["set"] == "all" else (options["set"],)
        if not (options["data"] / "score.py").is_file():
            raise CommandError(f"{options['data']} does not hold evaluation data (no score.py).")
        scorer = load_scorer(options["data"])
        corpora = [corpus for name in names for corpus in load_set(options["data"], name)]
        steps = sum(len(corpus.files) + len(corpus.questions) for corpus in corpora)
        with tqdm(total=steps, unit="step", disable=options["verbosity"] == 0) as progress:
            runs = [run_corpus(corpus, scorer, progress.update) for corpus in corpora]
        if options["dump"]:
            write_dump(options["dump"], runs)
        self.stdout.write(as_json(runs) if options["json"] else as_text(runs))


def write_dump(path: Path, runs: list[CorpusRun]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for run in runs:
            file.writelines(
                json.dumps(asdict(asked), ensure_ascii=False) + "\n" for asked in run.asked
            )


def as_json(runs: list[CorpusRun]) -> str:
    asked = [item for run in runs for item in run.asked]
    report = {
        "answerable": [asdict(row) for row in answerable_figures(asked)],
        "unanswerable": [asdict(row) for row in unanswerable_figures(asked)],
        "skipped": [asdict(item) for run in runs for item in run.skipped],
        **speed(runs),
    }
    return json.dumps(report, indent=1, ensure_ascii=False)


def as_text(runs: list[CorpusRun]) -> str:
    asked = [item for run in runs for item in run.asked]
    parts = [
        answerable_table(answerable_figures(asked)),
        unanswerable_table(unanswerable_figures(asked)),
    ]
    skipped = [f"{item.file}: {item.reason}" for run in runs for item in run.skipped]
    if skipped:
        parts.append("\n".join([f"not indexed ({len(skipped)}):", *skipped[:SKIPPED_SHOWN]]))
    parts.append(
        ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in speed(runs).items())
    )
    return "\n\n".join(parts)


def speed(runs: list[CorpusRun]) -> dict[str, float]:
    seconds = sorted(item.seconds for run in runs for item in run.asked)
    indexing = sum(run.seconds_indexing for run in runs)
    return {
        "passages": sum(run.passages for run in runs),
        "indexing_seconds": round(indexing, 1),
        "answer_ms_median": round(1000 * seconds[len(seconds) // 2], 1),
        "answer_ms_p95": round(1000 * seconds[int(len(seconds) * 0.95)], 1),
    }
