"""GET /v1/models, POST /v1/chat/completions: agents, for clients of OpenAI's protocol."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView, validated
from accounts.permissions import IsAnyRole
from agents.errors import ModelNotFound
from agents.models import Agent
from config.errors import PlanLimitReached
from config.rest.cursor_pages import MAX_ROWS
from config.rest.error_forms import OPENAI, object_schema
from config.rest.openapi import describe
from query.api.chat_input import ChatInput, ChatParser, read_messages
from query.conversations.history import read_history
from query.presentation.chat_completions import ChatCompletion, write_error
from query.presentation.chat_schema import (
    CHAT_ANSWER,
    CHAT_CHUNKS,
    CHAT_QUESTION,
    ChatCompletionOutput,
)
from query.presentation.event_stream import MEDIA_TYPE, stream_texts
from query.services.asking import ask, ask_in_stream, get_model, list_models
from query.understanding.inquiries import Inquiry

CHAT_DESCRIPTION = """\
OpenAI's protocol: `model` is the id of an active agent, or its name. The last message of the user
is the question, the ones before it are the conversation. Messages of the roles `system` and
`developer` are not read: an agent follows its own instructions. Nor are any other parameters.

The text ends in the list of its sources, unless the agent cites none; `annotations` says where each
is cited. `metadata.session_id` is needed for leads and for transcripts that belong together.

With `"stream": true` the answer comes as server-sent events, the last of which is `[DONE]`."""


# Each one; its data is a chunk as JSON, or "[DONE]".
EVENT = object_schema({"data": {"type": "string"}})


class ModelOutput(serializers.Serializer[Agent]):
    id = serializers.CharField()
    object = serializers.SerializerMethodField()
    created = serializers.SerializerMethodField()
    owned_by = serializers.CharField(source="tenant.slug")
    name = serializers.CharField()

    def get_object(self, agent: Agent) -> str:
        return "model"

    def get_created(self, agent: Agent) -> int:
        return int(agent.created_at.timestamp())


class ModelListOutput(serializers.Serializer[Any]):
    object = serializers.ChoiceField(choices=["list"])
    data = ModelOutput(many=True)  # type: ignore[assignment]  # the protocol's name


class OpenAIView(TenantAPIView):
    permission_classes = [IsAnyRole]
    error_form = OPENAI


class ModelListView(OpenAIView):
    @describe("List the agents, as models", response=ModelListOutput)
    def get(self, request: Request) -> Response:
        models = list_models(self.tenant)[:MAX_ROWS]  # the protocol knows no pages of models
        return Response(ModelListOutput({"object": "list", "data": models}).data)


class ModelView(OpenAIView):
    @describe("Show an agent, as a model", response=ModelOutput, errors=(ModelNotFound,))
    def get(self, request: Request, model: str) -> Response:
        return Response(ModelOutput(get_model(self.tenant, model)).data)


class ChatCompletionView(OpenAIView):
    parser_classes = [ChatParser]

    @describe(
        "Ask an agent, as a model",
        request=ChatInput,
        response=ChatCompletionOutput,
        errors=(ModelNotFound, PlanLimitReached),
        other_responses={(200, MEDIA_TYPE): EVENT},
        description=CHAT_DESCRIPTION,
        examples=[CHAT_QUESTION, CHAT_ANSWER, CHAT_CHUNKS],
    )
    def post(self, request: Request) -> Response | StreamingHttpResponse:
        asked = validated(ChatInput, request.data)
        agent = get_model(self.tenant, asked["model"])
        inquiry = self.read_inquiry(agent, asked)
        completion = ChatCompletion(inquiry, agent)
        if not asked.get("stream"):
            return Response(completion.write(ask(inquiry)))
        tells_usage = (asked.get("stream_options") or {}).get("include_usage") or False
        chunks = completion.write_chunks(ask_in_stream(inquiry), tells_usage=tells_usage)
        return stream_texts(chunks, write_error)

    def read_inquiry(self, agent: Agent, asked: dict[str, Any]) -> Inquiry:
        question, before = read_messages(asked["messages"])
        session_id = (asked.get("metadata") or {}).get("session_id") or ""
        inquiry = Inquiry(self.tenant, question, agent, session_id=session_id)
        return replace(inquiry, history=read_history(before, inquiry.likely_language))
