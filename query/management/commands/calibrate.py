"""Fits the order of passages, the relevance gate and the refusal for the embedding model that
answers now."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from query.calibration import calibration_of, operators_file
from query.calibration.collect import Found, collect
from query.calibration.fit import NothingToFit
from query.calibration.make import calibrate
from query.calibration.report import as_text, write_dump, write_file
from query.evaluation.datasets import SET_NAMES, load_scorer, load_set
from sources.ingestion.embed import get_embedder

DEFAULT_DATA = settings.BASE_DIR.parent / "shared" / "eval"


class Command(BaseCommand):
    help = (
        "Fits how passages are ordered and judged for the embedding model that answers now, on"
        " labelled questions; prints how good it is on tenants that were left out, and writes the"
        " file that the service reads from its next start on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--data",
            type=Path,
            default=DEFAULT_DATA,
            help="folder that holds score.py and one or more sets (bin/manage evaluate)",
        )
        parser.add_argument(
            "--dump", type=Path, help="also write a JSON line for every question: what was found"
        )
        parser.add_argument(
            "--output", type=Path, help="write the file here, not beside the exported model"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        model = get_embedder().card.name
        found = self.collect(options["data"], is_silent=options["verbosity"] == 0)
        if options["dump"]:
            write_dump(found, options["dump"])
        try:
            report = calibrate(found, model)
        except NothingToFit as error:
            raise CommandError(f"{options['data']} is not enough to fit on: {error}.") from error
        path = options["output"] or operators_file(model)
        write_file(report, path)
        calibration_of.cache_clear()
        self.stdout.write(f"{as_text(report)}\n\n{path} is written.")

    def collect(self, data: Path, *, is_silent: bool) -> list[Found]:
        if not (data / "score.py").is_file():
            raise CommandError(f"{data} does not hold evaluation data (no score.py).")
        names = [name for name in SET_NAMES if (data / name).is_dir()]
        corpora = [corpus for name in names for corpus in load_set(data, name)]
        steps = sum(len(corpus.files) + len(corpus.questions) for corpus in corpora)
        with tqdm(total=steps, unit="step", disable=is_silent) as progress:
            return collect(corpora, load_scorer(data), progress.update)
