"""Has the Whisper model ready, once per DATA_DIR; a later run finds it there."""

from typing import Any

from django.core.management.base import BaseCommand

from reading.errors import ReaderMissing
from reading.speech import prepare_model, reader_options
from reading.whisper_models import ModelNotPrepared
from sources.documents import reading_settings


class Command(BaseCommand):
    help = "Prepare the model that WHISPER_MODEL names: put it together, fetch it or convert it."

    def handle(self, *args: Any, **options: Any) -> None:
        """A model that cannot be had is a warning: everything but audio works without it."""
        settings = reading_settings()
        try:
            prepare_model(settings)
            reader_options(settings)
        except ModelNotPrepared as error:
            self.stderr.write(
                f"The Whisper model {settings.whisper_model} could not be prepared: {error}\n"
                "Uploads of audio answer 503 until it is there. A model's name is fetched with "
                "access to the internet; unset, WHISPER_MODEL is the one that comes with the "
                "service."
            )
        except ReaderMissing as error:
            self.stderr.write(str(error))
