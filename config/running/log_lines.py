"""supervisord's event listener: the programs' output as prefixed lines, and what becomes of them.

Protocol: https://supervisord.org/events.html. Standard output belongs to it; lines go to standard
error, which leads to bin/up. A program that cannot be kept up takes everything down: supervisord is
asked to stop, and the reason is left in FAILURE_FILE.
"""

import os
import signal
import sys
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from config.running.programs import FAILURE_FILE, START_TRIES
from config.security.memory import hide_memory

NAME_WIDTH = 9  # "ingestion"
REMEMBERED_LINES = 15
# Celery says this at every stop; readers of this log cannot do it.
MISLEADING = "worker: Hitting Ctrl+C again"


@dataclass
class Output:
    """The output of a program: the line that is still being written, and the last whole ones."""

    unfinished: str = ""
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED_LINES))

    def add(self, text: str) -> list[str]:
        """The lines that `text` completes."""
        *lines, self.unfinished = (self.unfinished + text).split("\n")
        self.last_lines.extend(lines)
        return lines

    def end(self) -> list[str]:
        """The line that is left unfinished when the program is gone."""
        return self.add("\n") if self.unfinished else []


class Listener:
    """Turns events into lines on `target`."""

    def __init__(self, target: TextIO) -> None:
        self.target = target
        self.outputs: dict[str, Output] = defaultdict(Output)

    def handle(self, event: str, payload: str) -> None:
        header, _, text = payload.partition("\n")
        values = dict(token.split(":", 1) for token in header.split())
        name = values["processname"]
        if event.startswith("PROCESS_LOG"):
            self.write(name, self.outputs[name].add(text))
            return
        self.write(name, self.outputs[name].end())
        if event == "PROCESS_STATE_EXITED":
            self.write(name, [f"ended unexpectedly (pid {values['pid']}), starting it again"])
        elif event == "PROCESS_STATE_BACKOFF":
            self.write(name, [f"ended while it started (try {values['tries']} of {START_TRIES})"])
        elif event == "PROCESS_STATE_FATAL":
            self.give_up(name)

    def write(self, name: str, lines: list[str]) -> None:
        for line in lines:
            if not line.strip() or line.startswith(MISLEADING):
                continue
            self.target.write(f"{name:<{NAME_WIDTH}} | {line.rstrip()}\n")
        self.target.flush()

    def give_up(self, name: str) -> None:
        last_lines = "\n".join(f"    {line}" for line in self.outputs[name].last_lines)
        Path(os.environ["DATA_DIR"], FAILURE_FILE).write_text(
            f"{name} does not stay up, so everything is stopped. Its last lines:\n{last_lines}\n"
        )
        os.kill(os.getppid(), signal.SIGTERM)


def events(source: TextIO, answers: TextIO) -> Iterator[tuple[str, str]]:
    """Yields (event name, payload) until supervisord is gone; asks for the next when this one is
    done."""
    while True:
        answers.write("READY\n")
        answers.flush()
        header = source.readline()
        if not header:
            return
        values = dict(token.split(":", 1) for token in header.split())
        yield values["eventname"], source.read(int(values["len"]))  # counted in characters
        answers.write("RESULT 2\nOK")
        answers.flush()


def main() -> None:
    hide_memory()
    # Without newline="\n", Python would turn the \r of progress bars into line ends, and miscount.
    source = open(0, encoding="utf-8", newline="\n")  # noqa: SIM115 - lives as long as the process
    target = open(2, "w", encoding="utf-8", errors="replace")  # noqa: SIM115 - as above
    listener = Listener(target)
    for event, payload in events(source, sys.stdout):
        listener.handle(event, payload)


if __name__ == "__main__":
    main()
