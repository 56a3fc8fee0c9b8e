"""What is shown of a real language model's answers: SmolLM2-135M behind llama.cpp's server.

Usage: .venv/bin/python -m bench.language_model [QUESTIONS]
Starts the model and a service of its own with the demo company, asks each question as a stream, and
prints what the model wrote beside what was shown. The model is far too small to answer well: it
writes what no test's author would, which is what the checks are for. It needs its two packages
(query/tests/model_server.py).
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import requests

from bench.service import ANSWER_SECONDS, ROOT, Service, running_service
from query.tests.model_server import MODEL_NAME, serve_model
from reading.sentences import split_sentences

MODEL_SECONDS = 300  # of an answer; a busy processor reads 150 tokens of a prompt a second
# About the company, and nothing of its documents answers them.
UNANSWERED = (
    "Do I get a present with my first order?",
    "Who founded the company?",
    "Do you sell green tea?",
    "Can I park my car in front of the shop?",
    "¿Hacéis descuento a estudiantes?",
    "¿Tenéis café soluble?",
)


@dataclass
class Recorder:
    """Stands between the service and the model, and keeps what the model wrote."""

    model_url: str
    port: int = 0
    written: list[str] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    recorder: Recorder

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        url = f"{self.recorder.model_url}/chat/completions"
        headers = {"Content-Type": "application/json"}
        with requests.post(
            url, body, headers=headers, stream=True, timeout=MODEL_SECONDS
        ) as answer:
            self.send_response(answer.status_code)
            self.send_header("Content-Type", answer.headers["Content-Type"])
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # the service has read enough
                for line in answer.iter_lines():
                    self.recorder.written.append(read_delta(line.decode()))
                    self.wfile.write(line + b"\n")

    def log_message(self, *_: object) -> None:
        pass


def read_delta(line: str) -> str:
    if not line.startswith("data: {"):
        return ""
    choices = json.loads(line.removeprefix("data: "))["choices"]
    return (choices[0]["delta"].get("content") or "") if choices else ""


@contextmanager
def recording(model_url: str) -> Iterator[Recorder]:
    recorder = Recorder(model_url)
    bound = type("Bound", (Handler,), {"recorder": recorder})
    server = ThreadingHTTPServer(("127.0.0.1", 0), bound)
    recorder.port = server.server_port
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield recorder
    finally:
        server.shutdown()
        server.server_close()


def main(count: int | None) -> None:
    demo = json.loads((ROOT / "demo" / "questions.json").read_text(encoding="utf-8"))
    answerable = [row["question"] for row in demo["answerable"]]
    totals: Counter[str] = Counter()
    with serve_model() as model_url, recording(model_url) as recorder:
        settings = {
            "LLM_BASE_URL": f"http://127.0.0.1:{recorder.port}/v1",
            "LLM_MODEL": MODEL_NAME,
            "LLM_TIMEOUT": str(MODEL_SECONDS),
        }
        with running_service(root=ROOT, **settings) as service:
            for question in [*answerable, *UNANSWERED][:count]:
                ask(service, recorder, question, totals)
    print("\n" + "\n".join(f"{name:24} {number}" for name, number in sorted(totals.items())))


def ask(service: Service, recorder: Recorder, question: str, totals: Counter[str]) -> None:
    """Prints the question, what was written and what was shown, and counts it."""
    recorder.written.clear()
    started = time.perf_counter()
    service.log_in()
    pieces, done = read_stream(service, question)
    written = "".join(recorder.written)
    if "".join(pieces) != done["answer"]:
        raise SystemExit(f"The stream said something else than the answer: {pieces}")
    is_models = done["confidence"] == "answered"
    totals["questions"] += 1
    totals[f"confidence {done['confidence']}"] += 1
    totals["sentences written"] += len(split_sentences(written))
    totals["sentences shown"] += len(split_sentences(done["answer"])) if is_models else 0
    totals["said NO_ANSWER"] += "NO_ANSWER" in written
    totals["marks written"] += written.count("[")
    print(f"\n{question}\n  wrote: {written!r}\n  shown: {done['answer']!r}")
    print(f"  {done['confidence']}, {len(done['sources'])} sources,", end=" ")
    print(f"{time.perf_counter() - started:.1f} s, {len(pieces)} pieces", flush=True)


def read_stream(service: Service, question: str) -> tuple[list[str], dict[str, Any]]:
    """The pieces of the text and the whole answer object."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "text/event-stream",
        "Authorization": f"Bearer {service.token}",
    }
    connection = HTTPConnection("127.0.0.1", service.port, timeout=ANSWER_SECONDS)
    try:
        connection.request("POST", "/agent/query", json.dumps({"query": question}), headers)
        lines = connection.getresponse().read().decode().splitlines()
    finally:
        connection.close()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if "data: " in line]
    return [event["text"] for event in events if "text" in event], events[-1]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
