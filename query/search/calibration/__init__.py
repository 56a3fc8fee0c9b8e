"""Weights fitted for an embedding model: how passages are ordered, judged and found to answer.

Each model has a JSON file. One that an operator made (`bin/manage calibrate`) lies beside the
exported model and wins, until an update weighs other things; those of the embedded models are
shipped here. A model without any gets `fallback.json`, which leans on words alone.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from language.words import Language
from query.search.evidence import (
    CertaintyEvidence,
    Evidence,
    OrderEvidence,
    RelevanceEvidence,
    SentenceEvidence,
)
from sources.embedding.embedder import get_embedder
from sources.embedding.embedding_model import folder_name

logger = logging.getLogger(__name__)

FOLDER = Path(__file__).parent
FALLBACK = FOLDER / "fallback.json"
FILE_NAME = "calibration.json"  # of an operator's, in the exported model's folder
LANGUAGES: tuple[Language, ...] = ("es", "en")


def threshold_name(asked: Language, written: Language) -> str:
    """The name of the certainty that is enough for a question in one language and a passage in
    another."""
    return f"threshold_{asked}_{written}"


CERTAINTY_THRESHOLDS = frozenset(
    threshold_name(asked, written) for asked in LANGUAGES for written in LANGUAGES
)
# What stands beside the weights of a section
EXTRAS: dict[str, tuple[type[Evidence], frozenset[str]]] = {
    "ordering": (OrderEvidence, frozenset()),
    "relevance": (
        RelevanceEvidence,
        frozenset({"bias", "answer_threshold", "source_threshold"}),
    ),
    "sentences": (SentenceEvidence, frozenset()),
    "certainty": (CertaintyEvidence, frozenset({"bias"}) | CERTAINTY_THRESHOLDS),
}

Weights = Mapping[str, float]


class BadCalibration(ValueError):
    """Raised with what is wrong in a file's content, in words for an operator."""


class OtherVersion(BadCalibration):
    """Raised for a calibration that weighs other things than this version does."""


@dataclass(frozen=True)
class Level:
    """The mean and deviation, in an ordinary tenant, of the cosines of questions in one language
    with passages in another, or the same."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class Calibration:
    """`model` is the name that EMBEDDING_MODEL gives, "" in the fallback. `levels` are by the
    question's language and the passage's. The sections weigh the classes of
    query/search/evidence.py; thresholds are probabilities."""

    model: str
    levels: Mapping[tuple[Language, Language], Level]
    ordering: Weights
    relevance: Weights
    sentences: Weights
    certainty: Weights


_tried: ContextVar[Calibration | None] = ContextVar("tried_calibration", default=None)


def get_calibration() -> Calibration:
    """The calibration of the model that answers now. Raises ImproperlyConfigured, naming a file
    that is broken."""
    return _tried.get() or calibration_of(get_embedder().card.name)


@contextmanager
def trying(calibration: Calibration) -> Iterator[None]:
    """Uses this calibration inside the block, in this context alone: a measurement can
    try others."""
    token = _tried.set(calibration)
    try:
        yield
    finally:
        _tried.reset(token)


@cache
def calibration_of(model: str) -> Calibration:
    """The model's calibration, read once a process."""
    operators = operators_file(model)
    if operators.exists():
        try:
            return read_calibration(operators)
        except OtherVersion as error:
            logger.error("%s, and passed over. Run `bin/manage calibrate` again.", error)
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
    """Raises OtherVersion or ImproperlyConfigured, which name the file and what is wrong."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return parse_calibration(content)
    except OtherVersion as error:
        raise OtherVersion(f"{path} is of another version ({error})") from None
    except (OSError, ValueError) as error:  # JSONDecodeError and BadCalibration are ValueErrors
        raise ImproperlyConfigured(
            f"{path} is not a calibration of this version ({error}). Delete it, or make it with"
            " `bin/manage calibrate`."
        ) from error


def parse_calibration(content: Any) -> Calibration:
    if not isinstance(content, dict) or not isinstance(content.get("model"), str):
        raise BadCalibration('expected an object with the name of a "model"')
    sections = {name: read_section(content, name) for name in EXTRAS}
    check_thresholds(sections)
    return Calibration(model=content["model"], levels=read_levels(content), **sections)


def read_section(content: dict[str, Any], section: str) -> Weights:
    values = content.get(section)
    if not isinstance(values, dict):
        raise BadCalibration(f"{section} is missing")
    evidence, extras = EXTRAS[section]
    expected = extras | set(evidence.names())
    if values.keys() != expected:
        raise OtherVersion(f"{section}: expected exactly {sorted(expected)}")
    return {name: number(values[name], f"{section}.{name}") for name in values}


def read_levels(content: dict[str, Any]) -> dict[tuple[Language, Language], Level]:
    given = content.get("levels")
    if not isinstance(given, dict):
        raise BadCalibration("levels is missing")
    levels: dict[tuple[Language, Language], Level] = {}
    for asked in LANGUAGES:
        for written in LANGUAGES:
            name = f"{asked}-{written}"
            values = given.get(name)
            if not isinstance(values, list) or len(values) != 2:
                raise BadCalibration(f"levels.{name}: expected a mean and a deviation")
            mean, deviation = (number(value, f"levels.{name}") for value in values)
            if deviation <= 0:
                raise BadCalibration(f"levels.{name}: the deviation must be above 0")
            levels[asked, written] = Level(mean, deviation)
    return levels


def number(value: Any, name: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):
        raise BadCalibration(f"{name} is not a number")
    return float(value)


def check_thresholds(sections: Mapping[str, Weights]) -> None:
    relevance, certainty = sections["relevance"], sections["certainty"]
    if not 0 < relevance["source_threshold"] <= relevance["answer_threshold"] < 1:
        raise BadCalibration("relevance: 0 < source_threshold ≤ answer_threshold < 1 must hold")
    for name in sorted(CERTAINTY_THRESHOLDS):
        if not 0 < certainty[name] < 1:
            raise BadCalibration(f"certainty: 0 < {name} < 1 must hold")
