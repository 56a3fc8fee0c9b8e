"""POST /public/agents/{id}/sessions and …/query: what the widget of a website calls.

From other origins, by CORS (https://fetch.spec.whatwg.org/#http-cors-protocol, read 2026-11-21).
Neither tokens nor cookies are read, and browsers are never told that they may send some.
"""

from __future__ import annotations

from typing import Any

from django.http import StreamingHttpResponse
from django.utils.cache import patch_vary_headers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, read_id, validated
from agents.errors import AgentIsInactive, AgentNotFound
from channels.api.visitor_examples import GREETING, VISITOR_QUESTION
from channels.api.visitor_serializers import GreetingOutput, VisitorQueryInput
from channels.errors import AgentUnavailable, OriginNotAllowed, SessionEnded
from channels.visitor_services import ask_as_visitor, ask_as_visitor_in_stream, greet, receive
from channels.visitors import PREVIEW_HEADER, Visit
from config.errors import InvalidRequestBody, TooManyRequests
from config.rest.openapi import EMPTY_OBJECT, describe
from config.rest.request_body import ObjectParser
from config.security.client_address import client_address
from query.presentation.answer_object import AnswerOutput, answer_object
from query.presentation.event_stream import MEDIA_TYPE, prefers_stream, stream_events
from query.presentation.examples import CITED_ANSWER, EVENTS, NO_MATCH

BODY_MAX_BYTES = 8 * 1024  # a question of 1,000 characters, and a session
PREFLIGHT_MAX_AGE_SECONDS = 600  # how long an origin that is taken off the list may seem allowed
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "content-type, accept",
    "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_SECONDS),
}
# What a page's script may read beside the body.
EXPOSED_HEADERS = "Retry-After, X-Request-ID"

SESSION_DESCRIPTION = """\
The page's `Origin` must be exactly one of the agent's `allowed_origins`, and the agent must be
connected to `web`. The session names a visitor's conversation with this agent from this origin, for
`expires_in` seconds. It identifies nobody and grants no other rights."""
QUERY_DESCRIPTION = """\
`Origin` as for a session. `sources` is empty if no indexed content fits the question, and always
for an agent whose `cite_sources` is false. After a 401, ask for a new session.

With `Accept: text/event-stream` the answer comes as events: `sources` (the sources of the answer),
any number of `delta` (`text`: the next piece of the answer), then `done` (the whole answer, as
without a stream). A failure on the way ends the stream with an `error` event, in the usual form."""


class VisitorParser(ObjectParser):
    max_bytes = BODY_MAX_BYTES


class VisitorView(PublicAPIView):
    """Whose page it is comes first: a refused one is not read, and costs one query."""

    parser_classes = [VisitorParser]
    visit: Visit | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.visit = receive(
            read_id(kwargs["agent_id"]),
            origin=request.headers.get("Origin", ""),  # two of them come as one, with a comma
            address=client_address(request),
            preview_pass=request.headers.get(PREVIEW_HEADER, ""),
        )
        if request.method == "POST":
            require_json(request)
        super().initial(request, *args, **kwargs)

    @property
    def admitted(self) -> Visit:
        """Sound in a handler: `initial` raises where there is none."""
        if self.visit is None:
            raise OriginNotAllowed
        return self.visit

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """A browser's question whether it may ask."""
        return Response(status=204, headers=PREFLIGHT_HEADERS)

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """Errors too: a page can read no answer without these."""
        final = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(final, ["Origin"])
        final["Cache-Control"] = "no-store"
        if self.visit is not None:
            final["Access-Control-Allow-Origin"] = self.visit.origin
            final["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
        return final


def require_json(request: Request) -> None:
    """Other types can be sent from a page by a plain form. Raises InvalidRequestBody."""
    media_type = (request.content_type or "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise InvalidRequestBody("Send JSON, with the header Content-Type: application/json.")


class VisitorSessionsView(VisitorView):
    @describe(
        "Begin a visitor's conversation",
        request={"application/json": EMPTY_OBJECT},
        response=GreetingOutput,
        status=201,
        errors=(AgentNotFound, OriginNotAllowed, AgentIsInactive, TooManyRequests),
        description=SESSION_DESCRIPTION,
        examples=[GREETING],
    )
    def post(self, request: Request, agent_id: str) -> Response:
        request.data  # noqa: B018 - read: a malformed body is told
        return Response(GreetingOutput(greet(self.admitted)).data, status=201)


class VisitorQueryView(VisitorView):
    @describe(
        "Ask as a visitor",
        request=VisitorQueryInput,
        response=AnswerOutput,
        errors=(
            AgentNotFound,
            OriginNotAllowed,
            SessionEnded,
            AgentIsInactive,
            TooManyRequests,
            AgentUnavailable,
        ),
        other_responses={(200, MEDIA_TYPE): {"type": "string"}},
        description=QUERY_DESCRIPTION,
        examples=[VISITOR_QUESTION, CITED_ANSWER, NO_MATCH, EVENTS],
    )
    def post(self, request: Request, agent_id: str) -> Response | StreamingHttpResponse:
        asked = validated(VisitorQueryInput, request.data)
        session, text = asked.get("session") or "", asked["query"]
        if prefers_stream(request):
            events = ask_as_visitor_in_stream(self.admitted, session, text)
            return stream_events(events)
        return Response(answer_object(ask_as_visitor(self.admitted, session, text)))
