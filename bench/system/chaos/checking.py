"""Whether what was accepted is there, once, whole, and nobody else's: asked of the database, of the
service, and of the machine."""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import repeat
from pathlib import Path

import psutil

from bench.system.chaos.book import Book, Finding
from bench.system.chaos.copy import DOWN, ChaosCopy
from bench.system.chaos.facts import codes_in
from bench.system.chaos.ledger import Ledger
from bench.system.chaos.load import MixedLoad
from bench.system.chaos.sampling import FILES_MAX, read_lives

WATCH_SECONDS = 12.0
IDLE_SECONDS = (
    900.0  # a mail that a dead worker had is due after four minutes, and then perhaps again
)
ASKED_MAX = 500
FOREIGN_MAX = 150
QUEUES = ("default", "uploads", "ingestion", "checks", "webhooks")

LIVE_DOCUMENT = """
    FROM sources_document d JOIN sources_source s ON s.id = d.source_id
    JOIN accounts_tenant t ON t.id = s.tenant_id
    WHERE s.first_generation <= d.generation AND d.generation <= s.generation
    AND s.generation < d.removed_in"""
LIVE_TEXTS = f"""
    SELECT t.slug, s.id::text, c.text, ct.slug
    FROM sources_chunk c JOIN accounts_tenant ct ON ct.id = c.tenant_id,
    (SELECT d.id AS document_id, s.id AS source_id {LIVE_DOCUMENT}) live,
    sources_source s JOIN accounts_tenant t ON t.id = s.tenant_id
    WHERE c.document_id = live.document_id AND s.id = live.source_id"""  # noqa: S608 - only ours
OPEN = {  # what is under way: nothing of it once all is quiet
    "a sync without an end": "SELECT id::text FROM sources_source WHERE sync_run_id IS NOT NULL",
    "an old generation was not cleared": "SELECT id::text FROM sources_source"
    " WHERE cleared_generation < generation AND deleted_at IS NULL",
    "a chat is due": "SELECT external_id FROM webhooks_chat WHERE due_at IS NOT NULL",
    "a message waits": "SELECT provider_message_id FROM webhooks_inboundmessage"
    " WHERE handled_at IS NULL",
    "a reply waits": "SELECT id::text FROM webhooks_reply WHERE next_attempt_at IS NOT NULL",
    "a mail waits": "SELECT recipient FROM accounts_outgoingmail WHERE next_attempt_at IS NOT NULL",
    "an export is under way": "SELECT id::text FROM accounts_workspaceexport"
    " WHERE state IN ('waiting', 'working')",
    "a transaction stays open": "SELECT pid::text FROM pg_stat_activity"
    " WHERE state LIKE 'idle in transaction%' AND state_change < now() - interval '10 s'",
    "an advisory lock is held": "SELECT pid::text FROM pg_locks WHERE locktype = 'advisory'",
    "syncing without a run": "SELECT id::text FROM sources_source"
    " WHERE sync_status = 'syncing' AND sync_run_id IS NULL AND deleted_at IS NULL",
}
FAILED = {  # what ended badly
    "a message was given up": "SELECT provider_message_id, error_message"
    " FROM webhooks_inboundmessage WHERE error_message <> ''",
    "a reply was given up": "SELECT id::text, error_message FROM webhooks_reply"
    " WHERE failed_at IS NOT NULL",
    "a mail was given up": "SELECT recipient, error_message FROM accounts_outgoingmail"
    " WHERE failed_at IS NOT NULL",
    "an error without a reason": "SELECT id::text, name FROM sources_source"
    " WHERE sync_status = 'error' AND error_message = ''",
    "a deleted source has documents": "SELECT s.id::text, s.name FROM sources_source s"
    " WHERE s.deleted_at IS NOT NULL"
    " AND EXISTS (SELECT FROM sources_document d WHERE d.source_id = s.id)",
    "a lead was told of twice": "SELECT lead_id::text, count(*)::text FROM query_notification"
    " WHERE kind = 'lead' GROUP BY lead_id HAVING count(*) > 1",
}
COUNTS = f"""
    WITH live AS (SELECT s.id AS source_id, d.id AS document_id {LIVE_DOCUMENT})
    SELECT s.id::text, s.name, s.chunks_count,
    (SELECT count(*) FROM sources_chunk c JOIN live l ON l.document_id = c.document_id
     WHERE l.source_id = s.id),
    (SELECT count(DISTINCT e.chunk_id) FROM sources_chunkembedding e WHERE e.source_id = s.id
     AND s.first_generation <= e.generation AND e.generation <= s.generation
     AND s.generation < e.removed_in),
    (SELECT count(*) FROM sources_chunkterms e WHERE e.source_id = s.id
     AND s.first_generation <= e.generation AND e.generation <= s.generation
     AND s.generation < e.removed_in)
    FROM sources_source s WHERE s.deleted_at IS NULL"""  # noqa: S608 - likewise


