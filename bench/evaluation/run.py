"""Indexes evaluation corpora in fresh tenants and asks them their questions."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import ModuleType

from django.core.files.base import ContentFile

from accounts.models import Plan, Tenant
from bench.evaluation.datasets import EvalCorpus, EvalFile, EvalQuestion
from bench.evaluation.site import index_site
from config.errors import ServiceError
from query.answering.certainty import certainty
from query.answering.weighing import read_passages
from query.answers import Answer
from query.models import Outcome
from query.pipeline import Findings, answer_findings, find_for_text
from query.search.candidates import RetrievedChunk
from sources.models import Chunk, Source
from sources.originals.files import delete_original
from sources.services.uploads import ingest_file

PLAN = "enterprise"  # without limits
RANKS_SCORED = 10
TELLING = (Outcome.ANSWERED, Outcome.UNSURE)  # of what the passages say


@dataclass(frozen=True)
class Asked:
    """One question and what came of it.

    `rank` counts from 1; None when no gold passage is among the first ten. `relevance` is the
    probability that the best passage is about the question, `certainty` that the best sentence of
    the sources answers it; None without sources. `has_gold_answer`: it is said, as the answer or as
    the closest that was found. `foreign_sources` counts sources that are not of the tenant that was
    asked.
    """

    corpus: str
    fold: str
    question: EvalQuestion
    is_indexed: bool
    rank: int | None
    relevance: float
    certainty: float | None
    source_files: tuple[str, ...]
    has_gold_source: bool
    has_gold_answer: bool
    answer: str
    seconds: float
    outcome: str
    has_wrong_answer: bool = False
    foreign_sources: int = 0


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


@dataclass(frozen=True)
class Indexed:
    """A corpus in its tenant, ready to be asked."""

    tenant: Tenant
    corpus: EvalCorpus
    skipped: tuple[Skipped, ...]
    passages: int
    seconds_indexing: float

    @property
    def unindexed(self) -> set[str]:
        return {skipped.file for skipped in self.skipped}

    def has_indexed(self, question: EvalQuestion) -> bool:
        """Any of its gold files, where it has some."""
        return not question.gold_files or not set(question.gold_files) <= self.unindexed


def run_corpus(corpus: EvalCorpus, scorer: ModuleType, on_step: Callable[[], object]) -> CorpusRun:
    """`on_step` is called once a file and once a question."""
    (run,) = run_corpora([corpus], scorer, on_step)
    return run


def run_corpora(
    corpora: Sequence[EvalCorpus], scorer: ModuleType, on_step: Callable[[], object]
) -> list[CorpusRun]:
    with indexed_corpora(corpora, on_step) as indexed:
        return [ask_corpus(item, scorer, on_step) for item in indexed]


@contextmanager
def indexed_corpora(
    corpora: Sequence[EvalCorpus], on_step: Callable[[], object]
) -> Iterator[list[Indexed]]:
    """All at once: another tenant's passages are there to be found. `on_step` is called once a
    file."""
    with ExitStack() as tenants:
        yield [
            index_corpus(tenants.enter_context(fresh_tenant(corpus)), corpus, on_step)
            for corpus in corpora
        ]


def index_corpus(tenant: Tenant, corpus: EvalCorpus, on_step: Callable[[], object]) -> Indexed:
    started = time.perf_counter()
    skipped, passages = index_files(tenant, corpus, on_step)
    if corpus.site is not None:
        passages += index_site(tenant, corpus.site)
    return Indexed(tenant, corpus, tuple(skipped), passages, time.perf_counter() - started)


def ask_corpus(item: Indexed, scorer: ModuleType, on_step: Callable[[], object]) -> CorpusRun:
    asked = []
    for question in item.corpus.questions:
        asked.append(ask(item, question, scorer))
        on_step()
    return CorpusRun(tuple(asked), item.skipped, item.passages, item.seconds_indexing)


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


def ask(item: Indexed, question: EvalQuestion, scorer: ModuleType) -> Asked:
    started = time.perf_counter()
    findings = find_for_text(item.tenant, question.text)
    answer = answer_findings(item.tenant, findings)
    seconds = time.perf_counter() - started
    return score_answer(item, question, findings, answer, seconds=seconds, scorer=scorer)


def score_answer(
    item: Indexed,
    question: EvalQuestion,
    findings: Findings,
    answer: Answer,
    *,
    seconds: float,
    scorer: ModuleType,
) -> Asked:
    files = tuple(file_name(source) for source in answer.sources)
    return Asked(
        corpus=item.corpus.name,
        fold=item.corpus.fold,
        question=question,
        is_indexed=item.has_indexed(question),
        rank=gold_rank(findings, question, scorer),
        relevance=max((passage.probability for passage in findings.judged), default=0.0),
        certainty=certainty_of(findings),
        source_files=files,
        has_gold_source=any(is_gold(source, question, scorer) for source in answer.sources),
        has_gold_answer=answer.outcome in TELLING
        and scorer.contains(answer.text, question.answers, question.language),
        answer=answer.text,
        seconds=seconds,
        outcome=answer.outcome,
        has_wrong_answer=answer.outcome == Outcome.ANSWERED
        and scorer.contains(answer.text, question.wrong_answers, question.language),
        foreign_sources=count_foreign(item.tenant, answer),
    )


def certainty_of(findings: Findings) -> float | None:
    """The extractive answerer's, also where a language model writes."""
    if not findings.sources:
        return None
    return certainty(read_passages(findings.question, findings.sources))


def count_foreign(tenant: Tenant, answer: Answer) -> int:
    """The sources that the database does not know as the tenant's. One query."""
    shown = {source.chunk_id for source in answer.sources}
    own = Chunk.objects.for_tenant(tenant).filter(pk__in=shown).count() if shown else 0
    return len(shown) - own


def gold_rank(findings: Findings, question: EvalQuestion, scorer: ModuleType) -> int | None:
    for rank, chunk in enumerate(findings.chunks[:RANKS_SCORED], start=1):
        if is_gold(chunk, question, scorer):
            return rank
    return None


def is_gold(chunk: RetrievedChunk, question: EvalQuestion, scorer: ModuleType) -> bool:
    """By score.py's rule for passages where the set has gold paragraphs, else by file."""
    if question.gold_paragraph and scorer.chunk_hits(chunk.text, question.gold_paragraph):
        return True
    return file_name(chunk) in {PurePosixPath(name).name for name in question.gold_files}


def file_name(chunk: RetrievedChunk) -> str:
    """Of a web page, the last part of its address."""
    return PurePosixPath(chunk.source_file).name
