"""How long until somebody sees something: a streamed answer against the whole one.

Usage: .venv/bin/python -m bench.streaming [QUESTIONS]
Starts a service of its own twice: with the extractive answerer, and with a stand-in for a language
model that writes slowly. Read the ratios: seconds depend on the machine.
"""

import json
import re
import statistics
import sys
import time
from dataclasses import dataclass
from http.client import HTTPConnection

from bench.service import ANSWER_SECONDS, ROOT, Service, running_service
from query.tests.chat_server import Handler, serve_chat, stream

QUESTIONS = 12
WARM_UP_QUESTIONS = 3
SECONDS_PER_TOKEN = 0.03  # about what a small model takes on a processor
TOKEN = re.compile(r"\s*\S+")
FIRST_PASSAGES = re.compile(r"<<<PASSAGE (\d) \w+>>>\n.*?\n\n(.*?)\n<<<END", re.DOTALL)
PASSAGE_WORDS = 20  # that the stand-in repeats of each passage


@dataclass(frozen=True)
class Timing:
    """Seconds since the question was sent."""

    first_event: float
    first_delta: float
    done: float
    whole: float  # of the same question without a stream


def main(count: int) -> None:
    demo = json.loads((ROOT / "demo" / "questions.json").read_text(encoding="utf-8"))
    questions = [row["question"] for row in demo["answerable"]]
    with running_service() as service:
        report("extractive", measure(service, questions, count))
    with serve_chat() as chat:
        chat.says(repeat_passages)
        with running_service(LLM_BASE_URL=chat.url, LLM_MODEL="stand-in") as service:
            report("language model", measure(service, questions, count))


def repeat_passages(handler: Handler) -> None:
    """A sentence of each passage with its mark, a word at a time."""
    told = handler.chat.received[-1].body["messages"][-1]["content"]
    sentences = [
        f"{' '.join(text.split()[:PASSAGE_WORDS]).rstrip('.')} [{number}]."
        for number, text in FIRST_PASSAGES.findall(told)
    ]
    tokens = TOKEN.findall(" ".join(sentences))
    stream(*tokens, seconds_between=SECONDS_PER_TOKEN)(handler)


def measure(service: Service, questions: list[str], count: int) -> list[Timing]:
    asked = [questions[number % len(questions)] for number in range(WARM_UP_QUESTIONS + count)]
    return [time_question(service, question) for question in asked][WARM_UP_QUESTIONS:]


def time_question(service: Service, question: str) -> Timing:
    seconds = read_stream(service, question)
    whole = service.request("POST", "/agent/query", json.dumps({"query": question}).encode())
    first_delta = seconds.get("delta", seconds["done"])
    return Timing(seconds["sources"], first_delta, seconds["done"], whole.seconds)


def read_stream(service: Service, question: str) -> dict[str, float]:
    """When each kind of event came first."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "text/event-stream",
        "Authorization": f"Bearer {service.token}",
    }
    connection = HTTPConnection("127.0.0.1", service.port, timeout=ANSWER_SECONDS)
    started = time.perf_counter()
    seconds: dict[str, float] = {}
    try:
        connection.request("POST", "/agent/query", json.dumps({"query": question}), headers)
        for line in connection.getresponse():
            if line.startswith(b"event: "):
                name = line.removeprefix(b"event: ").decode().strip()
                seconds.setdefault(name, time.perf_counter() - started)
    finally:
        connection.close()
    return seconds


def report(name: str, timings: list[Timing]) -> None:
    """Medians, in milliseconds and as shares of the streamed answer's end."""
    done = statistics.median(timing.done for timing in timings)
    print(f"{name}, {len(timings)} questions:")
    for part in ("first_event", "first_delta", "done", "whole"):
        seconds = statistics.median(getattr(timing, part) for timing in timings)
        print(f"  {part.replace('_', ' '):12} {seconds * 1000:6.0f} ms  {seconds / done:4.0%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else QUESTIONS)
