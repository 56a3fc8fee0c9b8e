"""Trains the reader on the arrays of a folder: `python -m bench.reader.train FOLDER`, which needs
numpy and torch alone.

First on what was written and on SQuAD; from there once on all companies, which is what ships, and
once for each of FOLDS parts of them without it, whose scores the decisions are fitted on. Two
minutes of an H200 for the first, one for each of the others; days without a GPU. What is done stays
in the folder and is not done again, so that a run that was cut off goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench.reader import learn

LAYERS = range(12)
FOLDS = 4
EPOCHS, RATE = 10, 1.2e-4
COMPANY_EPOCHS, COMPANY_RATE = 4, 7e-5
WEIGHTS = {"squad": 0.3, "written": 1.0}
COMPANY_WEIGHT = 1.3
WATCHED = 23  # one in so many written companies is left out, to watch
SEED = 1


def main(folder: Path) -> None:
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    lessons = learn.load(str(folder / "lessons.npz"), device)
    arrays = lessons.arrays
    kinds, companies = arrays["kinds"], arrays["companies"]
    written, is_learned = kinds == "written", arrays["is_learned"]
    weights = np.array([WEIGHTS.get(kind, COMPANY_WEIGHT) for kind in kinds])
    watched = written & np.isin(companies, sorted(set(companies[written]))[::WATCHED])
    general = (written | (kinds == "squad")) & ~watched
    names = sorted(set(companies[is_learned]))
    fold = np.array([names.index(one) % FOLDS if one in names else -1 for one in companies])

    def epoch_of(what: str) -> Any:
        return lambda epoch, loss, seconds: print(what, epoch, f"{loss:.3f} {seconds:.0f} s")

    def show(what: str, scores: dict[int, Any], chosen: Sequence[int]) -> None:
        print(what, learn.figures(lessons, scores, chosen), flush=True)

    reader = learn.SentenceReader(arrays, LAYERS).to(device)
    begun = folder / "general.pt"
    if not begun.exists():
        learn.train(
            lessons, reader, np.flatnonzero(general).tolist(), weights,
            epochs=EPOCHS, rate=RATE, seed=SEED, on_epoch=epoch_of("general"),
        )  # fmt: skip
        torch.save(reader.state_dict(), begun)
    for left_out in (-1, *range(FOLDS)):
        target = folder / f"scores{left_out}.npz"
        if target.exists():
            continue
        reader.load_state_dict(torch.load(begun, map_location=device))
        own = is_learned & arrays["teaches"] & (fold != left_out)
        learn.train(
            lessons, reader, np.flatnonzero(own | (written & ~watched)).tolist(), weights,
            epochs=COMPANY_EPOCHS, rate=COMPANY_RATE, seed=SEED + 1 + left_out,
            on_epoch=epoch_of(f"without {left_out}"),
        )  # fmt: skip
        found = arrays["keys"] != ""
        if left_out == -1:
            learn.save(reader, folder / "weights.npz")
            judged = np.flatnonzero(watched).tolist()
            show("watched", learn.scores_of(lessons, reader, judged), judged)
            judged = np.flatnonzero(found & ~is_learned).tolist()
        else:
            judged = np.flatnonzero(is_learned & (fold == left_out)).tolist()
        scores = learn.scores_of(lessons, reader, judged)
        show(f"without {left_out}", scores, judged)
        learn.save_scores(scores, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
