"""Programs of npm, in a folder of the machine that runs them (NODE_FOLDER; npm install … there).

Every one runs with a home of its own, since some keep tokens in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NODE_FOLDER = Path(os.environ.get("NODE_FOLDER", "/work/tmp/mcp"))
NODE = NODE_FOLDER / "node_modules/node/bin/node"  # the package node@22
PROGRAM_SECONDS = 300


@dataclass(frozen=True)
class Ended:
    returncode: int
    stdout: str
    stderr: str


class Package:
    """An installed package; `folder` lies below NODE_FOLDER and holds node_modules."""

    def __init__(self, name: str, *, folder: str = "") -> None:
        self.name = name
        self.path = NODE_FOLDER / folder / "node_modules" / name

    @property
    def version(self) -> str:
        return str(json.loads((self.path / "package.json").read_text())["version"])

    def run(self, program: str, *arguments: str) -> Ended:
        """`program`: a file of the package. To its end."""
        with self.start(program, *arguments) as process:
            output, errors = process.communicate(timeout=PROGRAM_SECONDS)
            return Ended(process.returncode, output, errors)

    @contextmanager
    def start(self, program: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        with tempfile.TemporaryDirectory(prefix="bench-home-") as home:
            process = subprocess.Popen(
                [str(NODE), str(self.path / program), *arguments],
                env={"HOME": home, "PATH": f"{NODE.parent}:{os.environ['PATH']}", "NO_COLOR": "1"},
                cwd=home,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            try:
                yield process
            finally:
                process.kill()
                process.wait()
