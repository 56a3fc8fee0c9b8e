"""Runs the trials of all connectors, on services of its own:

    python -P -m config.running.launch --scratch var/bench python -m bench.system.connectors.measure
    [--documents 2000] [--kinds cloud_drive_a,api] [--report bench/results/connectors.md]

The sync, PostgreSQL and the embedding model are the product's; the providers are the stand-ins of
the tests, in this process, on the same two processors. So the seconds are ours and theirs together,
and the requests are what a real provider would count.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from accounts.models import Plan, ScheduleFrequency, Tenant
from bench.system.connectors.trial import Trial, use_settings
from bench.system.connectors.trials import TRIALS
from config.database.acting import over_all_tenants
from language.message import read_message
from query.search import retrieval
from sources.connectors.interface import Account
from sources.errors import OtherAccount
from sources.indexing import index
from sources.models import Document, Lane, Schedule, Source, SyncEvent, SyncStatus
from sources.oauth.signing_in import Intent
from sources.services.connections import row_to_keep
from sources.syncing import batches, runs, sync
from sources.syncing.lanes import list_waiting
from sources.tests.providers.server import Reply, cut_in_half

KILLS = 5
LEASE_SECONDS = 3  # the product's is 30: a killed worker is noticed sooner here
CHANGED_SHARE = 0.01
FAULT_DOCUMENTS = 20
FAULT_CHANGES = 2
RETRY_SECONDS = (0.2, 0.2)  # the product's are 5 and 30


@dataclass(frozen=True)
class Sync:
    """One run to its end. `fetched`: documents whose content was asked for one by one."""

    seconds: float
    requests: int
    fetched: int
    documents: dict[str, int]
    embedded: int


@dataclass(frozen=True)
class FaultRow:
    fault: str
    state: str
    reason: str
    answers: bool
    after: str


# --- Speed, and how little is asked for -----------------------------------------------------------


def run_sync(trial: Trial, source: Source) -> Sync:
    before = len(trial.server.calls)
    started = time.perf_counter()
    run_id = runs.begin_run(source.tenant, source.pk)
    if run_id is None:
        raise RuntimeError("another run holds the source")
    sync.sync_to_end(source.tenant, source.pk, run_id=run_id)
    seconds = time.perf_counter() - started
    calls = trial.server.calls[before:]
    event = SyncEvent.objects.for_tenant(source.tenant).filter(source=source)
    details = event.order_by("-created_at")[0].details
    if "documents" not in details:
        raise RuntimeError(f"{trial.label}: {details}")
    return Sync(
        seconds,
        len(calls),
        sum(trial.document_of(call) is not None for call in calls),
        details["documents"],
        details["chunks_embedded"],
    )


def measure_syncs(trial: Trial, tenant: Tenant, documents: int) -> list[tuple[str, Sync]]:
    trial.fill(documents)
    source = trial.connect(tenant)
    rows = [("first", run_sync(trial, source)), ("nothing changed", run_sync(trial, source))]
    trial.change(max(1, round(documents * CHANGED_SHARE)))
    return [*rows, ("1 % changed", run_sync(trial, source))]


# --- Killing --------------------------------------------------------------------------------------


def measure_kills(trial: Trial, tenant: Tenant, documents: int) -> dict[str, int]:
    """A first sync whose worker is killed: what was read, and embedded, more than once."""
    trial.fill(documents)
    source = trial.connect(tenant)
    before = len(trial.server.calls)
    log = Path(tempfile.mkstemp(prefix="connectors-")[1])
    kill_at = [(number + 1) / (KILLS + 2) for number in range(KILLS)]
    run_id = runs.begin_run(tenant, source.pk)
    kills = 0
    while run_id is not None:
        process = start_worker(trial, source, run_id, log)
        while process.poll() is None:
            time.sleep(0.05)
            if kill_at and share_staged(source, documents) >= kill_at[0]:
                kill_at.pop(0)
                time.sleep(random.uniform(0, 0.5))  # noqa: S311 - in the middle of something
                process.kill()
                process.wait()
                kills += 1
        run_id = next_run(source)
    fetched = Counter(filter(None, map(trial.document_of, trial.server.calls[before:])))
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    live = Document.objects.for_tenant(tenant).filter(source=source).live()
    return {
        "kills": kills,
        "documents that answer": live.count(),
        "fetched twice": sum(count - 1 for count in fetched.values()),
        "embedded twice": sum(line["twice"] for line in lines),
        "requests": len(trial.server.calls) - before,
    }


def start_worker(
    trial: Trial, source: Source, run_id: uuid.UUID, log: Path
) -> subprocess.Popen[bytes]:
    arguments = [
        *(sys.executable, "-P", "-m", "bench.system.connectors.measure", "--worker"),
        *(str(source.tenant_id), str(source.pk), str(run_id), str(log)),
        json.dumps(trial.all_settings()),
    ]
    return subprocess.Popen(arguments, env={**os.environ, "SYNC_LEASE": str(LEASE_SECONDS)})


def work(tenant_id: str, source_id: str, run_id: str, log: str, settings: str) -> None:
    """As the task does. Writes how many documents each batch embedded that were staged already."""
    logging.disable(logging.WARNING)
    use_settings(json.loads(settings))
    tenant = Tenant.objects.select_related("plan").get(pk=tenant_id)
    source = Source.objects.for_tenant(tenant).get(pk=source_id)
    staged = Document.objects.for_tenant(tenant).filter(source=source)
    kept = set(staged.values_list("external_id", flat=True))

    def embed_and_note(*args: Any, **options: Any) -> Any:
        embedded = index.embed_documents(*args, **options)
        names = [item.document.external_id for item in embedded if item.embedded_count]
        with Path(log).open("a") as file:
            file.write(json.dumps({"twice": len(kept.intersection(names))}) + "\n")
        kept.update(names)
        return embedded

    with patch.object(batches, "embed_documents", embed_and_note):
        sync.sync_to_end(tenant, uuid.UUID(source_id), run_id=uuid.UUID(run_id))


def share_staged(source: Source, documents: int) -> float:
    rows = Document.objects.for_tenant(source.tenant).filter(source=source)
    return rows.count() / documents


def next_run(source: Source) -> uuid.UUID | None:
    """As soon as the lease of the last worker is over; None when the run has ended."""
    while True:
        source.refresh_from_db()
        if source.sync_run_id is None:
            return None
        if list_waiting(Lane.BACKGROUND, timezone.now()).filter(pk=source.pk).exists():
            return source.sync_run_id
        time.sleep(0.1)


# --- Faults ---------------------------------------------------------------------------------------


def faults_of(trial: Trial) -> Iterator[tuple[str, Callable[[], AbstractContextManager[Any]]]]:
    """Each begins what goes wrong; its end is the end of it."""
    server, spoilt = trial.server, trial.contents or trial.lists

    def failing(pattern: str, reply: Any, times: float = 1) -> Callable[[], Any]:
        def begin() -> AbstractContextManager[Any]:
            server.fail(pattern, reply, times=times)
            return nullcontext()

        return begin

    def down() -> AbstractContextManager[Any]:
        return server.down()

    def revoked() -> AbstractContextManager[Any]:
        trial.revoke()
        return nullcontext()

    yield "429, Retry-After: 1", failing(".", trial.busy(), 2)
    yield "500 once", failing(".", Reply(500))
    yield "500 always", failing(".", Reply(500), float("inf"))
    yield "cut body", failing(spoilt, cut_in_half)
    if trial.expire():
        yield "token expired in the middle", expired_in_the_middle(trial)
    yield "revoked", revoked
    yield "down for an hour", down


def expired_in_the_middle(trial: Trial) -> Callable[[], AbstractContextManager[Any]]:
    """With the second call of the sync."""

    def expire(call: Any, answer: Any) -> Reply:
        trial.expire()
        return answer(call)  # type: ignore[no-any-return]

    def begin() -> AbstractContextManager[Any]:
        trial.server.fail(".", expire, after=1)
        return nullcontext()

    return begin


def measure_faults(trial: Trial, tenant: Tenant) -> list[FaultRow]:
    sync.RETRY_AFTER_SECONDS = RETRY_SECONDS
    trial.fill(FAULT_DOCUMENTS)
    rows: list[FaultRow] = []
    for name, begin in list(faults_of(trial)):
        source = trial.connect(tenant)
        schedule_hourly(source)
        run_sync(trial, source)
        trial.change(FAULT_CHANGES)
        with begin():
            sync_somehow(source)
            source.refresh_from_db()
            state, reason = source.sync_status, source.error_message
            does_answer = answers(source)
        trial.server.recover()
        if source.sync_status == SyncStatus.REAUTH_REQUIRED:
            trial.reconnect(source)
        sync_somehow(source)
        source.refresh_from_db()
        rows.append(FaultRow(name, state, reason, does_answer, source.sync_status))
    return [*rows, connected_by_another(source)]


def connected_by_another(source: Source) -> FaultRow:
    """Somebody connects it anew, and signs in to an account of their own."""
    intent = Intent(source.tenant_id, source.source_type, source.connection_id)
    try:
        with transaction.atomic():
            row_to_keep(source.tenant, intent, Account("2002", "ben@company.example"))
        reason = "taken"
    except OtherAccount as error:
        reason = error.message
    sync_somehow(source)
    source.refresh_from_db()
    state = source.sync_status
    return FaultRow("account changed", state, reason, answers(source), state)


def schedule_hourly(source: Source) -> None:
    Schedule.objects.for_tenant(source.tenant).create(
        source=source,
        frequency=ScheduleFrequency.HOURLY,
        enabled=True,
        next_sync_at=timezone.now() + timedelta(hours=1),
    )


def sync_somehow(source: Source) -> None:
    run_id = runs.begin_run(source.tenant, source.pk)
    if run_id is not None:
        sync.sync_to_end(source.tenant, source.pk, run_id=run_id)


def answers(source: Source) -> bool:
    """Whether a question about one of the documents still finds passages of this source."""
    question = retrieval.read_question(read_message("What is document 7 about?"))
    _, chunks = retrieval.retrieve_chunks(source.tenant, question, top_k=1, source_ids=[source.pk])
    return bool(chunks)


# --- The report -----------------------------------------------------------------------------------


def report(results: list[dict[str, Any]], documents: int) -> str:
    lines = [
        "# Connectors",
        "",
        f"Made by `bench/system/connectors/measure.py` on {timezone.now():%Y-%m-%d}, on this"
        " machine's two processors, against the stand-ins of the tests: seconds are ours and theirs"
        " together.",
        "",
        f"## {documents:,} documents",
        "",
        "| connector | sync | seconds | requests | contents fetched | added | updated | unchanged"
        " | passages embedded |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        for name, run in result["syncs"]:
            told = run.documents
            lines.append(
                f"| {result['label']} | {name} | {run.seconds:.1f} | {run.requests:,}"
                f" | {run.fetched:,} | {told['added']:,} | {told['updated']:,}"
                f" | {told['unchanged']:,} | {run.embedded:,} |"
            )
    lines += ["", f"## Killed {KILLS} times in a first sync", ""]
    lines += [
        "| connector | kills | documents that answer | fetched twice | embedded twice | requests |",
        "|---|---|---|---|---|---|",
    ]
    for result in results:
        if kills := result["kills"]:
            figures = " | ".join(f"{value:,}" for value in kills.values())
            lines.append(f"| {result['label']} | {figures} |")
    lines += ["", "## Faults", ""]
    lines += ["| connector | fault | state | reason | answers | next sync |", "|---|" + "---|" * 5]
    for result in results:
        for row in result["faults"]:
            still = "old passages" if row.answers else "nothing"
            lines.append(
                f"| {result['label']} | {row.fault} | `{row.state}` | {row.reason or '–'}"
                f" | {still} | `{row.after}` |"
            )
    return "\n".join(lines) + "\n"


def make_tenant(name: str) -> Tenant:
    plan = Plan.objects.get(slug="enterprise")
    slug = f"{name.replace('_', '-')}-{uuid.uuid4().hex[:6]}"
    return Tenant.objects.create(name=slug, slug=slug, plan=plan)


@over_all_tenants()
def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        work(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--kinds", default=",".join(TRIALS))
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    logging.disable(logging.WARNING)  # a line for each file that is read
    results = []
    for kind in options.kinds.split(","):
        result: dict[str, Any] = {}
        with TRIALS[kind]() as trial:
            result["label"] = trial.label
            result["syncs"] = measure_syncs(trial, make_tenant(kind), options.documents)
        with TRIALS[kind]() as trial:
            result["kills"] = measure_kills(trial, make_tenant(kind), options.documents)
        with TRIALS[kind]() as trial:
            result["faults"] = measure_faults(trial, make_tenant(kind))
        results.append(result)
        text = report(results, options.documents)
        if options.report:
            options.report.write_text(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
