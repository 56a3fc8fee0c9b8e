"""For a web server of a test: an answer that goes on for as long as somebody listens.

In the file SEEN it notes how it ended.
"""

import os
import time
from collections.abc import Generator
from pathlib import Path

from django.core.signals import request_finished
from django.db import connection
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import path

from config.rest.request_id import current_request_id
from query.pipeline import Event, Piece, SourcesFound
from query.presentation.event_stream import stream_events

LONGEST_SECONDS = 60  # in case that nobody tells it
PAUSE_SECONDS = 0.01


def note(text: str) -> None:
    with Path(os.environ["SEEN"]).open("a") as seen:
        seen.write(f"{text}\n")


def talk() -> Generator[Event, None, None]:
    yield SourcesFound(())
    is_held = connection.connection is not None
    note(f"request {current_request_id.get()}, connection held: {is_held}")
    give_up_at = time.monotonic() + LONGEST_SECONDS
    try:
        while time.monotonic() < give_up_at:
            yield Piece("and so on, ")
            time.sleep(PAUSE_SECONDS)
        note("nobody left")
    except GeneratorExit:
        note(f"request {current_request_id.get()} left")
        raise


def answer(request: HttpRequest) -> StreamingHttpResponse:
    connection.ensure_connection()
    return stream_events(talk())


request_finished.connect(lambda **_: note("finished"), weak=False)
urlpatterns = [path("", answer)]
