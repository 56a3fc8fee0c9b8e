"""Fits how passages are ordered and judged, and answers chosen, for the embedding model that
answers now."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from bench.calibration.collect import Found, collect, without_vectors
from bench.calibration.fit import NothingToFit
from bench.calibration.make import calibrate
from bench.calibration.report import as_text, write_file
from bench.evaluation.datasets import SET_NAMES, load_companies, load_scorer, load_set
from query.search.calibration import FALLBACK, calibration_of, operators_file
from sources.embedding.embedder import get_embedder

DEFAULT_DATA = settings.BASE_DIR.parent / "shared" / "eval"


class Command(BaseCommand):
    help = (
        "Fits how passages are ordered and judged, and which sentence answers, for the embedding"
        " model that answers now, on labelled questions; prints how good it is on companies that"
        " were left out, and writes the file that the service reads from its next start on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--data",
            type=Path,
            default=DEFAULT_DATA,
            help="folder that holds score.py and one or more sets (bin/manage evaluate); the"
            " companies of bench/ are added",
        )
        parser.add_argument(
            "--output", type=Path, help="write the file here, not beside the exported model"
        )

        parser.add_argument(
            "--words-alone",
            action="store_true",
            help="fit what a model gets that has no file of its own, and write it among those that"
            " are shipped",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        model = get_embedder().card.name
        found = self.collect(options["data"], is_silent=options["verbosity"] == 0)
        output = options["output"] or operators_file(model)
        if options["words_alone"]:
            model, found = "", [without_vectors(row) for row in found]
            output = options["output"] or FALLBACK
        try:
            report = calibrate(found, model, lambda step: self.stderr.write(f"fitting {step}"))
        except NothingToFit as error:
            raise CommandError(f"{options['data']} is not enough to fit on: {error}.") from error
        write_file(report, output)
        calibration_of.cache_clear()
        self.stdout.write(f"{as_text(report)}\n\n{output} is written.")

    def collect(self, data: Path, *, is_silent: bool) -> list[Found]:
        if not (data / "score.py").is_file():
            raise CommandError(f"{data} does not hold evaluation data (no score.py).")
        names = [name for name in SET_NAMES if (data / name).is_dir()]
        corpora = [corpus for name in names for corpus in load_set(data, name)]
        corpora += load_companies()
        steps = sum(len(corpus.files) + len(corpus.questions) for corpus in corpora)
        with tqdm(total=steps, unit="step", disable=is_silent) as progress:
            return collect(corpora, load_scorer(data), progress.update)
