"""What a search costs PostgreSQL by the size of its tenant, among a thousand others."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import psycopg
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import connection
from django.db.models import F

from accounts.models import Plan, Tenant
from bench.speed.many_passages import (
    TABLES,
    Seeds,
    make_passages,
    write_source,
)
from bench.speed.measurement import Figure, Measurement
from config.database.acting import as_tenant, over_all_tenants
from language.detection import detect_language
from language.message import read_message
from language.terms import passage_weights
from query.search import retrieval
from query.search.candidates import Question
from query.search.retrieval import read_question, search
from reading.passages import ChunkLevel, Passage
from sources.embedding.close_reading import Vectors
from sources.embedding.embedder import get_embedder
from sources.indexing.index import read_passages
from sources.indexing.postings import post_chunks
from sources.models import ChunkEmbedding, ChunkTerms, Source

HELP = "CPU of a search at 1 k to 500 k passages a tenant; on empty services (launch --scratch)"
GOALS = {1_000: 1.5, 20_000: 6.0, 100_000: 35.0, 500_000: 60.0}  # ms of CPU
OTHERS_GOAL = 1.05  # with ten times as many rows of others
RECALL_GOAL = 0.99
NEAREST = 10
SAME_COSINE = 1e-5  # of numpy and of PostgreSQL, which add in another order
PASSAGES_A_SOURCE = 1_000
LARGEST_OTHER = 2_000
LEAST_PASSAGES = 50_000  # the two tenants that are always measured, and others beside them
COMPANIES = Path(__file__).parents[1] / "companies"
BACKGROUND = Path(__file__).parents[2] / "sources" / "embedding" / "background.tsv"
QUESTIONS = 40  # half of what the companies are asked, half of other things


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--passages", type=int, default=1_000_000, help="of all tenants; 120000 takes minutes"
    )


@dataclass(frozen=True)
class MeasuredTenant:
    """A tenant, its sources, and what numpy compares: the vectors of all its passages by number."""

    tenant: Tenant
    sources: tuple[uuid.UUID, ...]
    vectors: Vectors


@over_all_tenants()
def measure(options: dict[str, Any]) -> Measurement:
    if options["passages"] < LEAST_PASSAGES:
        raise CommandError(f"--passages must be at least {LEAST_PASSAGES:,}.")
    call_command("migrate", verbosity=0)
    if Source.all_tenants.exists():
        raise CommandError(
            "Passages would be written beside those that are there: run it on empty"
            " services, `python -P -m config.running.launch --scratch var/bench …`."
        )
    rounds, total = options["rounds"], options["passages"]
    seeds, questions = read_seeds(), read_questions()
    random = np.random.default_rng(20)
    sizes = [size for size in GOALS if size <= total]
    with loading() as owner:
        measured = {size: write_tenant(owner, seeds, size, random) for size in sizes}
        left = total - sum(sizes)
        write_others(owner, seeds, left // 10, random)
    among_few = [cpu_of(measured[20_000], questions) for _ in range(rounds)]
    with loading() as owner:
        write_others(owner, seeds, left - left // 10, random)
    figures: list[Figure] = []
    for size, target in measured.items():
        figures += figures_of(size, target, questions, rounds)
    among_many = [cpu_of(measured[20_000], questions) for _ in range(rounds)]
    figures.append(
        Figure(
            "20,000 passages, with ten times as many of others",
            "ms of CPU",
            among_many,
            against="with a tenth of them",
            limits=among_few,
            goal=OTHERS_GOAL,
        )
    )
    rewrite(measured[20_000])
    after = [cpu_of(measured[20_000], questions) for _ in range(rounds)]
    figures.append(
        Figure(
            "20,000 passages, all just rewritten, no VACUUM",
            "ms of CPU",
            after,
            against="before",
            limits=among_many,
        )
    )
    return Measurement(
        f"Search among {total:,} passages",
        figures,
        [
            f"CPU of the backend of PostgreSQL for one search (schedstat), over {len(questions)}"
            " questions, half of them of something else; numpy: float32, the vectors of the whole"
            " tenant in the process. A scoped agent searches a tenth of the sources."
        ],
    )


def figures_of(
    size: int, target: MeasuredTenant, questions: Sequence[Question], rounds: int
) -> list[Figure]:
    scope = list(target.sources[::10] if len(target.sources) >= 10 else target.sources[:1])
    whole, scoped, bare = [], [], []
    for _ in range(rounds):
        whole.append(cpu_of(target, questions))
        scoped.append(cpu_of(target, questions, scope))
        bare.append(numpy_cpu(target, questions))
    name = f"{size:,} passages"
    return [
        Figure(name, "ms of CPU", whole, goal=GOALS[size]),
        Figure(f"{name}, a scoped agent", "ms of CPU", scoped, goal=GOALS[size]),
        Figure(f"{name}, numpy", "ms of CPU", bare),
        Figure(
            f"{name}, recall@{NEAREST} of the dense search",
            "share",
            [recall(target, questions)],
            goal=RECALL_GOAL,
            at_least=True,
        ),
    ]


# --- What is searched -----------------------------------------------------------------------------


def read_seeds() -> Seeds:
    """The paragraphs of our invented companies' text files."""
    texts = [
        paragraph.strip()
        for path in sorted(COMPANIES.glob("*/*"))
        if path.suffix in (".txt", ".md")
        for paragraph in path.read_text(errors="replace").split("\n\n")
        if len(paragraph.split()) > 15
    ]
    languages = [detect_language(text, default="es") for text in texts]
    passages = [Passage(text, "page 1", "", ChunkLevel.PARAGRAPH) for text in texts]
    read = read_passages(list(zip(passages, languages, strict=True)), get_embedder())
    return Seeds(
        np.stack([part.windows[0] for part in read]),
        np.array(languages),
        [passage_weights(text, lang) for text, lang in zip(texts, languages, strict=True)],
    )


