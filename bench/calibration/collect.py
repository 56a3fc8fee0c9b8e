"""What the search finds for labelled questions: the rows that a calibration is fitted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import ModuleType

import numpy as np

from accounts.models import Tenant
from bench.evaluation.datasets import EvalCorpus, EvalQuestion
from bench.evaluation.run import file_name, fresh_tenant, index_files
from bench.evaluation.site import index_site
from language.message import read_message
from query.search.candidates import FAR, Question, RetrievedChunk
from query.search.retrieval import find_candidates, read_question
from query.understanding.spelling import correct_question

NO_BITS = np.empty((0, 0), dtype=np.uint8)


@dataclass(frozen=True)
class Found:
    """A question and its candidates; `is_gold` belongs to `chunks`."""

    corpus: str
    fold: str
    question: EvalQuestion
    asked: Question
    chunks: tuple[RetrievedChunk, ...]
    is_gold: tuple[bool, ...]


def collect(
    corpora: Sequence[EvalCorpus], scorer: ModuleType, on_step: Callable[[], object]
) -> list[Found]:
    """Indexes each corpus in a fresh tenant, which is gone afterwards.

    Questions whose files could not be indexed are left out. `on_step` is called once a file and
    once a question.
    """
    return [row for corpus in corpora for row in collect_corpus(corpus, scorer, on_step)]


def collect_corpus(
    corpus: EvalCorpus, scorer: ModuleType, on_step: Callable[[], object]
) -> list[Found]:
    with fresh_tenant(corpus) as tenant:
        skipped, _ = index_files(tenant, corpus, on_step)
        if corpus.site is not None:
            index_site(tenant, corpus.site)
        unindexed = {item.file for item in skipped}
        rows = []
        for question in corpus.questions:
            on_step()
            if not question.gold_files or not set(question.gold_files) <= unindexed:
                rows.append(look_up(tenant, corpus, question, scorer))
    return rows


def look_up(
    tenant: Tenant, corpus: EvalCorpus, question: EvalQuestion, scorer: ModuleType
) -> Found:
    meant = correct_question(tenant, read_message(question.text), None)
    asked, chunks = find_candidates(tenant, read_question(meant))
    return Found(
        corpus=corpus.name,
        fold=corpus.fold,
        question=question,
        asked=asked,
        chunks=tuple(map(without_words, chunks)),
        is_gold=tuple(is_gold(chunk, question, scorer) for chunk in chunks),
    )


def without_words(chunk: RetrievedChunk) -> RetrievedChunk:
    """Its words were compared with the question's: kept for thousands of questions they would fill
    the memory."""
    if chunk.reading is None:
        return chunk
    return replace(chunk, reading=replace(chunk.reading, bits=NO_BITS))


def without_vectors(row: Found) -> Found:
    """As it would be found by a model whose vectors tell nothing: what is fitted leans on words
    alone.
    """
    return replace(
        row,
        asked=replace(row.asked, vector=np.zeros_like(row.asked.vector)),
        chunks=tuple(
            replace(chunk, similarity=0.0, mean=0.0, deviation=0.0, neighbours=0, closeness=FAR)
            for chunk in row.chunks
        ),
    )


def is_gold(chunk: RetrievedChunk, question: EvalQuestion, scorer: ModuleType) -> bool:
    """By score.py's rule for passages where the set has gold paragraphs; else a passage of a gold
    file that holds an answer."""
    if question.gold_paragraph:
        return bool(scorer.chunk_hits(chunk.text, question.gold_paragraph))
    is_of_file = file_name(chunk) in {PurePosixPath(name).name for name in question.gold_files}
    return is_of_file and (
        question.is_gold_whole
        or bool(scorer.contains(chunk.text, question.answers, question.language))
    )
