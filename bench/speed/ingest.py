"""How many documents are taken in a second, at what cost of processor and memory, and what
an older checkout takes for the same (--other)."""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.service import running_service
from bench.speed.checkouts import BEFORE, OURS, add_other, notes_on_other, roots
from bench.speed.corpus import read_corpus
from bench.speed.measurement import Figure, Measurement, Picture
from bench.speed.options import add_data
from bench.speed.processes import PeakMemory, cpu_seconds
from bench.speed.product import Product

HELP = "documents a second, with their processor time and memory"
CLIENTS = (4, 1)
WARM_UP = ("warm-up.txt", "The shop opens at nine in the morning and closes at eight.")


def add_arguments(parser: ArgumentParser) -> None:
    add_data(parser)
    add_other(parser)


def measure(options: dict[str, Any]) -> Measurement:
    corpus = read_corpus(options["data"]).first(options["documents"])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-corpus-")))
        intake = Intake(folder, corpus.write(folder))
        services = {
            name: stack.enter_context(running_service(root=root))
            for name, root in roots(options).items()
        }
        for number in range(options["rounds"]):
            for clients in CLIENTS:
                for name, service in services.items():
                    # A new tenant: what another one has read would be read for less.
                    product = Product(service, f"speed-{number}-{clients}")
                    intake.take_turn(name, clients, product)
    return Measurement(
        "Taking documents in",
        list(tell(intake)),
        [*notes(intake), *notes_on_other(options)],
        pictures(intake),
    )


class Intake:
    """`values`: contestant and what → one of each round."""

    def __init__(self, folder: Path, paths: Sequence[Path]) -> None:
        self.paths = paths
        self.warm_up = folder / WARM_UP[0]
        self.warm_up.write_text(WARM_UP[1])
        self.values: dict[tuple[str, str], list[float]] = defaultdict(list)

    def take_turn(self, name: str, clients: int, product: Product) -> None:
        """What an upload answers, it has read: none of them goes on behind its answer."""
        product.upload([self.warm_up], clients=1)
        pid = product.pid
        before = cpu_seconds(pid)
        with PeakMemory(pid) as memory:
            served = product.upload(self.paths, clients=clients)
        self.values[name, f"a second, {clients}"].append(served.per_second)
        self.values[name, f"cpu, {clients}"].append(cpu_seconds(pid) - before)
        self.values[name, f"peak, {clients}"].append(memory.peak)

    def names(self) -> list[str]:
        return list(dict.fromkeys(name for name, _ in self.values))


def tell(intake: Intake) -> Iterator[Figure]:
    values = intake.values
    for clients in CLIENTS:
        speed, cpu = f"a second, {clients}", f"cpu, {clients}"
        label = f"{len(intake.paths)} documents, {clients} client{'s' if clients > 1 else ''}"
        yield Figure(label, "a second", values[OURS, speed])
        yield Figure(f"{label}: processor time", "s", values[OURS, cpu])
        if (BEFORE, speed) in values:
            before = values[BEFORE, speed]
            yield Figure(label, "a second", values[OURS, speed], "ours before", before)
            cpu_label = f"{label}: processor time"
            yield Figure(cpu_label, "s", values[OURS, cpu], "ours before", values[BEFORE, cpu])
    peak = f"peak, {max(CLIENTS)}"
    for name in intake.names():
        goal = 2.0 if name == OURS else None
        yield Figure(f"most memory meanwhile, {name}", "GB", values[name, peak], goal=goal)


def notes(intake: Intake) -> list[str]:
    return [
        f"{len(intake.paths)} documents, a quarter TXT, Markdown, DOCX and PDF each, over HTTP on"
        " loopback. Each turn fills a new tenant, which has read one small document before.",
        "Processor time and memory (PSS, looked at every four seconds) are of all processes:"
        " PostgreSQL, Redis and those that only wait are among them.",
    ]


def pictures(intake: Intake) -> list[Picture]:
    names = intake.names()
    return [
        Picture(title, unit, {name: intake.values[name, what] for name in names})
        for title, unit, what in (
            ("Documents a second, 4 clients", "a second", "a second, 4"),
            ("Processor time of all documents, 4 clients", "s", "cpu, 4"),
            ("Most memory meanwhile", "GB", "peak, 4"),
        )
    ]
