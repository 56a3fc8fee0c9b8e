"""The pages of an agent's channels."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Tenant
from agents.tests.factories import make_agent
from channels.tests.factories import make_web_agent
from dashboard.tests.matrix import ADMINS, PageRow

AGENT = "dashboard/agents/<uuid:agent_id>"


def an_agent(tenant: Tenant) -> Mapping[str, Any]:
    return {"agent_id": make_web_agent(tenant).pk}


def a_channel(tenant: Tenant) -> Mapping[str, Any]:
    return {"agent_id": make_agent(tenant, name="Marina").pk, "kind": "web"}


ROWS = [
    PageRow("GET", f"{AGENT}/channels", ADMINS, an_agent),
    PageRow("POST", f"{AGENT}/channels/<str:kind>/connect", ADMINS, a_channel, body={}),
    PageRow(
        "POST",
        f"{AGENT}/channels/<str:kind>/disconnect",
        ADMINS,
        a_channel,
        body={"name": "Marina"},
    ),
    PageRow("GET", f"{AGENT}/preview", ADMINS, an_agent),
]
