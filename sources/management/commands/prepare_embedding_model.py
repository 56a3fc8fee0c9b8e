"""Exports the embedding model for serving, once per DATA_DIR; a later run finds it there."""

from typing import Any

from django.core.management.base import BaseCommand

from sources.ingestion.embedding_model import prepare_model


class Command(BaseCommand):
    help = "Exports EMBEDDING_MODEL to ONNX below DATA_DIR, if it is not there yet."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(str(prepare_model()))
