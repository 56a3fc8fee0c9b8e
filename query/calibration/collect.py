"""What the search finds for labelled questions: the rows that a calibration is fitted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import ModuleType

from accounts.models import Tenant
from query.evaluation.datasets import EvalCorpus, EvalQuestion
from query.evaluation.run import file_name, fresh_tenant, index_files
from query.evaluation.site import index_site
from query.ordering import CANDIDATES_ORDERED, Evidence, gather_evidence, match_chunks
from query.retrieval import Question, RetrievedChunk, find_candidates, read_question


@dataclass(frozen=True)
class Found:
    """A question and its best candidates by fused score. `evidence` and `is_gold` belong to
    `chunks`, which have their matches."""

    corpus: str
    fold: str
    question: EvalQuestion
    asked: Question
    chunks: tuple[RetrievedChunk, ...]
    evidence: tuple[Evidence, ...]
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
    asked, candidates = find_candidates(tenant, read_question(question.text))
    chunks = match_chunks(asked, candidates[:CANDIDATES_ORDERED])
    return Found(
        corpus=corpus.name,
        fold=corpus.fold,
        question=question,
        asked=asked,
        chunks=tuple(chunks),
        evidence=tuple(gather_evidence(chunks, candidates)),
        is_gold=tuple(is_gold(chunk, question, scorer) for chunk in chunks),
    )


def is_gold(chunk: RetrievedChunk, question: EvalQuestion, scorer: ModuleType) -> bool:
    """By score.py's rule for passages where the set has gold paragraphs, else by file."""
    if question.gold_paragraph:
        return bool(scorer.chunk_hits(chunk.text, question.gold_paragraph))
    return file_name(chunk) in {PurePosixPath(name).name for name in question.gold_files}