# --- During the load ------------------------------------------------------------------------------


class Watcher:
    """Looks at every website in one snapshot, again and again: its pages are of one version."""

    def __init__(self, copy: ChaosCopy, ledger: Ledger) -> None:
        self.copy, self.ledger = copy, ledger
        self.versions: dict[str, int] = {}
        self.looks = 0
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.stopping.wait(WATCH_SECONDS):
            with suppress(*DOWN):
                self.look()

    def look(self) -> None:
        pages = self.copy.rows(f"{LIVE_TEXTS} AND s.source_type = 'web'")
        self.looks += 1
        found: dict[str, Counter[int]] = defaultdict(Counter)
        for _, source, text, _ in pages:
            for code in codes_in(text):
                found[source][self.versions.get(code, 0)] += 1
        for source, versions in found.items():
            if len(versions) > 1:
                self.ledger.note("mixture", source=source, detail=str(dict(versions)))

    def stop(self) -> None:
        self.stopping.set()
        self.thread.join()


# --- Afterwards -----------------------------------------------------------------------------------


def wait_until_idle(copy: ChaosCopy) -> tuple[float, list[Finding]]:
    """Seconds until nothing was under way any more; what still is when we give up."""
    started = time.monotonic()
    while True:
        with suppress(*DOWN):
            left = find_open(copy)
            seconds = time.monotonic() - started
            if not left or seconds > IDLE_SECONDS:
                return seconds, left
        if time.monotonic() - started > 2 * IDLE_SECONDS:
            return time.monotonic() - started, [Finding("the database does not answer", "")]
        time.sleep(3)


def find_open(copy: ChaosCopy) -> list[Finding]:
    return [Finding(what, row[0]) for what, query in OPEN.items() for row in copy.rows(query)]


def check_database(copy: ChaosCopy, book: Book) -> Iterator[Finding]:
    for what, query in FAILED.items():
        yield from (Finding(what, row[0], str(row[1])) for row in copy.rows(query))
    live: dict[str, set[str]] = defaultdict(set)
    for tenant, source, text, owner in copy.rows(LIVE_TEXTS):
        if tenant != owner:
            yield Finding("A LEAK", source, f"of {tenant} has a passage of {owner}")
        for code in codes_in(text):
            live[source].add(code)
            if book.facts.get(code, {}).get("tenant") != tenant:
                yield Finding("A LEAK", code, f"stands in a source of {tenant}")
    yield from check_uploads(copy, book, live)
    everything = set().union(*live.values())
    for code in sorted(book.live_codes() - everything):
        if book.facts[code]["where"] != "upload":  # those are told above, with their source
            yield Finding("not indexed", code, book.facts[code]["where"])
    for code in sorted(everything & book.gone.keys()):
        yield Finding("indexed after its end", code, book.facts[code]["where"])
    for source, codes in live.items():
        versions = {book.versions[code] for code in codes if code in book.versions}
        if len(versions) > 1:
            yield Finding("two versions at once", source, str(versions))
    for source, name, *numbers in copy.rows(COUNTS):
        if len(set(numbers)) > 1:
            yield Finding("half indexed", source, f"{name}: {numbers}")


