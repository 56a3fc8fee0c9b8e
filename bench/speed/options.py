"""Options that several benchmarks take: which data, and how much of it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from bench.management.commands.evaluate import DEFAULT_DATA

DOCUMENTS = 120


def add_data(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, default=DEFAULT_DATA, help="folder that holds the set `wiki`"
    )
    parser.add_argument(
        "--documents", type=int, default=DOCUMENTS, help="fewer than all, for a quick look"
    )
