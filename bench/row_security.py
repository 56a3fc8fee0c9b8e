"""What the database's wall costs: the same requests and statements with it and without it, in
turns, in one large workspace among others.

On services of its own (fifteen minutes):

    python -P -m config.running.launch --scratch var/bench python -m bench.row_security
    [--messages 100000] [--chunks 20000] [--report bench/results/row-security.md]

Without: no policies, and no statement says as whom it acts (config/database/base.py).
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

import numpy as np
import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client

from accounts.models import Tenant
from accounts.tests.factories import client_of
from agents.services import find_agent
from bench.dashboard import list_addresses, make_workspace, read, sign_in
from config.database import base
from config.database.acting import as_tenant, over_all_tenants
from config.database.owner import LOGIN, log_in_as_owner
from config.security import rate_limits
from config.tests.rows import make_chunk
from query.conversations.browsing import list_conversations
from query.search.candidates import Question
from query.search.retrieval import search
from sources.embedding.close_reading import CloseReading, Vectors
from sources.indexing.index import PassageVectors
from sources.indexing.rows import StoredVectors, insert_rows, weights_text, write_vectors
from sources.language.terms import question_terms
from sources.models import NEVER, ChunkTerms, EmbeddingSpace, Source

ROUNDS = 7  # of each state, in turns
TIMES = 5  # of each case in a round, after one that is not counted
OTHERS = 200  # tenants beside the large one
DIMENSION = 384
WRITTEN = 400  # passages that are written at once
SERVICE = {name: connection.settings_dict[name] for name in LOGIN}
PREAMBLE_FOR = base.preamble_for
ROWS = "SELECT oid::regclass::text FROM pg_class WHERE relforcerowsecurity"

Case = Callable[[], object]


@over_all_tenants()
def main() -> None:
    given = read_arguments()
    settings.ALLOWED_HOSTS.append("testserver")
    call_command("migrate", verbosity=0)
    tenant, known = make_workspace(given)
    for _ in range(OTHERS):
        make_chunk()
    source = Source.objects.for_tenant(tenant).get(pk=known["source_id"])
    add_vectors(tenant, source, given.chunks)
    cases = list_cases(tenant, source, known)
    taken: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in cases}
    for number in range(ROUNDS):
        for name, case in cases.items():
            rate_limits.KEY_PREFIX = f"{number}-{name}"  # a person may open 600 pages a minute
            for is_on in (True, False) if number % 2 else (False, True):
                switch(is_on)
                case()
                taken[name][is_on].extend(milliseconds(case) for _ in range(TIMES))
        print(f"round {number + 1} of {ROUNDS}", flush=True)
    switch(True)
    table = write_table(taken, given)
    print(table)
    if given.report:
        given.report.write_text(table)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=int, default=2_000)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--leads", type=int, default=5_000)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--machine", default=f"{os.cpu_count()} processors")
    return parser.parse_args()


def switch(is_on: bool) -> None:
    """Without: we are the owner of the tables, as services of one role are."""
    action = "ENABLE" if is_on else "DISABLE"
    with psycopg.connect(settings.DATABASE_OWNER_URL) as owner:
        for (table,) in owner.execute(ROWS).fetchall():
            owner.execute(f"ALTER TABLE {table} {action} ROW LEVEL SECURITY")
    if is_on:
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's has pools
        connection.settings_dict.update(SERVICE)
    else:
        log_in_as_owner(connection)
    base.preamble_for = PREAMBLE_FOR if is_on else say_nothing


def say_nothing(connection: Any) -> str:
    return ""


def milliseconds(case: Case) -> float:
    started = time.perf_counter()
    case()
    return (time.perf_counter() - started) * 1000


# --- What is measured -----------------------------------------------------------------------------


def list_cases(tenant: Tenant, source: Source, known: dict[str, object]) -> dict[str, Case]:
    pages, api = sign_in(tenant), client_of(tenant)
    question = Question("tea and its price", "en", vectors(1)[0])
    behind = as_tenant_of(tenant)
    return {
        "search of a question": behind(lambda: search(tenant, question, None)),
        "search in one source": behind(lambda: search(tenant, question, [source.pk])),
        f"{WRITTEN} passages written": behind(lambda: write(tenant, source)),
        "an agent by its name": behind(lambda: find_agent(tenant, "ana")),
        "conversations with a rare word": behind(lambda: look_for(tenant, "5012")),
        "conversations with a common word": behind(lambda: look_for(tenant, "article")),
        **{f"GET {path}": partial(get, api, path) for path in ("/ingest/sources", "/agents")},
        **{f"page /{route}": partial(get, pages, path) for route, path in list_addresses(known)},
    }


def get(client: Client, path: str) -> None:
    """Raises RuntimeError when it was refused for asking too often, which takes no query."""
    if read(client, path) == HTTPStatus.TOO_MANY_REQUESTS:
        raise RuntimeError(path)


def as_tenant_of(tenant: Tenant) -> Callable[[Case], Case]:
    def behind(case: Case) -> Case:
        def run() -> object:
            with as_tenant(tenant.pk):
                return case()

        return run

    return behind


def look_for(tenant: Tenant, words: str) -> list[object]:
    found = list_conversations(tenant, words=words)
    return [found.count(), *found[:20]]


def add_vectors(tenant: Tenant, source: Source, count: int) -> None:
    EmbeddingSpace.objects.get_or_create(
        id=1, defaults={"model": "bench", "dimension": DIMENSION, "is_active": True}
    )
    for first in range(0, count, 2_000):
        insert_passages(tenant, source, first, min(2_000, count - first))


def write(tenant: Tenant, source: Source) -> None:
    with transaction.atomic():
        insert_passages(tenant, source, 10**9, WRITTEN)
        transaction.set_rollback(True)


def insert_passages(tenant: Tenant, source: Source, first: int, count: int) -> None:
    reading = CloseReading(spans=((0, 5),), counts=(0, 1), bits=np.array([[129]], np.uint8))
    content = reading.encode() * 30
    write_vectors(
        tenant,
        source.pk,
        [
            StoredVectors(1, first + i, "en", PassageVectors(vector[None], content), 0, NEVER)
            for i, vector in enumerate(vectors(count))
        ],
    )
    terms = question_terms("tea and its price", "en")
    weights = weights_text(dict.fromkeys(terms, 1.0) | {1000 + i: 0.5 for i in range(50)})
    insert_rows(
        ChunkTerms,
        ("tenant_id", "source_id", "chunk_id", "weights", "generation", "removed_in"),
        ((tenant.pk, source.pk, first + i, weights, 0, NEVER) for i in range(count)),
    )


def vectors(count: int) -> Vectors:
    made: Vectors = np.random.default_rng(1).normal(size=(count, DIMENSION)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


# --- What came out --------------------------------------------------------------------------------


def write_table(
    taken: dict[str, tuple[list[float], list[float]]], given: argparse.Namespace
) -> str:
    medians = {name: [statistics.median(part) for part in parts] for name, parts in taken.items()}
    ratios = [on / off for off, on in medians.values()]
    head = (
        "# What the database's wall costs\n\n"
        f"Made by `python -m bench.row_security` on {given.machine}: {given.chunks:,} passages,"
        f" {given.messages:,} messages, {given.sources:,} sources of one tenant, {OTHERS} other"
        f" tenants. Each case {ROUNDS * TIMES} times with the policies and with statements that say"
        f" as whom they act, and as often without both, in turns."
        f" Median of the ratios: {statistics.median(ratios):.3f}; of the sums:"
        f" {sum(on for _, on in medians.values()) / sum(off for off, _ in medians.values()):.3f}.\n"
        "\n| case | without, ms | with, ms | ratio |\n|---|---|---|---|\n"
    )
    rows = (
        f"| {name} | {off:.2f} | {on:.2f} | {on / off:.3f} |" for name, (off, on) in medians.items()
    )
    return head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    main()
