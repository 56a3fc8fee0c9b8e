"""An answer as server-sent events.

Format: https://html.spec.whatwg.org/multipage/server-sent-events.html, read 2026-11-21.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

from config.api import envelope, to_service_error
from query.answers import Answer
from query.api.serializers import AnswerOutput, SourceOutput
from query.pipeline import Event, Piece, SourcesFound

logger = logging.getLogger(__name__)

MEDIA_TYPE = "text/event-stream"
# A proxy that collects an answer before it passes it on would undo the stream.
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def prefers_stream(request: Request) -> bool:
    """By `Accept`: where both forms stand, the first."""
    accepted = [
        part.partition(";")[0].strip() for part in request.headers.get("Accept", "").split(",")
    ]
    forms = [form for form in accepted if form in (MEDIA_TYPE, "application/json")]
    return forms[:1] == [MEDIA_TYPE]


def stream_events(events: Iterator[Event]) -> StreamingHttpResponse:
    """The server closes the iterator when the client leaves."""
    return StreamingHttpResponse(write_events(events), content_type=MEDIA_TYPE, headers=HEADERS)


def write_events(events: Iterator[Event]) -> Iterator[str]:
    try:
        for event in events:
            yield write_event(*named(event))
    except Exception as error:
        known = to_service_error(error)
        logger.error("a stream failed: %s", known.code, exc_info=error)
        yield write_event("error", envelope(known, is_legacy=True))


def named(event: Event) -> tuple[str, dict[str, Any]]:
    match event:
        case SourcesFound(sources):
            return "sources", {"sources": [SourceOutput(source).data for source in sources]}
        case Piece(text):
            return "delta", {"text": text}
        case Answer():
            return "done", dict(AnswerOutput(event).data)


def write_event(name: str, data: dict[str, Any]) -> str:
    """JSON has no line breaks of its own, which would end the data."""
    return f"event: {name}\ndata: {json.dumps(data, cls=JSONEncoder, ensure_ascii=False)}\n\n"
