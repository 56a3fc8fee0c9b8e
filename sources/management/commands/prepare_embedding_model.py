"""Exports the embedding model for serving, once per DATA_DIR; a later run finds it there."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from sources.ingestion.embedding_model import prepare_model
from sources.ingestion.spaces import active_space


class Command(BaseCommand):
    help = (
        "Exports the embedding model that answers to ONNX below DATA_DIR, if it is not there yet:"
        " EMBEDDING_MODEL, unless the database was indexed with another one."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        space = active_space()
        if space is not None and space.model != settings.EMBEDDING_MODEL:
            self.stderr.write(
                f"Everything is indexed with the embedding model {space.model}, which goes on"
                f" answering. To change to {settings.EMBEDDING_MODEL}: bin/manage reembed"
            )
        self.stdout.write(str(prepare_model(space.model if space else None)))
