import logging

from django.apps import AppConfig

logger = logging.getLogger(__name__)


class QueryConfig(AppConfig):
    name = "query"

    def ready(self) -> None:
        """Whoever ends a run does not know who is told of it."""
        from query.notifications.source_failures import notify_of_failed_run
        from sources.syncing.runs import run_failed

        run_failed.connect(notify_of_failed_run, dispatch_uid="query.notify_of_failed_run")

    def warm_up(self) -> None:
        """Loads the embedding model, the words of both languages and what corrects them, and what
        programs are answered with: 1.3 s that no visitor waits for.

        config/wsgi.py calls it, so that no command and no worker pays for it. The database says
        which model; when it does not answer yet, the first visitor waits.
        """
        from django.db import DatabaseError, connection

        import query.mcp.stream  # noqa: F401 - with pydantic and the protocol's types: 0.3 s
        from query.search.retrieval import read_question
        from query.understanding.spelling import correct_text
        from sources.language.terms import question_terms

        try:
            for text in ("¿que horrario tienen hoy?", "when are you oppen today?"):
                question = read_question(text)
                question_terms(question.text, question.language)
                correct_text(question.text, question.language, lambda terms: {})
        except DatabaseError as error:
            logger.warning("the embedding model is not loaded yet: %s", error)
        finally:
            connection.close()
