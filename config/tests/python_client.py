"""The Python client, made for a test."""

import subprocess
import sys
from pathlib import Path

from config.running.environment import REPOSITORY

MAKE_SECONDS = 100


def make_client(folder: Path) -> tuple[Path, str]:
    """The wheel, in `folder`, and what bin/client says."""
    made = subprocess.run(
        [sys.executable, "-P", "-m", "config.running.client", folder],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
        timeout=MAKE_SECONDS,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel, made.stdout + made.stderr
