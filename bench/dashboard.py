"""How long the dashboard's pages take in a large workspace, and how many statements each needs.

On services of its own (about a GB of disk, ten minutes):

    python -P -m config.running.launch --scratch var/bench python -m bench.dashboard
    [--sources 10000] [--chunks 1000000] [--messages 100000] [--leads 20000]
    [--report bench/results/dashboard.md]

Every GET of the table of addresses is asked through the whole of Django, without a socket, so that
a page that is added is measured too. Passages have no vectors: no page reads one.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import os
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import Membership, Plan, Role, Tenant, User
from accounts.services.sessions import open_session
from accounts.tokens import make_cookie
from agents.models import Agent
from config.database.acting import over_all_tenants
from config.tests.isolation.url_table import PARAMETER, list_pages
from dashboard.door import COOKIE
from query.models import (
    Conversation,
    Lead,
    LeadStatus,
    Message,
    Notification,
    Outcome,
    QuestionGroup,
)
from sources.models import Document, Entry, Source, SyncEvent, SyncStatus

ROUNDS = 9
QUERIES_AT_MOST = 15
MILLISECONDS_AT_MOST = 200
BATCH = 5000
GROUPS = 1000
OUTSIDE = ("dashboard/sign", "dashboard/code", "dashboard/reset", "activate")


@dataclass(frozen=True)
class Measured:
    page: str
    status: int
    queries: int
    median_ms: float
    worst_ms: float
    is_file: bool  # of all rows, streamed: no page

    @property
    def verdict(self) -> str:
        if self.is_file:
            return "a whole file"
        is_within = self.queries <= QUERIES_AT_MOST and self.median_ms <= MILLISECONDS_AT_MOST
        return "yes" if is_within else "**no**"


# --- A large workspace ----------------------------------------------------------------------------


def make_workspace(given: argparse.Namespace) -> tuple[Tenant, dict[str, Any]]:
    """And the ids that the addresses of its pages name."""
    tenant = Tenant.objects.create(
        slug="large", name="Large", plan=Plan.objects.get(slug="enterprise")
    )
    agent = Agent.objects.for_tenant(tenant).create(name="Ana", store_transcripts=True)
    source = add_sources(tenant, given.sources, given.chunks)
    conversation = add_conversations(tenant, agent, given.messages)
    group = group_questions(tenant)
    entry = Entry.objects.for_tenant(tenant).create(
        question="Do you ship abroad?", answer="To all of Europe.", created_by="ana@large.example"
    )
    lead = add_leads(tenant, agent, given.leads)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return tenant, {
        "source_id": source.pk,
        "agent_id": agent.pk,
        "conversation_id": conversation.pk,
        "group_id": group.pk,
        "entry_id": entry.pk,
        "lead_id": lead.pk,
        "channel": "web",
        "channel_type": "web",
        "kind": "web",
    }


def add_sources(tenant: Tenant, count: int, chunks: int) -> Source:
    """One in a hundred has failed. Each has one document; the chunks are spread over them."""
    states = [SyncStatus.ERROR, *[SyncStatus.SYNCED] * 99]
    now = timezone.now()
    sources = Source.objects.for_tenant(tenant).bulk_create(
        (
            Source(
                tenant=tenant,
                name=f"Price list {number}.txt",
                source_type="file",
                position=number,
                sync_status=states[number % 100],
                error_message="No text was found." if number % 100 == 0 else "",
                last_synced_at=now - timedelta(minutes=number),
                chunks_count=chunks // count,
            )
            for number in range(count)
        ),
        batch_size=BATCH,
    )
    Document.objects.for_tenant(tenant).bulk_create(
        (
            Document(
                tenant=tenant,
                source=source,
                title=source.name,
                external_id=source.name,
                content_type="text/plain",
                content_hash="0" * 64,
                synced_at=now,
                chunks_count=chunks // count,
            )
            for source in sources
        ),
        batch_size=BATCH,
    )
    SyncEvent.objects.for_tenant(tenant).bulk_create(
        (
            SyncEvent(tenant=tenant, source=source, action=SyncEvent.Action.SYNC_COMPLETED)
            for source in sources
            for _ in range(3)
        ),
        batch_size=BATCH,
    )
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO sources_chunk (tenant_id, source_id, document_id, position, text, location,
                                       section_title, level, language, embedded_hash)
            SELECT tenant_id, source_id, id, number, 'A passage of forty words, more or less.',
                   'row ' || number, '', 'paragraph', 'en', ''
            FROM sources_document, generate_series(1, %s) AS number WHERE tenant_id = %s
            """,
            [chunks // count, tenant.pk],
        )
    return sources[1]


