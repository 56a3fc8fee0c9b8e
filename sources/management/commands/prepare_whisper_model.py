"""Fetches the Whisper model, once per DATA_DIR; a later run finds it there."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from sources.errors import ReaderNotConfigured
from sources.ingestion.speech import ModelNotFetched, fetch_model, reader_options


class Command(BaseCommand):
    help = "Fetches the model that WHISPER_MODEL names, if it is a name and not there yet."

    def handle(self, *args: Any, **options: Any) -> None:
        """A model that cannot be had is a warning: everything but audio works without it."""
        try:
            fetch_model()
            reader_options()
        except ModelNotFetched as error:
            self.stderr.write(
                f"The Whisper model {settings.WHISPER_MODEL} could not be fetched: {error}\n"
                "Uploads of audio answer 503 until it is there. Start again with access to the "
                "internet, or set WHISPER_MODEL to a checkpoint file."
            )
        except ReaderNotConfigured as error:
            self.stderr.write(error.message)