def check_uploads(copy: ChaosCopy, book: Book, live: dict[str, set[str]]) -> Iterator[Finding]:
    query = "SELECT id::text, sync_status, deleted_at, error_message, original_name, tenant_id"
    rows = {row[0]: row[1:] for row in copy.rows(f"{query} FROM sources_source")}
    for source, upload in book.uploads.items():
        codes = set(upload["codes"])
        row = rows.get(source)
        is_gone = all(code in book.may_be_gone for code in codes)
        if row is None:
            yield Finding("an upload was lost", source, str(upload["codes"]))
        elif is_gone:
            is_confirmed = all(code in book.gone for code in codes)
            if is_confirmed and row[1] is None:
                yield Finding("a deletion was lost", source)
        elif row[1] is not None:
            yield Finding("an upload was deleted by nobody", source)
        elif row[0] == "synced" and not codes <= live[source]:
            yield Finding("an upload was lost", source, f"only {live[source]} of {codes} answer")
        elif row[0] not in ("synced", "error"):
            yield Finding("an upload without an end", source, row[0])
        elif row[0] == "error" and upload["status"] == "synced":
            yield Finding("an upload was lost", source, row[2])
    names = Counter(row[3] for row in rows.values())
    for tried in book.tried:
        if tried["key"] and names[tried["name"]] > 1:
            yield Finding("done twice under one key", tried["name"], str(names[tried["name"]]))


def failed_codes(copy: ChaosCopy, book: Book) -> set[str]:
    """Of accepted uploads that ended with a reason: they do not answer."""
    failed = copy.rows("SELECT id::text FROM sources_source WHERE sync_status = 'error'")
    uploads = [book.uploads[row[0]] for row in failed if row[0] in book.uploads]
    return {code for upload in uploads for code in upload["codes"]}


def count_upload_errors(copy: ChaosCopy, book: Book) -> Counter[str]:
    """Accepted uploads that ended with a reason, by it."""
    query = "SELECT id::text, error_message FROM sources_source WHERE sync_status = 'error'"
    return Counter(row[1] for row in copy.rows(query) if row[0] in book.uploads)


def check_people(copy: ChaosCopy, book: Book) -> Iterator[Finding]:
    leads = Counter(row[0] for row in copy.rows("SELECT session_id FROM query_lead"))
    told = "SELECT session_id, email FROM query_lead WHERE notified_at IS NOT NULL"
    complete = {(row[0], row[1]) for row in copy.rows(told)}
    for lead in book.leads:
        count = leads[lead["session"]]
        if count != 1:
            yield Finding(
                "a lead was lost" if not count else "a lead was written twice", lead["email"]
            )
        elif (lead["session"], lead["email"]) not in complete:
            yield Finding("a lead is incomplete", lead["email"])
    active = "SELECT u.email FROM accounts_membership m JOIN accounts_user u ON u.id = m.user_id"
    members = {row[0] for row in copy.rows(f"{active} WHERE m.activated_at IS NOT NULL")}
    for person in book.activated:
        if person["email"] not in members:
            yield Finding("a member was lost", person["email"])
    exports = copy.rows("SELECT state, reason FROM accounts_workspaceexport WHERE state = 'failed'")
    for state, reason in exports:
        if not reason:
            yield Finding("an export failed without a reason", state)


def check_messages(copy: ChaosCopy, book: Book) -> Iterator[Finding]:
    counts = Counter(
        row[0]
        for row in copy.rows(
            "SELECT c.external_id FROM webhooks_inboundmessage m JOIN webhooks_chat c"
            " ON c.id = m.chat_id"
        )
    )
    replies = Counter(
        row[0]
        for row in copy.rows(
            "SELECT c.external_id FROM webhooks_reply r JOIN webhooks_chat c ON c.id = r.chat_id"
        )
    )
    for message in book.messages:
        chat = message["chat"]
        if counts[chat] != 1:
            yield Finding("a message is not there once", chat, f"{counts[chat]} rows")
        if replies[chat] != 1:
            yield Finding("a message was not answered once", chat, f"{replies[chat]} replies")


# --- Asking the service ---------------------------------------------------------------------------


