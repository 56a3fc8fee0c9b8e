"""The Python client, made for a test."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

from config.running.environment import REPOSITORY

MAKE_SECONDS = 300  # on a machine that does other things too
# All of ours that a wheel is made of. Beside them, the packages that are installed make it.
INPUTS = (
    "config/running/client.py",
    "config/running/openapi_client.yaml",
    "docs/client.md",
    "docs/openapi.yaml",
)


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


def keep_client() -> Path:
    """The wheel of what is described now: made by whoever asks first, for this run and later
    ones."""
    digest = hashlib.sha256()
    for name in INPUTS:
        digest.update((REPOSITORY / name).read_bytes())
    digest.update(repr(sorted(f"{one.name} {one.version}" for one in distributions())).encode())
    folder = REPOSITORY / "var" / "test-client"
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / digest.hexdigest()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            for stale in filter(Path.is_dir, folder.iterdir()):
                shutil.rmtree(stale)
            new = Path(tempfile.mkdtemp(dir=folder))
            make_client(new)
            new.rename(kept)  # as a whole, or not at all
    (wheel,) = kept.glob("*.whl")
    return wheel
