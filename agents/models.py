"""Agents: who answers, how, and from which sources."""

from __future__ import annotations

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower

from accounts.models.tenancy import TenantModel
from config.export import Exported
from config.security.personal import COMPANYS_OWN
from sources.models import Source

NAME_MAX_CHARS = 200
PERSONA_MAX_CHARS = 4000  # it is part of every prompt
WELCOME_MAX_CHARS = 1000
ORIGIN_MAX_CHARS = 300
CONTACT_MAX_CHARS = 40  # of a phone number as people write it
HOURS_MAX_CHARS = 200
MAX_ORIGINS = 50
RETENTION_DAYS = (7, 30, 90)
DEFAULT_RETENTION_DAYS = 30


class AgentStatus(models.TextChoices):
    ACTIVE = "active"
    INACTIVE = "inactive"


class Agent(TenantModel):
    """An agent, with which customers talk.

    active <── PUT /agents/{id} status ──> inactive (answers no questions: 409)
    """

    exported = Exported(
        "agents",
        ("id", "name", "persona", "welcome_msg", "status", "allowed_origins", "cite_sources")
        + ("active_channels", "lead_capture_enabled", "lead_notification_email")
        + ("store_transcripts", "transcript_retention_days", "is_scoped", "created_at")
        + ("contact_phone", "contact_whatsapp", "contact_email", "contact_hours"),
    )

    personal = COMPANYS_OWN

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=NAME_MAX_CHARS)
    persona = models.TextField(blank=True, help_text="instructions for the language model")
    welcome_msg = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=AgentStatus, default=AgentStatus.ACTIVE)
    allowed_origins = ArrayField(
        models.CharField(max_length=ORIGIN_MAX_CHARS), default=list, blank=True
    )
    cite_sources = models.BooleanField(default=True, help_text="[1] in the answer's text")
    # Written by the channels' services with the connection itself.
    active_channels = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    lead_capture_enabled = models.BooleanField(default=False)
    lead_notification_email = models.EmailField(max_length=254, blank=True)
    store_transcripts = models.BooleanField(default=False)
    transcript_retention_days = models.PositiveSmallIntegerField(default=DEFAULT_RETENTION_DAYS)
    # How customers reach a person of the company; told to those who ask for one or find nothing.
    contact_phone = models.CharField(max_length=CONTACT_MAX_CHARS, blank=True)
    contact_whatsapp = models.CharField(max_length=CONTACT_MAX_CHARS, blank=True)
    contact_email = models.EmailField(max_length=254, blank=True)
    contact_hours = models.CharField(max_length=HOURS_MAX_CHARS, blank=True)
    # False: all sources of the tenant. True although no row of AgentSource is left: its sources
    # were deleted, and it answers from none. It never widens by itself.
    is_scoped = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="agents_agent_tenant_id"),
            models.UniqueConstraint("tenant", Lower("name"), name="agents_agent_name"),
            models.CheckConstraint(
                condition=models.Q(status__in=AgentStatus.values), name="agents_agent_status"
            ),
            models.CheckConstraint(
                condition=models.Q(transcript_retention_days__in=RETENTION_DAYS),
                name="agents_agent_retention",
            ),
            models.CheckConstraint(
                condition=models.Q(lead_capture_enabled=False)
                | ~models.Q(lead_notification_email=""),
                name="agents_agent_lead_email",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AgentSource(TenantModel):
    """A source that an agent with a scope may answer from (agents/scope.py)."""

    exported = Exported("agent_sources", ("agent_id", "source_id"))

    id = models.BigAutoField(primary_key=True)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "agent", "source"], name="agents_agentsource_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent_id}: {self.source_id}"
