"""How quickly a webhook answers, and when everybody is answered: 200 chats of messenger_a at once.

Usage: .venv/bin/python -m bench.webhooks
Starts two copies of the service: one that answers by extraction, with a messenger that takes
everything; one whose messenger and language model take calls and never answer. Both messengers are
stand-ins on loopback. The clients are threads of this process, on the same processors: read the
ratios to /healthz, which is asked in the same way.
"""

from __future__ import annotations

import json
import os
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import psutil

from bench.service import ROOT, Service, running_service
from channels.tests.messenger_server import silence
from channels.tests.telegram_server import TelegramServer, serve_telegram, update
from query.tests.chat_server import Handler, serve_chat

CHATS = 200
ONE_BY_ONE = 100
WARM_UP = 10
ANSWERED_SECONDS = 600
HELD_SECONDS = 600


def main() -> None:
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
    with (
        serve_telegram() as telegram,
        running_service(MESSENGER_A_API_URL=telegram.url) as service,
    ):
        measure_answers(service, telegram)
    with serve_telegram() as telegram, serve_chat() as model:
        model.says(hold)
        environ = {"MESSENGER_A_API_URL": telegram.url, "LLM_BASE_URL": model.url}
        with running_service(root=ROOT, **environ) as service:
            measure_stopped(service, telegram)


def hold(handler: Handler) -> None:
    """Until the client leaves."""
    handler.connection.settimeout(HELD_SECONDS)
    handler.rfile.read(1)


def measure_answers(service: Service, telegram: TelegramServer) -> None:
    token, questions = connect(service, telegram), read_questions()
    print(f"webhooks worker, idle: {memory_mb(service)} MB")
    deliver_all(telegram, token, questions, range(1, 1 + WARM_UP))
    wait_for_answers(telegram, WARM_UP)
    health = [measured(lambda: ask_health(service)) for _ in range(ONE_BY_ONE)]
    chats = iter(range(1000, 1000 + ONE_BY_ONE))
    single = [
        measured(lambda: deliver(telegram, token, questions, next(chats)))
        for _ in range(ONE_BY_ONE)
    ]
    show("one after another", single, health)
    wait_for_answers(telegram, WARM_UP + ONE_BY_ONE)

    health = at_once(lambda _: ask_health(service), range(CHATS))
    started = time.perf_counter()
    times = deliver_all(telegram, token, questions, range(5000, 5000 + CHATS))
    show(f"{CHATS} at once", times, health)
    wait_for_answers(telegram, WARM_UP + ONE_BY_ONE + CHATS)
    seconds = time.perf_counter() - started
    print(f"all {CHATS} answered after {seconds:.1f} s: {CHATS / seconds:.1f} a second")
    per_chat = Counter(sent.chat_id for sent in telegram.sent)
    assert [per_chat[str(chat)] for chat in range(5000, 5000 + CHATS)] == [1] * CHATS
    print(f"webhooks worker, afterwards: {memory_mb(service)} MB\n")


def measure_stopped(service: Service, telegram: TelegramServer) -> None:
    token, questions = connect(service, telegram), read_questions()
    telegram.fail(silence, times=float("inf"), name="sendMessage")
    deliver_all(telegram, token, questions, range(1, 1 + WARM_UP))
    health = at_once(lambda _: ask_health(service), range(CHATS))
    times = deliver_all(telegram, token, questions, range(5000, 5000 + CHATS))
    show(f"{CHATS} at once, messenger and model silent", times, health)


def connect(service: Service, telegram: TelegramServer) -> str:
    """A new agent of the demo company; the bot's token."""
    agent = service.request("POST", "/agents", json.dumps({"name": "Measured"}).encode())
    token = telegram.add_bot()
    path = f"/agents/{agent.body['id']}/channels/messenger_a"
    answer = service.request("PUT", path, json.dumps({"bot_token": token}).encode())
    assert answer.status == 200, answer.body
    return token


def read_questions() -> list[str]:
    demo = json.loads((ROOT / "demo" / "questions.json").read_text(encoding="utf-8"))
    return [row["question"] for row in demo["answerable"]]


# --- Calling --------------------------------------------------------------------------------------


def deliver(telegram: TelegramServer, token: str, questions: Sequence[str], chat: int) -> None:
    message = update(questions[chat % len(questions)], chat_id=chat)
    assert telegram.deliver(token, message) == 200


def deliver_all(
    telegram: TelegramServer, token: str, questions: Sequence[str], chats: range
) -> list[float]:
    return at_once(lambda chat: deliver(telegram, token, questions, chat), chats)


def ask_health(service: Service) -> None:
    assert service.request("GET", "/healthz").status == 200


def at_once(call: Callable[[int], None], numbers: range) -> list[float]:
    """Seconds of each, all begun in the same moment."""
    ready = threading.Barrier(len(numbers))

    def run(number: int) -> float:
        ready.wait()
        return measured(lambda: call(number))

    with ThreadPoolExecutor(len(numbers)) as pool:
        return list(pool.map(run, numbers))


def measured(call: Callable[[], None]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def wait_for_answers(telegram: TelegramServer, count: int) -> None:
    with telegram.has_news:
        is_done = telegram.has_news.wait_for(
            lambda: len({sent.chat_id for sent in telegram.sent}) >= count, ANSWERED_SECONDS
        )
    assert is_done, f"{len(telegram.sent)} answers instead of {count}"


# --- Telling --------------------------------------------------------------------------------------


def show(title: str, webhook: Sequence[float], health: Sequence[float]) -> None:
    ratio = statistics.median(webhook) / statistics.median(health)
    print(
        f"{title}: webhook {percentiles(webhook)}; /healthz {percentiles(health)}; p50 {ratio:.1f}×"
    )


def percentiles(seconds: Sequence[float]) -> str:
    p95 = statistics.quantiles(seconds, n=20)[-1]
    return f"p50 {statistics.median(seconds) * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms"


def memory_mb(service: Service) -> int:
    """Of the process that answers."""
    for process in psutil.process_iter(["cmdline", "environ"]):
        environ, words = process.info["environ"] or {}, process.info["cmdline"] or []
        is_ours = environ.get("DATA_DIR") == str(service.data_dir)
        if is_ours and "webhooks@%h" in words:
            return int(process.memory_info().rss / 1024**2)
    raise SystemExit("There is no worker for webhooks.")


if __name__ == "__main__":
    main()
