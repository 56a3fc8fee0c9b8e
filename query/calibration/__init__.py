"""What is fitted for an embedding model: how passages are ordered, judged and found to answer.

A JSON file a model. One that an operator made (`bin/manage calibrate`) lies beside the exported
model and wins; the embedded model's is shipped here. A model without any gets `fallback.json`.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Self

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from sources.ingestion.embed import get_embedder
from sources.ingestion.embedding_model import folder_name

logger = logging.getLogger(__name__)

FOLDER = Path(__file__).parent
FALLBACK = FOLDER / "fallback.json"
FILE_NAME = "calibration.json"  # of an operator's, in the exported model's folder
WEIGHTS_SUM_TOLERANCE = 0.001  # they are written with four decimals


class BadCalibration(ValueError):
    """What is wrong with a file's content, in words for an operator."""


@dataclass(frozen=True)
class Section:
    """A group of numbers of the file."""

    @classmethod
    def read(cls, values: Mapping[str, float]) -> Self:
        """Raises BadCalibration when a number is missing, or one is there that is not known."""
        names = {field.name for field in fields(cls)}
        if names != values.keys():
            raise BadCalibration(f"{cls.__name__.lower()}: expected exactly {sorted(names)}")
        return cls(**values)


@dataclass(frozen=True)
class Ordering(Section):
    """The weights of query/ordering.py's Evidence, in its order. None is negative; their sum is
    1."""

    similarity: float
    lexical: float
    sentence: float
    adjacency: float
    title: float
    length: float

    def __post_init__(self) -> None:
        weights = [getattr(self, field.name) for field in fields(self)]
        if min(weights) < 0 or abs(sum(weights) - 1) > WEIGHTS_SUM_TOLERANCE:
            raise BadCalibration("ordering: weights must be 0 or more, and 1 together")


@dataclass(frozen=True)
class RelevanceFit(Section):
    """The logistic decision of query/relevance.py and its two thresholds (probabilities)."""

    bias: float
    similarity: float
    coverage: float
    information: float
    answer_threshold: float
    source_threshold: float

    def __post_init__(self) -> None:
        if min(self.similarity, self.coverage, self.information) < 0:
            raise BadCalibration("relevance: weights must be 0 or more")
        if not 0 < self.source_threshold <= self.answer_threshold < 1:
            raise BadCalibration("relevance: 0 < source_threshold ≤ answer_threshold < 1 must hold")


@dataclass(frozen=True)
class Calibration:
    """`model` is the name that EMBEDDING_MODEL gives, "" in the fallback. `answerability` belongs
    to query/answerability.py."""

    model: str
    ordering: Ordering
    relevance: RelevanceFit
    answerability: Mapping[str, float]


_tried: ContextVar[Calibration | None] = ContextVar("tried_calibration", default=None)


def get_calibration() -> Calibration:
    """Of the model that answers now. Raises ImproperlyConfigured, naming a file that is broken."""
    return _tried.get() or calibration_of(get_embedder().card.name)


@contextmanager
def trying(calibration: Calibration) -> Iterator[None]:
    """Meanwhile this one counts, here and nowhere else: a measurement can try others."""
    token = _tried.set(calibration)
    try:
        yield
    finally:
        _tried.reset(token)


@cache
def calibration_of(model: str) -> Calibration:
    """Read once a process."""
    operators = operators_file(model)
    if operators.exists():
        return read_calibration(operators)
    shipped = FOLDER / f"{Path(model).name}.json"
    if shipped != FALLBACK and shipped.exists():
        calibration = read_calibration(shipped)
        if calibration.model == model:
            return calibration
    logger.warning(
        "no calibration for the embedding model %s: answers lean on words alone."
        " Run `bin/manage calibrate` once.",
        model,
    )
    return read_calibration(FALLBACK)


def operators_file(model: str) -> Path:
    folder: Path = settings.MODELS_DIR / folder_name(model)
    return folder / FILE_NAME


def read_calibration(path: Path) -> Calibration:
    """Raises ImproperlyConfigured, which names the file and what is wrong with it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return parse_calibration(content)
    except (OSError, ValueError) as error:  # JSONDecodeError and BadCalibration are ValueErrors
        raise ImproperlyConfigured(
            f"{path} is no calibration ({error}). Delete it, or make it with `bin/manage"
            " calibrate`."
        ) from error


def parse_calibration(content: Any) -> Calibration:
    if not isinstance(content, dict) or not isinstance(content.get("model"), str):
        raise BadCalibration('expected an object with the name of a "model"')
    return Calibration(
        model=content["model"],
        ordering=Ordering.read(numbers(content, "ordering")),
        relevance=RelevanceFit.read(numbers(content, "relevance")),
        answerability=numbers(content, "answerability"),
    )


def numbers(content: dict[str, Any], section: str) -> dict[str, float]:
    values = content.get(section)
    if not isinstance(values, dict):
        raise BadCalibration(f"{section} is missing")
    for name, value in values.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):
            raise BadCalibration(f"{section}.{name} is not a number")
    return {name: float(value) for name, value in values.items()}
