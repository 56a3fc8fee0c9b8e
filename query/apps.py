import logging
from typing import Any, Literal

from django.apps import AppConfig

logger = logging.getLogger(__name__)

# With a slip of the finger each, in both languages: what they need is loaded.
SHARED_QUESTIONS: dict[str, Literal["es", "en"]] = {
    "¿que horrario tienen hoy?": "es",
    "when are you oppen today?": "en",
}


class QueryConfig(AppConfig):
    name = "query"
    database_functions = ("search/search_passages.sql",)  # config/database/functions.py

    def ready(self) -> None:
        """Connects the listener here: the code that ends a run does not know who is told of it."""
        from sources.syncing.signals import run_failed

        run_failed.connect(tell_of_failed_run, dispatch_uid="query.tell_of_failed_run")

    def load_shared(self) -> None:
        """The words of both languages and what corrects them, and what programs are answered with.

        config/running/supervisor.py calls it, before it forks the programs: no connection is open.
        """
        import query.mcp.stream  # noqa: F401 - with pydantic and the protocol's types: 0.3 s
        from language.spelling import correct_text
        from language.terms import question_terms

        for text, language in SHARED_QUESTIONS.items():
            question_terms(text, language)
            correct_text(text, language, lambda terms: {})

    def warm_up(self) -> None:
        """Loads what the first visitor would otherwise wait for: `load_shared`, where it has not
        run yet, the embedding model, and the reader.

        config/wsgi.py calls it, so that no command and no worker pays for it. The database says
        which model; when it does not answer yet, the first visitor waits.
        """
        from django.conf import settings
        from django.db import DatabaseError, connection

        from language.message import read_message
        from query.search.reader.reader import get_reader
        from query.search.retrieval import read_question

        self.load_shared()
        if settings.READER:
            get_reader()
        try:
            for text in SHARED_QUESTIONS:
                read_question(read_message(text))
        except DatabaseError as error:
            logger.warning("the embedding model is not loaded yet: %s", error)
        finally:
            connection.close()


def tell_of_failed_run(**sent: Any) -> None:
    from query.notifications.source_failures import notify_of_failed_run

    notify_of_failed_run(**sent)
