"""Agents for the tests of every app."""

import itertools
from typing import Any

from accounts.models import Tenant
from agents.models import Agent, AgentSource
from sources.models import Source

_numbers = itertools.count(1)


def make_agent(tenant: Tenant, *scope: Source, **over: Any) -> Agent:
    """With all sources, unless `scope` names some."""
    fields: Any = {"name": f"Agent {next(_numbers)}", "is_scoped": bool(scope), **over}
    agent = Agent.objects.for_tenant(tenant).create(**fields)
    for source in scope:
        AgentSource.objects.for_tenant(tenant).create(agent=agent, source=source)
    return agent
