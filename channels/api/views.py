"""The channels of an agent. Admins alone: who connects a bot speaks in the company's name."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView, read_id, validated
from accounts.permissions import IsAdmin
from agents.errors import AgentNotFound
from channels import services
from channels.api.examples import CONFIGS, CONNECTION
from channels.api.serializers import ChannelConfig, ConnectionOutput, config_of
from channels.errors import ChannelBusy, ChannelConnectFailed
from channels.surfaces.registry import KINDS, SURFACES
from config.errors import InvalidValue
from config.rest.openapi import EMPTY_OBJECT, describe
from config.security.rate_limits import LimitsUnavailable

CHANNEL_TYPE = OpenApiParameter("channel_type", str, OpenApiParameter.PATH, enum=KINDS)
NEEDS = " ".join(f"`{kind}` {surface.connect_help}" for kind, surface in SURFACES.items())
CONNECT_DESCRIPTION = f"""\
Replaces the agent's current connection to this channel. {NEEDS}

The messenger is asked first. If it refuses or does not answer, nothing changes. What is sent here
is stored encrypted and never shown."""
DISCONNECT_DESCRIPTION = """\
Its chats and the messages that wait in them are deleted. A webhook that we registered is
unregistered if the messenger answers. Nothing happens if the channel is not connected."""


class NeverStored(TenantAPIView):
    """No answer is kept on the way."""

    permission_classes = [IsAdmin]

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        answer: Response = super().finalize_response(request, response, *args, **kwargs)
        answer.headers["Cache-Control"] = "no-store"
        return answer


class ChannelListView(NeverStored):
    @describe(
        "List the channels that an agent is connected to",
        response=ConnectionOutput(many=True),
        errors=(AgentNotFound,),
        examples=[CONNECTION],
    )
    def get(self, request: Request, agent_id: str) -> Response:
        connections = services.list_connections(self.tenant, read_id(agent_id))
        return Response(ConnectionOutput(connections, many=True).data)  # type: ignore[arg-type]  # many


class ChannelView(NeverStored):
    @describe(
        "Connect an agent to a channel",
        request=ChannelConfig,
        response=EMPTY_OBJECT,
        errors=(AgentNotFound, ChannelConnectFailed, ChannelBusy, LimitsUnavailable),
        description=CONNECT_DESCRIPTION,
        parameters=[CHANNEL_TYPE],
        examples=CONFIGS,
    )
    def put(self, request: Request, agent_id: str, channel_type: str) -> Response:
        config = validated(config_of(channel_type), request.data)
        services.connect_channel(self.tenant, read_id(agent_id), channel_type, config)
        return Response({})

    @describe(
        "Disconnect an agent from a channel",
        status=204,
        errors=(AgentNotFound, InvalidValue, ChannelBusy, LimitsUnavailable),
        description=DISCONNECT_DESCRIPTION,
        parameters=[CHANNEL_TYPE],
    )
    def delete(self, request: Request, agent_id: str, channel_type: str) -> Response:
        services.disconnect_channel(self.tenant, read_id(agent_id), channel_type)
        return Response(status=status.HTTP_204_NO_CONTENT)
