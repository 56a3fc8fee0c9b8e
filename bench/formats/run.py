"""Puts the command's parts together. Needs Django (__main__.py)."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench.formats.check import Checked, check_file, check_made, kind_of
from bench.formats.environments import Environment
from bench.formats.independent import READERS
from bench.formats.report import print_catalogue, print_faults, print_table, write_losses
from reading.tests.files.corpus.catalogue import FILES

FOLDER = Path(os.environ.get("FORMATS_DIR", "var/formats"))


def run(options: Namespace, scratch: Path) -> int:
    """The command's exit status."""
    if options.catalogue:
        print_catalogue(FILES)
        return 0
    checked = list(check_given(options) if options.given else check_corpus(options, scratch))
    print_table(checked)
    if options.losses:
        write_losses(checked, options.losses)
    return print_faults(checked)


def check_corpus(options: Namespace, scratch: Path) -> Iterator[Checked]:
    for made in FILES:
        if not options.kind or kind_of(Path(made.name)) in options.kind:
            yield check_made(made, scratch)


def check_given(options: Namespace) -> Iterator[Checked]:
    readers = Environment("independent.py", "readers.txt", FOLDER)
    readers.prepare()
    for path in sample(options):
        print(path, file=sys.stderr)
        if (found := check_file(path, readers)) is not None:
            yield found


def sample(options: Namespace) -> Iterator[Path]:
    """The files that were asked for, kind by kind."""
    by_kind: dict[str, list[Path]] = defaultdict(list)
    for path in iter_files(options.given):
        kind = kind_of(path)
        if kind in READERS and kind in (options.kind or READERS):
            by_kind[kind].append(path)
    for paths in by_kind.values():
        step = max(len(paths) / options.most, 1) if options.most else 1
        yield from (paths[int(number * step)] for number in range(int(len(paths) / step)))


def iter_files(given: list[Path]) -> Iterator[Path]:
    for path in given:
        yield from [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
