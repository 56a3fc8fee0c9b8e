"""Exports the embedding model for serving, once per DATA_DIR; a later run finds it there."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from sources.embedding.embedding_model import prepare_model
from sources.embedding.spaces import active_space


class Command(BaseCommand):
    help = (
        "Export the embedding model to ONNX below DATA_DIR if it is not there yet:"
        " EMBEDDING_MODEL, or the model that the database was indexed with."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", help="export this one instead, before it is changed to")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(str(prepare_model(options["model"] or self.model_that_answers())))

    def model_that_answers(self) -> str | None:
        space = active_space()
        if space is not None and space.model != settings.EMBEDDING_MODEL:
            self.stderr.write(
                f"Everything is indexed with the embedding model {space.model}, which goes on"
                f" answering. To change to {settings.EMBEDDING_MODEL}: bin/manage reembed"
            )
        return space.model if space else None
