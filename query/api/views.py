"""POST /agent/query and POST /agents/{id}/query: JSON, or a stream of events."""

from __future__ import annotations

from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView, read_id, validated
from accounts.permissions import IsAnyRole
from agents.errors import AgentIsInactive, AgentNotFound
from agents.services import get_agent
from config.errors import PlanLimitReached
from config.rest.error_forms import LEGACY
from config.rest.openapi import describe
from query.api.serializers import QueryInput
from query.presentation.answer_object import AnswerOutput, answer_object
from query.presentation.event_stream import MEDIA_TYPE, prefers_stream, stream_events
from query.presentation.examples import CITED_ANSWER, EVENTS, NO_MATCH, QUESTION
from query.services.asking import ask, ask_in_stream, require_active
from query.understanding.inquiries import Inquiry

QUERY_DESCRIPTION = """\
`sources` lists where the answer was found, best first; it is empty if no indexed content fits the
question. Errors have the legacy format.

With `Accept: text/event-stream` the answer comes as events: `sources` (the sources of the answer),
any number of `delta` (`text`: the next piece of the answer), then `done` (the whole answer, as
without a stream). A failure on the way ends the stream with an `error` event."""

STREAM = {(200, MEDIA_TYPE): {"type": "string"}}


class AskingView(TenantAPIView):
    permission_classes = [IsAnyRole]
    error_form = LEGACY

    def answer(
        self, request: Request, asked: dict[str, Any], agent_id: str | None
    ) -> Response | StreamingHttpResponse:
        agent = None
        if agent_id is not None:
            agent = require_active(get_agent(self.tenant, read_id(agent_id)))
        inquiry = Inquiry(
            self.tenant, asked["query"], agent, session_id=asked.get("session_id") or ""
        )
        if prefers_stream(request):
            return stream_events(ask_in_stream(inquiry), LEGACY)
        return Response(answer_object(ask(inquiry)))


class QueryView(AskingView):
    @describe(
        "Ask the workspace, or an agent",
        request=QueryInput,
        response=AnswerOutput,
        errors=(AgentNotFound, AgentIsInactive, PlanLimitReached),
        other_responses=STREAM,
        description=QUERY_DESCRIPTION,
        examples=[QUESTION, CITED_ANSWER, NO_MATCH, EVENTS],
    )
    def post(self, request: Request) -> Response | StreamingHttpResponse:
        asked = validated(QueryInput, request.data)
        return self.answer(request, asked, asked.get("agent_id") or None)


class AgentQueryView(AskingView):
    @describe(
        "Ask an agent",
        request=QueryInput,
        response=AnswerOutput,
        errors=(AgentNotFound, AgentIsInactive, PlanLimitReached),
        other_responses=STREAM,
        description=QUERY_DESCRIPTION,
        examples=[QUESTION, CITED_ANSWER, NO_MATCH, EVENTS],
        tags=["Questions"],
    )
    def post(self, request: Request, agent_id: str) -> Response | StreamingHttpResponse:
        return self.answer(request, validated(QueryInput, request.data), agent_id)