def read_questions() -> list[Question]:
    """Half of what the companies are asked, half of texts about the world at large."""
    near = [
        json.loads(line)["question"]
        for path in sorted(COMPANIES.glob("*/questions.jsonl"))
        for line in path.read_text().splitlines()[: QUESTIONS // 20]
    ]
    far = [line.split("\t")[-1] for line in BACKGROUND.read_text().splitlines()[1:]]
    half = QUESTIONS // 2
    return [
        read_question(read_message(text))
        for text in (*near[:half], *far[:: len(far) // half][:half])
    ]


@contextmanager
def loading() -> Iterator[psycopg.Connection]:
    """As the tables' owner, whom row security does not stop until the block ends."""
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as owner:
        switch(owner, "DISABLE ROW LEVEL SECURITY")
        try:
            yield owner
        finally:
            switch(owner, "ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        owner.execute("VACUUM ANALYZE")


def switch(owner: psycopg.Connection, action: str) -> None:
    for table in TABLES:
        owner.execute(f"ALTER TABLE sources_{table} {action}")


def write_tenant(
    owner: psycopg.Connection, seeds: Seeds, size: int, random: np.random.Generator
) -> MeasuredTenant:
    """With its large sources posted, as syncs leave them."""
    tenant = make_tenant()
    sources, vectors = [], []
    for first in range(0, size, PASSAGES_A_SOURCE):
        made = make_passages(seeds, min(PASSAGES_A_SOURCE, size - first), random)
        sources.append(write_source(owner, tenant.pk, made, random))
        vectors.append(made.vectors)
        with as_tenant(tenant.pk):
            post_chunks(tenant, sources[-1], seconds=60)
    return MeasuredTenant(tenant, tuple(sources), np.concatenate(vectors))


def write_others(
    owner: psycopg.Connection, seeds: Seeds, count: int, random: np.random.Generator
) -> None:
    while count > 0:
        size = min(count, int(random.integers(100, LARGEST_OTHER)))
        write_tenant(owner, seeds, size, random)
        count -= size


def make_tenant() -> Tenant:
    plan = Plan.objects.order_by("pk")[0]
    slug = f"made-{uuid.uuid4().hex[:12]}"
    return Tenant.objects.create(slug=slug, name=slug, plan=plan)


def rewrite(target: MeasuredTenant) -> None:
    """As a sync that marks every passage, and takes the mark off again."""
    with as_tenant(target.tenant.pk):
        for table in (ChunkEmbedding, ChunkTerms):
            table.objects.for_tenant(target.tenant).update(removed_in=F("removed_in"))


# --- What it costs --------------------------------------------------------------------------------


def cpu_of(
    target: MeasuredTenant, questions: Sequence[Question], scope: Sequence[uuid.UUID] | None = None
) -> float:
    """Of the backend, for one search, in milliseconds; after one round that is not counted."""
    with as_tenant(target.tenant.pk):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (process,) = cursor.fetchone() or (0,)
        for question in questions[:: len(questions) // 5]:
            search(target.tenant, question, scope)
        before = busy_ms(process)
        for question in questions:
            search(target.tenant, question, scope)
        return (busy_ms(process) - before) / len(questions)


def busy_ms(process: int) -> float:
    """On a processor (proc(5): schedstat), to the nanosecond."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e6


def numpy_cpu(target: MeasuredTenant, questions: Sequence[Question]) -> float:
    before = time.thread_time()
    for question in questions:
        cosines = target.vectors @ question.vector
        np.argpartition(cosines, -NEAREST)[-NEAREST:]
    return (time.thread_time() - before) * 1000 / len(questions)


def recall(target: MeasuredTenant, questions: Sequence[Question]) -> float:
    """Which share of the nearest by numpy is among the candidates, before the best of them are
    kept."""
    with as_tenant(target.tenant.pk), patch.object(retrieval, "CANDIDATES_PER_LANGUAGE", 10**6):
        return float(np.mean([share_found(target, question) for question in questions]))


def share_found(target: MeasuredTenant, question: Question) -> float:
    """By cosine: the made passages have no names."""
    asked = question.vector.astype(np.float16).astype(np.float32)  # as PostgreSQL is asked
    nearest = np.sort(target.vectors @ asked)[-NEAREST:]
    rows, _ = search(target.tenant, question, None)
    found = np.array([row["cosine"] for row in rows])
    return float(np.mean([np.min(np.abs(found - cosine)) < SAME_COSINE for cosine in nearest]))
