"""Channels that agents are connected to. What a messenger needs of secrets is encrypted."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from accounts.tenancy import TenantModel
from agents.models import Agent
from query.models import Channel

REASON_MAX_CHARS = 500


class ChannelType(models.TextChoices):
    """Those of query.models.Channel that are connected, under the same values."""

    WEB = Channel.WEB.value
    MESSENGER_A = Channel.MESSENGER_A.value
    MESSENGER_B = Channel.MESSENGER_B.value


class ConnectionStatus(models.TextChoices):
    CONNECTED = "connected"
    FAILING = "failing"


class ChannelConnection(TenantModel):
    """An agent at a channel. `Agent.active_channels` names it too, written in one transaction.

        (none) ── PUT, the channel accepts ──> connected ── DELETE ──> (none)
        connected ── the messenger refuses our credentials: error_message ──> failing
        failing ── PUT, or a reply that gets through ──> connected

    A single chat that cannot be answered leaves its reason in `error_message`, and the status as it
    is. The secrets can be read with channels.connections.open_messenger alone.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+")
    channel_type = models.CharField(max_length=20, choices=ChannelType)
    account_id = models.CharField(
        max_length=100, blank=True, help_text="the bot's or phone number's id: not a secret"
    )
    encrypted_config = models.BinaryField(editable=False)
    key_id = models.CharField(max_length=16, help_text="of the key that encrypts the secrets")
    status = models.CharField(
        max_length=10, choices=ConnectionStatus, default=ConnectionStatus.CONNECTED
    )
    error_message = models.CharField(
        max_length=REASON_MAX_CHARS, blank=True, help_text="what last went wrong, and what to do"
    )
    error_at = models.DateTimeField(null=True, blank=True)
    paused_until = models.DateTimeField(
        null=True, blank=True, help_text="the messenger asked us to send nothing before"
    )
    connected_at = models.DateTimeField(default=timezone.now)
    # Written at most once a minute.
    last_call_at = models.DateTimeField(
        null=True, blank=True, help_text="the messenger's last call whose signature was right"
    )
    last_refused_at = models.DateTimeField(
        null=True, blank=True, help_text="somebody's last call whose signature was wrong"
    )

    class Meta(TenantModel.Meta):
        ordering = ["channel_type"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "id"], name="channels_channelconnection_tenant_id"
            ),
            models.UniqueConstraint(
                fields=["tenant", "agent", "channel_type"],
                name="channels_channelconnection_unique",
            ),
            models.CheckConstraint(
                condition=models.Q(channel_type__in=ChannelType.values),
                name="channels_channelconnection_type",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=ConnectionStatus.values),
                name="channels_channelconnection_status",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel_type}: {self.agent_id}"
