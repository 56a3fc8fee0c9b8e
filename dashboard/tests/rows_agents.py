"""The pages of agents."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Tenant
from agents.tests.factories import make_agent
from dashboard.tests.matrix import ADMINS, EVERYBODY, READERS, PageRow

AGENT = "dashboard/agents/<uuid:agent_id>"


def an_agent(tenant: Tenant) -> Mapping[str, Any]:
    return {"agent_id": make_agent(tenant).pk}


def a_named_agent(tenant: Tenant) -> Mapping[str, Any]:
    return {"agent_id": make_agent(tenant, name="Marina").pk}


SETTINGS = {"name": "Marina", "status": "active", "transcript_retention_days": "30"}

ROWS = [
    PageRow("GET", "dashboard/agents", EVERYBODY),
    PageRow("GET", "dashboard/agents/new", ADMINS),
    PageRow("POST", "dashboard/agents/new", ADMINS, body={"name": "Marina"}),
    PageRow("GET", AGENT, EVERYBODY, an_agent),
    PageRow("GET", f"{AGENT}/settings", ADMINS, an_agent),
    PageRow("POST", f"{AGENT}/settings", ADMINS, an_agent, body=SETTINGS),
    PageRow("GET", f"{AGENT}/sources", READERS, an_agent),
    PageRow("POST", f"{AGENT}/sources/add", ADMINS, an_agent, body={}),
    PageRow("POST", f"{AGENT}/sources/remove", ADMINS, an_agent, body={}),
    PageRow("POST", f"{AGENT}/sources/all", ADMINS, an_agent, body={}),
    PageRow("POST", f"{AGENT}/delete", ADMINS, a_named_agent, body={"name": "Marina"}),
]
