from django.apps import AppConfig


class QueryConfig(AppConfig):
    name = "query"

    def warm_up(self) -> None:
        """Loads the embedding model and the words of both languages: 1 s that no visitor waits for.

        config/wsgi.py calls it, so that no command and no worker pays for it.
        """
        from query.retrieval import read_question
        from sources.language.terms import question_terms

        for text in ("¿Qué horario tienen hoy?", "When are you open today?"):
            question = read_question(text)
            question_terms(question.text, question.language)
