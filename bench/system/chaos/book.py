"""The ledger, put in order: what there is to be checked. Knows the ledger alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.system.chaos.ledger import Entry, LedgerReader

NEVER = float("inf")
# What ends with these has to be started again by us, as an operator's systemd would
FATAL = frozenset({"supervisord", "up", "whole tree", "restart"})
WEB = frozenset({"web", "web child"}) | FATAL
SENDERS = FATAL | {"webhooks", "worker", "worker child", "postgres", "postgres child", "services"}
STOP_SECONDS = 9.0  # the longest SIGSTOP
AT_WORK_SECONDS = 5.0  # between a messenger's "OK" and our commit, on a machine that is busy
CODES_OF_500 = ("ACTIVATION_FAILED", "OTP_SEND_FAILED")  # as the interface has it: try again
RECOVERY_MAX_SECONDS = (120.0, 300.0)  # of a process; of everything
RECOVERED_SECONDS = 12.0  # after /readyz is well: what had begun before has ended


@dataclass(frozen=True)
class Finding:
    """What does not hold. `subject`: the id, code or address that it is about."""

    what: str
    subject: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.what}: {self.subject} {self.detail}".rstrip()


@dataclass
class Kill:
    target: str
    signal: str
    at: float
    recovered: float = NEVER

    @property
    def seconds(self) -> float:
        return self.recovered - self.at

    def may_repeat(self, at: float) -> bool:
        """What was being sent at that moment: whoever sent it died, or could not write it down."""
        if self.target not in SENDERS:
            return False
        before = STOP_SECONDS if self.signal == "SIGSTOP" else 1.0
        return at - before <= self.at <= at + AT_WORK_SECONDS


@dataclass
class Book:
    """What the ledger says up to now."""

    facts: dict[str, Entry] = field(default_factory=dict)  # by code
    may_be_gone: dict[str, float] = field(default_factory=dict)  # by code: since when
    gone: dict[str, float] = field(default_factory=dict)
    uploads: dict[str, Entry] = field(default_factory=dict)  # accepted, by source
    tried: list[Entry] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    websites: dict[str, Entry] = field(default_factory=dict)  # last synced, by source
    versions: dict[str, int] = field(default_factory=dict)  # of a website's codes
    messages: list[Entry] = field(default_factory=list)
    texts: dict[tuple[str, str], list[Entry]] = field(default_factory=lambda: defaultdict(list))
    leads: list[Entry] = field(default_factory=list)
    invited: list[Entry] = field(default_factory=list)
    activated: list[Entry] = field(default_factory=list)
    mails: list[Entry] = field(default_factory=list)
    exports: int = 0
    kills: list[Kill] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    responses: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: list[Entry] = field(default_factory=list)  # responses that are not as they should be
    slowest: dict[str, float] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    healthy: list[float] = field(default_factory=list)  # answers of /readyz in a row

    def find(self, what: str, subject: str, detail: str = "") -> None:
        self.findings.append(Finding(what, subject, detail))

    def is_live(self, code: str) -> bool:
        return code not in self.may_be_gone

    def live_codes(self) -> set[str]:
        """That must answer now."""
        lasting = [*self.uploads.values(), *self.entries, *self.websites.values()]
        return {code for entry in lasting for code in entry["codes"] if self.is_live(code)}


class Bookkeeper:
    """Reads on from where it was; judges what can be judged at once."""

    def __init__(self, folder: Path) -> None:
        self.reader, self.book = LedgerReader(folder / "ledger.jsonl"), Book()

    def read(self) -> Book:
        for entry in self.reader.read_new():
            name = f"note_{entry['kind'].replace(' ', '_')}"
            self.book.counts[entry["kind"]] += 1
            if hasattr(self, name):
                getattr(self, name)(entry)
        return self.book

    # --- What was accepted ------------------------------------------------------------------------

    def note_fact(self, entry: Entry) -> None:
        self.book.facts[entry["code"]] = entry

    def note_upload_tried(self, entry: Entry) -> None:
        self.book.tried.append(entry)

    def note_upload_accepted(self, entry: Entry) -> None:
        self.book.uploads[entry["source"]] = entry

    def note_delete_tried(self, entry: Entry) -> None:
        for code in entry["codes"]:
            self.book.may_be_gone.setdefault(code, entry["at"])

    def note_deleted(self, entry: Entry) -> None:
        for code in entry["codes"]:
            self.book.gone.setdefault(code, entry["at"])

    def note_entry_accepted(self, entry: Entry) -> None:
        self.book.entries.append(entry)

    def note_website_changed(self, entry: Entry) -> None:
        """The version before may go from now on; those before that one are gone."""
        number = self.book.counts["website changed"]
        self.book.versions |= dict.fromkeys(entry["codes"], number)
        if before := self.book.websites.get(entry["source"]):
            self.note_delete_tried({**before, "at": entry["at"]})

    def note_website_synced(self, entry: Entry) -> None:
        if before := self.book.websites.get(entry["source"]):
            self.note_deleted({**before, "at": entry["at"]})
        self.book.websites[entry["source"]] = entry

    def note_message_taken(self, entry: Entry) -> None:
        self.book.messages.append(entry)

    def note_text_sent(self, entry: Entry) -> None:
        self.book.texts[entry["account"], entry["chat"]].append(entry)

    def note_lead_accepted(self, entry: Entry) -> None:
        self.book.leads.append(entry)

    def note_invited(self, entry: Entry) -> None:
        self.book.invited.append(entry)

    def note_activated(self, entry: Entry) -> None:
        self.book.activated.append(entry)

    def note_mail_taken(self, entry: Entry) -> None:
        self.book.mails.append(entry)

    def note_export_accepted(self, entry: Entry) -> None:
        self.book.exports += 1

    # --- What was answered ------------------------------------------------------------------------

    def note_answer(self, entry: Entry) -> None:
        book, code = self.book, entry["code"]
        for said in entry["codes"]:
            fact = book.facts.get(said)
            if fact is None:
                book.find("an invented code", said, entry["text"])
            elif fact["tenant"] != entry["tenant"]:
                book.find("A LEAK", said, f"of {fact['tenant']}, told to {entry['tenant']}")
            elif book.gone.get(said, NEVER) < entry["started"]:
                book.find("answered after its end", said, entry["tenant"])
        if entry["expects"] == "own" and code not in entry["codes"] and book.is_live(code):
            book.find("not answered", code, f"{entry['tenant']}: {entry['text'][:300]}")

    def note_sent_again(self, entry: Entry) -> None:
        if not entry["is_same"]:
            self.book.find("done twice under one key", entry["source"])

    def note_logged_out(self, entry: Entry) -> None:
        if entry["status_after"] != 401:
            self.book.find("a session outlived its logout", entry["tenant"])

    def note_mixture(self, entry: Entry) -> None:
        self.book.find("two versions at once", entry["source"], entry["detail"])

    def note_sync_failed(self, entry: Entry) -> None:
        if not entry["reason"]:
            self.book.find("an error without a reason", entry["source"])

    def note_bench_failed(self, entry: Entry) -> None:
        self.book.find("the bench itself failed", entry["act"], entry["error"])

    def note_stopped(self, entry: Entry) -> None:
        if entry["code"] != 0:
            self.book.find("a stop in order failed", str(entry["code"]))

    def note_is_up(self, entry: Entry) -> None:
        if not entry["is_ready"]:
            self.book.find("not ready after a restart", str(entry["at"]))

    def note_response(self, entry: Entry) -> None:
        book, what = self.book, entry["what"]
        book.responses[what, entry["status"]] += 1
        book.slowest[what] = max(book.slowest.get(what, 0.0), entry["seconds"])
        if "text" in entry:
            book.wrong.append(entry)

    def note_stream_broke(self, entry: Entry) -> None:
        """Told by an event of its own, as an error before the first byte would be; or cut off."""
        status, seconds = 503 if entry["has_error"] else 0, entry["at"] - entry["started"]
        told = {"what": "stream", "status": status, "seconds": seconds, "text": "it broke off"}
        self.book.wrong.append({**entry, **told})

    # --- Kills ------------------------------------------------------------------------------------

    def note_kill(self, entry: Entry) -> None:
        self.book.kills.append(Kill(entry["target"], entry["signal"], entry["at"]))

    def note_readiness(self, entry: Entry) -> None:
        """Two in a row that were asked after a kill end what it explains."""
        book = self.book
        if entry["status"] != 200:
            book.healthy.clear()
            return
        book.healthy.append(entry["asked"])
        if len(book.healthy) < 2:
            return
        for kill in book.kills[-20:]:
            pause = STOP_SECONDS if kill.signal == "SIGSTOP" else 1.0
            if kill.recovered == NEVER and book.healthy[-2] > kill.at + pause:
                kill.recovered = entry["at"]


# --- Errors that clients saw ----------------------------------------------------------------------


def judge_responses(book: Book) -> list[Finding]:
    """An error is explained by a kill from whose moment to whose recovery it was on its way."""
    return [
        Finding(f"status {entry['status']}", entry["what"], describe_response(book, entry))
        for entry in book.wrong
        if not is_explained(book, entry)
    ]


def is_explained(book: Book, entry: Entry) -> bool:
    status, started = entry["status"], entry["at"] - entry["seconds"]
    if status in (409, 425) and "IN_PROGRESS" in entry["text"]:
        return True  # its first attempt is still under way
    if status == 500 and any(code in entry["text"] for code in CODES_OF_500):
        status = 503
    if status not in (0, 503):
        return False
    return any(
        kill.at - 1 <= entry["at"] and started <= kill.recovered + RECOVERED_SECONDS
        for kill in book.kills
        if status == 503 or kill.target in WEB
    )


def judge_recoveries(book: Book) -> list[Finding]:
    return [
        Finding("slow to recover", f"{kill.signal} of {kill.target}", f"{kill.seconds:.0f} s")
        for kill in book.kills
        if kill.seconds > RECOVERY_MAX_SECONDS[kill.target in FATAL]
    ]


def describe_response(book: Book, entry: Entry) -> str:
    before = [kill for kill in book.kills if kill.at <= entry["at"]]
    last = f"{entry['at'] - before[-1].at:.0f} s after {before[-1].target}" if before else ""
    return f"[{entry.get('request_id', '')}] {last}: {entry['text'][:200]}"


def group_wrong(book: Book) -> Counter[tuple[str, int, bool]]:
    """By what was asked, status, and whether a Retry-After came along."""
    return Counter(
        (entry["what"], entry["status"], bool(entry.get("retry_after"))) for entry in book.wrong
    )


# --- Sent twice -----------------------------------------------------------------------------------


@dataclass
class Doubles:
    """`explained`: at the moment of a kill, as delivery at least once has it (0015)."""

    explained: int = 0
    findings: list[Finding] = field(default_factory=list)

    def add(self, book: Book, what: str, subject: str, sent: list[Entry]) -> None:
        for first, second in zip(sent, sent[1:], strict=False):
            if any(kill.may_repeat(first["at"]) for kill in book.kills):
                self.explained += 1
            else:
                seconds = second["at"] - first["at"]
                self.findings.append(Finding(what, subject, f"again after {seconds:.1f} s"))


def judge_texts(book: Book, doubles: Doubles) -> list[Finding]:
    """Each message has a chat of its own, so it has one text, with its code and no other's."""
    findings = []
    for message in book.messages:
        sent = book.texts.get((message["account"], message["chat"]), [])
        if not sent:
            findings.append(Finding("a message was not answered", message["chat"], str(message)))
            continue
        if not any(message["code"] in text["codes"] for text in sent):
            findings.append(Finding("a wrong reply", message["chat"], sent[0]["text"][:300]))
        doubles.add(book, "a reply was sent twice", message["chat"], sent)
        findings += [
            Finding("A LEAK", code, f"told to a chat of {message['tenant']}")
            for text in sent
            for code in text["codes"]
            if book.facts.get(code, {}).get("tenant") != message["tenant"]
        ]
    return findings


def judge_mails(book: Book, doubles: Doubles) -> list[Finding]:
    """Each lead and each invitation is told at least once."""
    findings = []
    for lead in book.leads:
        sent = [mail for mail in book.mails if lead["email"] in mail["text"]]
        if not sent:
            findings.append(Finding("a lead's mail was not sent", lead["email"]))
        doubles.add(book, "a lead's mail was sent twice", lead["email"], sent)
    for invited in book.invited:
        sent = [mail for mail in book.mails if mail["to"] == invited["email"]]
        sent = [mail for mail in sent if "activate#token=" in mail["text"]]
        if not sent:
            findings.append(Finding("an invitation was not sent", invited["email"]))
        doubles.add(book, "an invitation was sent twice", invited["email"], sent)
    return findings


def summary(book: Book) -> dict[str, Any]:
    words = ("upload accepted", "deleted", "entry accepted", "website synced", "sync failed")
    more = ("message taken", "text sent", "lead accepted", "mail taken", "invited", "activated")
    last = ("export accepted", "logged out", "sent again", "stream broke", "answer", "kill")
    return {word: book.counts[word] for word in (*words, *more, *last)}
