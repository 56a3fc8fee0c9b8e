"""A conversation through a chat client that knows nothing of us: `llm` of PyPI, told our address
and an API token as docs/programs.md says. It streams.

Usage: .venv/bin/python -m bench.system.programs.chat_client [--data-dir FOLDER --port PORT]
                                                     [--client FOLDER]
Without a running copy of the demo company it starts one. The client is installed into a folder of
its own. Prints what bench/results/programs.md shows; fails where an answer lacks what it must say,
or says something else than POST /agents/{id}/query in a session.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import uuid
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.service import Service, running_service

CLIENT = "llm==0.36"
CONVERSATION_SECONDS = 300
# Questions, and what each answer must hold. A follow-up leans on the one before it.
CONVERSATIONS = {
    "en": (
        ("What time does the shop close on Saturday?", "14:30"),
        ("and on Sundays?", "Sunday: closed"),
        ("How much does the espresso workshop cost?", "75 euros"),
        ("and how long is it?", "4 hours"),
    ),
    "es": (
        ("¿Cuánto cuesta el envío a Portugal?", "6,50 €"),
        ("¿y a Baleares?", "8,50 €"),
        ("¿Cuánto tiempo aguanta el café molido?", "dos semanas"),
        ("¿y en grano?", "tres meses"),
    ),
}
SOURCES = re.compile(r"\n\n(?:Sources|Fuentes):\n")
STREAM_ASKED = re.compile(r'"stream": true')
STREAM_ANSWERED = re.compile(r"content-type: text/event-stream")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, help="of a running copy")
    parser.add_argument("--port", type=int, help="of that copy")
    parser.add_argument("--client", type=Path, help="where to install it; else a temporary folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chat-client-") as folder:
        program = install(given.client or Path(folder, "client"))
        with service_of(given.data_dir, given.port) as service:
            report(service, program, Path(folder))


@contextmanager
def service_of(data_dir: Path | None, port: int | None) -> Iterator[Service]:
    if data_dir is None or port is None:
        with running_service() as service:
            yield service
        return
    service = Service(data_dir, data_dir, data_dir / "up.log", port)
    service.log_in()
    yield service


def install(folder: Path) -> Path:
    """The program `llm`. What is there already stays."""
    program = folder / "bin" / "llm"
    if not program.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", CLIENT], check=True)
    return program


def report(service: Service, program: Path, settings: Path) -> None:
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    (agent,) = service.request("GET", "/v1/models").body["data"]
    environ = write_settings(service, program, settings, agent["id"])
    print(f"Client: {version.stdout.strip()}; agent: {agent['name']}.\n")
    for turns in CONVERSATIONS.values():
        questions = [question for question, _ in turns]
        answers = converse(program, environ, questions)
        expected = ask_in_session(service, agent["id"], questions)
        for (question, words), answer, text in zip(turns, answers, expected, strict=True):
            said, *listed = SOURCES.split(answer)
            require(words in said, f"{question}: {words} is not in {answer}")
            require(said == text, f"{question}: {said!r} instead of {text!r}")
            print(f"> {question}\n\n{quoted(answer)}\n")
            require(len(listed) == 1, f"{question}: no list of sources in {answer}")


def write_settings(service: Service, program: Path, folder: Path, agent_id: str) -> dict[str, str]:
    """As the client's own documentation has it: https://llm.datasette.io, "OpenAI-compatible
    models", read 2026-11-23. The environment to run it in."""
    made = service.request(
        "POST", "/tenants/me/api-tokens", b'{"name": "Chat client", "expires_in_days": 1}'
    )
    (folder / "extra-openai-models.yaml").write_text(
        f"- model_id: agent\n  model_name: {agent_id}\n"
        f"  api_base: http://127.0.0.1:{service.port}/v1\n  api_key_name: agent\n"
    )
    environ = {**os.environ, "LLM_USER_PATH": str(folder), "LLM_OPENAI_SHOW_RESPONSES": "1"}
    environ.pop("PYTHONPATH", None)
    keys = [program, "keys", "set", "agent", "--value", made.body["token"]]
    subprocess.run(keys, env=environ, check=True)
    return environ


def converse(program: Path, environ: dict[str, str], questions: Sequence[str]) -> list[str]:
    """What it shows behind each question, all in one conversation."""
    run = subprocess.run(
        [program, "chat", "-m", "agent"],
        input="\n".join([*questions, "exit", ""]),
        capture_output=True,
        text=True,
        env=environ,
        timeout=CONVERSATION_SECONDS,
        check=True,
    )
    for pattern in (STREAM_ASKED, STREAM_ANSWERED):
        count = len(pattern.findall(run.stderr))
        require(count == len(questions), f"{count} streams: {run.stderr[-2000:]}")
    _, *answers, end = re.split(r"^> ", run.stdout, flags=re.MULTILINE)
    require(end.strip() == "" and len(answers) == len(questions), run.stdout)
    return [answer.strip() for answer in answers]


def ask_in_session(service: Service, agent_id: str, questions: Sequence[str]) -> list[str]:
    """The same conversation, remembered by us."""
    session_id = uuid.uuid4().hex
    answers = []
    for question in questions:
        body = json.dumps({"query": question, "session_id": session_id}).encode()
        answers.append(service.request("POST", f"/agents/{agent_id}/query", body).body["answer"])
    return answers


def quoted(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def require(holds: bool, message: str) -> None:
    if not holds:
        sys.exit(message)


if __name__ == "__main__":
    main()
