import logging

from django.apps import AppConfig

logger = logging.getLogger(__name__)


class QueryConfig(AppConfig):
    name = "query"

    def warm_up(self) -> None:
        """Loads the embedding model and the words of both languages: 1 s that no visitor waits for.

        config/wsgi.py calls it, so that no command and no worker pays for it. The database says
        which model; when it does not answer yet, the first visitor waits.
        """
        from django.db import DatabaseError, connection

        from query.retrieval import read_question
        from sources.language.terms import question_terms

        try:
            for text in ("¿Qué horario tienen hoy?", "When are you open today?"):
                question = read_question(text)
                question_terms(question.text, question.language)
        except DatabaseError as error:
            logger.warning("the embedding model is not loaded yet: %s", error)
        finally:
            connection.close()
