"""Makes the reader (query/search/reader): its lessons, what serves of its weights, and its
decisions. bench/reader/README.md has the steps."""

from __future__ import annotations

import json
import pickle
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from bench.calibration.collect import Found, collect
from bench.calibration.fit import fit as fit_calibration
from bench.evaluation.datasets import EVERY_SET, HELD_OUT_SET, load_corpora, load_scorer
from bench.reader.arrays import write_arrays
from bench.reader.fit import Scores, as_json, fit, make_row
from bench.reader.lessons import Lesson, found_lessons, squad_lessons, written_lessons
from bench.reader.texts import read_companies
from query.search.calibration import get_calibration
from query.search.reader.decisions import FILE
from query.search.reader.reader import GRAPH
from sources.embedding.embedder import get_embedder
from sources.embedding.embedding_model import MULTILINGUAL_MODEL, bundled_files

SHARED = settings.BASE_DIR.parent / "shared"
SEED = 1
FOUND, LESSONS = "found.pickle", "lessons.npz"  # the first is our own, and read by us alone


class Command(BaseCommand):
    help = (
        "Makes the reader: `lessons`, then `python -m bench.reader.train`, then `export` and"
        " `decisions`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("step", choices=("lessons", "export", "decisions"))
        parser.add_argument("folder", type=existing, help="what the steps hand on to each other")
        parser.add_argument("--shared", type=Path, default=SHARED, help="has eval/ and reading/")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        match options["step"]:
            case "lessons":
                self.write_lessons(folder, options["shared"])
            case "export":
                self.export(folder)
            case "decisions":
                self.fit_decisions(folder)

    def write_lessons(self, folder: Path, shared: Path) -> None:
        scorer = load_scorer(shared / "eval")
        sets = (EVERY_SET, HELD_OUT_SET)
        corpora = [corpus for name in sets for corpus in load_corpora(shared / "eval", name)]
        steps = sum(len(corpus.files) + len(corpus.questions) for corpus in corpora)
        with tqdm(total=steps, unit="step") as progress:
            rows = collect(corpora, scorer, progress.update)
        (folder / FOUND).write_bytes(pickle.dumps(rows))
        lessons = [
            *written_lessons(read_companies(), SEED),
            *squad_lessons(shared / "reading" / "squad-v2-dev.en.json", "en", SEED),
            *squad_lessons(shared / "reading" / "squad-v2-dev.es.json", "es", SEED),
            *found_lessons(rows, get_calibration()),
        ]
        write_arrays(lessons, bundled_files(MULTILINGUAL_MODEL), folder / LESSONS)
        self.stdout.write(f"{len(lessons):,} lessons in {folder / LESSONS}")

    def export(self, folder: Path) -> None:
        from bench.reader.export import read_weights, write_graph  # torch
        from bench.reader.learn import SentenceReader
        from bench.reader.train import LAYERS

        reader = SentenceReader(dict(np.load(folder / LESSONS)), LAYERS)
        read_weights(folder / "weights.npz", reader)
        write_graph(reader, GRAPH)
        self.stdout.write(f"written: {GRAPH}")

    def fit_decisions(self, folder: Path) -> None:
        rows: list[Found] = pickle.loads((folder / FOUND).read_bytes())  # noqa: S301 - our own
        lessons = list(found_lessons(rows, get_calibration()))
        learned = {lesson.key for lesson in lessons if lesson.is_learned}
        found = [row for row in rows if f"{row.corpus}/{row.question.qid}" in learned]
        calibrations = fit_calibration(found, get_embedder().card.name, self.stderr.write).left_out
        scores = scores_by_key(folder, lessons)
        decisions = fit(
            [
                make_row(row, calibrations[row.fold], scores[f"{row.corpus}/{row.question.qid}"])
                for row in found
            ]
        )
        FILE.write_text(as_json(decisions))
        self.stdout.write(json.dumps(vars(decisions), indent=1))


def scores_by_key(folder: Path, lessons: list[Lesson]) -> dict[str, Scores]:
    """`lessons`: the last ones of the arrays."""
    first = len(np.load(folder / LESSONS)["keys"]) - len(lessons)
    scores: dict[str, Scores] = {}
    for path in folder.glob("scores*.npz"):
        stored = np.load(path)
        values = iter(stored["scores"].astype(float).tolist())
        for number in stored["lessons"]:
            lesson = lessons[number - first]
            scores[lesson.key] = {
                chunk: tuple(
                    score if (score := next(values)) > NOT_READ else None for _ in passage.sentences
                )
                for chunk, passage in zip(lesson.chunks, lesson.passages, strict=True)
            }
    return scores


NOT_READ = -1_000.0  # learn.py's mark of a sentence that is beyond what is read


def existing(value: str) -> Path:
    if not Path(value).is_dir():
        raise ArgumentTypeError(f"{value} is not a folder")
    return Path(value)
