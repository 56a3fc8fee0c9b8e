"""Measures the service on the evaluation data: retrieval, abstention, answers; English and Spanish
apart."""

import json
from argparse import ArgumentTypeError
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from bench.calibration.fit import NothingToFit
from bench.evaluation.comparison import compare, comparison_table
from bench.evaluation.datasets import (
    COMPANIES_SET,
    EVERY_SET,
    HELD_OUT_SET,
    SET_NAMES,
    load_corpora,
    load_scorer,
)
from bench.evaluation.document import EvaluationReport, read_rows, write_report
from bench.evaluation.left_out import STEPS_PER_QUESTION, ask_left_out
from bench.evaluation.report import (
    answerable_figures,
    answerable_table,
    required_table,
    unanswerable_figures,
    unanswerable_table,
)
from bench.evaluation.requirements import show
from bench.evaluation.rows import BadReport, to_row
from bench.evaluation.run import Asked, CorpusRun, Indexed, ask_corpus, indexed_corpora
from bench.evaluation.written import WRITTEN_SET, load_written
from sources.embedding.embedder import get_embedder

SKIPPED_SHOWN = 20  # --json has them all
DEFAULT_DATA = settings.BASE_DIR.parent / "shared" / "eval"
DEFAULT_RESULTS = settings.BASE_DIR / "bench" / "results"


class Command(BaseCommand):
    help = (
        "Loads evaluation data into fresh tenants, asks every question, and prints the figures;"
        " or compares two reports of earlier runs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--set",
            choices=[*SET_NAMES, COMPANIES_SET, HELD_OUT_SET, WRITTEN_SET, EVERY_SET],
            default="company",
            help="one of --data, bench/'s companies, those held out, those that were written and"
            " never learned from, or all but the last two",
        )
        parser.add_argument(
            "--data",
            type=Path,
            default=DEFAULT_DATA,
            help="folder that holds score.py and the sets",
        )
        parser.add_argument("--json", action="store_true", help="print figures as one JSON object")
        parser.add_argument(
            "--dump",
            type=Path,
            help="also write a JSON line for every question asked, with its answer",
        )
        parser.add_argument(
            "--report",
            type=file_name,
            metavar="NAME",
            help="also ask with what is fitted on the other tenants alone, and write NAME.md,"
            " NAME.json and pictures",
        )
        parser.add_argument(
            "--results", type=Path, default=DEFAULT_RESULTS, help="folder of the reports"
        )
        parser.add_argument(
            "--compare",
            type=Path,
            nargs=2,
            metavar=("BEFORE", "AFTER"),
            help="two JSON reports: is the second better? Nothing is asked",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["compare"]:
            self.stdout.write(compare_reports(*options["compare"]))
            return
        if not (options["data"] / "score.py").is_file():
            raise CommandError(f"{options['data']} does not hold evaluation data (no score.py).")
        runs, left_out = self.ask_all(options)
        if options["dump"]:
            write_dump(options["dump"], all_asked(runs), left_out)
        self.stdout.write(as_json(runs) if options["json"] else as_text(runs))
        if options["report"]:
            facts = run_facts(options["set"], runs)
            report = EvaluationReport(options["report"], facts, all_asked(runs), left_out)
            for path in write_report(report, options["results"]):
                self.stderr.write(f"written: {path}")

    def ask_all(self, options: dict[str, Any]) -> tuple[list[CorpusRun], list[Asked]]:
        """As served, and (for a report) left out."""
        scorer = load_scorer(options["data"])
        is_written = options["set"] == WRITTEN_SET
        corpora = load_written() if is_written else load_corpora(options["data"], options["set"])
        questions = sum(len(corpus.questions) for corpus in corpora)
        steps = questions + sum(len(corpus.files) for corpus in corpora)
        steps += STEPS_PER_QUESTION * questions if options["report"] else 0
        silent = options["verbosity"] == 0
        with (
            tqdm(total=steps, unit="step", disable=silent) as progress,
            indexed_corpora(corpora, progress.update) as indexed,
        ):
            runs = [ask_corpus(item, scorer, progress.update) for item in indexed]
            if not options["report"]:
                return runs, []
            return runs, self.leave_out(indexed, scorer, progress)

    def leave_out(self, indexed: list[Indexed], scorer: Any, progress: Any) -> list[Asked]:
        """Nothing when there is not enough to fit on: the report then tells what was served."""
        try:
            return ask_left_out(
                indexed,
                scorer,
                get_embedder().card.name,
                on_step=progress.update,
                on_fit=lambda step: progress.set_description(f"fitting {step}"),
            )
        except NothingToFit as error:
            self.stderr.write(f"not fitted on the other tenants: {error}.")
            return []


def file_name(value: str) -> str:
    if not value or Path(value).name != value:
        raise ArgumentTypeError("a name without folders was expected")
    return value


def compare_reports(before: Path, after: Path) -> str:
    try:
        differences = compare(read_rows(before), read_rows(after))
    except BadReport as error:
        raise CommandError(str(error)) from error
    if not differences:
        raise CommandError("The two runs asked no question that is the same.")
    return comparison_table(differences)


def all_asked(runs: list[CorpusRun]) -> list[Asked]:
    return [item for run in runs for item in run.asked]


def write_dump(path: Path, served: list[Asked], left_out: list[Asked]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for is_left_out, asked in ((False, served), (True, left_out)):
            for item in asked:
                line = {"is_left_out": is_left_out, **asdict(item)}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def as_json(runs: list[CorpusRun]) -> str:
    asked = all_asked(runs)
    report = {
        "answerable": [asdict(row) for row in answerable_figures(asked)],
        "unanswerable": [asdict(row) for row in unanswerable_figures(asked)],
        "skipped": [asdict(item) for run in runs for item in run.skipped],
        **speed(runs),
    }
    return json.dumps(report, indent=1, ensure_ascii=False)


def as_text(runs: list[CorpusRun]) -> str:
    asked = all_asked(runs)
    parts = [
        answerable_table(answerable_figures(asked)),
        unanswerable_table(unanswerable_figures(asked)),
        required_table(show([to_row(item) for item in asked])),
    ]
    skipped = [f"{item.file}: {item.reason}" for run in runs for item in run.skipped]
    if skipped:
        parts.append("\n".join([f"not indexed ({len(skipped)}):", *skipped[:SKIPPED_SHOWN]]))
    parts.append(
        ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in speed(runs).items())
    )
    return "\n\n".join(parts)


def run_facts(sets: str, runs: list[CorpusRun]) -> dict[str, Any]:
    return {
        "made_at": timezone.now().isoformat(timespec="minutes"),
        "sets": sets,
        "questions": len(all_asked(runs)),
        "embedding_model": get_embedder().card.name,
        "speech_model": settings.WHISPER_MODEL,
        "answerer": settings.LLM_MODEL if settings.LLM_BASE_URL else "extractive",
        **speed(runs),
    }


def speed(runs: list[CorpusRun]) -> dict[str, float]:
    seconds = sorted(item.seconds for run in runs for item in run.asked)
    indexing = sum(run.seconds_indexing for run in runs)
    return {
        "passages": sum(run.passages for run in runs),
        "indexing_seconds": round(indexing, 1),
        "answer_ms_median": round(1000 * seconds[len(seconds) // 2], 1),
        "answer_ms_p95": round(1000 * seconds[int(len(seconds) * 0.95)], 1),
    }
