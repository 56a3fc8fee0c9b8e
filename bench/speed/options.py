"""Options that several benchmarks take: which data, which peers, which checkouts of ours."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from bench.management.commands.evaluate import DEFAULT_DATA
from bench.service import ROOT
from bench.speed.peers import PEERS

OURS, BEFORE = "ours", "ours before"
DOCUMENTS = 120


def add_data(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, default=DEFAULT_DATA, help="folder that holds the set `wiki`"
    )
    parser.add_argument(
        "--documents", type=int, default=DOCUMENTS, help="fewer than all, for a quick look"
    )


def add_peers(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--peers", nargs="*", choices=list(PEERS), default=list(PEERS), help="who else is measured"
    )


def add_other(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--other", type=Path, help="another checkout, with a .venv: the product as it was before"
    )


def roots(options: dict[str, Any]) -> dict[str, Path]:
    """The checkouts to run, by what they are called."""
    other = {BEFORE: options["other"].resolve()} if options["other"] else {}
    return {OURS: ROOT, **other}
