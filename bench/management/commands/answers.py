"""Writes down what a few companies answer, to compare two versions of the code byte for byte."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from bench.evaluation.answers import COMPANIES, write_answers


class Command(BaseCommand):
    help = (
        "Asks companies of bench/companies their questions and writes each answer into a file, a"
        " JSON line each. They stay indexed: the next run only asks. Compare two files with cmp."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--companies", nargs="+", default=COMPANIES, metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        count = write_answers(options["file"], options["companies"])
        self.stdout.write(f"{count} answers written to {options['file']}")
