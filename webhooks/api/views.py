"""The webhooks that messengers call. No token and no rate limit: each call proves who sent it, or
is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, read_id
from agents.errors import AgentNotFound
from channels.surfaces.base import Handshake, Messenger, Webhook
from config.errors import ServiceUnavailable, Unauthorized
from config.rest.openapi import EMPTY_OBJECT, describe
from config.rest.request_body import read_body
from webhooks.services import Call, admit_call, answer_handshake, receive_call

PLAIN_TEXT = "text/plain"

RECEIVED = """\
The call is answered immediately; the chat is answered through the messenger. A message that is
delivered twice is handled once. Unknown kinds of messages are accepted and ignored."""


def header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(
        name, str, OpenApiParameter.HEADER, required=True, description=description
    )


def query(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, required=True, description=description)


class InboundView(PublicAPIView):
    """The body is read as it came, whatever its type: its bytes are signed. We do not wait for it
    if the agent does not exist, or if the request has nothing that could prove its sender."""

    channel_type: ClassVar[str]
    body_max_bytes: ClassVar[int]
    call: Call

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method == "POST":
            agent_id = read_id(kwargs["agent_id"])
            self.call = admit_call(self.channel_type, agent_id, request.headers)

    def receive(self, request: Request) -> Response:
        body = read_body(request.stream, max_bytes=self.body_max_bytes) if request.stream else b""
        receive_call(self.call, request.headers, body)
        return Response({})


def view_of(messenger: type[Messenger]) -> type[InboundView]:
    """Makes the view of a messenger's webhook, as its kind describes it."""
    methods: dict[str, Any] = {
        "channel_type": messenger.kind,
        "body_max_bytes": messenger.webhook.body_max_bytes,
        "__module__": __name__,
        "post": delivery(messenger.webhook),
    }
    if messenger.webhook.handshake is not None:
        methods["get"] = verification(messenger.webhook.handshake)
    return type(f"{messenger.__name__}View", (InboundView,), methods)


def delivery(webhook: Webhook) -> Callable[..., Response]:
    @describe(
        webhook.summary,
        request={"application/json": {"type": "object"}},
        response=EMPTY_OBJECT,
        errors=(AgentNotFound, Unauthorized, ServiceUnavailable),
        description=RECEIVED,
        parameters=[header(webhook.header, webhook.header_help)],
    )
    def post(view: InboundView, request: Request, agent_id: str) -> Response:
        return view.receive(request)

    return post


def verification(handshake: Handshake) -> Callable[..., HttpResponse]:
    @describe(
        handshake.summary,
        response={"type": "string"},
        media_type=PLAIN_TEXT,
        errors=(AgentNotFound, Unauthorized, ServiceUnavailable),
        description=handshake.description,
        parameters=[query(name, what) for name, what in handshake.parameters.items()],
    )
    def get(view: InboundView, request: Request, agent_id: str) -> HttpResponse:
        given = request.query_params.dict()
        answer = answer_handshake(view.channel_type, read_id(agent_id), given)
        return HttpResponse(answer, content_type=PLAIN_TEXT)

    return get
