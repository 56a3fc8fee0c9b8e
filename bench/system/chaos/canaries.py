"""Faults that the bench makes in secret, so that its checker is seen to notice each of them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.system.chaos.book import Book, Finding
from bench.system.chaos.checking import LIVE_TEXTS
from bench.system.chaos.copy import ChaosCopy
from bench.system.chaos.facts import Fact, codes_in
from bench.system.chaos.load import BusyTenant, MixedLoad, make_note
from config.tests.service_copy import MARKER

LEAK = """
import time
held = []
while True:
    held.append(bytearray(2 * 1024 * 1024) if len(held) < 400 else b"")
    held[-1][::4096] = b"x" * len(held[-1][::4096])
    time.sleep(1)
"""


@dataclass(frozen=True)
class Canary:
    """`whats`: how the checker may name it; `subject` stands in what it finds. `codes`: of facts
    that do not answer because of it."""

    name: str
    whats: Sequence[str]
    subject: str
    codes: Sequence[str] = ()

    def is_in(self, findings: Sequence[Finding]) -> bool:
        return any(
            found.what in self.whats and self.subject in f"{found.subject} {found.detail}"
            for found in findings
        )


@dataclass
class Canaries:
    copy: ChaosCopy
    load: MixedLoad
    let_out: list[Canary] = field(default_factory=list)
    helpers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def note(
        self, name: str, whats: str | Sequence[str], subject: object, codes: Sequence[str] = ()
    ) -> None:
        named = [whats] if isinstance(whats, str) else whats
        self.let_out.append(Canary(name, named, str(subject), codes))

    def execute(self, query: str, *parameters: object) -> None:
        """As a replica does: no foreign key stands in the way."""
        with self.copy.database() as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(query, parameters)

    # --- While the load runs ----------------------------------------------------------------------

    def begin(self) -> None:
        """A helper that leaks, as one of the service's processes would."""
        leaking = subprocess.Popen([sys.executable, "-c", LEAK], env=self.marked_environ())
        self.helpers.append(leaking)
        self.note("a process leaks memory", "memory grows", leaking.pid)

    # --- When all is quiet, before the checker looks ----------------------------------------------

    def let_loose(self, book: Book) -> None:
        chance = random.Random(1)  # noqa: S311 - no secret
        uploads = [one for one in book.uploads.values() if one["status"] == "synced"]
        uploads = [one for one in uploads if all(map(book.is_live, one["codes"]))]
        chance.shuffle(uploads)
        makers: list[Callable[[Any], None]] = [
            self.delete_row,
            self.delete_passage,
            self.delete_vectors,
            self.delete_source,
        ]
        for make, upload in zip(makers, uploads, strict=False):
            make(upload)
        self.swap_fact(book, uploads[len(makers)])
        self.revive_deleted(book)
        self.mix_versions(book)
        self.hang_sync(uploads[len(makers) + 1])
        self.lose_lead(book)
        self.lose_reply(book)
        self.double_reply(book)
        self.double_mail(book)
        self.fail_in_quiet(book)
        self.leave_file()
        self.leave_process()

    def delete_row(self, upload: dict[str, Any]) -> None:
        self.execute("DELETE FROM sources_source WHERE id = %s", upload["source"])
        self.note(
            "an accepted upload's row is deleted",
            "an upload was lost",
            upload["source"],
            upload["codes"],
        )
        self.note("its file stays", "a stored file without a source", upload["source"])

    def delete_passage(self, upload: dict[str, Any]) -> None:
        """As if half of it had been indexed."""
        code = upload["codes"][0]
        query = "UPDATE sources_chunk SET text = replace(text, %s, 'gone') WHERE source_id = %s"
        self.execute(query, code, upload["source"])
        self.note("a passage loses its fact", "an upload was lost", code, upload["codes"])

    def delete_vectors(self, upload: dict[str, Any]) -> None:
        self.execute("DELETE FROM sources_chunkembedding WHERE source_id = %s", upload["source"])
        self.note("a source loses its vectors", "half indexed", upload["source"], upload["codes"])

    def delete_source(self, upload: dict[str, Any]) -> None:
        self.execute("UPDATE sources_source SET deleted_at = now() WHERE id = %s", upload["source"])
        self.note(
            "a source is deleted by nobody",
            "an upload was deleted by nobody",
            upload["source"],
            upload["codes"],
        )

    def swap_fact(self, book: Book, upload: dict[str, Any]) -> None:
        """One tenant's fact is another's as well."""
        told = book.facts[upload["codes"][0]]
        thief = next(one for one in self.load.companies if one.slug != upload["tenant"])
        self.upload_in_secret(thief, told)
        self.note("a fact is told to another tenant", "A LEAK", told["code"])

    def revive_deleted(self, book: Book) -> None:
        code = next((code for code in book.gone if book.facts[code]["where"] == "upload"), None)
        if code is None:
            return
        told = book.facts[code]
        owner = next(one for one in self.load.companies if one.slug == told["tenant"])
        self.upload_in_secret(owner, told)
        whats = ("indexed after its end", "answered after its end")
        self.note("a deleted fact answers", whats, code)

    def upload_in_secret(self, company: BusyTenant, told: dict[str, str]) -> None:
        fact = Fact(told["tenant"], told["word"], told["thing"], told["code"])
        key = str(uuid.uuid4())
        self.load.send_upload(company, f"{uuid.uuid4()}.txt", make_note([fact]), key=key)

    def mix_versions(self, book: Book) -> None:
        """One page goes back to the version before."""
        for tenant, source, text, _ in self.copy.rows(LIVE_TEXTS):
            now = next((code for code in codes_in(text) if code in book.versions), None)
            old = [
                code
                for code, number in book.versions.items()
                if now and book.facts[code]["tenant"] == tenant and number < book.versions[now]
            ]
            if now and old:
                query = "UPDATE sources_chunk SET text = replace(text, %s, %s) WHERE source_id = %s"
                self.execute(query, now, old[0], source)
                whats = "two versions at once"
                self.note("a page of the version before", whats, source, [now, old[0]])
                return

    def hang_sync(self, upload: dict[str, Any]) -> None:
        query = (
            "UPDATE sources_source SET sync_status = 'syncing', sync_run_id = gen_random_uuid(),"
            " sync_worker_id = gen_random_uuid(), sync_started_at = now(),"
            " sync_lease_until = now() + interval '1 day' WHERE id = %s"
        )
        self.execute(query, upload["source"])
        self.note("a sync hangs", "a sync without an end", upload["source"])

    def lose_lead(self, book: Book) -> None:
        if not book.leads:
            return
        lead = book.leads[0]
        self.execute("DELETE FROM query_lead WHERE session_id = %s", lead["session"])
        self.note("a lead is deleted", "a lead was lost", lead["email"])

    def lose_reply(self, book: Book) -> None:
        """A message that was taken, and of which nobody knows anything."""
        told = {**book.messages[0], "chat": "1234567"}
        told.pop("at")
        told.pop("kind")
        self.load.ledger.note("message taken", **told)
        self.note("a message is lost", "a message was not answered", "1234567")

    def double_reply(self, book: Book) -> None:
        """Minutes after the first: no kill explains it. Of the others, one far from any kill."""
        for message in book.messages:
            sent = book.texts.get((message["account"], message["chat"]), [])
            if len(sent) == 1 and not any(kill.may_repeat(sent[0]["at"]) for kill in book.kills):
                telegram = self.load.stand_ins.telegram
                telegram.keep_text(message["account"], message["chat"], sent[0]["text"])
                self.note("a reply is sent again", "a reply was sent twice", message["chat"])
                return

    def double_mail(self, book: Book) -> None:
        for lead in book.leads[1:]:
            sent = [mail for mail in book.mails if lead["email"] in mail["text"]]
            if len(sent) == 1 and not any(kill.may_repeat(sent[0]["at"]) for kill in book.kills):
                mail = {name: sent[0][name] for name in ("to", "subject", "text")}
                self.load.ledger.note("mail taken", **mail)
                self.note(
                    "a lead's mail is sent again", "a lead's mail was sent twice", lead["email"]
                )
                return

    def fail_in_quiet(self, book: Book) -> None:
        """Errors that no kill explains: before the first."""
        told: dict[str, Any] = {
            "seconds": 0.1,
            "retry_after": "",
            "text": "canary",
            "request_id": "canary",
        }
        told["at"] = min((kill.at for kill in book.kills), default=time.time()) - 5
        for status in (500, 503, 0):
            self.load.ledger.note("response", what=f"canary {status}", status=status, **told)
            self.note(f"a {status} without a kill", f"status {status}", f"canary {status}")

    def leave_file(self) -> None:
        name = f"canary-{uuid.uuid4()}"
        (self.copy.temp_dir / name).write_text("left")
        self.note("a temporary file is left", "a temporary file was left", name)

    def leave_process(self) -> None:
        """One that a stop of the service does not end."""
        left = subprocess.Popen(["sleep", "600"], env=self.marked_environ())
        self.helpers.append(left)
        self.note("a process is left behind", "a process was left", left.pid)

    def marked_environ(self) -> dict[str, str]:
        """Of a process that counts as the service's."""
        return {**os.environ, MARKER: str(self.copy.data_dir)}

    # --- The end ----------------------------------------------------------------------------------

    def hang_task(self) -> None:
        """A task that nobody can do, in a queue that somebody should empty."""
        self.copy.redis().hset("unacked", "canary", "[]")
        self.note("a task is left in the broker", "a queue is not empty", "unacked")

    def end(self) -> None:
        for helper in self.helpers:
            helper.kill()
            helper.wait()


def explain(canaries: Sequence[Canary], findings: Sequence[Finding]) -> list[tuple[str, bool]]:
    """Of each, whether it was noticed."""
    return [(canary.name, canary.is_in(findings)) for canary in canaries]


def is_of_canary(finding: Finding, canaries: Sequence[Canary]) -> bool:
    """Not a fault of the service: the bench made it."""
    told = f"{finding.subject} {finding.detail}"
    return any(word in told for canary in canaries for word in (canary.subject, *canary.codes))
