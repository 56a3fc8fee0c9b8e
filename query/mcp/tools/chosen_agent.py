"""The agent that a program names in a call."""

from __future__ import annotations

from accounts.models import Tenant
from agents.errors import AgentNotFound
from agents.models import Agent
from agents.services import find_agent
from query.services.asking import require_active

AGENT_MAX_CHARS = 200  # of an id or a name


def choose_agent(tenant: Tenant, named: str) -> Agent | None:
    """The agent to ask; None, for all sources, when `named` is "". Raises AgentNotFound,
    AgentIsInactive."""
    if not named:
        return None
    try:
        return require_active(find_agent(tenant, named))
    except AgentNotFound:
        raise AgentNotFound("There is no such agent: list_agents lists them.") from None
