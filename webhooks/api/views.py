"""What messengers call. No token and no rate limit: each call proves who sent it, or is refused."""

from __future__ import annotations

from typing import ClassVar

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, read_id
from agents.errors import AgentNotFound
from channels.models import ChannelType
from config.errors import ServiceUnavailable, Unauthorized
from config.openapi import EMPTY_OBJECT, describe
from config.request_body import read_body
from webhooks.services import answer_handshake, receive_call

# WhatsApp's documented limit; Telegram's updates are far smaller.
BODY_MAX_BYTES = 3 * 1024 * 1024
PLAIN_TEXT = "text/plain"

RECEIVED = """\
Answered at once; what was said in the chat is answered through the messenger. A message that is
delivered twice is taken once. Kinds of messages that we do not know are taken, and left alone."""


def header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(
        name, str, OpenApiParameter.HEADER, required=True, description=description
    )


def query(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, required=True, description=description)


class InboundView(PublicAPIView):
    """The body is read as it came, whatever its type: what is signed are its bytes."""

    channel_type: ClassVar[ChannelType]

    def receive(self, request: Request, agent_id: str) -> Response:
        body = read_body(request.stream, max_bytes=BODY_MAX_BYTES) if request.stream else b""
        receive_call(self.channel_type, read_id(agent_id), request.headers, body)
        return Response({})


class MessengerAView(InboundView):
    channel_type = ChannelType.MESSENGER_A

    @describe(
        "Deliver an update of messenger_a",
        request={"application/json": {"type": "object"}},
        response=EMPTY_OBJECT,
        errors=(AgentNotFound, Unauthorized, ServiceUnavailable),
        description=RECEIVED,
        parameters=[
            header(
                "X-MessengerA-Bot-Api-Secret-Token",
                "The secret that was registered with the webhook. "
                "`X-Telegram-Bot-Api-Secret-Token` is read as well.",
            )
        ],
    )
    def post(self, request: Request, agent_id: str) -> Response:
        return self.receive(request, agent_id)


class MessengerBView(InboundView):
    channel_type = ChannelType.MESSENGER_B

    @describe(
        "Verify the webhook of messenger_b",
        response={"type": "string"},
        media_type=PLAIN_TEXT,
        errors=(AgentNotFound, Unauthorized, ServiceUnavailable),
        description="Answers `hub.challenge` to who knows the verify_token.",
        parameters=[
            query("hub.mode", "`subscribe`"),
            query("hub.verify_token", "The verify_token that the channel was connected with."),
            query("hub.challenge", "At most 200 printable ASCII characters."),
        ],
    )
    def get(self, request: Request, agent_id: str) -> HttpResponse:
        given = request.query_params
        challenge = answer_handshake(
            read_id(agent_id),
            mode=given.get("hub.mode", ""),
            verify_token=given.get("hub.verify_token", ""),
            challenge=given.get("hub.challenge", ""),
        )
        return HttpResponse(challenge, content_type=PLAIN_TEXT)

    @describe(
        "Deliver messages of messenger_b",
        request={"application/json": {"type": "object"}},
        response=EMPTY_OBJECT,
        errors=(AgentNotFound, Unauthorized, ServiceUnavailable),
        description=RECEIVED,
        parameters=[
            header(
                "X-Hub-Signature-256", "`sha256=` and the HMAC-SHA256 of the body, in hexadecimal."
            )
        ],
    )
    def post(self, request: Request, agent_id: str) -> Response:
        return self.receive(request, agent_id)
