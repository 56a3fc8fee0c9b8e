"""How quickly a running service answers, with 1 and with 8 clients.

Usage: .venv/bin/python bench/query_load.py DATA_DIR [BASE_URL]
Logs in as the demo company's admin (DATA_DIR/demo_credentials.json) and asks its questions in turn.
Compare runs on one machine only, one after the other: read the ratios.
"""

import http.client
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS_PER_CLIENT = 60
WARM_UP_QUESTIONS = 20


class Client:
    """One connection that is kept open, as an integrator's would be."""

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        self.connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)

    def post(self, path: str, body: dict[str, str], token: str = "") -> dict[str, object]:
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.connection.request("POST", path, json.dumps(body), headers)
        response = self.connection.getresponse()
        answer: dict[str, object] = json.loads(response.read())
        if response.status != http.HTTPStatus.OK:
            raise SystemExit(f"{path}: {response.status} {answer}")
        return answer


def ask_all(base_url: str, token: str, questions: list[str], count: int) -> list[float]:
    """Milliseconds of each answer."""
    client = Client(base_url)
    milliseconds = []
    for number in range(count):
        started = time.perf_counter()
        client.post("/agent/query", {"query": questions[number % len(questions)]}, token)
        milliseconds.append((time.perf_counter() - started) * 1000)
    return milliseconds


def main(data_dir: Path, base_url: str) -> None:
    credentials = json.loads((data_dir / "demo_credentials.json").read_text())
    login = {"email": credentials["email"], "password": credentials["password"]}
    token = str(Client(base_url).post("/auth/login", login)["access_token"])
    demo = json.loads((ROOT / "demo" / "questions.json").read_text(encoding="utf-8"))
    questions = [row["question"] for row in demo["answerable"]]
    ask_all(base_url, token, questions, WARM_UP_QUESTIONS)
    for clients in (1, 8):
        started = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            runs = [
                pool.submit(ask_all, base_url, token, questions, QUESTIONS_PER_CLIENT)
                for _ in range(clients)
            ]
        seconds = time.perf_counter() - started
        times = sorted(value for run in runs for value in run.result())
        print(
            f"{clients} client(s): {len(times) / seconds:.0f} answers a second,"
            f" p50 {statistics.median(times):.0f} ms, p95 {times[int(len(times) * 0.95)]:.0f} ms"
        )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else "http://127.0.0.1:8000")
