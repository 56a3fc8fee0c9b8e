"""An answer in OpenAI's protocol: whole, or in chunks.

https://platform.openai.com/docs/api-reference/chat/object, and the types of openai 3.54, read
2026-11-23. Beside what the protocol has, `sources` and `confidence` as in our own answers: typed
clients ignore them.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from agents.models import Agent
from config.errors import ServiceError
from config.rest.error_forms import OPENAI
from config.rest.handling import envelope
from language.detection import detect_language
from query.answers import Answer
from query.pipeline import Event, Piece
from query.presentation.answer_object import answer_object
from query.presentation.event_stream import write_data
from query.presentation.source_list import MARK, write_source_list
from query.search.candidates import RetrievedChunk
from query.understanding.inquiries import Inquiry

Json = dict[str, Any]

DONE = "data: [DONE]\n\n"
# What is counted here are questions. Clients fail without these numbers (simonw/llm issue 1697,
# huggingface/smolagents issue 1401), and would bill any others.
NO_TOKENS = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
WEB = ("http://", "https://")


@dataclass(frozen=True)
class ChatCompletion:
    """The answer of `agent` to `inquiry`: its chunks share an id and a time."""

    inquiry: Inquiry
    agent: Agent
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def write(self, answer: Answer) -> Json:
        message = {
            "role": "assistant",
            "content": answer.text + self.source_list(answer),
            "refusal": None,
            "annotations": list(annotate(answer)),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return self.about("chat.completion") | {
            "choices": [choice],
            "usage": NO_TOKENS,
            **assessment(answer),
        }

    def write_chunks(
        self, events: Generator[Event, None, None], *, tells_usage: bool
    ) -> Generator[str, None, None]:
        """The answer as server-sent events without names. The list of sources is the last of the
        text; the annotations come with the end."""
        with closing(events):
            yield self.write_delta({"role": "assistant", "content": ""})
            for event in events:
                if isinstance(event, Piece):
                    yield self.write_delta({"content": event.text})
                if isinstance(event, Answer):
                    yield from self.write_end(event)
        if tells_usage:
            yield write_data(self.about("chat.completion.chunk", choices=[], usage=NO_TOKENS))
        yield DONE

    def write_end(self, answer: Answer) -> Iterator[str]:
        if listed := self.source_list(answer):
            yield self.write_delta({"content": listed})
        delta = {"annotations": list(annotate(answer))}
        yield self.write_delta(delta, finish_reason="stop", **assessment(answer))

    def write_delta(self, delta: Json, finish_reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return write_data(self.about("chat.completion.chunk", choices=[choice], **more))

    def about(self, kind: str, **more: Any) -> Json:
        about = {"id": self.id, "object": kind, "created": self.created}
        return about | {"model": str(self.agent.pk), "system_fingerprint": None} | more

    def source_list(self, answer: Answer) -> str:
        if not self.inquiry.marks_sources:
            return ""
        asked_in = self.inquiry.message.language
        return write_source_list(answer, detect_language(answer.text, asked_in))


def write_error(error: ServiceError) -> str:
    """The last event of a stream that fails."""
    return write_data(envelope(error, OPENAI))


def assessment(answer: Answer) -> Json:
    ours = answer_object(answer)
    return {"sources": ours["sources"], "confidence": ours["confidence"]}


def annotate(answer: Answer) -> Iterator[Json]:
    """Yields an annotation for each mark in the text, over the mark; where nothing is marked, one
    for each source, over all of the text. `text[start_index:end_index]`, counted in Unicode code
    points."""
    marks = list(MARK.finditer(answer.text))
    everything = [] if marks else [(0, len(answer.text))]
    for number, source in enumerate(answer.sources, start=1):
        spans = [mark.span() for mark in marks if int(mark[1]) == number]
        for start, end in spans or everything:
            citation = {
                "url": address_of(source),
                "title": source.source_file,
                "start_index": start,
                "end_index": end,
            }
            yield {"type": "url_citation", "url_citation": citation}


def address_of(source: RetrievedChunk) -> str:
    """The address where people open the source; for an uploaded file, its page in the company's
    dashboard."""
    own = (source.link, source.source_file, source.location)
    in_dashboard = f"{settings.BASE_URL}/dashboard/sources/{source.source_id}"
    return next((address for address in own if address.startswith(WEB)), in_dashboard)
