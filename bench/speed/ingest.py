"""How many documents are taken in a second, at what cost of processor and memory, beside others on
the same documents."""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.service import Service, running_service
from bench.speed.checkouts import BEFORE, OURS, add_other, notes_on_other, roots
from bench.speed.corpus import read_corpus
from bench.speed.load import Served, send
from bench.speed.measurement import Figure, Measurement, Picture
from bench.speed.options import add_data, add_peers
from bench.speed.peers import PEERS, Peer, running_peer, upload
from bench.speed.processes import PeakMemory, cpu_seconds
from bench.speed.product import Product

HELP = "documents a second, with their processor time and memory, beside others"
CLIENTS = (4, 1)
BEST = "best peer"
WARM_UP = ("warm-up.txt", "The shop opens at nine in the morning and closes at eight.")

Send = Callable[[Sequence[Path], int], Served]


def add_arguments(parser: ArgumentParser) -> None:
    add_data(parser)
    add_peers(parser)
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
        peers = [PEERS[name] for name in options["peers"]]
        for number in range(options["rounds"]):
            for clients in CLIENTS:
                for name, service in services.items():
                    with new_tenant(service, f"speed-{number}-{clients}") as (pid, send_all):
                        intake.take_turn(name, clients, pid, send_all)
                for peer in peers:
                    with new_peer(peer) as (pid, send_all):
                        intake.take_turn(peer.label, clients, pid, send_all)
    figures = list(tell(intake, [peer.label for peer in peers]))
    return Measurement(
        "Taking documents in", figures, [*notes(intake), *notes_on_other(options)], pictures(intake)
    )


class Intake:
    """`values`: contestant and what → one of each round."""

    def __init__(self, folder: Path, paths: Sequence[Path]) -> None:
        self.paths = paths
        self.warm_up = folder / WARM_UP[0]
        self.warm_up.write_text(WARM_UP[1])
        self.values: dict[tuple[str, str], list[float]] = defaultdict(list)

    def take_turn(self, name: str, clients: int, pid: int, send_all: Send) -> None:
        """What an upload answers, it has read: none of them goes on behind its answer."""
        send_all([self.warm_up], 1)
        before = cpu_seconds(pid)
        with PeakMemory(pid) as memory:
            served = send_all(self.paths, clients)
        self.values[name, f"a second, {clients}"].append(served.per_second)
        self.values[name, f"cpu, {clients}"].append(cpu_seconds(pid) - before)
        self.values[name, f"peak, {clients}"].append(memory.peak)

    def names(self) -> list[str]:
        return list(dict.fromkeys(name for name, _ in self.values))


@contextmanager
def new_tenant(service: Service, slug: str) -> Iterator[tuple[int, Send]]:
    """Nothing that another one has read is read again for less."""
    product = Product(service, slug)
    yield service.pid, lambda paths, clients: product.upload(paths, clients=clients)


@contextmanager
def new_peer(peer: Peer) -> Iterator[tuple[int, Send]]:
    with running_peer(peer) as running:
        yield (
            running.pid,
            lambda paths, clients: send(
                running.port, [upload(path) for path in paths], clients=clients
            ),
        )


def tell(intake: Intake, peers: Sequence[str]) -> Iterator[Figure]:
    values = intake.values

    def best(what: str, choose: Callable[[Iterable[float]], float]) -> list[float]:
        return [
            choose(found) for found in zip(*(values[name, what] for name in peers), strict=True)
        ]

    for clients in CLIENTS:
        speed, cpu = f"a second, {clients}", f"cpu, {clients}"
        label = f"{len(intake.paths)} documents, {clients} client{'s' if clients > 1 else ''}"
        if peers:
            goal = 3.0 if clients == max(CLIENTS) else None
            yield Figure(
                label, "a second", values[OURS, speed], BEST, best(speed, max), goal, at_least=True
            )
            cpu_label = f"{label}: processor time"
            yield Figure(cpu_label, "s", values[OURS, cpu], BEST, best(cpu, min))
        else:
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
        " loopback. Each turn fills a new tenant of ours, and a new service of a peer, which has"
        " read one small document before.",
        "Processor time and memory (PSS, looked at every four seconds) are of all processes: of"
        " ours, PostgreSQL, Redis and those that only wait are among them.",
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
