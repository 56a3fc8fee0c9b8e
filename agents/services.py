"""What is done with agents."""

from __future__ import annotations

import uuid

from accounts.models import Tenant
from agents.errors import AgentNotFound
from agents.models import Agent


def get_agent(tenant: Tenant, agent_id: uuid.UUID | None) -> Agent:
    """Raises AgentNotFound, also for an id that is none (None) or another tenant's."""
    agent = Agent.objects.for_tenant(tenant).filter(pk=agent_id).first() if agent_id else None
    if agent is None:
        raise AgentNotFound
    return agent
