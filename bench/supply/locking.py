"""A hash for every pin. `python -m bench.supply.locking` writes locked/ anew, after a change of
requirements*.txt or constraints.txt; it asks the package index, through uv.

Each pin has the hashes of all files of its release, so that a lock is good for x86_64 and aarch64.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "locked"
UV = str(Path(sys.executable).parent / "uv")
PYTHON = "3.11.2"  # Debian 12's, which needs a package more than later ones
PLATFORM = "x86_64-manylinux_2_28"
# Of the processor build, which is on no index that CI reaches: written by hand, when torch changes.
TORCH = FOLDER / "torch-cpu.txt"
HEADERS = {
    "runtime": "What bin/up installs, beside torch.",
    "dev": "What bin/check and bin/test install on top of runtime.txt.",
    "uv": "What installs the others, where it runs; else pip does.",
    "language-model": "llama.cpp's server, installed by bin/up with LLM_MODEL_FILE.",
    "torch-cuda": "PyPI's torch and what it asks for, where torch-cpu.txt cannot be had.",
}
# One pin as uv writes it: its version, a marker perhaps, and its hashes in lines of their own.
PIN = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)(?P<rest>(?:[^\n]*\\\n)*[^\n]*)\n", re.M
)


@dataclass(frozen=True)
class Pin:
    name: str  # as indexes write it: lower case, dashes
    version: str
    text: str  # all its lines


def main() -> None:
    pinned = {pin.name for pin in read_pins((ROOT / "constraints.txt").read_text())}
    hashed = {pin.name: pin for pin in compile_pins("constraints.txt", "--no-deps")}
    needed = {
        pin.name: pin
        for pin in compile_pins("requirements.txt", "--constraints", "constraints.txt")
    }
    runtime = needed.keys() & pinned - {"torch"}
    write("runtime", [hashed[name] for name in runtime])
    write("dev", [hashed[name] for name in pinned - runtime - {"torch"}])
    write("uv", [hashed["uv"]])
    write("language-model", [hashed["xllamacpp"]])
    write("torch-cuda", [needed[name] for name in needed.keys() - pinned | {"torch"}])
    for_development = compile_pins("requirements-dev.txt", "--constraints", "constraints.txt")
    if missing := {pin.name for pin in for_development} - pinned - needed.keys():
        sys.exit(f"Pin in constraints.txt too: {', '.join(sorted(missing))}.")
    version = needed["torch"].version
    if [pin.version for pin in read_pins(TORCH.read_text())] != [f"{version}+cpu"]:
        sys.exit(f"Write {TORCH.name} anew: the hashes of torch=={version}+cpu.")


def compile_pins(file: str, *options: str) -> Iterator[Pin]:
    """Raises CalledProcessError, when uv has said why."""
    command = [
        UV,
        "pip",
        "compile",
        file,
        "--generate-hashes",
        "--no-annotate",
        "--no-header",
        "--quiet",
    ]
    where = ["--python-version", PYTHON, "--python-platform", PLATFORM]
    made = subprocess.run(
        [*command, *where, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return read_pins(made.stdout)


def read_pins(text: str) -> Iterator[Pin]:
    for found in PIN.finditer(text):
        name = re.sub(r"[-_.]+", "-", found["name"]).lower()
        yield Pin(name, found["version"], found[0])


def write(name: str, pins: Iterable[Pin]) -> None:
    lines = [pin.text for pin in sorted(pins, key=lambda pin: pin.name)]
    header = f"# {HEADERS[name]} Made by: python -m bench.supply.locking\n"
    (FOLDER / f"{name}.txt").write_text(header + "".join(lines))


if __name__ == "__main__":
    main()
