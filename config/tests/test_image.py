"""What the build of the image may see: .dockerignore lists it, and leaves out whatever else lies in
a clone."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from config.running.environment import REPOSITORY

PRODUCT = frozenset(
    (
        "manage.py",
        "bin",
        "locked",
        "accounts",
        "agents",
        "channels",
        "config",
        "connectors",
        "dashboard",
    )
    + ("demo", "language", "query", "reading", "reasons", "sources", "templates", "webhooks")
)


@cache
def rules() -> list[tuple[bool, re.Pattern[str]]]:
    """Whether a rule lets in, and what it speaks of; the last that fits decides
    (https://docs.docker.com/build/concepts/context/#dockerignore-files, read 2026-11-26)."""
    lines = (REPOSITORY / ".dockerignore").read_text().splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return [(line.startswith("!"), as_expression(line.lstrip("!").strip("/"))) for line in said]


def as_expression(pattern: str) -> re.Pattern[str]:
    """Go's filepath.Match with `**`; a folder stands for all that is in it."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    found = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return re.compile("".join(parts.get(part, re.escape(part)) for part in found) + "(?:/.*)?")


def is_let_in(path: str) -> bool:
    decided = [lets_in for lets_in, pattern in rules() if pattern.fullmatch(path)]
    return decided[-1] if decided else True


def our_files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    return [path for path in listed.stdout.split("\0") if path]


def is_of_product(path: str) -> bool:
    return Path(path).parts[0] in PRODUCT and "tests" not in Path(path).parts


def test_the_image_holds_the_product_and_nothing_else_of_ours() -> None:
    files = our_files()

    assert [path for path in files if is_of_product(path) and not is_let_in(path)] == []
    assert [path for path in files if not is_of_product(path) and is_let_in(path)] == []


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".env.production",
        ".git/config",
        ".venv/bin/python",
        ".aws/credentials",
        "backup.sql",
        "backup/2026-11-26.dump",
        "customers.csv",
        "docker-compose.override.yml",
        "id_ed25519",
        "media/tenant/original.pdf",
        "node_modules/x/index.js",
        "secrets/key.pem",
        "var/demo_credentials.json",
        "accounts/.env",
        "config/.settings.py.swp",
        "config/settings.py~",
        "config/__pycache__/settings.cpython-311.pyc",
        "config/server.key",
        "bin/dump.sql",
        "sources/tests/test_embed.py",
    ],
)
def test_what_lies_in_a_clone_stays_outside(path: str) -> None:
    assert not is_let_in(path)


def test_what_the_build_copies_first_is_there() -> None:
    copied = re.findall(r"^COPY (?!--from)(\S+)", (REPOSITORY / "Dockerfile").read_text(), re.M)

    assert copied == ["locked/", "bin/_venv.sh", "."]
    assert is_let_in("locked/runtime.txt")
    assert is_let_in("bin/_venv.sh")
