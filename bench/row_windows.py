"""Rows of a table with a vector each, against windows of rows: which rows are found, and what the
model takes for them (docs/decisions/0030-long-documents.md).

On services of its own:

    python -P -m config.running.launch --scratch var/bench python -m bench.row_windows
    [--model all-MiniLM-L6-v2] [--rows 300]
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import os
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from tokenizers import Encoding

from bench.catalogue import SEED, WORDS, Row, make_rows
from sources.embedding.close_reading import Vectors
from sources.embedding.embedder import OnnxEmbedder
from sources.embedding.embedding_model import ENGLISH_MODEL, prepare_model
from sources.embedding.onnx_model import batches_of, normalise
from sources.indexing.index import for_model
from sources.language.terms import idf, passage_weights, question_terms
from sources.language.words import Language
from sources.reading.extractors.prose import row_text

ROWS_A_WINDOW = 4
QUESTIONS = 80
RANK_CONSTANT = 60  # of reciprocal rank fusion
# By number of the column that is asked for
ASKED: Mapping[Language, Mapping[int, str]] = {
    "es": {
        5: "¿Cuánto cuesta {1} de {4}?",
        6: "¿Qué existencias hay de la referencia {0}?",
        8: "¿Cuánto pesa {1}?",
        3: "¿Para qué sirve {1}?",
    },
    "en": {
        5: "How much is the {1} from {4}?",
        6: "What is the stock of reference {0}?",
        8: "What does the {1} weigh?",
        3: "What is the {1} made for?",
    },
}
# What tells the row that is asked for
NAMED_BY = {5: (1, 4), 6: (0,), 8: (1,), 3: (1,)}


@dataclass(frozen=True)
class Question:
    text: str
    right: frozenset[int]


def make_questions(
    chance: random.Random, language: Language, rows: Sequence[Row]
) -> list[Question]:
    questions = []
    for row in chance.sample(rows, QUESTIONS):
        asked = chance.choice(list(NAMED_BY))
        names = [row[column] for column in NAMED_BY[asked]]
        right = (
            number
            for number, other in enumerate(rows)
            if [other[column] for column in NAMED_BY[asked]] == names
        )
        text = ASKED[language][asked].format(*map(str, row))
        questions.append(Question(text, frozenset(right)))
    return questions


class ReadTexts:
    """What the model makes of texts, and the milliseconds of processor that it took."""

    def __init__(self, embedder: OnnxEmbedder, texts: Sequence[str]) -> None:
        prompts = [embedder.card.passage_prompt + text for text in texts]
        found = embedder._tokenize(prompts, embedder.card.max_tokens)
        self.windows: list[Encoding] = [windows[0] for windows in found]
        self.tokens = sum(map(len, self.windows))
        self.vectors = np.zeros((len(texts), embedder.card.dimension), np.float32)
        self.hidden: list[Vectors] = [self.vectors] * len(texts)
        started = time.process_time()
        for batch in batches_of(self.windows):
            hidden, self.vectors[batch] = embedder._run([self.windows[index] for index in batch])
            for row, index in enumerate(batch):
                self.hidden[index] = hidden[row]
        self.milliseconds = (time.process_time() - started) * 1000

    def vector_between(self, index: int, start: int, end: int) -> Vectors:
        """The mean of the tokens that stand there; zeros when the window ends before."""
        offsets = self.windows[index].offsets
        kept = [
            at for at, (first, last) in enumerate(offsets) if last > first and start <= first < end
        ]
        mean = self.hidden[index][kept].mean(axis=0) if kept else np.zeros_like(self.vectors[0])
        return np.asarray(normalise(mean[np.newaxis])[0], np.float32)


def measure(embedder: OnnxEmbedder, language: Language, count: int) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    rows = list(make_rows(chance, language, count))
    title, header = WORDS[language]["sheet"], WORDS[language]["header"]
    texts = [row_text(header, [*map(str, row)]) for row in rows]
    apart = ReadTexts(
        embedder, [f"{title}\n{for_model(text, language, embedder)}" for text in texts]
    )
    windows: list[str] = []
    places: list[tuple[int, int, int]] = []
    for first in range(0, count, ROWS_A_WINDOW):
        window = title
        for number in range(first, min(first + ROWS_A_WINDOW, count)):
            text = texts[number] if number == first else "; ".join(map(str, rows[number]))
            start = len(embedder.card.passage_prompt) + len(window) + 1
            window += f"\n{for_model(text, language, embedder)}"
            end = len(embedder.card.passage_prompt) + len(window)
            places.append((len(windows), start, end))
        windows.append(window)
    together = ReadTexts(embedder, windows)
    print(
        f"{language}: tokens a row {apart.tokens / count:.0f} apart, {together.tokens / count:.0f}"
        f" together; ms of processor {apart.milliseconds / count:.1f},"
        f" {together.milliseconds / count:.1f}"
    )
    questions = make_questions(chance, language, rows)
    lexical = lexical_scores(questions, [f"{title}\n{text}" for text in texts], language)
    kinds = {
        "each row its own vector": (apart.vectors, 1),
        "rows share a vector": (
            together.vectors.repeat(ROWS_A_WINDOW, axis=0)[:count],
            ROWS_A_WINDOW,
        ),
        "each its tokens' mean": (np.stack([together.vector_between(*at) for at in places]), 1),
    }
    for name, (vectors, alike) in kinds.items():
        first = five = 0
        for question, of_terms in zip(questions, lexical, strict=True):
            asked = embedder.read_question(for_model(question.text, language, embedder)).vector
            # Rows of one window are equally near
            scores = fused(ranks(vectors @ asked) // alike * alike, ranks(of_terms))
            best = np.argsort(-scores, kind="stable")[:5].tolist()
            first += best[0] in question.right
            five += bool(question.right & {*best})
        print(f"  {name}: {first / QUESTIONS:.3f} / {five / QUESTIONS:.3f}", flush=True)


def lexical_scores(
    questions: Sequence[Question], texts: Sequence[str], language: Language
) -> list[Vectors]:
    """Of each question, BM25 of each row."""
    weights = [passage_weights(text, language) for text in texts]
    counts = Counter(term for each in weights for term in each)
    return [
        np.array(
            [
                sum(
                    each.get(term, 0.0) * idf(len(texts), counts[term])
                    for term in question_terms(question.text, language)
                )
                for each in weights
            ],
            np.float32,
        )
        for question in questions
    ]


def ranks(scores: Vectors) -> Vectors:
    """Of each row, from 0."""
    places = np.empty(len(scores), np.float32)
    places[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return places


def fused(*of_each: Vectors) -> Vectors:
    return np.asarray(sum(1 / (RANK_CONSTANT + each) for each in of_each), np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=ENGLISH_MODEL)
    parser.add_argument("--rows", type=int, default=300)
    options = parser.parse_args()
    embedder = OnnxEmbedder(prepare_model(options.model))
    languages: tuple[Language, ...] = ("es", "en")
    for language in languages:
        measure(embedder, language, options.rows)


if __name__ == "__main__":
    main()
