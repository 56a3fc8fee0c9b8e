"""Measures the product's speed and size beside limits that are measured in the same
rounds."""

import json
from argparse import ArgumentTypeError
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from bench.management.commands.evaluate import file_name
from bench.speed.measurement import as_values
from bench.speed.report import figure_table, write_measurement

NAMES = ("query", "ingest", "replace", "start", "memory")
DEFAULT_RESULTS = settings.BASE_DIR / "bench" / "results"


class Command(BaseCommand):
    help = "Measures one thing beside a limit, in turns, and prints a table of figures."

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="NAME")
        for name in NAMES:
            if find_spec(f"bench.speed.{name}"):
                module = import_module(f"bench.speed.{name}")
                kind = kinds.add_parser(name, help=module.HELP, description=module.HELP)
                add_common_arguments(kind)
                module.add_arguments(kind)

    def handle(self, *args: Any, **options: Any) -> None:
        measurement = import_module(f"bench.speed.{options['kind']}").measure(options)
        if options["report"]:
            path = options["results"] / f"speed-{options['report']}.md"
            command = f"bin/manage bench {options['kind']} --rounds {options['rounds']}"
            for written in write_measurement(measurement, command, path):
                self.stderr.write(f"written: {written}")
        if options["json"]:
            self.stdout.write(json.dumps(as_values(measurement), indent=1, ensure_ascii=False))
        else:
            parts = [measurement.title, figure_table(measurement), *measurement.notes]
            self.stdout.write("\n\n".join(parts))


def add_common_arguments(parser: Any) -> None:
    parser.add_argument(
        "--rounds", type=positive_number, default=5, help="how often everything takes its turn"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    parser.add_argument(
        "--report", type=file_name, metavar="NAME", help="also write speed-NAME.md and .png"
    )
    parser.add_argument(
        "--results", type=Path, default=DEFAULT_RESULTS, help="folder of the reports"
    )


def positive_number(value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise ArgumentTypeError("a number from 1 up was expected")
    return int(value)
