"""How much memory a copy of the service holds when nobody asks it anything."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from collections import defaultdict
from typing import Any

from bench.service import ROOT, Service, running_service
from bench.speed.checkouts import BEFORE, OURS, add_other, notes_on_other, roots
from bench.speed.load import Request, send
from bench.speed.measurement import Figure, Measurement, Picture
from bench.speed.processes import processes_below, pss_by_program

HELP = "memory of all processes at rest"
REST_SECONDS = 30  # after it said that it is ready
CLIENTS = 8
QUESTIONS = 100
GOAL_GB = 1.0

Memory = dict[str, float]  # program → GB


def add_arguments(parser: ArgumentParser) -> None:
    add_other(parser)


def measure(options: dict[str, Any]) -> Measurement:
    resting: dict[str, list[Memory]] = defaultdict(list)
    asked: dict[str, list[Memory]] = defaultdict(list)
    processes: dict[str, list[float]] = defaultdict(list)
    for _ in range(options["rounds"]):
        for name, root in roots(options).items():
            with running_service(root=root) as service:
                time.sleep(REST_SECONDS)
                resting[name].append(pss_by_program(service.pid))
                processes[name].append(len(processes_below(service.pid)))
                ask_demo(service)
                time.sleep(REST_SECONDS)
                asked[name].append(pss_by_program(service.pid))
    before = totals(resting.get(BEFORE, []))
    against = BEFORE if before else ""
    figures = [
        Figure("memory at rest", "GB", totals(resting[OURS]), goal=GOAL_GB),
        *(
            [Figure("memory at rest", "GB", totals(resting[OURS]), against, before)]
            if before
            else ()
        ),
        Figure(
            f"memory at rest after {QUESTIONS} questions",
            "GB",
            totals(asked[OURS]),
            against,
            totals(asked.get(BEFORE, [])),
        ),
        Figure("processes", "", processes[OURS], against, processes[BEFORE]),
    ]
    pictures = [picture(f"Memory at rest, {name}", found) for name, found in resting.items()]
    return Measurement("Memory at rest", figures, [NOTE, *notes_on_other(options)], pictures)


NOTE = (
    f"PSS, {REST_SECONDS} s after a new copy with the demo company said that it is ready: a page"
    f" that several processes share counts once. Then {QUESTIONS} questions of {CLIENTS} clients,"
    f" and {REST_SECONDS} s of rest again."
)


def ask_demo(service: Service) -> None:
    demo = json.loads((ROOT / "demo" / "questions.json").read_text(encoding="utf-8"))
    texts = [row["question"] for row in demo["answerable"]]
    headers = {"Authorization": f"Bearer {service.token}"}
    requests = [
        Request(
            "POST",
            "/agent/query",
            json.dumps({"query": texts[number % len(texts)]}),
            headers=headers,
        )
        for number in range(QUESTIONS)
    ]
    send(service.port, requests, clients=CLIENTS)


def totals(found: list[Memory]) -> list[float]:
    return [sum(memory.values()) for memory in found]


def picture(title: str, found: list[Memory]) -> Picture:
    """Of each program, the largest first."""
    programs = sorted(found[-1], key=lambda program: -found[-1][program])
    bars = {program: [memory.get(program, 0.0) for memory in found] for program in programs}
    return Picture(title, "GB", bars)
