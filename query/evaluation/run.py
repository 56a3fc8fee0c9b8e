"""Indexes evaluation corpora in fresh tenants and asks them their questions."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import ModuleType

from django.core.files.base import ContentFile

from accounts.models import Plan, Tenant
from config.errors import ServiceError
from query.answers import Answer
from query.evaluation.datasets import EvalCorpus, EvalFile, EvalQuestion
from query.evaluation.site import index_site
from query.pipeline import Findings, answer_findings, find
from query.relevance import Relevance
from query.retrieval import RetrievedChunk
from sources.files import delete_original
from sources.models import Source
from sources.services import ingest_file

PLAN = "enterprise"  # without limits
RANKS_SCORED = 10


@dataclass(frozen=True)
class Asked:
    """One question and what came of it. `rank` counts from 1; None when no gold passage is among
    the first ten."""

    corpus: str
    fold: str
    question: EvalQuestion
    is_indexed: bool  # False when none of its gold files could be indexed
    rank: int | None
    relevance: Relevance
    source_files: tuple[str, ...]
    has_gold_source: bool
    has_gold_answer: bool
    answer: str
    seconds: float


@dataclass(frozen=True)
class Skipped:
    """A file that could not be indexed, and why."""

    corpus: str
    file: str
    reason: str


@dataclass(frozen=True)
class CorpusRun:
    asked: tuple[Asked, ...]
    skipped: tuple[Skipped, ...]
    passages: int
    seconds_indexing: float


def run_corpus(corpus: EvalCorpus, scorer: ModuleType, on_step: Callable[[], object]) -> CorpusRun:
    """`on_step` is called once a file and once a question."""
    with fresh_tenant(corpus) as tenant:
        started = time.perf_counter()
        skipped, passages = index_files(tenant, corpus, on_step)
        if corpus.site is not None:
            passages += index_site(tenant, corpus.site)
        seconds_indexing = time.perf_counter() - started
        unindexed = {item.file for item in skipped}
        asked = []
        for question in corpus.questions:
            asked.append(ask(tenant, corpus, question, unindexed, scorer))
            on_step()
    return CorpusRun(tuple(asked), tuple(skipped), passages, seconds_indexing)


@contextmanager
def fresh_tenant(corpus: EvalCorpus) -> Iterator[Tenant]:
    """A tenant of its own, gone afterwards with all that it stored."""
    slug = f"eval-{corpus.name}-{secrets.token_hex(4)}".lower()
    tenant = Tenant.objects.create(slug=slug, name=slug, plan=Plan.objects.get(slug=PLAN))
    try:
        yield tenant
    finally:
        for source_id in Source.objects.for_tenant(tenant).values_list("id", flat=True):
            delete_original(tenant, source_id)
        tenant.delete()


def index_files(
    tenant: Tenant, corpus: EvalCorpus, on_step: Callable[[], object]
) -> tuple[list[Skipped], int]:
    skipped: list[Skipped] = []
    passages = 0
    for file in corpus.files:
        try:
            passages += index_file(tenant, file)
        except ServiceError as error:
            skipped.append(Skipped(corpus.name, file.name, error.message))
        on_step()
    return skipped, passages


def index_file(tenant: Tenant, file: EvalFile) -> int:
    """The number of passages. Raises ServiceError when the file cannot be read or indexed."""
    source = ingest_file(
        tenant,
        name=file.name,
        file=ContentFile(file.content),
        filename=PurePosixPath(file.name).name,
    )
    if source.error_message:
        raise ServiceError(source.error_message)
    return source.chunks_count


def ask(
    tenant: Tenant,
    corpus: EvalCorpus,
    question: EvalQuestion,
    unindexed: set[str],
    scorer: ModuleType,
) -> Asked:
    started = time.perf_counter()
    findings = find(tenant, question.text)
    answer = answer_findings(tenant, findings)
    seconds = time.perf_counter() - started
    files = tuple(file_name(source) for source in answer.sources)
    gold_names = [PurePosixPath(name).name for name in question.gold_files]
    return Asked(
        corpus=corpus.name,
        fold=corpus.fold,
        question=question,
        is_indexed=not question.gold_files or not set(question.gold_files) <= unindexed,
        rank=gold_rank(findings, question, gold_names, scorer),
        relevance=findings.best,
        source_files=files,
        has_gold_source=any(name in gold_names for name in files)
        or has_gold_paragraph(answer, question, scorer),
        has_gold_answer=bool(answer.sources)
        and scorer.contains(answer.text, question.answers, question.language),
        answer=answer.text,
        seconds=seconds,
    )


def gold_rank(
    findings: Findings, question: EvalQuestion, gold_names: Sequence[str], scorer: ModuleType
) -> int | None:
    """By score.py's rule for passages where the set has gold paragraphs, else by file."""
    for rank, chunk in enumerate(findings.chunks[:RANKS_SCORED], start=1):
        if question.gold_paragraph and scorer.chunk_hits(chunk.text, question.gold_paragraph):
            return rank
        if file_name(chunk) in gold_names:
            return rank
    return None


def file_name(chunk: RetrievedChunk) -> str:
    """Of a web page, the last part of its address."""
    return PurePosixPath(chunk.source_file).name


def has_gold_paragraph(answer: Answer, question: EvalQuestion, scorer: ModuleType) -> bool:
    return bool(question.gold_paragraph) and any(
        scorer.chunk_hits(source.text, question.gold_paragraph) for source in answer.sources
    )