def ask_everything(load: MixedLoad, book: Book, seed: int) -> Counter[str]:
    """Facts that must answer, facts of others, facts that are gone. What is wrong, the ledger says:
    it is judged as during the load."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    companies = {company.slug: company for company in load.companies}
    live = sorted(book.live_codes() - failed_codes(load.copy, book))
    own = chance.sample(live, min(ASKED_MAX, len(live)))
    foreign = chance.sample(live, min(FOREIGN_MAX, len(live)))
    gone = sorted(book.gone)
    gone = chance.sample(gone, min(FOREIGN_MAX, len(gone)))

    def ask(code: str, expects: str) -> None:
        fact = book.facts[code]
        asking = companies[fact["tenant"]]
        if expects == "foreign":
            asking = chance.choice([one for one in load.companies if one is not asking])
        load.ask_last(asking, fact, expects=expects)

    with ThreadPoolExecutor(2) as threads:
        for expects, codes in {"own": own, "foreign": foreign, "deleted": gone}.items():
            list(threads.map(ask, codes, repeat(expects)))
    return Counter(own=len(own), foreign=len(foreign), deleted=len(gone))


# --- The machine ----------------------------------------------------------------------------------


def check_memory(folder: Path) -> Iterator[Finding]:
    for life in read_lives(folder):
        detail = (
            f"{life.first_mb:.0f} to {life.last_mb:.0f} MB, {life.slope:.1f} MB a minute over"
            f" {life.minutes:.0f} minutes"
        )
        if life.is_growing:
            yield Finding("memory grows", f"{life.role} {life.name}", detail)
        if life.more_files > FILES_MAX:
            yield Finding("open files grow", f"{life.role} {life.name}", f"{life.more_files} more")


def check_queues(copy: ChaosCopy) -> Iterator[Finding]:
    """Of a service that has been started anew: killed workers' tasks were given back."""
    deadline = time.monotonic() + 60
    while True:
        client = copy.redis()
        left = {queue: int(str(client.llen(queue))) for queue in QUEUES}
        left["unacked"] = int(str(client.hlen("unacked")))
        if not any(left.values()) or time.monotonic() > deadline:
            break
        time.sleep(1)
    yield from (Finding("a queue is not empty", name, str(n)) for name, n in left.items() if n)


def check_left_overs(copy: ChaosCopy) -> Iterator[Finding]:
    """Of a service that has been stopped: no process, and no temporary file."""
    for process in copy.processes():
        with suppress(psutil.Error):
            yield Finding("a process was left", str(process.pid), " ".join(process.cmdline())[:200])
    # Empty folders aside: a killed process of multiprocessing leaves one
    for path in filter(Path.is_file, copy.temp_dir.rglob("*")):
        yield Finding("a temporary file was left", path.name, f"{path.stat().st_size} bytes")


def check_stored_files(copy: ChaosCopy) -> Iterator[Finding]:
    """Every stored original belongs to a source, and the other way round."""
    media = copy.data_dir / "media"
    stored = {path.relative_to(media).as_posix() for path in media.rglob("*") if path.is_file()}
    named = "SELECT original_file FROM sources_source WHERE original_file <> ''"
    archives = "SELECT archive FROM accounts_workspaceexport WHERE archive <> ''"
    known = {row[0] for query in (named, archives) for row in copy.rows(query)}
    yield from (Finding("an original is missing", name) for name in sorted(known - stored))
    yield from (Finding("a stored file without a source", name) for name in sorted(stored - known))


# --- The log --------------------------------------------------------------------------------------

FAILED_LINE = re.compile(r"-> 500 (\w+)")
RAISED = re.compile(r"^(\w+) +\| ([\w.]+(?:Error|Exception|Failed|Lost|Timeout\w*|Down))\b(.*)")


def causes_of_500(log: Path) -> Counter[str]:
    """By the last line of each trace that follows a 500."""
    causes: Counter[str] = Counter()
    follows = False
    with log.open(errors="replace") as lines:
        for line in lines:
            if FAILED_LINE.search(line):
                follows = True
            elif follows and (match := RAISED.match(line)):
                causes[f"{match[2]}{match[3][:150]}"] += 1
                follows = False
    return causes


def raised_in_log(log: Path) -> Counter[str]:
    """What ended a trace, by program."""
    raised: Counter[str] = Counter()
    with log.open(errors="replace") as lines:
        for line in lines:
            if match := RAISED.match(line):
                raised[f"{match[1]}: {match[2]}"] += 1
    return raised
