"""Readers in virtual environments of their own: made when they are first asked for, fed through a
pipe, and remembered by file, so that reading a corpus again after a change of ours costs them
nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FILE_SECONDS = 240  # of one file in all readers; past it, its process is replaced


@dataclass(frozen=True)
class Seen:
    """What one reader gives of a file. `error`: why it gives nothing, "" when it read it."""

    pages: Sequence[str] = ()
    numbers: Sequence[float] = ()
    rows: Sequence[Sequence[str]] = ()
    headings: Sequence[str] = ()
    seconds: float = 0.0
    error: str = ""


class Environment:
    """`program`: a module of this folder that answers a line for each line (independent.py).
    `packages`: all that it needs, pinned: nothing else is installed.
    """

    def __init__(self, program: str, packages: str, folder: Path) -> None:
        self._program, self._packages = HERE / program, HERE / packages
        self._python = folder / f"venv-{self._program.stem}" / "bin" / "python"
        self._memory = folder / f"seen-{self._program.stem}"
        self._process: subprocess.Popen[str] | None = None

    def prepare(self) -> None:
        if not self._python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(self._python.parents[1])], check=True)
            pip = [str(self._python), "-m", "pip", "install", "--quiet", "--no-deps"]
            command = [*pip, "-r", str(self._packages)]
            subprocess.run(command, check=True)
        self._memory.mkdir(parents=True, exist_ok=True)

    def see(self, path: Path, kind: str) -> Mapping[str, Seen]:
        key = hashlib.sha256(path.read_bytes() + kind.encode() + self._program.read_bytes())
        remembered = self._memory / f"{key.hexdigest()[:32]}.json"
        if remembered.exists():
            found = json.loads(remembered.read_text(encoding="utf-8"))
        else:
            found = self._ask(path, kind)
            remembered.write_text(json.dumps(found), encoding="utf-8")
        return {name: Seen(**seen) for name, seen in found.items()}

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _ask(self, path: Path, kind: str) -> dict[str, Any]:
        if self._process is None:
            self._process = subprocess.Popen(
                [self._python, self._program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "PYTHONPATH": "", "HF_HUB_OFFLINE": "1"},
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"path": str(path), "kind": kind}) + "\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], FILE_SECONDS)
            answer = process.stdout.readline() if ready else ""
            return dict(json.loads(answer))
        except (OSError, ValueError):  # it died, or would not end
            self.stop()
            return {"all": {"error": "The reader's process was lost."}}
