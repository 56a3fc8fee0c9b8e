"""What a process of the web server loads before its first visitor comes."""

import os
import subprocess
import sys

import pytest
from django.apps import apps
from django.db import OperationalError, connection

from language.spelling import near_words
from query.apps import QueryConfig


@pytest.fixture(autouse=True)
def this_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test's transaction needs it to the end."""
    monkeypatch.setattr(connection, "close", lambda: None)


def warm_up() -> None:
    app = apps.get_app_config("query")
    assert isinstance(app, QueryConfig)
    app.warm_up()


@pytest.mark.django_db
def test_the_words_of_both_languages_and_what_corrects_them() -> None:
    near_words.cache_clear()

    warm_up()

    assert near_words.cache_info().currsize == 2  # a slip of each language


def test_a_database_that_does_not_answer_yet_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(text: str) -> None:
        raise OperationalError("no connection")

    monkeypatch.setattr("query.search.retrieval.read_question", away)

    warm_up()

    assert "the embedding model is not loaded yet: no connection" in caplog.text


LOOKS = """
import sys
import django
django.setup()
from django.urls import get_resolver
assert get_resolver().url_patterns
print([name for name in ("pydantic", "mcp_types") if name in sys.modules])
"""


def test_what_programs_are_answered_with_is_loaded_by_the_web_server_alone() -> None:
    """Workers and commands read the table of addresses too."""
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings_test"}

    looked = subprocess.run(
        [sys.executable, "-c", LOOKS], env=environ, capture_output=True, text=True, check=True
    )

    assert looked.stdout.strip().splitlines()[-1] == "[]"
