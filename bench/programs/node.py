"""Programs of npm, in a folder of the machine that runs them (NODE_FOLDER; npm install … there).

Every one runs with a home of its own, since some keep tokens in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

NODE_FOLDER = Path(os.environ.get("NODE_FOLDER", "/work/tmp/mcp"))
NODE = NODE_FOLDER / "node_modules/node/bin/node"  # the package node@22
PROGRAM_SECONDS = 300


class Package:
    """An installed package; `folder` lies below NODE_FOLDER and holds node_modules."""

    def __init__(self, name: str, *, folder: str = "") -> None:
        self.name = name
        self.path = NODE_FOLDER / folder / "node_modules" / name

    @property
    def version(self) -> str:
        return str(json.loads((self.path / "package.json").read_text())["version"])

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`program`: a file of the package."""
        with tempfile.TemporaryDirectory(prefix="bench-home-") as home:
            return subprocess.run(
                [str(NODE), str(self.path / program), *arguments],
                env={"HOME": home, "PATH": f"{NODE.parent}:{os.environ['PATH']}", "NO_COLOR": "1"},
                cwd=home,
                capture_output=True,
                text=True,
                timeout=PROGRAM_SECONDS,
            )
