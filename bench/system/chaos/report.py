"""What a run showed, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from bench.system.chaos.book import Book, Doubles, Finding, group_wrong, summary
from bench.system.chaos.sampling import make_rows, peaks


@dataclass
class Judgement:
    minutes: float
    seed: int
    book: Book
    doubles: Doubles
    findings: list[Finding]
    idle_seconds: float = 0.0
    asked: Counter[str] = field(default_factory=Counter)
    looks: int = 0
    restarts: int = 0
    stop_code: int | None = 0
    causes: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)
    upload_errors: Counter[str] = field(default_factory=Counter)
    canaries: list[tuple[str, bool]] = field(default_factory=list)

    @property
    def has_passed(self) -> bool:
        return not self.findings and all(noticed for _, noticed in self.canaries)


def write_report(outcome: Judgement, folder: Path) -> str:
    book = outcome.book
    verdict = "**All held.**" if outcome.has_passed else "**Something did not hold.**"
    parts = [
        "# Mixed load with random kills",
        f"`python -m bench.system.chaos --minutes {outcome.minutes:g} --seed {outcome.seed}`: four"
        f" tenants on the machine that also ran the load. {verdict}",
        *([list_canaries(outcome.canaries)] if outcome.canaries else []),
        "## What did not hold",
        list_findings(outcome.findings),
        "## Accepted and checked",
        table(("what", "how often"), summary(book).items()),
        f"All was quiet {outcome.idle_seconds:.0f} s after the load's end. Asked then:"
        f" {outcome.asked['own']} facts that must answer, {outcome.asked['foreign']} of other"
        f" tenants, {outcome.asked['deleted']} that are gone. Websites were looked at"
        f" {outcome.looks} times, each time in one snapshot. Sent twice at the moment of a kill, as"
        f" delivery at least once has it (decision 0015): {outcome.doubles.explained}.",
        "Uploads that were accepted and ended with a reason: "
        + (", ".join(f"{n} × “{why}”" for why, n in outcome.upload_errors.items()) or "none")
        + ".",
        "## Killed",
        list_kills(book),
        "## What clients saw",
        list_responses(book),
        "Not as it should be, all of them (what a kill explains included):",
        table(
            ("asked", "status", "with Retry-After", "how often"),
            (
                (what, status or "no answer", "yes" if again else "no", count)
                for (what, status, again), count in sorted(group_wrong(book).items())
            ),
        ),
        "Causes of answers 500, from the log:",
        table(("cause", "how often"), outcome.causes.most_common(20)),
        "What ended a trace in the log:",
        table(("program and error", "how often"), outcome.raised.most_common(20)),
        "## Memory",
        list_memory(folder),
    ]
    return "\n\n".join(parts) + "\n"


def list_canaries(canaries: Sequence[tuple[str, bool]]) -> str:
    rows = ((name, "noticed" if noticed else "**missed**") for name, noticed in canaries)
    return "## The checker's own canaries\n\n" + table(("what the bench did in secret", ""), rows)


def list_findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return "Nothing."
    counts = Counter(finding.what for finding in findings)
    shown: Counter[str] = Counter()
    lines = [table(("what", "how often"), counts.most_common())]
    for finding in findings:
        shown[finding.what] += 1
        if shown[finding.what] <= 6:
            lines.append(f"- {str(finding).replace(chr(10), ' ')[:600]}")
    return lines[0] + "\n\n" + "\n".join(lines[1:])


def list_kills(book: Book) -> str:
    counts = Counter((kill.target, kill.signal) for kill in book.kills)
    targets = sorted({target for target, _ in counts})
    signals = ("SIGKILL", "SIGTERM", "SIGSTOP")
    seconds = {
        target: sorted(kill.seconds for kill in book.kills if kill.target == target)
        for target in targets
    }
    rows = (
        (
            target,
            *(counts[target, name] for name in signals),
            f"{median(seconds[target]):.0f}",
            f"{seconds[target][-1]:.0f}",
        )
        for target in targets
    )
    heads = ("process", *signals, "median seconds until /readyz is well again", "longest")
    return table(heads, rows)


def list_responses(book: Book) -> str:
    names = sorted({what for what, _ in book.responses})
    statuses = sorted({status for _, status in book.responses})
    rows = (
        (
            what,
            *(book.responses[what, status] or "" for status in statuses),
            f"{book.slowest[what]:.1f}",
        )
        for what in names
    )
    heads = ("asked", *(str(status or "no answer") for status in statuses), "slowest, s")
    return table(heads, rows)


def list_memory(folder: Path) -> str:
    rows = (
        (
            row.role,
            row.lives,
            f"{row.median_mb:.0f}",
            f"{row.peak_mb:.0f}",
            row.long_lives,
            "" if row.slope is None else f"{row.slope:+.2f}",
            "" if row.worst_slope is None else f"{row.worst_slope:+.2f}",
            row.files,
        )
        for row in make_rows(folder)
    )
    heads = ("process", "lives", "median MB", "peak MB", "of 5 minutes and more")
    more = ("median slope of their second halves, MB a minute", "worst", "most open files")
    connections, clients, megabytes = peaks(folder)
    return (
        f"{table((*heads, *more), rows)}\n\nAt most {connections} connections of PostgreSQL,"
        f" {clients} clients and {megabytes:.1f} MB of Redis."
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    made = [f"| {' | '.join(str(cell).replace('|', '/') for cell in row)} |" for row in rows]
    if not made:
        return "None."
    return "\n".join([f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *made])
