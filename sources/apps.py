import logging

from celery.signals import worker_init
from django.apps import AppConfig

logger = logging.getLogger(__name__)


class SourcesConfig(AppConfig):
    name = "sources"

    def ready(self) -> None:
        """Whether files are read here, and how well confined, is told to staff and at a start."""
        from config.health import DETAILS
        from sources.documents import describe_reading

        DETAILS["files"] = lambda: describe_reading() or "ok"
        worker_init.connect(warn_of_reading, dispatch_uid="sources.warn_of_reading")

    def warm_up(self) -> None:
        warn_of_reading()


def warn_of_reading(**_: object) -> None:
    from sources.documents import describe_reading

    if words := describe_reading():
        logger.warning("%s", words)
