"""Makes EMBEDDING_MODEL the model that answers, while the service runs."""

import json
import time
from dataclasses import asdict
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from sources.indexing.reembedding import (
    DEFAULT_BATCH_CHUNKS,
    Abandoned,
    Reembedding,
    abandon,
    reembed,
)


class Command(BaseCommand):
    help = (
        "Embed every chunk of every tenant with EMBEDDING_MODEL while the old vectors keep"
        " answering, then switch to the new ones and delete the old. The command can be"
        " killed and run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--batch", type=int, default=DEFAULT_BATCH_CHUNKS, help="chunks in one transaction"
        )
        parser.add_argument(
            "--abandon", action="store_true", help="delete what was built, and keep the old model"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["batch"] < 1:
            raise CommandError("--batch must be 1 or more.")
        if options["abandon"]:
            self.stdout.write(json.dumps({"abandoned": abandon()}))
            return
        started = time.monotonic()
        done = self.reembed(options["batch"], is_quiet=options["verbosity"] == 0)
        seconds = round(time.monotonic() - started, 1)
        self.stdout.write(json.dumps({**asdict(done), "seconds": seconds}))
        if done.is_swapped:
            self.stderr.write(
                "Relevance is judged by each model's own weights: run `bin/manage calibrate`."
            )

    def reembed(self, batch_chunks: int, *, is_quiet: bool) -> Reembedding:
        with tqdm(unit="chunk", disable=is_quiet) as bar:

            def show(*, done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            try:
                return reembed(batch_chunks=batch_chunks, on_progress=show)
            except Abandoned:
                raise CommandError(
                    "The vectors were dropped by another run of this command. Run it again."
                ) from None
            except ImproperlyConfigured as error:
                raise CommandError(str(error)) from error