def add_conversations(tenant: Tenant, agent: Agent, messages: int) -> Conversation:
    """Five messages each."""
    rows = Conversation.objects.for_tenant(tenant).bulk_create(
        (
            Conversation(tenant=tenant, agent=agent, channel="web", session_id=uuid.uuid4().hex)
            for _ in range(messages // 5)
        ),
        batch_size=BATCH,
    )
    outcomes = [Outcome.ANSWERED, Outcome.ANSWERED, Outcome.UNSURE, Outcome.REDIRECTED]
    Message.objects.for_tenant(tenant).bulk_create(
        (
            Message(
                tenant=tenant,
                conversation=row,
                question=f"How much is article {number * 5 + turn}?",
                answer=f"It is {number} euros, delivered on the next day.",
                outcome=outcomes[(number + turn) % len(outcomes)],
                model="extractive",
            )
            for number, row in enumerate(rows)
            for turn in range(5)
        ),
        batch_size=BATCH,
    )
    return rows[0]


def group_questions(tenant: Tenant) -> QuestionGroup:
    """What was not answered, in a thousand groups."""
    groups = QuestionGroup.objects.for_tenant(tenant).bulk_create(
        (QuestionGroup(tenant=tenant, vector=[0.0] * 383 + [1.0], space=1) for _ in range(GROUPS)),
        batch_size=BATCH,
    )
    not_answered = list(
        Message.objects.for_tenant(tenant).exclude(outcome=Outcome.ANSWERED).only("id", "tenant")
    )
    for number, message in enumerate(not_answered):
        message.group, message.clarity = groups[number % GROUPS], number % 20
    rows = Message.objects.for_tenant(tenant)
    rows.bulk_update(not_answered, ["group", "clarity"], batch_size=BATCH)
    return groups[1]


def add_leads(tenant: Tenant, agent: Agent, count: int) -> Lead:
    leads = Lead.objects.for_tenant(tenant).bulk_create(
        (
            Lead(
                tenant=tenant,
                agent=agent,
                channel="web",
                session_id=uuid.uuid4().hex,
                intent_text=f"I want to buy {number} boxes",
                name=f"Person {number}",
                email=f"person{number}@example.com",
                status=LeadStatus.values[number % 4],
                notified_at=timezone.now(),
            )
            for number in range(count)
        ),
        batch_size=BATCH,
    )
    Notification.objects.for_tenant(tenant).bulk_create(
        (Notification(tenant=tenant, kind=Notification.Kind.LEAD, lead=lead) for lead in leads),
        batch_size=BATCH,
    )
    return leads[0]


# --- Its pages ------------------------------------------------------------------------------------


def sign_in(tenant: Tenant) -> Client:
    person = User.objects.create_user("admin@large.example", "a long enough secret")
    membership = Membership.objects.for_tenant(tenant).create(user=person, role=Role.ADMIN)
    client = Client(headers={"accept-language": "en"})
    client.cookies[COOKIE] = make_cookie(open_session(membership, timezone.now()))
    return client


def list_addresses(known: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each page's route and address; those that name what the workspace has none of are left out,
    and said so."""
    for page in list_pages():
        names = {found[1] for found in PARAMETER.finditer(page.route)}
        if page.method != "GET" or page.route.startswith(OUTSIDE):
            continue
        if names - known.keys():
            print(f"left out: /{page.route}")
            continue
        yield page.route, page.path(**{name: str(known[name]) for name in names})


def measure(client: Client, route: str, address: str) -> Measured:
    first = client.get(address)  # templates are compiled
    is_file = "Content-Disposition" in first.headers
    statements: list[str] = []
    with connection.execute_wrapper(partial(note_statement, statements)):
        status = read(client, address)
    taken = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        read(client, address)
        taken.append((time.perf_counter() - started) * 1000)
    return Measured(
        f"/{route}", status, len(statements), statistics.median(taken), max(taken), is_file
    )


def note_statement(
    statements: list[str], execute: Callable[..., Any], sql: str, *arguments: Any
) -> Any:
    statements.append(sql)
    return execute(sql, *arguments)


def read(client: Client, address: str) -> int:
    """The whole answer, also of one that is streamed."""
    answer = client.get(address)
    if answer.streaming:
        for _ in answer.streaming_content:  # type: ignore[attr-defined]  # not in the stub
            pass
    return answer.status_code


def write_table(measured: list[Measured], given: argparse.Namespace) -> str:
    head = (
        f"# The dashboard's pages in a large workspace\n\n"
        f"Made by `python -m bench.dashboard` (its docstring has the whole line) on"
        f" {given.machine}."
        f" {given.sources:,} sources, {given.chunks:,} passages, {given.messages:,} messages,"
        f" {given.leads:,} leads; each page {ROUNDS} times through Django, without a socket."
        f" Floors: {QUERIES_AT_MOST} statements, {MILLISECONDS_AT_MOST} ms at the median.\n\n"
        "| page | status | statements | median ms | worst ms | holds |\n|---|---|---|---|---|---|\n"
    )
    rows = (
        f"| `{row.page}` | {row.status} | {row.queries} | {row.median_ms:.0f} |"
        f" {row.worst_ms:.0f} | {row.verdict} |"
        for row in measured
    )
    return head + "\n".join(rows) + "\n"


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=int, default=10_000)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--leads", type=int, default=20_000)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--machine", default=f"{os.cpu_count()} processors")
    return parser.parse_args()


@over_all_tenants()
def main() -> None:
    given = read_arguments()
    settings.ALLOWED_HOSTS.append("testserver")
    call_command("migrate", verbosity=0)
    tenant, known = make_workspace(given)
    client = sign_in(tenant)
    measured = []
    for route, address in list_addresses(known):
        measured.append(measure(client, route, address))
        print(measured[-1])
    table = write_table(measured, given)
    if given.report:
        given.report.write_text(table)
    print(table)


if __name__ == "__main__":
    main()
