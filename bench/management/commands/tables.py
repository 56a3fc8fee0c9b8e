"""Asks the questions of bench/tables: right, told, wrong and missed, English and Spanish
apart."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from bench.tables.run import JudgedAnswer, SheetVerdict, ask_half, figures
from bench.tables.sheets import Half, load_sheets


class Command(BaseCommand):
    help = "Indexes small sheets in fresh tenants, asks what customers ask of them, and judges."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--half", choices=list(Half), default=Half.DEVELOPMENT, help="of the sheets"
        )
        parser.add_argument(
            "--answers",
            choices=("none", "faults", "all"),
            default="none",
            help="to print beside the figures",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        half = Half(options["half"])
        total, silent = len(load_sheets(half)), options["verbosity"] == 0
        with tqdm(total=total, unit="sheet", disable=silent) as progress:
            judged = ask_half(half, progress.update)
        self.stdout.write(figures(judged))
        for one in judged:
            if options["answers"] == "all" or (
                options["answers"] == "faults" and one.verdict is not SheetVerdict.RIGHT
            ):
                self.stdout.write(as_text(one))


def as_text(one: JudgedAnswer) -> str:
    how = "computed" if one.is_computed else one.answer.outcome
    return f"\n{one.sheet} ({one.verdict}; {how}): {one.question.text}\n  {one.answer.text}"
