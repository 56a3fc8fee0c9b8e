"""The least that a question costs: the bare model, and a bare round trip over HTTP."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from bench.service import ROOT, free_port


class BareModel:
    """An exported model on one thread: tokenize, run, average, normalise."""

    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 1
        providers = ["CPUExecutionProvider"]
        model = str(folder / "model.onnx")
        self._session = onnxruntime.InferenceSession(model, options, providers=providers)
        self._names = [item.name for item in self._session.get_inputs()]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()

    def milliseconds(self, texts: Sequence[str]) -> list[float]:
        """Of each, one at a time."""
        found = []
        for text in texts:
            started = time.perf_counter()
            self.embed(text)
            found.append((time.perf_counter() - started) * 1000)
        return found

    def embed(self, text: str) -> np.ndarray:
        """(dimension,), L2-normalised."""
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden = self._session.run(None, {name: inputs[name] for name in self._names})[0]
        vector = hidden[0].mean(axis=0)
        return np.asarray(vector / np.linalg.norm(vector))


@contextmanager
def bare_server() -> Iterator[int]:
    """Its port."""
    port = free_port()
    command = [sys.executable, "-P", "-m", "bench.speed.bare_server", str(port)]
    with subprocess.Popen(command, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()  # it listens
        try:
            yield port
        finally:
            server.terminate()
