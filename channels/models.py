"""Channels that agents are connected to. What a messenger needs of secrets is in a Connection."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from accounts.models.tenancy import TenantModel
from agents.models import Agent
from channels.surfaces.registry import KINDS, SURFACES
from config.database.reasons import ReasonField
from config.export import Exported
from config.security.personal import COMPANYS_OWN
from sources.models import Connection

REASON_MAX_CHARS = 500


LABELS = [(kind, surface.label) for kind, surface in SURFACES.items()]


class ConnectionStatus(models.TextChoices):
    CONNECTED = "connected"
    FAILING = "failing"


class ChannelConnection(TenantModel):
    """An agent at a channel. `Agent.active_channels` names it too, written in one transaction.

        (none) ── PUT, the channel accepts ──> connected ── DELETE ──> (none)
        connected ── the messenger refuses our credentials: error_message ──> failing
        failing ── PUT, or a reply that gets through ──> connected

    A single chat that cannot be answered leaves its reason in `error_message`, and the status as it
    is. The secrets can be read with channels.connections.open_messenger alone. The database deletes
    the Connection with the last row that points to it (a trigger), also when an agent goes.
    """

    exported = Exported(
        "channels",
        ("agent_id", "channel_type", "connection__account", "status", "connected_at"),
    )

    personal = COMPANYS_OWN

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+")
    channel_type = models.CharField(max_length=20, choices=LABELS)
    connection = models.ForeignKey(
        Connection,
        on_delete=models.RESTRICT,
        null=True,
        blank=True,
        related_name="+",
        help_text="the bot or phone number; null: nobody is called",
    )
    status = models.CharField(
        max_length=10, choices=ConnectionStatus, default=ConnectionStatus.CONNECTED
    )
    error = ReasonField(help_text="what last went wrong, and what to do")
    error_message = models.CharField(
        max_length=REASON_MAX_CHARS, blank=True, help_text="`error` in English"
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
                condition=models.Q(channel_type__in=KINDS),
                name="channels_channelconnection_type",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=ConnectionStatus.values),
                name="channels_channelconnection_status",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel_type}: {self.agent_id}"

    @property
    def account(self) -> str:
        """The bot's or phone number's id; "" for a channel without a messenger. Costs a query,
        unless `connection` was selected."""
        return self.connection.account if self.connection is not None else ""
