import logging

# Here, where few imports nest: its own reads the source of every module that is being imported,
# which takes half a second below all of ours.
import wordfreq  # noqa: F401
from celery.signals import worker_init
from django.apps import AppConfig

logger = logging.getLogger(__name__)


class SourcesConfig(AppConfig):
    name = "sources"

    def ready(self) -> None:
        """Registers what staff and a starting worker are told of how well the reading of files is
        confined."""
        from config.readiness import DETAILS

        DETAILS["files"] = tell_reading
        worker_init.connect(warn_of_reading, dispatch_uid="sources.warn_of_reading")

    def load_shared(self) -> None:
        from sources.embedding.embedder import loaded_models

        loaded_models.load_prepared()

    def warm_up(self) -> None:
        warn_of_reading()


def tell_reading() -> str:
    from sources.documents import describe_reading  # which loads what reads files

    return describe_reading() or "ok"


def warn_of_reading(**_: object) -> None:
    from sources.documents import describe_reading

    if words := describe_reading():
        logger.warning("%s", words)
