"""`search` over MCP against the REST query: the same questions, in turns, one and eight clients.

    python -m bench.programs.search_speed [--companies 6] [--rounds 3]

All ways have the same HTTP client with one connection that is kept open, the same workspace (files
of bench/companies) and the same run. Read the ratios: milliseconds depend on the machine. Prints
Markdown; exits with 1 when a ratio of medians is above what is promised.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from bench.evaluation.datasets import EvalCorpus, load_companies
from bench.service import Service, make_client, manage, running_service

PROMISED_RATIO = 1.3
CLIENTS = (1, 8)
QUESTIONS_PER_CLIENT = 40  # in a round
WARM_UP_QUESTIONS = 30
SECONDS = 60
LEGACY, MODERN = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol"
PROGRAM = {"name": "bench", "version": "1"}
PLENTY = "from accounts.models import Plan; Plan.objects.update(max_requests_per_minute=10**6)"


class Way(ABC):
    """One connection to the service; `ask` returns when the whole answer has been read."""

    name: str

    def __init__(self, service: Service) -> None:
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{service.port}",
            headers={"Authorization": f"Bearer {service.token}"},
            timeout=SECONDS,
        )

    @abstractmethod
    def ask(self, question: str) -> None: ...

    def post(self, path: str, body: dict[str, Any], **headers: str) -> httpx.Response:
        response = self.http.post(path, json=body, headers=headers)
        if response.is_error:
            raise RuntimeError(f"{self.name}: {response.status_code} {response.text[:500]}")
        return response


class RestQuery(Way):
    name = "POST /agent/query"

    def ask(self, question: str) -> None:
        self.post("/agent/query", {"query": question}).json()


class McpCall(Way):
    """`headers` go with every call, `meta` into its parameters."""

    tool, argument = "search", "query"
    headers: dict[str, str]
    meta: dict[str, Any]

    def ask(self, question: str) -> None:
        params = {"name": self.tool, "arguments": {self.argument: question}, **self.meta}
        answer = self.call("tools/call", params).json()
        if "error" in answer or answer["result"].get("isError"):
            raise RuntimeError(f"{self.name}: {answer}")

    def call(self, method: str, params: dict[str, Any]) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.post("/tenants/me/mcp", body, **self.headers)


class HandshakeSearch(McpCall):
    name = f"MCP search, {LEGACY}"

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self.headers, self.meta = {"Accept": "application/json, text/event-stream"}, {}
        ours = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": PROGRAM}
        greeted = self.call("initialize", ours)
        self.headers |= {"MCP-Protocol-Version": LEGACY}
        if session := greeted.headers.get("Mcp-Session-Id"):
            self.headers |= {"Mcp-Session-Id": session}


class StatelessSearch(McpCall):
    name = f"MCP search, {MODERN}"

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self.headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": "tools/call",
            "Mcp-Name": self.tool,
        }
        known = {"protocolVersion": MODERN, "clientInfo": PROGRAM, "clientCapabilities": {}}
        self.meta = {"_meta": {f"{META}/{name}": value for name, value in known.items()}}


class StatelessAsk(StatelessSearch):
    """The same work as the REST query: what it costs more is the protocol's price."""

    name = f"MCP ask, {MODERN}"
    tool, argument = "ask", "question"

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self.headers["Accept"] = "application/json"


WAYS: tuple[type[Way], ...] = (RestQuery, HandshakeSearch, StatelessSearch, StatelessAsk)


def fill(service: Service, corpora: Sequence[EvalCorpus]) -> int:
    """How many files were taken in."""
    for corpus in corpora:
        for file in corpus.files:
            answer = service.upload(f"{corpus.name} {file.name}", file.content)
            if answer.status != 201:
                raise RuntimeError(f"{file.name}: {answer}")
    return sum(len(corpus.files) for corpus in corpora)


def ask_in_turns(ways: Sequence[Way], questions: Sequence[str]) -> dict[str, list[float]]:
    """Milliseconds by way. Each question goes all ways, and another one begins every time."""
    milliseconds: dict[str, list[float]] = {way.name: [] for way in ways}
    for number, question in enumerate(questions):
        first = number % len(ways)
        for way in (*ways[first:], *ways[:first]):
            started = time.perf_counter()
            way.ask(question)
            milliseconds[way.name].append((time.perf_counter() - started) * 1000)
    return milliseconds


def measure(
    service: Service, questions: Sequence[str], *, clients: int, rounds: int
) -> dict[str, list[float]]:
    """Every client has a connection for each way, and questions of its own."""
    endless = itertools.cycle(questions)
    total: dict[str, list[float]] = {way.name: [] for way in WAYS}
    connected = [[way(service) for way in WAYS] for _ in range(clients)]
    with ThreadPoolExecutor(clients) as pool:
        for _ in range(rounds):
            asked = [list(itertools.islice(endless, QUESTIONS_PER_CLIENT)) for _ in connected]
            for result in pool.map(ask_in_turns, connected, asked):
                for name, values in result.items():
                    total[name] += values
    return total


def describe(milliseconds: dict[str, list[float]], clients: int) -> list[tuple[str, float]]:
    """A line of the table and the ratio of medians, by way."""
    base = milliseconds[RestQuery.name]
    lines = []
    for name, values in milliseconds.items():
        ratio = statistics.median(values) / statistics.median(base)
        slow_ratio = percentile_95(values) / percentile_95(base)
        figures = f"{statistics.median(values):.1f} | {percentile_95(values):.1f}"
        line = (
            f"| {clients} | {name} | {len(values)} | {figures} | {ratio:.2f} | {slow_ratio:.2f} |"
        )
        lines.append((line, ratio))
    return lines


def percentile_95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--companies", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    corpora = load_companies()[: options.companies]
    questions = [question.text for corpus in corpora for question in corpus.questions]
    with running_service() as demo:
        service = make_client(demo, "speed", plan="enterprise")
        manage(demo, "shell", "--no-imports", "--command", PLENTY)
        files = fill(service, corpora)
        ask_in_turns([way(service) for way in WAYS], questions[:WARM_UP_QUESTIONS])
        measured = [
            (count, measure(service, questions, clients=count, rounds=options.rounds))
            for count in CLIENTS
        ]
    print(f"{files} files of {len(corpora)} companies, {len(questions)} questions.\n")
    print("| clients | way | calls | p50 (ms) | p95 (ms) | p50 to REST | p95 to REST |")
    print("|---|---|---|---|---|---|---|")
    described = [line for count, times in measured for line in describe(times, count)]
    for line, _ in described:
        print(line)
    return 0 if all(ratio <= PROMISED_RATIO for _, ratio in described) else 1


if __name__ == "__main__":
    sys.exit(main())
