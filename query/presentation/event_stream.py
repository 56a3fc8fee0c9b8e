"""An answer as server-sent events.

Format: https://html.spec.whatwg.org/multipage/server-sent-events.html, read 2026-11-21.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from contextvars import copy_context
from dataclasses import asdict
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

from config.database.pool import release_connection
from config.errors import ServiceError
from config.rest.error_forms import STANDARD, ErrorForm
from config.rest.handling import envelope, to_service_error
from query.answers import Answer
from query.explaining import Explanation
from query.pipeline import Event, Piece, SourcesFound
from query.presentation.answer_object import SourceOutput, answer_object

logger = logging.getLogger(__name__)

MEDIA_TYPE = "text/event-stream"
# No line ends to the standard, but to many clients (Python's str.splitlines).
LINE_SEPARATORS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}
# A proxy that collects an answer before it passes it on would undo the stream.
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def prefers_stream(request: Request) -> bool:
    """Tells whether the client prefers a stream by `Accept`: where both forms stand, the first."""
    accepted = request.headers.get("Accept", "").lower().split(",")
    forms = [part.partition(";")[0].strip() for part in accepted]
    known = [form for form in forms if form in (MEDIA_TYPE, "application/json")]
    return known[:1] == [MEDIA_TYPE]


def stream_events(
    events: Generator[Event | Explanation, None, None], form: ErrorForm = STANDARD
) -> StreamingHttpResponse:
    """The response with named events. `form`: the format of the error that ends a failed stream."""
    return stream_texts(
        write_events(events), lambda error: write_event("error", envelope(error, form))
    )


def stream_texts(
    texts: Generator[str, None, None], write_error: Callable[[ServiceError], str]
) -> StreamingHttpResponse:
    """The server closes the response when it is sent, or the client has left; that closes `texts`.

    The connection to the database goes back before a word is sent: a slow reader must not hold one.
    """
    release_connection()
    written = InContext(end_with_error(texts, write_error))
    return StreamingHttpResponse(written, content_type=MEDIA_TYPE, headers=HEADERS)


def end_with_error(
    texts: Generator[str, None, None], write_error: Callable[[ServiceError], str]
) -> Generator[str, None, None]:
    """Passes the texts on and ends with an error if they fail: once the first word is sent, no
    status can tell of it."""
    with closing(texts):
        try:
            yield from texts
        except Exception as error:
            known = to_service_error(error)
            logger.error("a stream failed: %s", known.code, exc_info=error)
            yield write_error(known)


class InContext:
    """Runs each step in the context that the texts were made in: a response is sent when its
    request's middleware is done, and log lines would lose their request id."""

    def __init__(self, texts: Generator[str, None, None]) -> None:
        self.context = copy_context()
        self.texts = texts

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return self.context.run(next, self.texts)

    def close(self) -> None:
        self.context.run(self.texts.close)


def write_events(
    events: Generator[Event | Explanation, None, None],
) -> Generator[str, None, None]:
    with closing(events):
        for event in events:
            yield write_event(*named(event))


def named(event: Event | Explanation) -> tuple[str, dict[str, Any]]:
    match event:
        case SourcesFound(sources):
            return "sources", {"sources": [SourceOutput(source).data for source in sources]}
        case Piece(text):
            return "delta", {"text": text}
        case Answer():
            return "done", answer_object(event)
        case Explanation():
            return "why", asdict(event)


def write_event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\n{write_data(data)}"


def write_data(data: dict[str, Any]) -> str:
    """The data of an event. JSON text does not contain line breaks, which would end it."""
    written = json.dumps(data, cls=JSONEncoder, ensure_ascii=False)
    return f"data: {written.translate(LINE_SEPARATORS)}\n\n"
