"""An hour of mixed load while every process of the service is killed at random.

Usage: .venv/bin/python -m bench.system.chaos [--minutes 60] [--seed N] [--canary] [--report FILE]
Starts a copy of the service of its own, with stand-ins of everybody it speaks with. Prints a line a
minute; the last one is the verdict, and so is the exit code: 0 when all held. What was written on
the way (ledger, samples, the service's log) is kept in the folder that the first line names.

`--canary`: the bench makes faults of its own in secret. It passes when the checker notices each.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from bench.service import ROOT
from bench.system.chaos import checking
from bench.system.chaos.book import (
    Book,
    Bookkeeper,
    Doubles,
    Finding,
    judge_mails,
    judge_recoveries,
    judge_responses,
    judge_texts,
)
from bench.system.chaos.canaries import Canaries, explain, is_of_canary
from bench.system.chaos.copy import ChaosCopy
from bench.system.chaos.kills import Killer, Prober
from bench.system.chaos.ledger import Ledger
from bench.system.chaos.load import TENANTS, MixedLoad
from bench.system.chaos.report import Judgement, write_report
from bench.system.chaos.sampling import Sampler
from bench.system.chaos.stand_ins import serve_stand_ins

REPORT = ROOT / "bench" / "results" / "chaos.md"
WARM_UP_SECONDS = 20.0  # of load before the first kill
PROGRESS_SECONDS = 60.0
START_TRIES = 3  # on a machine where others work


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.system.chaos")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--canary", action="store_true")
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    # Whoever ends this has the copy ended too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended."))
    # Not below a folder that PostgreSQL's account cannot enter
    folder = Path(tempfile.mkdtemp(prefix="chaos-", dir="/tmp"))
    folder.chmod(0o755)
    say(f"seed {options.seed}, everything in {folder}")
    outcome = Run(folder, options.minutes, options.seed, has_canaries=options.canary).carry_out()
    report = write_report(outcome, folder)
    path = options.report or (folder / "report.md" if options.minutes < 60 else REPORT)
    path.write_text(report)
    for finding in outcome.findings[:40]:
        print(f"  {str(finding)[:300]}")
    for name, noticed in outcome.canaries:
        print(f"  canary: {name}: {'noticed' if noticed else 'MISSED'}")
    say(f"{'PASSED' if outcome.has_passed else 'FAILED'}; {path}")
    if outcome.has_passed:
        shutil.rmtree(folder / "data", ignore_errors=True)
    return 0 if outcome.has_passed else 1


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


class Run:
    """From nothing to the verdict."""

    def __init__(self, folder: Path, minutes: float, seed: int, *, has_canaries: bool) -> None:
        self.folder, self.minutes, self.seed = folder, minutes, seed
        self.has_canaries = has_canaries
        self.ledger = Ledger(folder)
        self.keeper = Bookkeeper(folder)

    def carry_out(self) -> Judgement:
        with ExitStack() as stack:
            stand_ins = stack.enter_context(serve_stand_ins(self.ledger, TENANTS))
            self.copy = ChaosCopy(self.folder, **stand_ins.environ)
            stack.callback(self.copy.kill_all)
            if not any(self.copy.start_until_ready() for _ in range(START_TRIES)):
                raise SystemExit(f"The service did not start:\n{self.copy.output()[-3000:]}")
            self.load = MixedLoad(self.copy, self.ledger, stand_ins, self.seed)
            self.load.prepare()
            self.canaries = Canaries(self.copy, self.load)
            stack.callback(self.canaries.end)
            say("ready; the load begins")
            return self.judge(self.disturb())

    def disturb(self) -> checking.Watcher:
        """The load, and the kills. Afterwards nobody asks, and the service runs."""
        killer = Killer(self.copy, self.ledger, self.seed)
        watcher = checking.Watcher(self.copy, self.ledger)
        helpers = (Prober(self.copy, self.ledger), Sampler(self.copy, self.folder), watcher)
        give_up_at = time.monotonic() + self.minutes * 60
        if self.has_canaries:
            self.canaries.begin()
        self.load.start()
        for helper in helpers:
            helper.thread.start()
        time.sleep(WARM_UP_SECONDS)
        killer.thread.start()
        try:
            while (left := give_up_at - time.monotonic()) > 0:
                time.sleep(min(PROGRESS_SECONDS, left))
                watcher.versions = self.tell_progress(killer).versions
        finally:
            killer.stop()
            self.load.stop()
            for helper in helpers:
                helper.stop()
        return watcher

    def tell_progress(self, killer: Killer) -> Book:
        book = self.keeper.read()
        found = len(book.findings) + len(judge_responses(book))
        counts = book.counts
        say(
            f"{killer.killed} kills, {counts['started again']} starts, {len(book.uploads)} uploads,"
            f" {counts['answer']} answers, {counts['website synced']} syncs,"
            f" {counts['text sent']}/{len(book.messages)} replies, {len(book.leads)} leads,"
            f" {len(book.wrong)} errors, {found} findings"
        )
        return book

    def judge(self, watcher: checking.Watcher) -> Judgement:
        copy, found = self.copy, []
        idle_seconds, left = checking.wait_until_idle(copy)
        say(f"quiet after {idle_seconds:.0f} s")
        found += left
        if self.has_canaries:
            self.canaries.let_loose(self.keeper.read())
            found += checking.find_open(copy)
        asked = checking.ask_everything(self.load, self.keeper.read(), self.seed)
        book, doubles = self.keeper.read(), Doubles()
        found += [*book.findings, *judge_responses(book), *judge_recoveries(book)]
        found += [*judge_texts(book, doubles), *judge_mails(book, doubles), *doubles.findings]
        for check in (checking.check_database, checking.check_people, checking.check_messages):
            found += check(copy, book)
        found += checking.check_stored_files(copy)
        found += checking.check_memory(self.folder)
        outcome = Judgement(self.minutes, self.seed, book, doubles, found)
        outcome.idle_seconds, outcome.asked, outcome.looks = idle_seconds, asked, watcher.looks
        outcome.upload_errors = checking.count_upload_errors(copy, book)
        found += self.stop_and_start_again(outcome)
        outcome.causes = checking.causes_of_500(copy.log)
        outcome.raised = checking.raised_in_log(copy.log)
        if self.has_canaries:
            outcome.canaries = explain(self.canaries.let_out, found)
            let_out = self.canaries.let_out
            found = [one for one in found if not is_of_canary(one, let_out)]
        outcome.findings = list(dict.fromkeys(found))
        return outcome

    def stop_and_start_again(self, outcome: Judgement) -> list[Finding]:
        """In order, with nothing left; then what killed workers had held is in no queue."""
        found = []
        outcome.stop_code = self.copy.stop()
        if outcome.stop_code != 0:
            found.append(Finding("a stop in order failed", str(outcome.stop_code)))
        found += checking.check_left_overs(self.copy)
        if not self.copy.start_until_ready():
            return [*found, Finding("it does not start again", "")]
        if self.has_canaries:
            self.canaries.hang_task()
        found += checking.check_queues(self.copy)
        if self.copy.stop() != 0:
            found.append(Finding("a stop in order failed", "the last one"))
        return found


if __name__ == "__main__":
    sys.exit(main())
