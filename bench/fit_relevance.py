"""Fits the relevance gate (query/relevance.py) on `bin/manage evaluate --set all --dump FILE`.

Usage: .venv/bin/python bench/fit_relevance.py FILE
Prints the weights fitted on everything, and, for several thresholds, the share of questions that
get sources when each tenant is judged by weights fitted on the others (both languages of a tenant
are left out together).
"""

import json
import math
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
# Questions in another language than their document are as many as the others in eval/, and rarer in
# life.
CROSS_LANGUAGE_WEIGHT = 0.3
INVERSE_REGULARISATION = 100.0  # three features, thousands of rows: there is nothing to regularise

Matrix = npt.NDArray[np.float64]
Row = dict[str, Any]  # a line of the dump: query/evaluation/run.py, Asked


def read_rows(path: Path) -> list[Row]:
    """The asked questions that a fit can learn from: those that must, and those that must not, get
    sources."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        row
        for row in rows
        if row["question"]["expect"] in ("answer", "no_sources") and row["is_indexed"]
    ]


def features(rows: list[Row]) -> Matrix:
    """(n, 3): similarity, coverage and log information of the passage that was judged best."""
    judged = [row["relevance"] for row in rows]
    return np.array(
        [[item["similarity"], item["coverage"], math.log1p(item["information"])] for item in judged]
    )


def fit(x: Matrix, y: Matrix, weights: Matrix) -> LogisticRegression:
    return LogisticRegression(C=INVERSE_REGULARISATION, max_iter=5000).fit(
        x, y, sample_weight=weights
    )


def left_out_probabilities(x: Matrix, y: Matrix, weights: Matrix, folds: list[str]) -> Matrix:
    probabilities = np.zeros(len(y))
    for fold in set(folds):
        rest = np.array([other != fold for other in folds])
        probabilities[~rest] = fit(x[rest], y[rest], weights[rest]).predict_proba(x[~rest])[:, 1]
    return probabilities


def main(path: Path) -> None:
    rows = read_rows(path)
    questions = [row["question"] for row in rows]
    x = features(rows)
    y = np.array([float(question["expect"] == "answer") for question in questions])
    weights = np.array(
        [CROSS_LANGUAGE_WEIGHT if q["group"] == "cross-language" else 1.0 for q in questions]
    )
    model = fit(x, y, weights)
    similarity, coverage, information = model.coef_[0]
    print(f"BIAS = {model.intercept_[0]:.2f}")
    print(f"SIMILARITY_WEIGHT = {similarity:.2f}")
    print(f"COVERAGE_WEIGHT = {coverage:.2f}")
    print(f"INFORMATION_WEIGHT = {information:.2f}\n")
    probabilities = left_out_probabilities(x, y, weights, [str(row["fold"]) for row in rows])
    groups: dict[str, list[float]] = defaultdict(list)
    for row, question, probability in zip(rows, questions, probabilities, strict=True):
        name = str(row["corpus"]).split("-", maxsplit=1)[0]
        groups[f"{question['expect']:10} {name} {question['group']} {question['language']}"].append(
            probability
        )
    print(
        f"{'share with sources at threshold':52}", *(f"{threshold:6}" for threshold in THRESHOLDS)
    )
    for group, values in sorted(groups.items()):
        shares = [np.mean(np.array(values) >= threshold) for threshold in THRESHOLDS]
        print(f"{group:45} {len(values):6}", *(f"{share:6.3f}" for share in shares))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
