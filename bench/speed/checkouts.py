"""The checkouts of ours that are measured: this one, and with --other an older one."""

from __future__ import annotations

import subprocess
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from bench.service import ROOT

OURS, BEFORE = "ours", "ours before"


def add_other(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--other", type=Path, help="another checkout, with a .venv: the product as it was before"
    )


def roots(options: dict[str, Any]) -> dict[str, Path]:
    """The checkouts to run, by what they are called."""
    other = {BEFORE: options["other"].resolve()} if options["other"] else {}
    return {OURS: ROOT, **other}


def notes_on_other(options: dict[str, Any]) -> list[str]:
    """Which one is called "before"."""
    before = roots(options).get(BEFORE)
    return [f"Before: commit {commit_of(before)}."] if before else []


def commit_of(root: Path) -> str:
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    ).stdout.strip()
    return said or "unknown"
